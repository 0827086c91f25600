# make demo   train for five minutes, evaluate, export, and watch the bot play a game
# make play   play against bots in the terminal; GAME=rummy_bo for the other game
# make test   the tests
# make check  tests, lint and types
PYTHON ?= python3
GAME ?= jo
BIN := .venv/bin
INSTALLED := .venv/.installed
RUN := runs/demo

.PHONY: demo play test lint check benchmark docs

$(INSTALLED): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: $(INSTALLED)
	$(BIN)/python scripts/train.py experiment=demo
	$(BIN)/python scripts/evaluate.py lineup=[policy:$(RUN)/policy.safetensors,greedy] num_deals=200 processes=2 out=$(RUN)/2-seats.json
	$(BIN)/python scripts/evaluate.py lineup=[policy:$(RUN)/policy.safetensors,greedy] seats=4 num_deals=100 processes=2 out=$(RUN)/4-seats.json
	$(BIN)/python scripts/evaluate.py lineup=[policy:$(RUN)/policy.safetensors,planner] seats=4 num_deals=100 processes=2 out=$(RUN)/4-seats-planner.json
	$(BIN)/python scripts/export.py $(RUN)/policy.safetensors $(RUN)/bundle
	$(BIN)/python scripts/play.py --watch policy:$(RUN)/bundle --opponents planner --seed 1
	@echo
	@echo "What next:"
	@echo "  the run's curves   $(BIN)/tensorboard --logdir runs"
	@echo "  the figures        $(RUN)/*.json"
	@echo "  play against it    make play ARGS='--opponents policy:$(RUN)/bundle'"

play: $(INSTALLED)
	@$(BIN)/python scripts/play.py --game $(GAME) $(ARGS)

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

benchmark: $(INSTALLED)
	$(BIN)/python scripts/benchmark.py

docs: $(INSTALLED)
	$(BIN)/python scripts/make_docs.py
