"""The puzzle of repeated words: whether two equal tokens get equal outputs."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Twins:
    """Two tokens with the same vector, and how far apart their outputs are, ‖b_i − b_j‖."""

    first: int
    second: int
    difference: float

    @property
    def alike(self) -> bool:
        """True when nothing tells the two apart."""
        return self.difference == 0


def twins(
    inputs: Float[np.ndarray, "token d_model"], output: Float[np.ndarray, "token d_out"]
) -> Twins | None:
    """Find the first two tokens that have the same vector, if there are any."""
    for second in range(len(inputs)):
        for first in range(second):
            if np.array_equal(inputs[first], inputs[second]):
                return Twins(first, second, float(np.linalg.norm(output[first] - output[second])))
    return None
