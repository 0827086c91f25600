"""The pages of docs/ say what the code does."""

import importlib.util
import re
from pathlib import Path

import pytest

from agents.serving.http import STATUS
from agents.serving.requests import ERRORS

ROOT = Path(__file__).parents[1]


def make_docs():
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "scripts" / "make_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game", ["", "rummy_bo"])
@pytest.mark.parametrize("page", ["observation", "actions"])
def test_pages_written_from_the_code(page, game):
    written = getattr(make_docs(), f"bo_{page}_page" if game else f"{page}_page")()
    assert (ROOT / "docs" / game / f"{page}.md").read_text() == written, "run python scripts/make_docs.py"


@pytest.mark.parametrize("game", make_docs().SCHEMA_FOLDERS)
@pytest.mark.parametrize("name", make_docs().SCHEMA_FILES)
def test_schemas_written_from_the_code(name, game):
    written = (make_docs().SCHEMA_FOLDERS[game] / f"{name.lower()}.json").read_text()
    assert written == make_docs().schema_file(game, name), "run python scripts/make_docs.py"


def test_every_error_and_its_status_is_explained():
    page = (ROOT / "docs" / "serving.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.M) == [(c, str(s)) for c, s in STATUS.items()]
    assert STATUS.keys() == ERRORS.keys()


@pytest.mark.parametrize(("page", "at_least"), [("README.md", 2), ("docs/environments.md", 4)])
def test_examples_run(page, at_least, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert len(blocks) >= at_least
    names: dict = {}
    for block in blocks:
        exec(block, names)
        # A print whose output the page gives says just that.
        for expected in re.findall(r"^print\(.*\)  # (.*)$", block, re.M):
            assert expected in capsys.readouterr().out
