#!/bin/sh
# The main job, end to end, on the model that lies in the repo. usage: demo.sh BUILD_DIR [host|play]
set -eu
build=$1
what=${2:-all}
model=models/stories-2M/model.bin
stick=$build/stick
prompt="Once upon a time, there was a little dog named Max."
if [ "$what" != play ]; then
  echo "== A story, on this PC"
  "$build/pspllm" run "$model" -i "$prompt" -t 0.8 -s 7
  for device in psp1000 psp2000; do
    echo
    echo "== Its memory on a $device"
    "$build/pspllm" budget "$model" --device "$device" --html "$build/budget-$device.html"
  done
  echo "The same as pages with pictures: $build/budget-psp1000.html, $build/budget-psp2000.html"
fi
echo
echo "== The memory stick"
rm -rf "$stick" "$build/demo"
"$build/pspllm" pack "$model" --out "$stick"
echo
echo "== The same program, played by itself on an emulated PSP (PPSSPP under Node)"
autorun=$stick/PSP/GAME/PspLlm/autorun.txt
printf 'prompt=%s\nsteps=120\ntemperature=0.8\nseed=7\n' "$prompt" >"$autorun"
node psp/emulator/play.mjs --stick "$stick" --out "$build/demo/autorun" --watch state.txt
rm "$autorun"
echo
echo "== And used by hand: a prompt typed on the system keyboard, a picture of the screen"
node psp/emulator/play.mjs --stick "$stick" --out "$build/demo/by-hand" --script tools/demo.script
echo "The screen: $build/demo/by-hand/story.png. The tree to copy onto a stick: $stick/PSP"
