"""Append-only JSON lines that survive being cut off in the middle of a line."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any, TextIO


def read_lines(path: Path) -> list[dict[str, Any]]:
    """All records; raises ValueError naming the line that is no JSON object."""
    records = []
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(
                    f"{path}, line {number}: expected one JSON object a line ({error.msg})"
                ) from error
            if not isinstance(record, dict):
                raise ValueError(
                    f"{path}, line {number}: expected a JSON object, found {type(record).__name__}"
                )
            records.append(record)
    return records


def open_for_append(path: Path) -> TextIO:
    """Opens for appending after dropping a last line that was cut off; one writer at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open("a", encoding="utf-8")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise ValueError(
            f"{path}: another process is appending to it; wait for it or give another file"
        ) from error
    content = path.read_bytes()
    stream.truncate(content.rfind(b"\n") + 1)
    return stream
