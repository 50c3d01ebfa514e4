"""Sound as vectors: a frame of 25 ms every 10 ms, and what a truncated window leaves to score."""

import numpy as np
from jaxtyping import Float

STEP, LENGTH = 10, 25
"""Milliseconds from frame to frame, and in one frame."""
PER_SECOND = 1000 // STEP
BYTES = 4
"""Of one float32."""


def frames(seconds: float | int) -> int:
    """Count the frames that begin within so many seconds."""
    return round(seconds * PER_SECOND)


def full_scores(n: int) -> int:
    """Count the scores where everyone asks everyone."""
    return n * n


def truncated_scores(n: int, radius: int) -> int:
    """Count the scores where everyone asks up to `radius` frames on either side, and itself.

    Each of n frames has 2 · radius + 1 of them; those near the ends lack radius (radius + 1).
    """
    reach = min(radius, n - 1)
    return n * (2 * reach + 1) - reach * (reach + 1)


def span(radius: int) -> int:
    """Give how many milliseconds of sound one output is made of in one layer."""
    return 2 * radius * STEP + LENGTH


def layers_to_link(n: int, radius: int) -> int:
    """Count the layers until the first frame reaches the last."""
    return -(-(n - 1) // radius)


def overview(n: int, radius: int, most: int = 96) -> Float[np.ndarray, "block block"]:
    """Give the share of scores that is computed in each block of frames, exactly.

    No n × n array is made: a row is known by its first and last key.
    """
    blocks = min(n, most)
    edges = np.linspace(0, n, blocks + 1).round().astype(int)
    row = np.arange(n)
    first, last = np.maximum(0, row - radius), np.minimum(n, row + radius + 1)
    up_to = np.clip(edges[None], first[:, None], last[:, None])  # (n, blocks + 1)
    counts = np.add.reduceat(np.diff(up_to, axis=1), edges[:-1], axis=0)
    sizes = np.diff(edges)
    return counts / (sizes[:, None] * sizes)


def band_edges(n: int, most: int = 96) -> list[int]:
    """Give where the blocks of the overview begin, and where the last one ends."""
    return np.linspace(0, n, min(n, most) + 1).round().astype(int).tolist()
