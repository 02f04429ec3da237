#!/bin/sh
# Formatting, static analysis and Python lint over everything the project tracks. usage: lint.sh BUILD_DIR JOBS
set -eu
build=$1
jobs=$2
echo "lint: clang-format"
git ls-files '*.hpp' '*.cpp' | xargs clang-format-14 --dry-run --Werror
echo "lint: ruff"
"$build/venv/bin/ruff" check --quiet .
"$build/venv/bin/ruff" format --check --quiet .
echo "lint: clang-tidy"
# Each file is analysed once for a given content of the tree's headers and settings; the stamps make a second run fast.
mkdir -p "$build/tidy"
headers=$(git ls-files '*.hpp' .clang-tidy | xargs cat | sha256sum | cut -c1-16)
export build headers
python3 - "$build/compile_commands.json" <<'PY' | xargs -P "$jobs" -n 1 sh -c '
stamp=$build/tidy/$(printf %s "$1" | tr / _).$(sha256sum "$1" | cut -c1-16).$headers
[ -e "$stamp" ] || { clang-tidy-14 --quiet -p "$build" "$1" 2>/dev/null && : >"$stamp"; }' sh
import json, os, sys
root = os.getcwd()
files = sorted({os.path.relpath(c["file"], root) for c in json.load(open(sys.argv[1]))})
print("\n".join(f for f in files if not f.startswith(("build/", ".."))))
PY
