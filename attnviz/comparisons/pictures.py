"""A picture as a set of vectors, one for each pixel; a pixel asks, and the others answer."""

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention import HeadTrace, attend

MOST_SIDE = 16
"""Pixels along a side: 256 vectors, 65 536 weights."""
LIKENESSES = ("colour", "both", "place")
"""What a score is made of: how alike two colours are, how near two places are, or both."""
_NEARNESS = 0.1


def sides(height: int, width: int, most: int = MOST_SIDE) -> tuple[int, int]:
    """Give rows and columns for a picture, at most so many a side, in its own proportions."""
    if min(height, width) < 1:
        raise ValueError(f"a picture must have a row and a column, got {height} × {width}")
    shrunk = min(1.0, most / max(height, width))
    return max(1, round(height * shrunk)), max(1, round(width * shrunk))


def reduced(
    pixels: Shaped[np.ndarray, "height width 3"], rows: int, columns: int
) -> Float[np.ndarray, "{rows} {columns} 3"]:
    """Make a picture of 0 … 255 smaller: each new pixel is the mean of those it covers, 0 … 1."""
    height, width = pixels.shape[:2]
    down, across = _covering(height, rows), _covering(width, columns)
    return np.einsum("rh,hwc,sw->rsc", down, pixels.astype(float) / 255, across, optimize=True)


def _covering(n: int, parts: int) -> Float[np.ndarray, "{parts} {n}"]:
    """Give which share of each part every one of n pixels makes up."""
    edges = np.linspace(0, n, parts + 1)
    at = np.arange(n)
    overlap = np.minimum(edges[1:, None], at + 1) - np.maximum(edges[:-1, None], at)
    return np.clip(overlap, 0, None) * parts / n


def as_vectors(picture: Float[np.ndarray, "row column c"]) -> Float[np.ndarray, "n c"]:
    """Give one vector for each pixel, in reading order: a set, if nothing says where it stands."""
    return picture.reshape(-1, picture.shape[-1])


def look(
    picture: Float[np.ndarray, "row column 3"], strength: float | int, likeness: str = "colour"
) -> HeadTrace:
    """Let every pixel read the colours of the others.

    The score of two pixels is `strength` times the dot product of their colours, measured from the
    mean colour of the picture, and a tenth less for each squared pixel between them.

    Raises:
        ValueError: if there is no such likeness.
    """
    if likeness not in LIKENESSES:
        raise ValueError(f"likeness must be one of {', '.join(LIKENESSES)}, got {likeness!r}")
    colours = as_vectors(picture)
    n = len(colours)
    query, key = np.zeros((n, 0)), np.zeros((n, 0))
    if likeness != "place":
        centred = colours - colours.mean(axis=0)
        query, key = strength * centred, centred
    if likeness != "colour":
        grid = np.meshgrid(*map(np.arange, picture.shape[:2]), indexing="ij")
        p = np.stack(grid, axis=-1).reshape(-1, 2).astype(float)
        squared, ones = (p**2).sum(axis=1, keepdims=True), np.ones((n, 1))
        query = np.hstack([query, _NEARNESS * np.hstack([2 * p, -ones, -squared])])
        key = np.hstack([key, p, squared, ones])
    return attend(query, key, colours)
