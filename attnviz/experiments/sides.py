"""The other side of a comparison: the settings, but for the fields that it has different.

A link leaves out what has its default, so a field that the other side has at its default is named
among the tokens of the nested link, `tok=scale`: the tokens themselves are always the same ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from attnviz.errors import InputError
from attnviz.lessons.matrices import GIVEN
from attnviz.scene import Scene
from attnviz.settings import VIEW_FIELDS, Settings, from_query

_TOKENS = ("example", "sentence", "split", "pieces")
MATRICES = ("w_q", "w_k", "w_v", "w_o")
FIELDS = tuple(
    field.name for field in fields(Settings) if field.name not in (*VIEW_FIELDS, *_TOKENS)
)
"""What the other side may have different: everything but the tokens and how they are looked at."""


def defaults_of(names: Iterable[str]) -> dict[str, Any]:
    """Give fields their defaults."""
    return {name: getattr(Settings(), name) for name in names}


def read(other: str) -> dict[str, Any]:
    """Give the fields that a nested link sets; what it says of the tokens is no field of theirs."""
    inner, _ = from_query(dict(parse_qsl(other, keep_blank_values=True)))
    plain = defaults_of(name for name in inner.pieces if name in FIELDS)
    values = {name: getattr(inner, name) for name in FIELDS}
    return plain | {n: value for n, value in values.items() if value != getattr(Settings(), n)}


def written(different: Mapping[str, Any]) -> str:
    """Write fields as a nested link; `read` gives them back."""
    own = {name: v for name, v in different.items() if v != getattr(Settings(), name)}
    plain = tuple(name for name in FIELDS if name in different and name not in own)
    return urlencode(Settings(**own, pieces=plain).to_query())


def other_side(settings: Settings, scene: Scene, different: Mapping[str, Any]) -> Settings:
    """Give the settings of the other side, with the tokens of this one.

    Raises:
        InputError: if typed vectors are not one a token.
    """
    if not different.get("vectors"):
        return replace(settings, **different)
    rows = len(different["vectors"])
    if rows != len(scene.tokens):
        raise InputError("vectors.count", n_tokens=len(scene.tokens), got=rows)
    return replace(settings, **different, pieces=scene.tokens)


def differences(settings: Settings, other: Settings, one: Scene, two: Scene) -> tuple[str, ...]:
    """Name what differs between the sides; of typed matrices only those whose numbers do."""
    named = [
        name
        for name in FIELDS
        if name not in (*MATRICES, "w_source") and getattr(settings, name) != getattr(other, name)
    ]
    if other.w_source not in GIVEN:
        source = ["w_source"] if settings.w_source != other.w_source else []
        return (*source, *named)
    return (*(name for name in MATRICES if _differs(name, one, two)), *named)


def without(different: Mapping[str, Any], name: str, scene: Scene) -> dict[str, Any]:
    """Leave out one difference; a matrix becomes this side's own, and the last one takes all."""
    if name == "w_source":
        return {n: value for n, value in different.items() if n not in (*MATRICES, "w_source")}
    if name not in MATRICES:
        return {n: value for n, value in different.items() if n != name}
    kept = dict(different) | {name: table_of(scene, name)}
    if all(kept.get(each, ()) in ((), table_of(scene, each)) for each in MATRICES):
        return without(kept, "w_source", scene)
    return kept


def table_of(scene: Scene, name: str) -> tuple[tuple[float, ...], ...]:
    """Give a matrix as settings hold it, heads side by side; () where there is none."""
    matrix = getattr(scene.projections, name)
    if matrix is None:
        return ()
    return tupled(matrix if name == "w_o" else np.concatenate(list(matrix), axis=1))


def tupled(array: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Turn a matrix into the tuples that settings hold."""
    return tuple(tuple(float(number) for number in row) for row in array)


def _differs(name: str, one: Scene, two: Scene) -> bool:
    return table_of(one, name) != table_of(two, name)
