"""One label for each vector: n vectors in, n labels out, whether they are words or frames.

A label is the largest number of an output. Alone, an output is made of its own vector; with
self-attention it is made of what the layer read around it.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.attention import HeadTrace, MultiHeadTrace, attend, attend_heads
from attnviz.attention.arrays import read_only
from attnviz.comparisons.convolution import as_attention, placed

_OWN, _SHARP = 4.0, 30.0
_SOME = 1e-6


@dataclass(frozen=True, eq=False)
class Labelled:
    """Numbers for each label, of each vector alone and of each vector in its context."""

    alone: Float[np.ndarray, "n label"]
    context: Float[np.ndarray, "n label"]
    weights: Float[np.ndarray, "n n"]
    trace: HeadTrace | MultiHeadTrace

    @property
    def labels_alone(self) -> Int[np.ndarray, " n"]:
        """The label of each vector by itself; −1 where two labels tie."""
        return _best(self.alone)

    @property
    def labels(self) -> Int[np.ndarray, " n"]:
        """The label of each vector in its context; −1 where two labels tie."""
        return _best(self.context)


def looks_at(labelled: Labelled) -> list[int | None]:
    """Give which other vector each reads most, None where it reads none of them."""
    others = labelled.weights.copy()
    np.fill_diagonal(others, 0)
    most = others.argmax(axis=1).tolist()
    return [at if others[row, at] > _SOME else None for row, at in enumerate(most)]


def _best(numbers: Float[np.ndarray, "n label"]) -> Int[np.ndarray, " n"]:
    largest = numbers.max(axis=1, keepdims=True)
    tied = (largest - numbers < 1e-9).sum(axis=1) > 1
    return np.where(tied, -1, numbers.argmax(axis=1))


def label_words(
    possible: Float[np.ndarray, "n label"], follows: Float[np.ndarray, "label label"]
) -> Labelled:
    """Label words: `possible` is 1 for what a word can be, `follows` how well a label comes next.

    One head reads the word itself, one the word before it; W^o adds what can be to what follows. A
    token without content stands at either end, so that the first word has one to look at.
    """
    n, n_labels = possible.shape
    kernel = np.zeros((n_labels, n_labels, 3))
    kernel[:, :, 0], kernel[:, :, 1] = follows.T, _OWN * np.eye(n_labels)
    layer = as_attention(kernel, sharpness=_SHARP)
    trace = attend_heads(placed(possible, ring=1), layer)
    inside = slice(1, n + 1)
    weights = trace.weights[0][inside, inside]
    return Labelled(_OWN * possible, trace.output[inside], weights, trace)


def label_frames(
    frames: Float[np.ndarray, "n label"], *, strength: float = 1.0, nearness: float = 0.05
) -> Labelled:
    """Label frames: each reads those that are like it and near it, and takes the largest number.

    The score is strength · x_i · x_j − nearness (i − j)².
    """
    n = len(frames)
    at, ones = np.arange(n, dtype=float)[:, None], np.ones((n, 1))
    place = np.hstack([2 * at, -ones, -(at**2)]) * nearness
    query = np.hstack([strength * frames, place])
    key = np.hstack([frames, at, at**2, ones])
    trace = attend(query, key, frames)
    return Labelled(frames, trace.output, trace.weights, trace)


@dataclass(frozen=True, eq=False)
class Spoken:
    """Frames of sound that were made up: which sound each is of, and its noisy vector."""

    sounds: Int[np.ndarray, " n"]
    frames: Float[np.ndarray, "n label"]


def spoken(
    order: tuple[int, ...], lengths: tuple[int, ...], n_labels: int, noise: float | int, seed: int
) -> Spoken:
    """Make frames: each sound lasts some of them, a 1 at its own place, with noise everywhere."""
    sounds = np.repeat(order, lengths)
    drawn = np.random.default_rng(seed).normal(size=(len(sounds), n_labels))
    return Spoken(read_only(sounds), read_only(np.eye(n_labels)[sounds] + noise * drawn))
