"""The lamp of two equal tokens: whether anything in a layer tells them apart."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.lessons.twins import twins

ROUNDING = 1e-12
"""What is smaller, measured by the largest output, is rounding and no difference."""


@dataclass(frozen=True, eq=False)
class Lamp:
    """Two tokens with the same vector, and how far apart their outputs are, ‖b_i − b_j‖."""

    first: int
    second: int
    distance: float
    lit: bool


def lamp(
    inputs: Float[np.ndarray, "token d_model"], output: Float[np.ndarray, "token d_out"]
) -> Lamp | None:
    """Compare the outputs of the first two tokens that have the same vector, if there are any."""
    pair = twins(inputs, output)
    if pair is None:
        return None
    largest = max(1.0, float(np.abs(output).max()))
    return Lamp(pair.first, pair.second, pair.difference, lit=pair.difference > ROUNDING * largest)
