#!/bin/sh
# From nothing to a distilled .pspm file: all stages of this folder one after the other; each goes on where it was
# stopped. What is there already (export, quantised file) is not made again.
#   --smoke: a tiny teacher that is trained here, tiny settings, minutes
#   PSPLLM: the command line program; MINUTES_CONVERSATIONS, MINUTES_HEAL, MINUTES_DISTIL: length of the long stages
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-build/venv/bin/python}
pspllm=${PSPLLM:-build/pspllm}
kept=training/chat/data/kept-16384.json
work=build/chat
more=""
if [ "${1:-}" = --smoke ]; then
  work=${PSPLLM_CHAT_SMOKE:-build/chat/smoke}
  kept=kept-480.json
else
  "$python" -m training.chat.fetch_teacher
  if [ -f ../shared/data/chat/selfchat.jsonl ]; then more=../shared/data/chat/selfchat.jsonl; fi
fi
more="--more-conversations $work/fact_talks.jsonl $more"
"$python" -m training.chat.conversations --minutes "${MINUTES_CONVERSATIONS:-60}" "$@"
"$python" -m training.chat.fact_talks "$@"
if [ "${1:-}" = --smoke ]; then "$python" -m training.chat.vocabulary "$@"; fi
if [ ! -f "$work/pruned-16384-1152.pt" ]; then "$python" -m training.chat.prune_ffn --kept "$kept" "$@"; fi
# shellcheck disable=SC2086 # a list of files
"$python" -m training.chat.heal --minutes "${MINUTES_HEAL:-60}" $more "$@"
"$python" -m training.chat.export --model "$work/heal-16384-1152/healed.pt" --out "$work/healed-hf" "$@"
# shellcheck disable=SC2086
"$python" -m training.chat.calibration --kept "$kept" $more "$@"
if [ ! -f "$work/quantised.pspm" ]; then
  recipe=models/recipes/chat-psp1000.json
  if [ "${1:-}" = --smoke ]; then
    recipe=$work/recipe.json
    echo '{"embedding": 2, "matrices": {"query": 2, "key": 2, "gate": 3}}' >"$recipe"
  fi
  "$pspllm" quantize --recipe "$recipe" --calibration "$work/calibration.txt" \
    --calibration-tokens "${CALIBRATION_TOKENS:-50000}" "$work/healed-hf" "$work/quantised.pspm"
fi
targets=""
if [ "${1:-}" != --smoke ]; then targets="--targets $work/heal-16384-1152/targets.pt"; fi
# shellcheck disable=SC2086
"$python" -m training.chat.distil --kept "$kept" --minutes "${MINUTES_DISTIL:-60}" $targets $more "$@"
"$python" -m training.chat.evaluate --kept "$kept" --model "$work/distil/distilled.pspm" "$@"
