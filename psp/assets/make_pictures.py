#!/usr/bin/env python3
"""Draws icon.png (144 x 80) and background.png (480 x 272) of the console's menu.

A night sky, a page of text that is still being written, and a trail of stars: a story coming out of a small
machine. Drawn with the standard library alone; the PNG files are committed.
"""

import argparse
import pathlib
import struct
import zlib

Color = tuple[int, int, int]

NIGHT_TOP: Color = (10, 12, 34)
NIGHT_BOTTOM: Color = (42, 30, 84)
PAPER: Color = (244, 236, 214)
INK: Color = (58, 46, 92)
GOLD: Color = (255, 206, 92)


def mix(a: Color, b: Color, part: float) -> Color:
    red, green, blue = (round(x + (y - x) * part) for x, y in zip(a, b, strict=True))
    return red, green, blue


class Picture:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.rows = [[mix(NIGHT_TOP, NIGHT_BOTTOM, y / height)] * width for y in range(height)]

    def blend(self, x: int, y: int, color: Color, part: float) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self.rows[y][x] = mix(self.rows[y][x], color, part)

    def box(self, x: int, y: int, width: int, height: int, color: Color, part: float = 1.0) -> None:
        for row in range(y, y + height):
            for column in range(x, x + width):
                self.blend(column, row, color, part)

    def star(self, x: int, y: int, size: int, color: Color) -> None:
        """Four points: brightness falls with the product of the distances along both axes."""
        for dy in range(-size, size + 1):
            for dx in range(-size, size + 1):
                reach = 1.0 - (abs(dx) * abs(dy) * 4 / size + abs(dx) + abs(dy)) / (size + 1)
                if reach > 0:
                    self.blend(x + dx, y + dy, color, reach)

    def page(self, x: int, y: int, width: int, height: int, lines: int) -> None:
        unit = max(1, height // (2 * lines + 3))
        self.box(x + unit, y + unit, width, height, (0, 0, 0), 0.4)
        self.box(x, y, width, height, PAPER)
        for line in range(lines):
            written = 1.0 if line + 1 < lines else 0.45
            length = round((width - 4 * unit) * written * (1.0 if line % 3 != 1 else 0.86))
            top = y + unit * (2 * line + 2)
            position = x + 2 * unit
            word = 0
            while position < x + 2 * unit + length:
                word_length = unit * (3 + (word * 7 + line * 3) % 5)
                end = min(position + word_length, x + 2 * unit + length)
                self.box(position, top, end - position, unit, INK)
                position, word = end + unit, word + 1
        cursor_x = x + 2 * unit + round((width - 4 * unit) * 0.45) + 2 * unit
        self.box(cursor_x, y + unit * (2 * lines) - unit // 2, unit, 2 * unit, GOLD)

    def png(self) -> bytes:
        raw = b"".join(b"\0" + b"".join(bytes(pixel) for pixel in row) for row in self.rows)

        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        return (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(raw, 9))
            + chunk(b"IEND", b"")
        )


def scatter(picture: Picture, count: int, size: int) -> None:
    """Small stars at fixed pseudo-random places."""
    state = 12345
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        x, y = state % picture.width, (state >> 12) % (picture.height * 3 // 4)
        picture.star(x, y, 1 + (state >> 5) % size, (200, 205, 255))


def make_icon() -> Picture:
    picture = Picture(144, 80)
    scatter(picture, 26, 1)
    picture.page(16, 10, 62, 60, 7)
    for x, y, size in ((92, 50, 4), (104, 36, 6), (122, 20, 9)):
        picture.star(x, y, size, GOLD)
    return picture


def make_background() -> Picture:
    picture = Picture(480, 272)
    scatter(picture, 90, 2)
    picture.page(286, 70, 150, 150, 9)
    for x, y, size in ((262, 176, 6), (226, 150, 8), (180, 116, 11), (124, 70, 16)):
        picture.star(x, y, size, GOLD)
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent, help="folder")
    folder: pathlib.Path = parser.parse_args().out
    for name, picture in (("icon.png", make_icon()), ("background.png", make_background())):
        (folder / name).write_bytes(picture.png())
        print(f"{folder / name}: {picture.width} x {picture.height}")


if __name__ == "__main__":
    main()
