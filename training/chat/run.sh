#!/bin/sh
# All stages of this folder one after the other; each goes on where it was stopped. Options: --smoke (seconds, tiny).
#   MINUTES_CONVERSATIONS, MINUTES_HEAL: length of the two long stages
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-build/venv/bin/python}
if [ "${1:-}" != --smoke ]; then "$python" -m training.chat.fetch_teacher; fi
"$python" -m training.chat.conversations --minutes "${MINUTES_CONVERSATIONS:-60}" "$@"
"$python" -m training.chat.vocabulary "$@"
"$python" -m training.chat.prune_ffn "$@"
"$python" -m training.chat.heal --minutes "${MINUTES_HEAL:-60}" "$@"
