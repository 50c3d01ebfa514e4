"""How each field of the settings is written in a link, and what a link may say for it."""

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

MAX_TOKENS = 64
MAX_HEADS = 8
MAX_DIMS = 16
MAX_CHARACTERS = 2_000
MAX_PASSAGE = 50_000  # characters for a real model
MAX_PLACES = 32_768  # tokens that a real model may read
MAX_MODEL_LAYERS, MAX_MODEL_HEADS = 256, 256
MAX_HEADS_SHOWN = 16
LARGEST_NUMBER = 1e6
SMALLEST_TEMPERATURE, LARGEST_TEMPERATURE = 1e-3, 1e3  # or 0, the limit
MAX_EDITS = 64

Table = tuple[tuple[float | int, ...], ...]
Move = tuple[str, int, float, float]
"""An arrow that was dragged: "q", "k" or "v", whose it is, and where its tip is now."""
Edit = tuple[str | int, ...]
"""What is changed in a model: its kind, then its places."""

LONGEST_VALUE = 65_536
_WHOLE = re.compile(r"-?[0-9]{1,10}")
_REAL = re.compile(r"-?(?:[0-9]{1,25}(?:\.[0-9]{0,25})?|\.[0-9]{1,25})(?:e[+-]?[0-9]{1,3})?", re.I)
NAME = re.compile(r"[a-z0-9_]{1,40}")
MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,99}")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


@dataclass(frozen=True)
class Link:
    """How one field is written in a link; `read` raises ValueError for what it cannot take."""

    key: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    limits: tuple[float | int, float | int] | None = None


def field(
    default: Any,
    key: str,
    read: Callable[[str], Any],
    write: Callable = str,
    limits: tuple[float | int, float | int] | None = None,
) -> Any:
    """Declare a field with its key in a link; `limits` are the least and the largest number."""
    return dataclasses.field(default=default, metadata={"link": Link(key, read, write, limits)})


def require(holds: object, text: str) -> None:
    """Raise ValueError unless it holds."""
    if not holds:
        raise ValueError(f"a link's value must be one that its field can take, got {text!r}")


def _read_whole(text: str, low: int, high: int) -> int:
    require(_WHOLE.fullmatch(text) and low <= int(text) <= high, text)
    return int(text)


def _read_real(text: str, low: float = -LARGEST_NUMBER, high: float = LARGEST_NUMBER) -> float:
    require(_REAL.fullmatch(text) and low <= float(text) <= high, text)
    return float(text)


def read_temperature(text: str) -> float:
    """Read a temperature: 0, or a number that divides without overflow."""
    number = _read_real(text)
    require(number == 0 or SMALLEST_TEMPERATURE <= number <= LARGEST_TEMPERATURE, text)
    return number


def write_real(value: float | int | str) -> str:
    """Write a number as short as it can be read back, a word as it stands."""
    return value if isinstance(value, str) else repr(value + 0.0).removesuffix(".0")


def _write_short(value: float | int) -> str:
    text = write_real(value)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def whole(default: int | None, key: str, low: int, high: int) -> Any:
    """Declare a whole number."""
    return field(default, key, lambda text: _read_whole(text, low, high), limits=(low, high))


def real(default: object, key: str, low: float, high: float, *words: str) -> Any:
    """Declare a number, or one of some words."""

    def read(text: str) -> float | str:
        return text if text in words else _read_real(text, low, high)

    return field(default, key, read, write_real, (float(low), float(high)))


def word(default: str, key: str, allowed: Callable[[str], object]) -> Any:
    """Declare a text, of which `allowed` tells whether a link may say it."""

    def read(text: str) -> str:
        require(allowed(text), text)
        return text

    return field(default, key, read)


def choice(default: str, key: str, options: Iterable[str]) -> Any:
    """Declare one of some words."""
    return word(default, key, frozenset(options).__contains__)


def flag(default: bool, key: str) -> Any:
    """Declare what is on or off, "1" or "0"."""

    def read(text: str) -> bool:
        require(text in ("0", "1"), text)
        return text == "1"

    return field(default, key, read, lambda on: "1" if on else "0")


def tokens(key: str) -> Any:
    """Declare tokens; "|" stands between them."""
    # A token may hold any character: inside it, \ is written \- and | is written \!.

    def read(text: str) -> tuple[str, ...]:
        found = tuple(p.replace(r"\!", "|").replace(r"\-", "\\") for p in text.split("|"))
        require(all(found) and len(found) <= MAX_TOKENS, text)
        return found

    def write(tokens: tuple[str, ...]) -> str:
        return "|".join(token.replace("\\", r"\-").replace("|", r"\!") for token in tokens)

    return field((), key, read, write)


