"""Edits of the input as changes of the settings: pure functions, so that nothing typed is lost.

Each takes what is on the screen and gives the fields of Settings that change.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.lessons.lexicon import word_vectors
from attnviz.lessons.sentences import split_sentence
from attnviz.lessons.typed import parse_number, parse_table
from attnviz.scene import Scene
from attnviz.settings import MAX_DIMS, MAX_TOKENS, Settings
from attnviz.settings.links import Table
from attnviz.text.numbers import significant

MATRICES = ("w_q", "w_k", "w_v", "w_o")


def table(array: np.ndarray) -> Table:
    """Turn a matrix into the tuples that settings hold."""
    return tuple(tuple(float(number) for number in row) for row in array)


def side_by_side(weights: np.ndarray) -> np.ndarray:
    """Join one matrix per head, (head, d_model, d), into (d_model, heads · d)."""
    return np.concatenate(list(weights), axis=1)


def sentence(settings: Settings, scene: Scene, typed: str) -> dict[str, Any]:
    """Show another sentence; an empty one goes back to the example's own."""
    changes: dict[str, Any] = {
        "sentence": typed.strip(),
        "pieces": (),
        "vectors": (),
        "key": None,
        "d_model": len(settings.vectors[0]) if settings.vectors else settings.d_model,
    }
    if settings.cells and typed.strip():
        changes["cells"] = _cells(settings, len(split_sentence(typed, settings.split)))
    return changes


def pieces(settings: Settings, scene: Scene, tokens: Sequence[str]) -> dict[str, Any]:
    """Name or split the tokens by hand; typed vectors stay with their places."""
    changes: dict[str, Any] = {"pieces": tuple(tokens), "key": None}
    if settings.vectors:
        changes |= {"vectors": _vectors_of(settings, scene, tokens), **_by_hand(scene)}
    if settings.cells:
        changes["cells"] = _cells(settings, len(tokens))
    return changes


def add_token(settings: Settings, scene: Scene, word: str) -> dict[str, Any]:
    """Put one more token at the end; all others keep their vectors."""
    return _with_inputs(settings, scene, (*scene.tokens, word))


def remove_token(settings: Settings, scene: Scene) -> dict[str, Any]:
    """Take the last token away; one stays."""
    return _with_inputs(settings, scene, scene.tokens[: max(1, len(scene.tokens) - 1)])


def _with_inputs(settings: Settings, scene: Scene, tokens: tuple[str, ...]) -> dict[str, Any]:
    return pieces(settings, scene, tokens) | {
        "vectors": _vectors_of(settings, scene, tokens),
        **_by_hand(scene),
    }


def _by_hand(scene: Scene) -> dict[str, Any]:
    """Stop calling numbers trained once one of them was changed by hand."""
    return {"w_source": "typed"} if scene.weight_source == "trained" else {}


def _vectors_of(settings: Settings, scene: Scene, tokens: Sequence[str]) -> Table:
    """Keep the vectors on the screen in their places; tokens beyond them get their words'."""
    kept = scene.inputs[: len(tokens)]
    fresh = word_vectors(tokens[len(kept) :], kept.shape[1], settings.seed)[0]
    return table(np.vstack([kept, fresh]) if len(fresh) else kept)


def _cells(settings: Settings, n_tokens: int, kept: Sequence[int] = ()) -> tuple[str, ...]:
    """Fit the painted mask to the tokens: who is kept sees whom they saw, who is new sees all."""
    painted = range(len(settings.cells))
    kept = [place for place in (kept or range(n_tokens)) if place in painted]
    rows = ["".join(settings.cells[row][column] for column in kept) for row in kept]
    return tuple(row.ljust(n_tokens, "1") for row in rows + [""] * (n_tokens - len(rows)))


# --- Matrices of numbers ---


def shown(scene: Scene, name: str) -> np.ndarray:
    """Give the matrix of numbers that an editor shows: "vectors", "w_q", "w_k", "w_v" or "w_o"."""
    if name == "vectors":
        return scene.inputs
    weights = getattr(scene.projections, name)
    return weights if name == "w_o" else side_by_side(weights)


def type_cell(name: str, scene: Scene, row: int, column: int, typed: str) -> dict[str, Any]:
    """Change one number.

    Raises:
        InputError: naming the cell, if what was typed is no number.
    """
    number = _cell_number(row, column, typed)
    edited = np.array(shown(scene, name))
    edited[row, column] = number
    return _typed(scene, name, edited)


