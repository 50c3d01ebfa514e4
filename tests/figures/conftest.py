"""The example that everything is shown on, in the choices that a test asks for."""

from collections.abc import Callable

import numpy as np
import pytest

from attnviz.attention import HeadChoices, MultiHeadTrace, Projections, attend_heads
from attnviz.figures import theme
from attnviz.text import Words, words

INPUTS = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
W_Q, W_K, W_V = (
    [[1, 0], [0, 1], [-1, 0]],
    [[1, 1], [0, 1], [1, 0]],
    [[1, 0], [-1, 1], [0, 1]],
)


@pytest.fixture(autouse=True)
def valid_figures(monkeypatch):
    """Let Plotly check every figure that a test draws."""
    monkeypatch.setattr(theme, "VALIDATE", True)


@pytest.fixture(scope="session")
def t() -> Words:
    return words("en")


@pytest.fixture(scope="session")
def hero() -> Callable[..., MultiHeadTrace]:
    def make(*, mask=None, positions="none", bias=False, **choices) -> MultiHeadTrace:
        extra = {"b_q": [[1, 2]], "b_k": [[0, 1]], "b_v": [[1, 0]]} if bias else {}
        projections = Projections([W_Q], [W_K], [W_V], **extra)
        return attend_heads(
            INPUTS, projections, HeadChoices(**choices), mask=mask, positions=positions
        )

    return make


@pytest.fixture(scope="session")
def layer() -> MultiHeadTrace:
    """Two heads, an output matrix, every size another prime."""
    rng = np.random.default_rng(5)
    projections = Projections(
        w_q=rng.normal(size=(2, 5, 3)),
        w_k=rng.normal(size=(2, 5, 3)),
        w_v=rng.normal(size=(2, 5, 2)),
        w_o=rng.normal(size=(4, 5)),
        b_o=rng.normal(size=5),
    )
    return attend_heads(rng.normal(size=(7, 5)), projections)
