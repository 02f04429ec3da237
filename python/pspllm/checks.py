"""What arguments must be, said in the caller's words before they reach C++."""

from os import PathLike, fspath

MAX_COUNT = 2**32 - 1

Path = str | PathLike[str]


def whole(name: str, value: int, lowest: int, highest: int = MAX_COUNT) -> int:
    """The number, or ValueError where it is out of range."""
    if not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}, expected {lowest} to {highest}")
    return value


def real(name: str, value: float, lowest: float, highest: float) -> float:
    """The number, or ValueError where it is out of range or not a number."""
    if not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}, expected {lowest:g} to {highest:g}")
    return float(value)


def text_path(path: Path | None) -> str:
    """A path as C++ takes it; empty for None."""
    return "" if path is None else fspath(path)
