"""A fully connected layer over a window of neighbours: one weight for each place in the window."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention import MultiHeadTrace, Projections, attend_heads
from attnviz.errors import InputError

D_IN, D_OUT = 4, 4
"""Numbers in a frame, and in an output."""
_NUDGE = 0.5


def window_weights(
    radius: int, d_in: int, d_out: int, seed: int
) -> Float[np.ndarray, "place {d_in} {d_out}"]:
    """Draw the weights of a window: `radius` places on either side, and the one in the middle."""
    if radius < 0:
        raise ValueError(f"radius must be at least 0, got {radius}")
    places = 2 * radius + 1
    drawn = np.random.default_rng(seed).normal(size=(places, d_in, d_out))
    return drawn / np.sqrt(places * d_in)


def through_window(
    inputs: Float[np.ndarray, "n d_in"], weights: Float[np.ndarray, "place d_in d_out"]
) -> Float[np.ndarray, "n d_out"]:
    """Give each output from the inputs around it; beyond the ends stand zeros."""
    radius, n = len(weights) // 2, len(inputs)
    padded = np.pad(inputs, ((radius, radius), (0, 0)))
    return sum(
        (padded[place : place + n] @ weight for place, weight in enumerate(weights)),
        start=np.zeros((n, weights.shape[2])),
    )


def whole_weights(
    n: int, d_in: int, d_out: int, seed: int
) -> Float[np.ndarray, "{n} {d_in} {n} {d_out}"]:
    """Draw the weights of a layer over a whole sequence of exactly n vectors."""
    return np.random.default_rng(seed).normal(size=(n, d_in, n, d_out)) / np.sqrt(n * d_in)


def through_whole(
    inputs: Float[np.ndarray, "n d_in"], weights: Float[np.ndarray, "m d_in m d_out"]
) -> Float[np.ndarray, "m d_out"]:
    """Give every output from every input.

    Raises:
        InputError: if the sequence is not as long as the one that the weights were made for.
    """
    if len(inputs) != len(weights):
        raise InputError("window_fc.length", n=len(weights), got=len(inputs))
    return np.einsum("id,idje->je", inputs, weights)


def in_reach(n: int, place: int, radius: int) -> Bool[np.ndarray, "{n}"]:
    """Tell which inputs the output at a place depends on."""
    return np.abs(np.arange(n) - place) <= radius


def window_parameters(radius: int, d_in: int, d_out: int) -> int:
    """Count the weights: a matrix d_in × d_out for each of the 2 · radius + 1 places."""
    return (2 * radius + 1) * d_in * d_out


def whole_parameters(n: int, d_in: int, d_out: int) -> int:
    """Count the weights of a layer over a whole sequence: a matrix for each pair of places."""
    return n * n * d_in * d_out


def attention_parameters(d_in: int, d_k: int, d_v: int) -> int:
    """Count the weights of one head, W^q, W^k and W^v: no length is in it."""
    return d_in * (2 * d_k + d_v)


def attention_layer(d_in: int, d_out: int, seed: int) -> Projections:
    """Draw the matrices of one head, W^q and W^k as wide as its outputs."""
    return Projections.random(d_in, 1, d_out, d_out, seed)


@dataclass(frozen=True, eq=False)
class Nudged:
    """How far one output moves when each input in turn is nudged, by layer."""

    inputs: Float[np.ndarray, "n d_in"]
    place: int
    seed: int
    window: Float[np.ndarray, " n"]
    attention: Float[np.ndarray, " n"]
    moved: float
    """The largest change of the asking row of A′ when the first input changes."""

    @classmethod
    def of(cls, n: int, radius: int, place: int, seed: int) -> "Nudged":
        """Draw frames and weights, and nudge every frame."""
        inputs = frames(n, seed)
        weights, layer = (
            window_weights(radius, D_IN, D_OUT, seed),
            attention_layer(D_IN, D_OUT, seed),
        )
        before = attend_heads(inputs, layer)
        steps = [_nudged(inputs, at) for at in range(n)]
        after = [attend_heads(each, layer) for each in steps]
        through = through_window(inputs, weights)[place]
        return cls(
            inputs,
            place,
            seed,
            np.array([_far(through_window(each, weights)[place], through) for each in steps]),
            np.array([_far(each.output[place], before.output[place]) for each in after]),
            _row_moved(before, after[0], place),
        )

    def whole(self, made_for: int) -> Float[np.ndarray, " n"]:
        """Give the same for a layer over the whole sequence; it must have the length made for."""
        weights = whole_weights(made_for, D_IN, D_OUT, self.seed)
        before = through_whole(self.inputs, weights)[self.place]
        steps = (_nudged(self.inputs, at) for at in range(len(self.inputs)))
        return np.array([_far(through_whole(each, weights)[self.place], before) for each in steps])


def frames(n: int, seed: int) -> Float[np.ndarray, "{n} 4"]:
    """Draw frames; more of them begin with the same ones."""
    return np.random.default_rng(seed).normal(size=(n, D_IN))


def _nudged(inputs: Float[np.ndarray, "n d_in"], at: int) -> Float[np.ndarray, "n d_in"]:
    moved = inputs.copy()
    moved[at] += _NUDGE
    return moved


def _far(one: Float[np.ndarray, " d"], other: Float[np.ndarray, " d"]) -> float:
    return float(np.linalg.norm(one - other))


def _row_moved(before: MultiHeadTrace, after: MultiHeadTrace, place: int) -> float:
    return float(np.abs(after.weights[0, place] - before.weights[0, place]).max())
