"""How well a convolution and attention learn from little data and from much: a toy, as data.

Strings of 16 signs: a flag, then digits. Most ask whether a 3 is followed by a 7 anywhere, which
can be seen locally; the others ask whether the second sign and the last are equal, which cannot.
`make_data_size` made the curves that come with the package.

Source: TEACHING.md, Appendix B3.
"""

import json
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int

from attnviz.errors import InputError

CURVES = Path(__file__).with_name("data_size.json")

LENGTH, DIGITS = 16, 10
LOCAL, FAR = DIGITS, DIGITS + 1  # the flags: the first sign of a string
N_SIGNS = DIGITS + 2
SHARE_FAR = 0.3
MOTIF = (3, 7)
N_TESTS = 2_000
_TEST_SEED = 1_000_003

NETWORKS = ("convolution", "attention")
POOLS = ("mean", "max")
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000)
SEEDS = 5
LEAST_SIZE, MOST_SIZE = 20, 2_000
"""How many strings a point may have that is made while somebody waits."""


@dataclass(frozen=True, eq=False)
class Strings:
    """Strings of signs, whether each is one that is looked for, and whether it asks far apart."""

    signs: Int[np.ndarray, "string place"]
    labels: Int[np.ndarray, " string"]
    far: Bool[np.ndarray, " string"]


def strings(rng: np.random.Generator, n: int) -> Strings:
    """Draw strings; one half of each kind is looked for."""
    far = rng.random(n) < SHARE_FAR
    labels = rng.integers(0, 2, n)
    signs = rng.integers(0, DIGITS, (n, LENGTH))
    signs[:, 0] = np.where(far, FAR, LOCAL)
    _equal_ends(rng, signs, far, labels == 1)
    _motif(rng, signs, ~far & (labels == 1))
    _no_motif(rng, signs, ~far & (labels == 0))
    return Strings(signs, labels, far)


def _equal_ends(
    rng: np.random.Generator,
    signs: Int[np.ndarray, "string place"],
    far: Bool[np.ndarray, " string"],
    equal: Bool[np.ndarray, " string"],
) -> None:
    """Make the second sign and the last equal, or not."""
    other = (signs[:, 1] + rng.integers(1, DIGITS, len(signs))) % DIGITS
    signs[far, -1] = np.where(equal, signs[:, 1], other)[far]


def _motif(
    rng: np.random.Generator,
    signs: Int[np.ndarray, "string place"],
    where: Bool[np.ndarray, " string"],
) -> None:
    """Write the motif once, at any place after the flag."""
    rows = np.flatnonzero(where)
    places = rng.integers(1, LENGTH - 1, len(rows))
    signs[rows, places], signs[rows, places + 1] = MOTIF


def _no_motif(
    rng: np.random.Generator,
    signs: Int[np.ndarray, "string place"],
    where: Bool[np.ndarray, " string"],
) -> None:
    """Change the second sign of a motif wherever one stands."""
    there = has_motif(signs) & where[:, None]
    rows, places = np.nonzero(there)
    others = np.setdiff1d(np.arange(DIGITS), MOTIF)  # a 3 could begin a new motif
    signs[rows, places + 1] = rng.choice(others, len(rows))


def has_motif(signs: Int[np.ndarray, "string place"]) -> Bool[np.ndarray, "string pair"]:
    """Tell at each place whether the motif begins there."""
    return (signs[:, :-1] == MOTIF[0]) & (signs[:, 1:] == MOTIF[1])


@cache
def new_strings() -> Strings:
    """Give the strings that every network is measured with."""
    return strings(np.random.default_rng(_TEST_SEED), N_TESTS)


def lessons(seed: int, n: int) -> Strings:
    """Give the strings that a network learns from: those of a small set are in the larger ones."""
    drawn = _drawn(seed)
    return Strings(drawn.signs[:n], drawn.labels[:n], drawn.far[:n])


@lru_cache(maxsize=8)
def _drawn(seed: int) -> Strings:
    return strings(np.random.default_rng([seed, 1]), max(SIZES))


@dataclass(frozen=True, kw_only=True)
class Point:
    """One network that has learned from n strings: the share of strings that it gets right.

    `learned` is measured on what it learned from; the others on new strings, of both kinds
    together and of each.
    """

    network: str
    pool: str
    n: int
    seed: int
    learned: float
    both: float
    local: float
    far: float


@dataclass(frozen=True, kw_only=True)
class Making:
    """How points are made: steps of Adam on batches drawn from what there is to learn."""

    steps: int = 2_500
    batch: int = 64
    rate: float = 8e-3


@dataclass(frozen=True, eq=False, kw_only=True)
class Curves:
    """All points that come with the package, how they were made, and with which versions."""

    making: Making
    weights: dict[str, int]
    versions: dict[str, str]
    seconds: int
    points: tuple[Point, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of strings that there are points for."""
        return tuple(sorted({point.n for point in self.points}))

    def shares(self, network: str, pool: str, what: str) -> Float[np.ndarray, "size seed"]:
        """Give one share of all seeds at each size, such as "far"."""
        return np.array(
            [
                [
                    getattr(point, what)
                    for point in self.points
                    if (point.network, point.pool, point.n) == (network, pool, n)
                ]
                for n in self.sizes
            ]
        )


@cache
def curves() -> Curves:
    """Read the curves that come with the package."""
    told = json.loads(CURVES.read_text("utf-8"))
    making, points = Making(**told.pop("making")), told.pop("points")
    return Curves(making=making, points=tuple(Point(**point) for point in points), **told)


@dataclass(frozen=True, kw_only=True)
class PointPlan:
    """A small point that is made while somebody waits: both networks, from one seed."""

    n: int = 300
    seed: int = 0
    pool: str = "mean"
    making: Making = field(default_factory=Making)

    @property
    def steps(self) -> int:
        """How many steps both networks learn for together."""
        return len(NETWORKS) * self.making.steps

    def checked(self) -> "PointPlan":
        """Give it back if it can be made.

        Raises:
            InputError: if it cannot, naming what must hold and what came.
        """
        if not LEAST_SIZE <= self.n <= MOST_SIZE:
            raise InputError("data_size.n", got=self.n, least=LEAST_SIZE, most=MOST_SIZE)
        return self


@dataclass(frozen=True, kw_only=True)
class PointSoFar:
    """How many steps of a point are done, and the networks that have learned."""

    step: int
    points: tuple[Point, ...] = ()


def examples() -> Strings:
    """Give two test strings of each kind, one that is looked for and one that is not."""
    every = new_strings()
    rows = [
        int(np.flatnonzero((every.far == far) & (every.labels == label))[0])
        for far in (False, True)
        for label in (1, 0)
    ]
    return Strings(every.signs[rows], every.labels[rows], every.far[rows])


def crossing(known: Curves, pool: str, what: str) -> tuple[int, int] | None:
    """Find the places of the last size at which the convolution is ahead and of the next one.

    None where attention is never ahead after it was behind.
    """
    convolution, attention = (known.shares(each, pool, what).mean(axis=1) for each in NETWORKS)
    behind = np.flatnonzero(convolution > attention)
    if not len(behind) or behind[-1] == len(convolution) - 1:
        return None
    return int(behind[-1]), int(behind[-1]) + 1
