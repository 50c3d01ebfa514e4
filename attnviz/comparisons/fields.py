"""Which inputs one output can see: a fixed square that layers widen, or a field of any shape."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention import HeadTrace, attend

LAYINGS = ("stacked", "dilated")
"""How layers of convolution are put on each other: next to next, or with gaps k⁰, k¹, k², …"""


def field_radius(kernel: int, layers: int, laying: str = "stacked") -> int:
    """Give how far the field of one output reaches to each side after so many layers.

    Stacked layers add k // 2 each; with gaps k⁰, k¹, … they cover k^layers places in all.

    Raises:
        ValueError: if the kernel is even, or there is no layer, or no such laying.
    """
    if kernel < 1 or kernel % 2 == 0 or layers < 1 or laying not in LAYINGS:
        raise ValueError(
            f"need an odd kernel and a layer or more, got {kernel}, {layers}, {laying}"
        )
    return (kernel**layers - 1) // 2 if laying == "dilated" else layers * (kernel // 2)


def field(
    grid: tuple[int, int], pixel: tuple[int, int], radius: int
) -> Bool[np.ndarray, "row column"]:
    """Tell which pixels lie in the square field of one pixel; the picture's border cuts it."""
    rows, columns = (np.abs(np.arange(side) - at) for side, at in zip(grid, pixel, strict=True))
    return (rows[:, None] <= radius) & (columns <= radius)


def layers_to_link(n: int, kernel: int = 3, laying: str = "stacked") -> int:
    """Count the layers until the first of n places reaches the last.

    Stacked, a layer carries k // 2 places on. With gaps, where each layer looks back only, L layers
    see k^L places: as soon as those are n, the ends are linked.
    """
    if laying == "dilated":
        layers, seen = 0, 1
        while seen < n:
            layers, seen = layers + 1, seen * kernel
        return layers
    return -(-(n - 1) // (kernel // 2))


def steps_to_link(n: int) -> int:
    """Count the steps that a recurrent network takes from the first of n places to the last."""
    return n - 1


@dataclass(frozen=True)
class Shape:
    """What a head may learn of its field: where its centre is, and how it falls off around it.

    The numbers `along` and `across` are how many pixels the weight takes to fall to e^(−½), in the
    direction of `angle` (degrees, from the row of pixels downward) and at right angles to it.
    """

    centre: tuple[float | int, float | int] = (0, 0)
    along: float | int = 1.5
    across: float | int = 1.5
    angle: float | int = 0

    @property
    def sharpness(self) -> Float[np.ndarray, "2 2"]:
        """The matrix M of the score −½ (p − c)ᵀ M (p − c)."""
        turn = np.deg2rad(self.angle)
        long = np.array([np.sin(turn), np.cos(turn)])  # (down, right)
        short = np.array([np.cos(turn), -np.sin(turn)])
        return np.outer(long, long) / self.along**2 + np.outer(short, short) / self.across**2


SHAPES: dict[str, Shape] = {
    "round": Shape(),
    "wide": Shape(along=5.0, across=0.7),
    "tall": Shape(along=5.0, across=0.7, angle=90),
    "slanted": Shape(along=4.0, across=0.7, angle=45),
    "shifted": Shape(centre=(0, -4), along=1.0, across=1.0),
    "everywhere": Shape(along=1e3, across=1e3),
}
"""Fields that one head can have, by what its queries and keys say of places."""


def shaped_field(grid: tuple[int, int], shape: Shape) -> HeadTrace:
    """Let every pixel look at all others through a field of this shape; values are places."""
    return field_by(grid, np.array(shape.centre, dtype=float), shape.sharpness)


def places_of(grid: tuple[int, int]) -> Float[np.ndarray, "n 2"]:
    """Give the row and column of each pixel, in reading order."""
    places = np.stack(np.meshgrid(*map(np.arange, grid), indexing="ij"), axis=-1)
    return places.reshape(-1, 2).astype(float)


def field_by(
    grid: tuple[int, int], centre: Float[np.ndarray, "2"], m: Float[np.ndarray, "2 2"]
) -> HeadTrace:
    """Let every pixel look at all others by what is learned: a centre c and a matrix M.

    The score −½ (p_j − p_i − c)ᵀ M (p_j − p_i − c) is a dot product of vectors of p_i and p_j.

    Source: Cordonnier et al. 2020, §3 (quadratic encoding).
    """
    p = places_of(grid)
    aim = p + centre
    own = np.einsum("ia,ab,ib->i", aim, m, aim)[:, None]
    theirs = np.einsum("ia,ab,ib->i", p, m, p)[:, None]
    ones = np.ones((len(p), 1))
    query = np.hstack([aim @ m, -0.5 * ones, -0.5 * own])
    key = np.hstack([p, theirs, ones])
    return attend(query, key, p)
