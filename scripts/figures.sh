#!/usr/bin/env bash
# Every figure of strength that the docs give, on deals that no choice was made on. Goes on where it stopped.
#
#     scripts/figures.sh && python scripts/report.py runs/figures/*.json --out docs/strength.html
#     scripts/figures.sh rummy_bo && python scripts/report.py runs/figures/rummy_bo/*.json --out docs/rummy_bo/strength.html
#
# About three hours on two cores for Jo, one for Rummy Bo. POLICY is what is measured, the folder of the results
# runs/figures, that of Rummy Bo runs/figures/rummy_bo.
set -euo pipefail
cd "$(dirname "$0")/.."
GAME=${1:-jo}
POLICY=${POLICY:-policy:checkpoints/$GAME.safetensors}
OUT=runs/figures
SEATS="2 3 4"
[ "$GAME" = jo ] || { OUT=$OUT/$GAME SEATS="2 3 4 5 6"; }
PYTHON=$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python)

figure() {  # NAME DEALS BOT OPPONENT
  for seats in $SEATS; do
    [ -e "$OUT/$1-$seats.json" ] ||
      "$PYTHON" scripts/evaluate.py "game=$GAME" "lineup=[$3,$4]" "seats=$seats" "num_deals=$2" seed=7 processes=2 \
        "out=$OUT/$1-$seats.json"
  done
}

MANY=5000
[ "$GAME" = jo ] || MANY=1000
figure "$GAME-planner" $MANY "$POLICY" planner
figure "$GAME-greedy" $MANY "$POLICY" greedy
for level in easy medium hard; do figure $level-greedy 500 "$POLICY@$level" greedy; done
figure medium-easy 200 "$POLICY@medium" "$POLICY@easy"
figure hard-medium 200 "$POLICY@hard" "$POLICY@medium"
figure expert-hard 500 "$POLICY" "$POLICY@hard"
figure easy-random 100 "$POLICY@easy" random
figure "planner-$GAME" 1000 planner "$POLICY"  # the reverse: one planner at a table of policies
figure planner-greedy 1000 planner greedy
figure improved-greedy 1000 planner-improved greedy
figure improved-planner 1000 planner-improved planner
