#!/bin/sh
# From the teacher to the file for a PSP-2000 or 3000: all layers and all pieces, 2.5 bits a weight, distilled.
# Stages go on where they were stopped; the quantised file is not made again.
#   PSPLLM: the command line program; MINUTES_CONVERSATIONS, MINUTES_DISTIL: length of the long stages
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-build/venv/bin/python}
pspllm=${PSPLLM:-build/pspllm}
work=build/chat
more=$work/fact_talks.jsonl
if [ -f ../shared/data/chat/selfchat.jsonl ]; then more="$more ../shared/data/chat/selfchat.jsonl"; fi
"$python" -m training.chat.fetch_teacher
if [ ! -f "$work/conversations.jsonl" ]; then
  "$python" -m training.chat.conversations --minutes "${MINUTES_CONVERSATIONS:-60}"
fi
"$python" -m training.chat.fact_talks
# shellcheck disable=SC2086 # a list of files
"$python" -m training.chat.calibration --all-pieces --out "$work/calibration-psp2000.txt" --more-conversations $more
if [ ! -f "$work/quantised-psp2000.pspm" ]; then
  "$pspllm" quantize --recipe models/recipes/smollm2-135m-psp2000.json --calibration "$work/calibration-psp2000.txt" \
    "$work/SmolLM2-135M-Instruct.Q4_1.gguf" "$work/quantised-psp2000.pspm"
fi
# shellcheck disable=SC2086
"$python" -m training.chat.distil --all-pieces --name smollm2-135m-psp2000 --base "$work/quantised-psp2000.pspm" \
  --folder "$work/distil-psp2000" --learning-rate 3e-3 --minutes "${MINUTES_DISTIL:-60}" \
  --chat-share 0.75 --story-share 0.15 --encyclopedia-share 0.1 --book-share 0 --more-conversations $more
