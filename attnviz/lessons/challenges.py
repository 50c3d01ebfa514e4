"""Design a head: choose W^q and W^k so that every token attends where a target map says.

A design is judged by its map alone, so every pair of matrices that makes the map is accepted. Rows
for which the target has no key (the first token has none before it) are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.lessons.lexicon import word_of

TARGETS = ("previous", "next", "same", "first", "uniform")
SOLVED = 0.1
"""A mean distance below this solves the challenge."""

FEATURES = ("one", "place_across", "place_up", "word_across", "word_up")
D_K = 2
_LEFT_OVER = 0.02  # what our own designs leave to all other keys together, about


@dataclass(frozen=True, eq=False)
class Target:
    """A map to be reached; `counted` says which rows are judged."""

    name: str
    weights: Float[np.ndarray, "query key"]
    counted: Bool[np.ndarray, " query"]


@dataclass(frozen=True, eq=False)
class Verdict:
    """How far a map is from its target, row by row, and on average over the rows that count.

    A distance is half the sum of |α′ − target|: the share of the weight that lies elsewhere, where
    the weights add up to 1. `distance` is None where no row counts.
    """

    rows: Float[np.ndarray, " query"]
    distance: float | None

    @property
    def solved(self) -> bool:
        """True when the map is near enough to its target."""
        return self.distance is not None and self.distance < SOLVED


def target_of(name: str, tokens: Sequence[str]) -> Target:
    """Give the map of a target for these tokens.

    Raises:
        ValueError: if there is no such target.
    """
    if name not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {name!r}; choose one")
    n = len(tokens)
    counted = np.ones(n, dtype=bool)
    if name in ("previous", "next"):
        counted[0 if name == "previous" else -1] = False
        return Target(name, np.eye(n, k=-1 if name == "previous" else 1), counted)
    if name == "first":
        return Target(name, np.tile(np.eye(1, n), (n, 1)), counted)
    words = np.array([word_of(token) for token in tokens])
    alike = words[:, None] == words if name == "same" else np.ones((n, n), dtype=bool)
    return Target(name, alike / alike.sum(axis=1, keepdims=True), counted)


def judge(weights: Float[np.ndarray, "query key"], target: Target) -> Verdict:
    """Compare a map with its target."""
    rows = np.abs(weights - target.weights).sum(axis=1) / 2
    distance = float(rows[target.counted].mean()) if target.counted.any() else None
    return Verdict(np.where(target.counted, rows, np.nan), distance)


def features(tokens: Sequence[str]) -> Float[np.ndarray, "token feature"]:
    """Give each token a 1, its place on a circle, and its word on another.

    Circles of four or fewer have whole numbers: right, up, left, down.
    """
    words = list(dict.fromkeys(map(word_of, tokens)))
    of_word = [words.index(word_of(token)) for token in tokens]
    places, kinds = circle(len(tokens)), circle(len(words))
    return np.hstack([np.ones((len(tokens), 1)), places, kinds[of_word]])


def circle(n: int) -> Float[np.ndarray, "n 2"]:
    """Give n points on a circle, in order; the circle has room for four at least."""
    angles = np.arange(n) * _step(n)
    return np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 4) + 0.0


def _step(n: int) -> float:
    return 2 * math.pi / max(4, n)


def solution(
    name: str, tokens: Sequence[str]
) -> tuple[Float[np.ndarray, "feature d_k"], Float[np.ndarray, "feature d_k"]]:
    """Give one W^q and one W^k that solve a target on `features`, by plain dot and softmax.

    Keys are places, or words; the query is where the answer stands, made long enough.
    """
    w_q, w_k = np.zeros((len(FEATURES), D_K)), np.zeros((len(FEATURES), D_K))
    if name == "uniform":
        return w_q, w_k
    n_words = len({word_of(token) for token in tokens})
    n = n_words if name == "same" else len(tokens)
    keys = slice(3, 5) if name == "same" else slice(1, 3)
    w_k[keys] = np.eye(2)
    length = _length(n, len(tokens))
    if name == "first":
        w_q[0] = (length, 0)
    else:
        turn = {"previous": -1, "next": 1, "same": 0}[name] * _step(n)
        turned = [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
        w_q[keys] = length * np.round(turned, 4)
    return w_q + 0.0, w_k


def _length(n_points: int, n_tokens: int) -> int:
    """Make the best key of a circle win over its neighbours by enough."""
    gap = 1 - math.cos(_step(n_points))
    return math.ceil(math.log(n_tokens / _LEFT_OVER) / gap)


def obstacle(inputs: Float[np.ndarray, "token d_model"], target: Target) -> tuple[int, int] | None:
    """Find two tokens with the same vector of which the target wants different things.

    Without positions or a mask, equal vectors ask alike and are asked alike, whatever W^q and W^k
    are: such a target cannot be reached.
    """
    weights, counted = target.weights, target.counted
    for second in range(len(inputs)):
        for first in range(second):
            if not np.array_equal(inputs[first], inputs[second]):
                continue
            asks = counted[[first, second]].all() and (weights[first] != weights[second]).any()
            asked = (weights[counted, first] != weights[counted, second]).any()
            if asks or asked:
                return first, second
    return None


def gauge(
    w_q: Float[np.ndarray, "d_model d_k"], w_k: Float[np.ndarray, "d_model d_k"]
) -> tuple[Float[np.ndarray, "d_model d_k"], Float[np.ndarray, "d_model d_k"]]:
    """Give W^q M and W^k M^-T: other queries, other keys, the same product of the two.

    M adds its first column to the second, so that whole numbers stay whole; a single column is
    doubled and halved.
    """
    d_k = w_q.shape[1]
    if d_k == 1:
        return w_q * 2, w_k / 2
    m, back = np.eye(d_k), np.eye(d_k)
    m[0, 1], back[1, 0] = 1, -1
    return w_q @ m + 0.0, w_k @ back + 0.0