def _cell_number(row: int, column: int, typed: str) -> float:
    try:
        return parse_number(typed)
    except InputError as error:
        code = "not_finite" if error.code == "number.infinite" else "cell_unreadable"
        place = {"row": row + 1, "column": column + 1}
        text = {} if code == "not_finite" else {"text": typed}
        raise InputError(f"number.{code}", **place, **text) from error


def typed_matrix(scene: Scene, name: str, values: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Put a whole matrix in place of one; the others stay as they are on the screen."""
    return _typed(scene, name, np.array(values))


def paste(
    settings: Settings, scene: Scene, name: str, row: int, column: int, typed: str
) -> dict[str, Any]:
    """Put a block from a spreadsheet at a cell; the matrix grows where the block is larger.

    Raises:
        InputError: naming the cell, if one cannot be read, or the block is too large.
    """
    block = np.array(parse_table(typed))
    if name == "cells":
        return _painted(scene, row, column, block)
    sizes = _sizes(scene, name, row + block.shape[0], column + block.shape[1])
    grown = _resized(scene, **sizes)
    edited = np.array(grown[name])
    edited[row : row + block.shape[0], column : column + block.shape[1]] = block
    return _changes(settings, scene, grown | {name: edited}, sizes)


def add(settings: Settings, scene: Scene, name: str, axis: str) -> dict[str, Any]:
    """Add a row or a column of zeros at the end."""
    rows, columns = shown(scene, name).shape
    more = {"row": (rows + 1, columns), "column": (rows, columns + 1)}[axis]
    sizes = _sizes(scene, name, *more)
    return _changes(settings, scene, _resized(scene, **sizes), sizes)


def remove(settings: Settings, scene: Scene, name: str, axis: str, place: int) -> dict[str, Any]:
    """Take one row or column away, with all that belongs to it; one stays."""
    dimension = _dimension(name, axis)
    sizes = _all_sizes(scene)
    if sizes[dimension] == 1:
        raise InputError("size.one_stays")
    matrices = _without(scene, dimension, place)
    fewer = sizes | {dimension: sizes[dimension] - 1}
    return _changes(settings, scene, matrices, fewer, gone=place)


# Which size each axis of a matrix is. Columns of W are per head: heads stand side by side.
_DIMENSIONS = {
    "vectors": ("n_tokens", "d_model"),
    "w_q": ("d_model", "d_k"),
    "w_k": ("d_model", "d_k"),
    "w_v": ("d_model", "d_v"),
    "w_o": ("d_v", "d_model"),
}


def _dimension(name: str, axis: str) -> str:
    return _DIMENSIONS[name][axis == "column"]


def _all_sizes(scene: Scene) -> dict[str, int]:
    sizes = scene.projections
    return {
        "n_tokens": len(scene.tokens),
        "d_model": sizes.d_model,
        "d_k": sizes.d_k,
        "d_v": sizes.d_v,
    }


def _heads(scene: Scene, name: str, dimension: str) -> int:
    if dimension not in ("d_k", "d_v"):
        return 1
    sizes = scene.projections
    return sizes.n_kv_heads if name in ("w_k", "w_v") else sizes.n_heads


def most_columns(scene: Scene, name: str) -> int:
    """Give how many columns a matrix may have: heads stand side by side."""
    return MAX_DIMS * _heads(scene, name, _dimension(name, "column"))


def _sizes(scene: Scene, name: str, rows: int, columns: int) -> dict[str, int]:
    sizes = _all_sizes(scene)
    for dimension, wanted in zip(_DIMENSIONS[name], (rows, columns), strict=True):
        per_head = -(-wanted // _heads(scene, name, dimension))
        if dimension == "n_tokens" and wanted > MAX_TOKENS:
            raise InputError("text.too_long", n_tokens=wanted, most=MAX_TOKENS)
        if dimension != "n_tokens" and per_head > MAX_DIMS:
            raise InputError("size.too_large", name=dimension, got=per_head, most=MAX_DIMS)
        sizes[dimension] = max(sizes[dimension], per_head)
    return sizes


def _resized(
    scene: Scene, *, n_tokens: int, d_model: int, d_k: int, d_v: int
) -> dict[str, np.ndarray]:
    weights = scene.projections
    grown = {
        "vectors": _grown(scene.inputs, n_tokens, d_model),
        "w_q": side_by_side(_grown(weights.w_q, d_model, d_k)),
        "w_k": side_by_side(_grown(weights.w_k, d_model, d_k)),
        "w_v": side_by_side(_grown(weights.w_v, d_model, d_v)),
    }
    if weights.w_o is not None:
        per_head = weights.w_o.reshape(weights.n_heads, weights.d_v, -1)
        grown["w_o"] = np.concatenate(list(_grown(per_head, d_v, d_model)))
    return grown


def _grown(array: np.ndarray, rows: int, columns: int) -> np.ndarray:
    missing = [(0, 0)] * (array.ndim - 2)
    missing += [(0, rows - array.shape[-2]), (0, columns - array.shape[-1])]
    return np.pad(array, missing)


def _without(scene: Scene, dimension: str, place: int) -> dict[str, np.ndarray]:
    matrices = {"vectors": scene.inputs} | {
        name: shown(scene, name)
        for name in MATRICES
        if getattr(scene.projections, name) is not None
    }
    size = _all_sizes(scene)[dimension]
    for name, array in matrices.items():
        for axis, of in enumerate(_DIMENSIONS[name]):
            if of == dimension:
                array = np.delete(array, np.arange(place % size, array.shape[axis], size), axis)
        matrices[name] = array
    return matrices


def _typed(scene: Scene, name: str, edited: np.ndarray) -> dict[str, Any]:
    if name == "vectors":
        changed = {"vectors": table(edited), "pieces": scene.tokens, "key": None}
        return changed | _by_hand(scene)
    matrices = {
        other: table(shown(scene, other))
        for other in MATRICES
        if getattr(scene.projections, other) is not None
    }
    return {"w_source": "typed", **matrices, name: table(edited)}


def _changes(
    settings: Settings,
    scene: Scene,
    matrices: dict[str, np.ndarray],
    sizes: dict[str, int],
    gone: int | None = None,
) -> dict[str, Any]:
    """Turn the matrices into settings; only what differs from the screen becomes typed."""
    changes: dict[str, Any] = {"key": None}
    weights = {name: matrices[name] for name in MATRICES if name in matrices}
    if any(not np.array_equal(array, shown(scene, name)) for name, array in weights.items()):
        changes |= {name: table(array) for name, array in weights.items()}
        changes |= {name: sizes[name] for name in ("d_model", "d_k", "d_v")}
        changes["w_source"] = "typed"
    if not np.array_equal(matrices["vectors"], scene.inputs):
        n_tokens = sizes["n_tokens"]
        kept = list(range(len(scene.tokens)))
        if len(kept) > n_tokens and gone is not None:
            del kept[gone]
        fresh = (str(place + 1) for place in range(len(kept), n_tokens))
        changes |= {"vectors": table(matrices["vectors"]), **_by_hand(scene)}
        changes["pieces"] = (*(scene.tokens[place] for place in kept), *fresh)
        if settings.cells:
            changes["cells"] = _cells(settings, n_tokens, kept)
    return changes


# --- The mask ---


def type_mask_cell(scene: Scene, row: int, column: int, typed: str) -> dict[str, Any]:
    """Let one query see one key (1) or not (0).

    Raises:
        InputError: if what was typed is neither.
    """
    block = np.array([[_cell_number(row, column, typed)]])
    return _painted(scene, row, column, block)


def _painted(scene: Scene, row: int, column: int, block: np.ndarray) -> dict[str, Any]:
    """Put a block of ones and zeros into the mask; what lies beyond its edges is left out."""
    cells = mask_cells(scene).copy()
    fitting = block[: len(cells) - row, : len(cells) - column]
    for (i, j), value in np.ndenumerate(fitting):
        if value not in (0, 1):
            place = {"row": row + i + 1, "column": column + j + 1}
            raise InputError("mask.not_zero_or_one", **place, text=significant(value))
    cells[row : row + fitting.shape[0], column : column + fitting.shape[1]] = fitting == 1
    return {"cells": tuple("".join("01"[int(cell)] for cell in line) for line in cells)}


def mask_cells(scene: Scene) -> np.ndarray:
    """Give who may attend to whom as a square of booleans."""
    n_tokens = len(scene.tokens)
    return np.ones((n_tokens, n_tokens), bool) if scene.mask is None else np.array(scene.mask)
