"""A head that asks for the token before, by positions that are points on a circle or several.

One circle comes round: with a period of 4, the place before the first one looks like the fourth.
"""

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.attend import attend
from attnviz.attention.trace import HeadTrace

PERIOD = 4
SHARPNESS = 3
MOST_WAVES = 6


def circles(places: Float[np.ndarray, " place"], n_waves: int) -> Float[np.ndarray, "place d"]:
    """Write each place as points on circles: cos and sin of each wave.

    The first wave takes PERIOD places for a turn, each other one twice as many as that before it.
    """
    turns = places[:, None] / (PERIOD * 2.0 ** np.arange(n_waves))
    angles = 2 * np.pi * turns  # (place, wave)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(len(places), -1)


def previous_head(
    n_tokens: int, n_waves: int, mask: Bool[np.ndarray, "token token"] | None = None
) -> HeadTrace:
    """Let each token ask for the place before its own, SHARPNESS times as long as a key."""
    places = np.arange(n_tokens, dtype=np.float64)
    key = circles(places, n_waves)
    return attend(SHARPNESS * circles(places - 1, n_waves), key, key, mask=mask)


def score_at(
    distances: Float[np.ndarray, " distance"], n_waves: int
) -> Float[np.ndarray, " distance"]:
    """Give the score of a key that stands so many places after the query: 1 before it is best."""
    asked = circles(np.array([-1.0]), n_waves)[0]
    return SHARPNESS * circles(distances, n_waves) @ asked


def repeats_after(n_waves: int) -> int:
    """Give after how many places all circles are where they began."""
    return PERIOD * 2 ** (n_waves - 1)
