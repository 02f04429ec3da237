#!/usr/bin/env python3
"""Writes engine/text/character_class_table.inc: where the class of code points changes.

    pip install unicodedata2==16.0.0
    tools/make_character_classes.py engine/text/character_class_table.inc

Unicode 16.0 is what the regular expressions of PyPI's `tokenizers` 0.23 know; Python's own unicodedata has
another version, so the backport of that name is used.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import unicodedata2

VERSION = "16.0.0"
OTHER, LETTER, NUMBER, WHITE_SPACE = range(4)  # engine/text/character_class.hpp
ENTRIES_A_LINE = 10
CONTROLS_THAT_ARE_WHITE_SPACE = frozenset("\t\n\v\f\r\x85")


def class_of(character: str) -> int:
    category = unicodedata2.category(character)
    if category[0] == "L":
        return LETTER
    if category[0] == "N":
        return NUMBER
    return WHITE_SPACE if category[0] == "Z" or character in CONTROLS_THAT_ARE_WHITE_SPACE else OTHER


def changes() -> list[int]:
    """Code point * 4 + class, where a code point's class is not that of the one before."""
    entries: list[int] = []
    for code_point in range(sys.maxunicode + 1):
        kind = class_of(chr(code_point))
        if not entries or entries[-1] % 4 != kind:
            entries.append(code_point * 4 + kind)
    return entries


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the table of character classes.")
    parser.add_argument("out", type=Path, help="the file to write")
    options = parser.parse_args()
    if unicodedata2.unidata_version != VERSION:
        print(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, expected {VERSION}", file=sys.stderr)
        return 1
    entries = changes()
    lines = [f"// Unicode {VERSION}; written by tools/make_character_classes.py."]
    for start in range(0, len(entries), ENTRIES_A_LINE):
        lines.append(" ".join(f"{entry:#x}," for entry in entries[start : start + ENTRIES_A_LINE]))
    options.out.write_text("\n".join(lines) + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
