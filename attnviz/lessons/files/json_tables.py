"""Tables in JSON: a list of rows, or an object whose keys hold them, as attnviz itself writes it.

Any key that holds a list of rows of numbers is a matrix; objects in objects are looked into.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np

from attnviz.errors import InputError
from attnviz.lessons.files.found import (
    TOKEN_NAMES,
    Contents,
    Limits,
    Matrix,
    check_axes,
    gather,
    label,
    matrix_of_array,
    others,
)
from attnviz.lessons.files.grids import Cell, kept_rows, matrix_of

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_LONGEST_NUMBER = 400
_LONGEST_LIST = 10_000


def read_json(text: str, name: str, limits: Limits) -> Contents:
    """Read every matrix of a JSON text.

    Raises:
        InputError: if it is broken, too deep, has a key twice or numbers without end, or if it
            holds no matrix.
    """
    tree = _parsed(text, limits)
    parts = list(_walk(tree, "")) if isinstance(tree, dict) else [(name, tree)]
    tokens = next((_tokens(value) for key, value in parts if _holds_tokens(key, value)), ())
    tables = [(k, v) for k, v in parts if isinstance(v, list) and not _holds_tokens(k, v)]
    scalars = [key for key, value in parts if not isinstance(value, list)]
    matrices, left_out = gather(
        ((key, partial(_matrix, value, label(key), limits)) for key, value in tables), limits
    )
    return Contents("json", matrices, tokens, left_out, tuple(others(scalars)))


def is_json(text: str) -> bool:
    """Tell a text that begins as JSON does and ends as it began."""
    text = text.strip()
    return text[:1] + text[-1:] in ("{}", "[]")


def _parsed(text: str, limits: Limits) -> Any:
    if _depth(text) > limits.depth:
        raise InputError("file.json_deep", most=limits.depth)
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_twins,
            parse_constant=_refuse,
            parse_int=_number,
            parse_float=_number,
        )
    except json.JSONDecodeError as error:
        raise InputError("file.json_broken", line=error.lineno, column=error.colno) from error


def _depth(text: str) -> int:
    """Count how deep brackets stand in brackets, without descending."""
    signs = np.frombuffer(_STRING.sub("", text).encode("utf-8", "replace"), np.uint8)
    steps = np.isin(signs, list(b"[{")).astype(np.int32) - np.isin(signs, list(b"]}"))
    return int(steps.cumsum().max(initial=0))


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = {}
    for key, value in pairs:
        if key in found:
            raise InputError("file.json_twice", name=label(key)[:40])
        found[key] = value
    return found


def _refuse(text: str) -> NoReturn:
    raise InputError("file.json_infinite", text=text)


def _number(text: str) -> float:
    if len(text) > _LONGEST_NUMBER:
        raise InputError("file.json_infinite", text=f"{text[:20]}…")
    return float(text)


def _walk(tree: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _walk(value, f"{prefix}{key}.")
        elif _is_of_named(value):
            yield from ((f"{prefix}{key}.{part['name']}", part["array"]) for part in value)
        else:
            yield prefix + key, value


def _is_of_named(value: Any) -> bool:
    """Tell a list of arrays by name, such as the steps of a trace."""
    return (
        isinstance(value, list)
        and value != []
        and all(
            isinstance(part, dict) and isinstance(part.get("array"), list) and "name" in part
            for part in value
        )
    )


def _holds_tokens(key: str, value: Any) -> bool:
    named = key.rpartition(".")[2].casefold() in TOKEN_NAMES
    return named and isinstance(value, list) and all(isinstance(token, str) for token in value)


def _tokens(value: list[str]) -> tuple[str, ...]:
    return tuple(map(label, value))


def _matrix(value: Any, name: str, limits: Limits) -> Matrix:
    if not isinstance(value, list):
        raise InputError("file.not_a_table")
    if len(value) > _LONGEST_LIST:
        raise InputError("file.more_rows", most=limits.rows)
    rows = value
    if value and all(isinstance(row, dict) and row.keys() == value[0].keys() for row in value):
        heads = list(value[0])
        rows = [heads, *([row[head] for head in heads] for row in value)]
    elif value and not any(isinstance(row, list) for row in value):
        rows = [value]
    if any(not isinstance(row, list) for row in rows):
        raise InputError("file.not_a_table")
    if any(isinstance(cell, list) for row in rows for cell in row):
        return _heads(rows, name, limits)
    return matrix_of(kept_rows((list(map(_cell, row)) for row in rows), limits), name, limits)


def _heads(heads: list[Any], name: str, limits: Limits) -> Matrix:
    """Set the matrices of several heads side by side."""
    if len(heads) > limits.columns:
        raise InputError("file.too_many_columns", most=limits.columns, got=len(heads))
    rows = [row for head in heads if isinstance(head, list) for row in head]
    if any(isinstance(number, list) for row in rows if isinstance(row, list) for number in row):
        raise InputError("file.axes", got=4)
    found = [_matrix(head, name, limits) for head in heads]
    if len({matrix.shape for matrix in found}) != 1:
        raise InputError("file.heads_differ")
    check_axes((len(found), *found[0].shape), limits)
    return matrix_of_array(np.array([matrix.values for matrix in found]), name, limits)


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        raise InputError("file.not_a_table")
    return float(value) if isinstance(value, bool) else value
