"""One head as it is looked at: pieces or words, one text of two, several heads as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.overview import largest_of_blocks
from attnviz.models.results import Capture, Token
from attnviz.models.words import Grouping, grouping

Unit = Literal["pieces", "words", "characters"]
Mixing = Literal["mean", "max"]

MOST_EXACT = 1024
"""Tokens up to which every weight of a head is shown by itself; more are shown in blocks."""
BLOCKS = 512
THUMBNAIL = 48
"""The side of a head's small map: more could not be seen."""


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """The weights that are shown, (query, key), and what stands at their sides.

    `ranges` says which keys each query may see: the first and the last, last < first for none.
    `query_places` and `key_places` are the first token of each row and column; its number, from 1
    among all of the text, is in `query_numbers` and `key_numbers`, whatever is left out.

    Where there are too many tokens the rows and columns are blocks: `row_edges` and `column_edges`
    say of which tokens, and a weight is the largest of its block; `queries` and `keys` name the
    tokens themselves.
    """

    weights: Float[np.ndarray, "row column"]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    ranges: Int[np.ndarray, "row 2"]
    query_places: tuple[int, ...]
    key_places: tuple[int, ...]
    query_numbers: tuple[int, ...]
    key_numbers: tuple[int, ...]
    row_edges: tuple[int, ...] | None = None
    column_edges: tuple[int, ...] | None = None

    @cached_property
    def packed(self) -> tuple[bytes, bytes]:
        """The weights as `packed` writes them, once for every picture of them."""
        return packed(self.weights)

    @property
    def sums(self) -> Float[np.ndarray, " row"]:
        """How much of each query's weight is on the screen; the rest goes to what is left out."""
        return self.weights.sum(axis=1, dtype=np.float64)


def view(
    capture: Capture,
    layer: int,
    head: int,
    *,
    unit: Unit = "pieces",
    part: str = "all",
    specials: bool = True,
) -> View:
    """Show one head; `part` "ab" is the first text asking the second.

    Raises:
        InputError: if nothing is left to show.
    """
    queries, keys = capture.query_tokens(layer), capture.key_tokens(layer)
    if max(len(queries), len(keys)) > MOST_EXACT:
        return _blocks(capture, layer, head)
    rows = grouped(queries, unit)
    columns = rows if keys is queries else grouped(keys, unit)
    weights = capture.weights(layer, head).astype(np.float32, copy=False)
    seen = _seen(capture, layer, head, rows, columns)
    if unit != "pieces":
        weights = (rows.mean @ weights @ columns.sum).astype(np.float32)
    asks, answers = ("", "") if part == "all" else part
    asked = _kept(queries, rows, asks, specials)
    answered = _kept(keys, columns, answers, specials)
    if not (len(asked) and len(answered)):
        raise InputError("models.nothing_left")
    return View(
        weights=read_only(np.ascontiguousarray(weights[np.ix_(asked, answered)])),
        queries=tuple(rows.labels[place] for place in asked),
        keys=tuple(columns.labels[place] for place in answered),
        ranges=read_only(_ranges(seen[np.ix_(asked, answered)])),
        query_places=tuple(int(rows.sum[:, place].argmax()) for place in asked),
        key_places=tuple(int(columns.sum[:, place].argmax()) for place in answered),
        query_numbers=tuple(int(place) + 1 for place in asked),
        key_numbers=tuple(int(place) + 1 for place in answered),
    )


def mixed(views: Sequence[View], mixing: Mixing) -> View:
    """Show several heads of the same tokens as one: their mean, or the largest of them."""
    stacked = np.stack([each.weights for each in views])
    weights = stacked.mean(axis=0) if mixing == "mean" else stacked.max(axis=0)
    return replace(views[0], weights=read_only(weights.astype(np.float32)))


def without(shown: View, places: Sequence[int]) -> View:
    """Leave keys out, by the place of their first token; the rest of each row takes what they had.

    A row keeps its sum: what is left grows in proportion. Where nothing is left the row is 0.

    Raises:
        InputError: if every key is left out, or the view shows blocks of tokens.
    """
    if shown.row_edges is not None:
        raise InputError("models.hidden_blocks", most=MOST_EXACT)
    kept = np.flatnonzero(~np.isin(shown.key_places, places))
    if not len(kept):
        raise InputError("models.all_hidden")
    left = shown.weights[:, kept].astype(np.float64)
    sums = left.sum(axis=1)
    grown = np.divide(shown.sums, sums, out=np.zeros_like(sums), where=sums > 0)
    return replace(
        shown,
        weights=read_only((left * grown[:, None]).astype(np.float32)),
        keys=tuple(shown.keys[column] for column in kept),
        key_places=tuple(shown.key_places[column] for column in kept),
        key_numbers=tuple(shown.key_numbers[column] for column in kept),
        ranges=read_only(_ranges_of(shown.ranges, kept)),
    )


def hidden_mass(shown: View, places: Sequence[int]) -> Float[np.ndarray, " row"]:
    """Give the weight that each row has on the keys that `without` leaves out."""
    gone = np.isin(shown.key_places, places)
    return shown.weights[:, gone].sum(axis=1, dtype=np.float64)


