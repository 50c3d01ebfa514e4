"""A trained layer and a sentence as the settings of the other pages."""

from typing import Any

import numpy as np

from attnviz.models.training.learning import Learner, Snapshot, inputs_of
from attnviz.settings import Settings
from attnviz.ui.trained import matrices, rounded

_PLAIN = ("n_kv_heads", "d_model", "score", "scale", "temperature", "normalizer", "mask", "cells")


def steps_fields(
    learner: Learner, found: Snapshot, words: np.ndarray, names: tuple[str, ...]
) -> dict[str, Any]:
    """Give the fields that show one sentence in the attention layer as it has learned."""
    plain = Settings()
    numbers, d_head = found.parameters, learner.width // learner.heads
    placed = "places" in numbers
    return {
        **{name: getattr(plain, name) for name in _PLAIN},
        "sentence": "",
        "pieces": tuple(names),
        "vectors": rounded(inputs_of(numbers, words[None])[0]),
        "positions": "learned" if placed else "none",
        "position_vectors": rounded(numbers["places"][: len(words)]) if placed else (),
        "w_source": "trained",
        "n_heads": learner.heads,
        "d_k": d_head,
        "d_v": d_head,
        **matrices(found),
        "query": min(plain.query, len(words) - 1),
        "key": None,
        "head": 0,
    }
