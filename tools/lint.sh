#!/bin/sh
# Formatting, Python lint, static analysis. usage: lint.sh BUILD_DIR JOBS [FOLDER ...]
# clang-tidy takes seconds a file: the test command analyses the folders that consoles run; `make lint-all` every file.
set -eu
build=$1
jobs=$2
shift 2
echo "lint: clang-format"
git ls-files '*.hpp' '*.cpp' | xargs clang-format-14 --dry-run --Werror
echo "lint: ruff"
"$build/venv/bin/ruff" check --quiet .
"$build/venv/bin/ruff" format --check --quiet .
echo "lint: clang-tidy"
# A file is analysed once for a given content of itself, the settings and all headers: stamps make a second run fast.
mkdir -p "$build/tidy"
headers=$(git ls-files '*.hpp' .clang-tidy | xargs cat | sha256sum | cut -c1-16)
export build headers
# shellcheck disable=SC2016 # expanded by the inner shell
for folder in "${@:-.}"; do git ls-files "$folder" | grep '\.cpp$' | grep -v '_test\.cpp$'; done | sort -u | while read -r file; do
  grep -q "/$file\"" "$build/compile_commands.json" && echo "$file"
done | xargs -P "$jobs" -n 1 sh -c '
  stamp=$build/tidy/$(printf %s "$1" | tr / _).$(sha256sum "$1" | cut -c1-16).$headers
  [ -e "$stamp" ] && exit 0
  report=$(clang-tidy-14 --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null) ||
    { printf "%s\n" "$report"; exit 1; }
  : >"$stamp"' sh
