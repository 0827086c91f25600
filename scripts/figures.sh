#!/usr/bin/env bash
# Every figure of strength that the docs give, on deals that no choice was made on. Goes on where it stopped.
#
#     scripts/figures.sh && python scripts/report.py runs/figures/*.json --out docs/strength.html
#
# About three hours on two cores. JO is the policy, the folder of the results runs/figures.
set -euo pipefail
cd "$(dirname "$0")/.."
JO=${JO:-policy:checkpoints/jo.safetensors}
OUT=runs/figures
PYTHON=$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python)

figure() {  # NAME DEALS BOT OPPONENT
  for seats in 2 3 4; do
    [ -e "$OUT/$1-$seats.json" ] ||
      "$PYTHON" scripts/evaluate.py "lineup=[$3,$4]" seats=$seats num_deals="$2" seed=7 processes=2 "out=$OUT/$1-$seats.json"
  done
}

figure jo-planner 5000 "$JO" planner
figure jo-greedy 5000 "$JO" greedy
for level in easy medium hard; do figure $level-greedy 500 "$JO@$level" greedy; done
figure medium-easy 200 "$JO@medium" "$JO@easy"
figure hard-medium 200 "$JO@hard" "$JO@medium"
figure expert-hard 500 "$JO" "$JO@hard"
figure easy-random 100 "$JO@easy" random
figure planner-jo 1000 planner "$JO"  # the reverse: one planner at a table of policies
figure planner-greedy 1000 planner greedy
figure improved-greedy 1000 planner-improved greedy
figure improved-planner 1000 planner-improved planner
