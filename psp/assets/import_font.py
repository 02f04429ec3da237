#!/usr/bin/env python3
"""Makes font8x8.hex from a Linux console font and our own glyphs.

The console font is Uni2-VGA8.psf.gz of Debian's package console-setup-linux, whose copyright file says: "All
console fonts are public domain by nature." Its table gives plain letters as stand-ins for signs that it does
not have (circled letters, ballot boxes, ...); those are left out, so that the program shows its replacement
sign instead.

The result is committed: the build needs neither this script nor that package.
"""

import argparse
import gzip
import pathlib
import struct

PSF1_MAGIC = b"\x36\x04"
PSF1_MODE_512 = 0x01
GLYPH_LINES = 8
END_OF_GLYPH = 0xFFFF
START_OF_SEQUENCE = 0xFFFE

# What is taken from the console font.
WANTED = [
    (0x0020, 0x007E),  # ASCII
    (0x00A0, 0x017F),  # Latin-1 and Latin Extended-A
    (0x0192, 0x0192),
    (0x02C6, 0x02DD),
    (0x0370, 0x04FF),  # Greek, Cyrillic
    (0x2000, 0x206F),  # punctuation
    (0x207F, 0x207F),
    (0x20AC, 0x20AC),  # euro
    (0x2116, 0x2126),
    (0x2190, 0x21FF),  # arrows
    (0x2200, 0x226B),  # mathematics without circled operators
    (0x2300, 0x2321),
    (0x2500, 0x25C7),  # boxes, blocks, shapes
    (0x25CB, 0x266F),
]
UNWANTED = set(range(0x2610, 0x2613))  # ballot boxes, drawn as a dot and letters

Glyphs = dict[int, bytes]


def read_psf1(path: pathlib.Path) -> Glyphs:
    data = gzip.decompress(path.read_bytes())
    if data[:2] != PSF1_MAGIC or data[3] != GLYPH_LINES:
        raise SystemExit(f"{path}: not a PSF version 1 font with {GLYPH_LINES} lines a glyph")
    count = 512 if data[2] & PSF1_MODE_512 else 256
    table = data[4 + count * GLYPH_LINES :]
    codes = struct.unpack(f"<{len(table) // 2}H", table[: len(table) // 2 * 2])
    glyphs: Glyphs = {}
    index, in_sequence = 0, False
    for code in codes:
        if code == END_OF_GLYPH:
            index, in_sequence = index + 1, False
        elif code == START_OF_SEQUENCE:
            in_sequence = True
        elif not in_sequence and index < count:
            glyphs.setdefault(code, data[4 + index * GLYPH_LINES : 4 + (index + 1) * GLYPH_LINES])
    return glyphs


def read_pictures(path: pathlib.Path) -> Glyphs:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("# ")]
    if len(lines) % (GLYPH_LINES + 1):
        raise SystemExit(f"{path}: {len(lines)} lines are not a multiple of {GLYPH_LINES + 1}")
    glyphs: Glyphs = {}
    for start in range(0, len(lines), GLYPH_LINES + 1):
        code, rows = int(lines[start], 16), lines[start + 1 : start + 1 + GLYPH_LINES]
        if any(len(row) != 8 or set(row) - set("#.") for row in rows):
            raise SystemExit(f"{path}: U+{code:04X} is not eight lines of eight pixels")
        glyphs[code] = bytes(int(row.replace("#", "1").replace(".", "0"), 2) for row in rows)
    return glyphs


def is_wanted(code: int) -> bool:
    return code not in UNWANTED and any(first <= code <= last for first, last in WANTED)


def main() -> None:
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("console_font", type=pathlib.Path, help="Uni2-VGA8.psf.gz")
    parser.add_argument("--own", type=pathlib.Path, default=here / "own_glyphs.txt")
    parser.add_argument("--out", type=pathlib.Path, default=here / "font8x8.hex")
    arguments = parser.parse_args()

    glyphs = {code: rows for code, rows in read_psf1(arguments.console_font).items() if is_wanted(code)}
    glyphs |= read_pictures(arguments.own)
    lines = [
        "# The screen font, 8 x 8 pixels: CODEPOINT:EIGHT_BYTES. Made by import_font.py; origin: README.md.",
        *(f"{code:04X}:{rows.hex().upper()}" for code, rows in sorted(glyphs.items())),
    ]
    arguments.out.write_text("\n".join(lines) + "\n")
    print(f"{arguments.out}: {len(glyphs)} glyphs")


if __name__ == "__main__":
    main()