def grouped(tokens: Sequence[Token], unit: Unit) -> Grouping:
    """Put the pieces of a word, or those of one character, together."""
    if unit == "words":
        return grouping(tokens)
    alone = tuple(replace(token, word=None) for token in tokens)
    if unit == "pieces":
        made = grouping(alone)
        return replace(made, labels=tuple(token.label for token in tokens))
    number, numbered = 0, []
    for token in tokens:
        number += token.part is None or token.part[0] == 1
        numbered.append(replace(token, word=None if token.part is None else number))
    return grouping(numbered)


def numbered(numbers: Sequence[int], tokens: Sequence[str]) -> list[str]:
    """Name each token by its number in the text and what it is."""
    return [f"{number} {token}" for number, token in zip(numbers, tokens, strict=True)]


def packed(weights: Float[np.ndarray, "row column"]) -> tuple[bytes, bytes]:
    """Write the largest weight of each row, and every weight as a share of it in 16 bits."""
    tops = weights.max(axis=1).astype(np.float32)
    safe = np.where(tops > 0, tops, 1)[:, None]
    shares = np.rint(weights / safe * np.float32(65_535)).astype(np.uint16)
    return tops.tobytes(), shares.tobytes()


class Thumbnails(NamedTuple):
    """Small maps of a layer's heads: shades (uint8, head after head), rows × columns.

    `largest` is the largest weight of each head.
    """

    shades: bytes
    shape: tuple[int, int]
    largest: tuple[float, ...]


def thumbnails(capture: Capture, layer: int, pixels: int = THUMBNAIL) -> Thumbnails:
    """Draw a small map of every head of a layer: the root of the largest weight of each block."""
    own = capture.layers[layer]
    pooled = np.stack([largest_of_blocks(own, head, pixels) for head in range(own.n_heads)])
    shades = np.rint(np.sqrt(np.clip(pooled, 0, 1)) * 255).astype(np.uint8)
    largest = tuple(float(each) for each in pooled.max(axis=(1, 2)))
    return Thumbnails(shades.tobytes(), (int(shades.shape[1]), int(shades.shape[2])), largest)


def _blocks(capture: Capture, layer: int, head: int) -> View:
    pooled = capture.overview(layer, head, BLOCKS)
    rows, columns = pooled.row_edges, pooled.column_edges
    visible = capture.layers[layer].visible
    stretches = [visible.keys_of(int(start), int(stop) - 1) for start, stop in pairwise(rows)]
    ranges = [
        (
            int(np.searchsorted(columns, keys.start, side="right")) - 1,
            int(np.searchsorted(columns, keys.stop - 1, side="right")) - 1,
        )
        for keys in stretches
    ]
    return View(
        weights=pooled.largest,
        queries=tuple(token.label for token in capture.query_tokens(layer)),
        keys=tuple(token.label for token in capture.key_tokens(layer)),
        ranges=read_only(np.array(ranges, dtype=np.int32)),
        query_places=tuple(range(len(capture.query_tokens(layer)))),
        key_places=tuple(range(len(capture.key_tokens(layer)))),
        query_numbers=tuple(range(1, len(capture.query_tokens(layer)) + 1)),
        key_numbers=tuple(range(1, len(capture.key_tokens(layer)) + 1)),
        row_edges=tuple(map(int, rows)),
        column_edges=tuple(map(int, columns)),
    )


def _seen(capture: Capture, layer: int, head: int, rows: Grouping, columns: Grouping) -> np.ndarray:
    """Tell which group may see which: one of its pieces sees one of the other's."""
    visible = capture.layers[layer].visible
    if visible.everyone:
        return np.ones((len(rows.labels), len(columns.labels)), dtype=bool)
    allowed = visible.allowed(head)
    if len(rows.labels) == len(allowed) and len(columns.labels) == allowed.shape[1]:
        return allowed
    return (rows.mean > 0).astype(np.float32) @ allowed.astype(np.float32) @ columns.sum > 0


def _kept(
    tokens: Sequence[Token], groups: Grouping, text: str, specials: bool
) -> Int[np.ndarray, " group"]:
    """List the groups that are shown: those of one text, without special tokens if so asked."""
    first = groups.sum.argmax(axis=0)
    segment = {"a": 0, "b": 1}.get(text)
    return np.array(
        [
            place
            for place, token in enumerate(int(at) for at in first)
            if (specials or not tokens[token].special)
            and (segment is None or tokens[token].segment == segment)
        ],
        dtype=np.intp,
    )


def _ranges_of(
    ranges: Int[np.ndarray, "row 2"], kept: Int[np.ndarray, " column"]
) -> Int[np.ndarray, "row 2"]:
    """Count the ranges of keys anew, over the columns that are kept."""
    first = np.searchsorted(kept, ranges[:, 0], side="left")
    last = np.searchsorted(kept, ranges[:, 1], side="right") - 1
    nothing = last < first
    first[nothing], last[nothing] = 0, -1
    return np.stack([first, last], axis=1).astype(np.int32)


def _ranges(seen: np.ndarray) -> Int[np.ndarray, "row 2"]:
    first, last = seen.argmax(axis=1), seen.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    nothing = ~seen.any(axis=1)
    first[nothing], last[nothing] = 0, -1
    return np.stack([first, last], axis=1).astype(np.int32)
