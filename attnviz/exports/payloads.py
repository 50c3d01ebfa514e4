"""A capture as the page that shows it reads it: a description, and the bytes of each layer.

A layer travels as its queries and keys where a rule of few numbers makes its weights from them: the
page makes those of a head when it is opened. Other layers travel as weights: in full while they
are few, else as 16 bits of the largest in their row, of which the upper byte is packed.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Bool, Int, Shaped

from attnviz.models.layers import Layer
from attnviz.models.results import Capture, Token
from attnviz.models.views import Unit, grouped, packed

UNITS: tuple[Unit, ...] = ("pieces", "words", "characters")
_FULL = 2**20
"""Weights of a layer up to which each is kept in full."""


@dataclass
class Payload:
    """Arrays one after the other, and where each begins: (name, type, start, length)."""

    parts: list[bytes] = field(default_factory=list)
    places: list[tuple[str, str, int, int]] = field(default_factory=list)
    length: int = 0

    def add(self, name: str, kind: str, data: bytes) -> None:
        """Put one more array at the end; each begins where every type may begin."""
        self.places.append((name, kind, self.length, len(data)))
        self.parts += [data, bytes(-len(data) % 8)]
        self.length += len(data) + -len(data) % 8

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(self.parts)


def payload(layer: Layer) -> Payload:
    """Write what the weights of a layer are made of, or the weights."""
    made = Payload()
    if _by_rule(layer):
        for name in ("query", "key"):
            _add_numbers(made, name, getattr(layer, name))
        if layer.bias is not None:
            _add_numbers(made, "bias", layer.bias.by_distance)
        if layer.sinks is not None:
            _add_numbers(made, "sinks", layer.sinks)
        return made
    _add_weights(made, _weights(layer))
    if layer.visible.table is not None:
        made.add("ranges", "i4", _ranges(layer.visible.table).tobytes())
    return made


def described(layer: Layer, made: Payload, shape: tuple[int, int]) -> dict[str, Any]:
    """Say what a layer is, how its weights are made, and how large its small maps are."""
    return {
        "kind": layer.kind,
        "n_heads": layer.n_heads,
        "n_kv_heads": layer.n_kv_heads,
        "n_query": layer.n_query,
        "n_key": layer.n_key,
        "form": "scores" if _by_rule(layer) else "weights",
        "width": _width(layer),
        "scale": float(layer.scale),
        "cap": layer.soft_cap,
        "back": layer.visible.back,
        "ahead": layer.visible.ahead,
        "shape": list(shape),
        "arrays": made.places,
    }


def rounded(capture: Capture) -> bool:
    """Tell whether a page holds some weights of this capture with 16 bits alone."""
    return any(not _by_rule(layer) and _size(layer) > _FULL for layer in capture.layers)


def size_of(capture: Capture) -> int:
    """Tell about how many bytes the layers of a capture take, before any is written."""
    return sum(
        layer.query.size * 4 + layer.key.size * 4
        if _by_rule(layer) and layer.query is not None and layer.key is not None
        else _size(layer) * 2
        for layer in capture.layers
    )


def side(tokens: Sequence[Token], *, alone: bool) -> dict[str, Any]:
    """Name the tokens of one text in every unit that it has; `alone` where only pieces are shown.

    `of` says which word each token belongs to, `strip` is the text as it is read: each token, and
    whether a blank stands before it.
    """
    labels = [token.label for token in tokens]
    units: dict[str, Any] = {
        "pieces": {"labels": labels, "strip": _strip(tokens, range(len(tokens)), labels)}
    }
    for unit in () if alone else UNITS[1:]:
        found = grouped(tokens, unit)
        if len(found.labels) == len(tokens):
            continue
        places = [int(place) for place in found.sum.argmax(axis=0)]
        units[unit] = {
            "labels": list(found.labels),
            "of": found.sum.argmax(axis=1).tolist(),
            "strip": _strip(tokens, places, found.labels),
        }
    return units


def _width(layer: Layer) -> int:
    return 1 if layer.query is None else layer.query.shape[-1]


def _by_rule(layer: Layer) -> bool:
    tables = layer.visible.tabled or (layer.bias and layer.bias.table is not None)
    return layer.given is None and layer.has_scores and not tables


def _size(layer: Layer) -> int:
    return layer.n_heads * layer.n_query * layer.n_key


def _add_numbers(made: Payload, name: str, array: Shaped[np.ndarray, "..."] | None) -> None:
    if array is not None:
        kind = "f2" if array.dtype == np.float16 else "f4"
        made.add(name, kind, np.ascontiguousarray(array.astype(kind, copy=False)).tobytes())


def _weights(layer: Layer) -> Shaped[np.ndarray, "head query key"]:
    if layer.given is not None:
        return layer.given.astype(np.float32, copy=False)
    every = [layer.weights(head) for head in range(layer.n_heads)]
    return np.stack(every).astype(np.float32, copy=False)


def _add_weights(made: Payload, weights: Shaped[np.ndarray, "head query key"]) -> None:
    if weights.size <= _FULL:
        made.add("weights", "f4", weights.tobytes())
        return
    tops, cells = packed(weights.reshape(-1, weights.shape[-1]))
    both = np.frombuffer(cells, np.uint8)  # the lower byte is noise, which nothing packs
    made.add("tops", "f4", tops)
    made.add("low", "u1", both[::2].tobytes())
    made.add("high", "z", zlib.compress(both[1::2].tobytes(), level=1))


def _ranges(table: Bool[np.ndarray, "head query key"]) -> Int[np.ndarray, "head query 2"]:
    """Give the first and the last key that each query sees, last < first for none."""
    first, last = table.argmax(axis=2), table.shape[2] - 1 - table[..., ::-1].argmax(axis=2)
    last[~table.any(axis=2)] = -1
    return np.stack([first, last], axis=-1).astype(np.int32)


def _strip(
    tokens: Sequence[Token], places: Sequence[int], labels: Sequence[str]
) -> list[tuple[str, bool]]:
    strip = []
    for place, label in zip(places, labels, strict=True):
        token, before = tokens[place], tokens[place - 1] if place else None
        joined = before is not None and token.start is not None and before.end == token.start
        strip.append((label.removeprefix("␣").removeprefix("##"), not joined))
    return strip
