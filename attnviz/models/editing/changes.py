"""What an edit changed: an untouched run of a model beside the run with the edits. Numpy alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.models.layers import Layer
from attnviz.models.results import Capture

Progress = Callable[[int, int], None]
"""Told after each layer how many of all are done."""


@dataclass(frozen=True)
class Foreseen:
    """A token that may come next: how likely before and after, and its place among all, from 1."""

    text: str
    id: int
    before: float
    after: float
    rank_before: int
    rank_after: int

    @property
    def difference(self) -> float:
        """How much likelier it became."""
        return self.after - self.before


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """How far the edited run is from the untouched one.

    `weights` has for each layer and head the share of a row's weight that moved to other keys,
    ½ Σ |p − q|, as a mean over the rows that see something. `vectors` has for each layer's output
    and each token ‖y′ − y‖ / ‖y‖, None where the vectors were not kept. `final` is the same for the
    last vectors, `cosines` compares their directions. `foreseen` lists what may come next, the
    likeliest first, and `moved` the share of all probability that moved, None without predictions.
    """

    weights: tuple[Float[np.ndarray, " _head"], ...]
    vectors: Float[np.ndarray, "layer token"] | None
    final: Float[np.ndarray, " token"] | None
    cosines: Float[np.ndarray, " token"] | None
    foreseen: tuple[Foreseen, ...]
    moved: float | None

    @cached_property
    def first(self) -> int | None:
        """The first layer in which a weight changed, None where none did."""
        changed = (place for place, heads in enumerate(self.weights) if np.any(heads > 0))
        return next(changed, None)

    def ranked(self) -> list[tuple[int, int]]:
        """List the heads whose weights changed, (layer, head), the most changed first."""
        found = [
            (-float(moved), place, head)
            for place, heads in enumerate(self.weights)
            for head, moved in enumerate(heads)
            if moved > 0
        ]
        return [(place, head) for _, place, head in sorted(found)]

    @property
    def largest(self) -> float:
        """The largest change of a head's weights."""
        return max((float(heads.max(initial=0.0)) for heads in self.weights), default=0.0)


def changes(plain: Capture, edited: Capture, progress: Progress | None = None) -> Changes:
    """Compare an edited run with the untouched one of the same text.

    Raises:
        ValueError: if the two are not of one model and one text.
    """
    if _read(plain) != _read(edited) or plain.n_layers != edited.n_layers:
        raise ValueError(
            f"both runs must be of one model and one text, got {plain.model} on "
            f"{len(plain.tokens)} tokens and {edited.model} on {len(edited.tokens)}; "
            "capture the same text twice, once with edits"
        )
    weights = []
    for place, (one, other) in enumerate(zip(plain.layers, edited.layers, strict=True)):
        heads = range(one.n_heads)
        weights.append(read_only(np.array([moved_share(one, other, head) for head in heads])))
        if progress is not None:
            progress(place + 1, plain.n_layers)
    before, after = _last(plain), _last(edited)
    final = cosines = None
    if before is not None and after is not None:
        final = read_only(relative(before, after))
        cosines = read_only(_cosines(before, after))
    return Changes(
        weights=tuple(weights),
        vectors=_vectors(plain, edited),
        final=final,
        cosines=cosines,
        foreseen=_foreseen(plain, edited),
        moved=_moved(plain, edited),
    )


def moved_share(one: Layer, other: Layer, head: int) -> float:
    """Give ½ Σ |p − q| of a head's rows in two runs: the mean over rows that see something."""
    total, counted = 0.0, 0
    for p, q in _stretches(one, other, head):
        apart = np.abs(p.astype(np.float64) - q).sum(axis=1) / 2
        seen = p.any(axis=1) | q.any(axis=1)
        total, counted = total + float(apart[seen].sum()), counted + int(seen.sum())
    return total / counted if counted else 0.0


def relative(
    before: Float[np.ndarray, "token d_model"], after: Float[np.ndarray, "token d_model"]
) -> Float[np.ndarray, " token"]:
    """Give ‖after − before‖ / ‖before‖ of each token; 0 where both are 0."""
    lengths = np.linalg.norm(before.astype(np.float64), axis=1)
    apart = np.linalg.norm(after.astype(np.float64) - before, axis=1)
    return np.divide(apart, lengths, out=np.where(apart > 0, np.inf, 0.0), where=lengths > 0)


def _stretches(one: Layer, other: Layer, head: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for first, last in one.tiles():
        p, keys = one.stretch(head, first, last)
        q, others = other.stretch(head, first, last)
        if keys != others:
            rows = slice(first, last + 1)
            p, q = one.weights(head, rows), other.weights(head, rows)
        yield p, q


def _cosines(
    before: Float[np.ndarray, "token d_model"], after: Float[np.ndarray, "token d_model"]
) -> Float[np.ndarray, " token"]:
    p, q = before.astype(np.float64), after.astype(np.float64)
    lengths = np.linalg.norm(p, axis=1) * np.linalg.norm(q, axis=1)
    products = np.einsum("td,td->t", p, q)
    return np.clip(
        np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0), -1, 1
    )


def _read(capture: Capture) -> tuple[object, ...]:
    ids = [token.id for token in (*capture.tokens, *capture.target_tokens)]
    return capture.model, *ids


def _last(capture: Capture) -> Float[np.ndarray, "token d_model"] | None:
    """Give the vectors that the model ends with."""
    if capture.hidden is not None:
        return capture.hidden
    return capture.vectors[-1] if capture.vectors else None


def _vectors(plain: Capture, edited: Capture) -> Float[np.ndarray, "layer token"] | None:
    if not (plain.vectors and len(plain.vectors) == len(edited.vectors)):
        return None
    pairs = zip(plain.vectors[1:], edited.vectors[1:], strict=True)
    return read_only(np.stack([relative(one, other) for one, other in pairs]))


def _foreseen(plain: Capture, edited: Capture) -> tuple[Foreseen, ...]:
    one, other = plain.likelihoods, edited.likelihoods
    if one is None or other is None:
        return ()
    texts = {each.id: each.text for each in (*plain.predictions, *edited.predictions)}
    found = [
        Foreseen(
            text=text,
            id=number,
            before=float(one[number]),
            after=float(other[number]),
            rank_before=int((one > one[number]).sum()) + 1,
            rank_after=int((other > other[number]).sum()) + 1,
        )
        for number, text in texts.items()
        if number >= 0
    ]
    return tuple(sorted(found, key=lambda each: (-max(each.before, each.after), each.id)))


def _moved(plain: Capture, edited: Capture) -> float | None:
    one, other = plain.likelihoods, edited.likelihoods
    if one is None or other is None:
        return None
    return float(np.abs(one.astype(np.float64) - other).sum() / 2)