def table(key: str, rows: int, columns: int) -> Any:
    """Declare a table of numbers: "," between columns, ";" between rows."""

    def read(text: str) -> Table:
        table = tuple(tuple(map(_read_real, row.split(","))) for row in text.split(";"))
        fits = len(table) <= rows and len(table[0]) <= columns
        require(fits and len(set(map(len, table))) == 1, text)
        return table

    def write(table: Table) -> str:
        return ";".join(",".join(map(_write_short, row)) for row in table)

    return field((), key, read, write)


def places(default: tuple[int, ...], key: str, below: int = MAX_TOKENS) -> Any:
    """Declare places, counted from 0."""

    def read(text: str) -> tuple[int, ...]:
        places = text.split(",") if text else []
        require(len(places) <= below, text)
        return tuple(_read_whole(place, 0, below - 1) for place in places)

    return field(default, key, read, lambda places: ",".join(map(str, places)))


def heads_of_layers(key: str) -> Any:
    """Declare heads of a model, each (layer, head)."""

    def read(text: str) -> tuple[tuple[int, int], ...]:
        pairs = tuple(tuple(pair.split(".")) for pair in text.split(","))
        require(len(set(pairs)) == len(pairs) <= MAX_HEADS_SHOWN, text)
        require({len(pair) for pair in pairs} == {2}, text)
        bounds = (MAX_MODEL_LAYERS, MAX_MODEL_HEADS)
        return tuple(
            (_read_whole(layer, 0, bounds[0] - 1), _read_whole(head, 0, bounds[1] - 1))
            for layer, head in pairs
        )

    def write(pairs: tuple[tuple[int, int], ...]) -> str:
        return ",".join(f"{layer}.{head}" for layer, head in pairs)

    return field((), key, read, write)


EDIT_NUMBERS = {"off": 2, "even": 2, "cut": 4, "mask": 1}
"""The kinds of edit of a model, with how many numbers each has; see `Settings.edits`."""


def edits(key: str) -> Any:
    """Write what is changed in a model: "off.3.1;cut.3.1.5.2;mask.4"."""

    def read(text: str) -> tuple[Edit, ...]:
        found = tuple(map(_read_edit, text.split(";")))
        require(len(set(found)) == len(found) <= MAX_EDITS, text)
        return found

    def write(found: tuple[Edit, ...]) -> str:
        return ";".join(".".join(map(str, edit)) for edit in found)

    return field((), key, read, write)


def _read_edit(text: str) -> Edit:
    kind, *places = text.split(".")
    require(EDIT_NUMBERS.get(kind) == len(places), text)
    least = -1 if kind == "cut" else 0  # of head: every head of the layer
    heads = [0, least, 0, 0] if kind == "cut" else [0] * len(places)
    return kind, *(
        _read_whole(n, low, MAX_PLACES - 1) for n, low in zip(places, heads, strict=True)
    )


def letters(key: str, allowed: str) -> Any:
    """Write a choice of several by one letter each, in their order."""

    def read(text: str) -> str:
        require(text == "".join(each for each in allowed if each in text), text)
        return text

    return field("", key, read)


def moves(key: str) -> Any:
    """Declare arrows that were dragged, each with its new tip."""

    def read(text: str) -> tuple[Move, ...]:
        moves = tuple(map(_read_move, text.split(";")))
        require(len({move[:2] for move in moves}) == len(moves) <= 3 * MAX_TOKENS, text)
        return moves

    def write(moves: tuple[Move, ...]) -> str:
        return ";".join(
            f"{symbol}{token}:{_write_short(x)},{_write_short(y)}" for symbol, token, x, y in moves
        )

    return field((), key, read, write)


def _read_move(text: str) -> Move:
    found = re.fullmatch(r"([qkv])([0-9]{1,2}):([^,;]*),([^,;]*)", text)
    require(found, text)
    symbol, token, x, y = found.groups() if found else ("", "", "", "")
    return symbol, _read_whole(token, 0, MAX_TOKENS - 1), _read_real(x), _read_real(y)


def cells(key: str) -> Any:
    """Declare a square of yes and no: "1" and "0", "." between rows."""

    def read(text: str) -> tuple[str, ...]:
        rows = tuple(text.split("."))
        require(len(rows) <= MAX_TOKENS and set(text) <= set("01."), text)
        require({len(row) for row in rows} == {len(rows)}, text)
        return rows

    return field((), key, read, ".".join)
