"""A record as JSON: numbers in full (their shortest text that reads back the same), and back."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Shaped

from attnviz.attention.arrays import read_only
from attnviz.attention.trace import Step
from attnviz.errors import InputError
from attnviz.exports.records import Record, link_of
from attnviz.settings import Settings, from_query
from attnviz.text import DEFAULT_LANGUAGE, LANGUAGES

FORMAT, VERSION = "attnviz trace", 1
LARGEST = 64 * 2**20
"""Bytes of the largest file that is read; the largest layer is written with a tenth of it."""

# Tables of numbers stand outside the short settings: a link could not hold the largest.
_TABLES = ("vectors", "w_q", "w_k", "w_v", "w_o", "position_vectors")
_DTYPES = ("float64", "float32", "bool")
_WRONG = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


def to_json(record: Record) -> bytes:
    """Write a record as JSON, an array a line. Infinities are the texts "inf" and "-inf"."""
    steps = [_line(head_of(step) | {"array": _numbers(step.array)}, "  ") for step in record.arrays]
    head = [f' "{key}": {_line(value, "")}' for key, value in description(record).items()]
    text = "{\n" + ",\n".join(head) + ',\n "steps": [\n' + ",\n".join(steps) + "\n ]\n}\n"
    return text.encode()


def read_json(data: bytes) -> Record:
    """Read back what `to_json` wrote: arrays, tokens and settings are the same.

    Raises:
        InputError: if it is something else, or damaged.
    """
    check_size(len(data))
    try:
        document = json.loads(data.decode("utf-8-sig"))
        steps = tuple(
            Step(step["name"], _array(step["array"], step["dtype"]), tuple(step["axes"]))
            for step in document["steps"]
        )
        return described(document, steps)
    except _WRONG as wrong:
        raise InputError("export.unreadable") from wrong


def description(record: Record) -> dict[str, Any]:
    """Give all of a record that is not an array, as JSON can hold it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "language": record.language,
        "tokens": list(record.tokens),
    } | ({} if record.settings is None else settings_document(record.settings))


def described(document: dict[str, Any], steps: tuple[Step, ...]) -> Record:
    """Put a record together again from its description and its arrays.

    Raises:
        InputError: if a setting cannot be read.
        ValueError: if it describes something else.
    """
    if document["format"] != FORMAT or document["version"] > VERSION:
        raise ValueError(f'format must be "{FORMAT}", up to version {VERSION}; use a newer attnviz')
    language = document["language"]
    tokens = tuple(document["tokens"])
    if not all(isinstance(text, str) for text in (*tokens, *(step.name for step in steps))):
        raise ValueError("tokens and names must be texts; write the file again")
    return Record(
        tokens=tokens,
        arrays=steps,
        settings=read_settings(document) if "settings" in document else None,
        language=language if language in LANGUAGES else DEFAULT_LANGUAGE,
    )


def settings_document(settings: Settings) -> dict[str, Any]:
    """Give settings as JSON can hold them: a link, short keys, and typed tables as numbers."""
    typed = {name: table for name in _TABLES if (table := getattr(settings, name))}
    short = replace(settings, **dict.fromkeys(typed, ()))
    return {"link": link_of(settings), "settings": short.to_query(), "tables": typed}


def read_settings(document: dict[str, Any]) -> Settings:
    """Read settings back.

    Raises:
        InputError: naming the keys that cannot be read.
        ValueError: if a table is none.
    """
    settings, unreadable = from_query(document["settings"])
    if unreadable:
        raise InputError("export.settings", keys=", ".join(unreadable))
    tables = document.get("tables", {})
    return replace(settings, **{name: _table(tables[name]) for name in _TABLES if name in tables})


def head_of(step: Step) -> dict[str, Any]:
    """Say what an array is: its name, a word for each axis, and how exact its numbers are."""
    return {"name": step.name, "axes": list(step.axes), "dtype": str(step.array.dtype)}


def check_size(n_bytes: int) -> None:
    """Refuse a file that is larger than any record.

    Raises:
        InputError: with both sizes.
    """
    if n_bytes > LARGEST:
        raise InputError("export.too_large", got=n_bytes // 2**20, most=LARGEST // 2**20)


def _line(value: object, indent: str) -> str:
    return indent + json.dumps(value, ensure_ascii=False, allow_nan=False)


def _numbers(array: Shaped[np.ndarray, "..."]) -> Any:
    listed = array.tolist()
    return listed if np.isfinite(array).all() else _spoken(listed)


def _spoken(value: Any) -> Any:
    if isinstance(value, list):
        return [_spoken(each) for each in value]
    return value if math.isfinite(value) else repr(value)


def _array(listed: Any, dtype: str) -> Shaped[np.ndarray, "..."]:
    if dtype not in _DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(_DTYPES)}, got {dtype!r}; choose one")
    return read_only(np.array(listed, dtype=dtype))


def _table(rows: Any) -> tuple[tuple[float | int, ...], ...]:
    table = tuple(tuple(row) for row in rows)
    numbers = [number for row in table for number in row]
    if not numbers or len(set(map(len, table))) != 1:
        raise ValueError("a table must have rows of equal length; write the file again")
    if not all(type(number) in (int, float) and math.isfinite(number) for number in numbers):
        raise ValueError("a table must hold finite numbers; write the file again")
    return table
