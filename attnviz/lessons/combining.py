"""Two ways to give a token its position: add the two vectors, or put them side by side."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.attention.attend import attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.attention.projections import Projections
from attnviz.attention.trace import MultiHeadTrace
from attnviz.lessons.matrices import random_block

PARTS = (
    ("content", "content"),
    ("content", "position"),
    ("position", "content"),
    ("position", "position"),
)
"""What a score is made of once positions are added: which part asks, and which answers."""


@dataclass(frozen=True, eq=False)
class Combined:
    """One layer on a + e, and on [a | e] with matrices that have rows for e.

    `tied` gives e the rows that a has, [W; W]; `own` gives it random ones, [W; W_e].
    """

    inputs: Float[np.ndarray, "token d_model"]
    code: Float[np.ndarray, "token d_model"]
    added: MultiHeadTrace
    tied: MultiHeadTrace
    own: MultiHeadTrace

    @property
    def beside(self) -> Float[np.ndarray, "token twice"]:
        """The two vectors of each token side by side, [a | e]."""
        return self.tied.inputs

    @property
    def tied_difference(self) -> float:
        """How far the outputs of [a | e] with [W; W] are from those of a + e."""
        return float(np.linalg.norm(self.tied.output - self.added.output))

    @property
    def own_difference(self) -> float:
        """How far the outputs of [a | e] with [W; W_e] are from those of a + e."""
        return float(np.linalg.norm(self.own.output - self.added.output))

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """The dimensions that both use: a is not 0 there for every token, and e is not."""
        used = self.inputs.any(axis=0) & self.code.any(axis=0)
        return tuple(np.flatnonzero(used).tolist())


def combine(
    inputs: Float[np.ndarray, "token d_model"],
    code: Float[np.ndarray, "token d_model"],
    projections: Projections,
    choices: HeadChoices,
    *,
    mask: np.ndarray | None = None,
    seed: int = 0,
) -> Combined:
    """Add positions to a layer, and concatenate them, with the same rows for e and with its own."""
    choices = replace(choices, parameters=_without_positions(choices))
    both = read_only(np.hstack([inputs, code]))
    own = _own(projections, seed)
    return Combined(
        inputs=inputs,
        code=code,
        added=attend_heads(inputs, projections, choices, mask=mask, positions=code),
        tied=attend_heads(both, stacked(projections, projections), choices, mask=mask),
        own=attend_heads(both, stacked(projections, own), choices, mask=mask),
    )


def stacked(content: Projections, position: Projections) -> Projections:
    """Put the rows that read e below those that read a: [W; W_e] for queries, keys and values."""
    both = {
        name: np.concatenate([getattr(content, name), getattr(position, name)], axis=1)
        for name in ("w_q", "w_k", "w_v")
    }
    return replace(content, **both)


def score_parts(
    inputs: Float[np.ndarray, "token d_model"],
    code: Float[np.ndarray, "token d_model"],
    w_q: Float[np.ndarray, "d_model d_k"],
    w_k: Float[np.ndarray, "d_model d_k"],
) -> Float[np.ndarray, "4 token token"]:
    """Split (a_i + e_i) W^q · (a_j + e_j) W^k into its four products, in the order of PARTS."""
    vectors = {"content": inputs, "position": code}
    return np.stack([(vectors[asks] @ w_q) @ (vectors[answers] @ w_k).T for asks, answers in PARTS])


def _own(projections: Projections, seed: int) -> Projections:
    """Give e random rows of its own, as many as a has."""
    drawn = {}
    for name in ("w_q", "w_k", "w_v"):
        blocks, rows, columns = getattr(projections, name).shape
        made = [random_block(f"e {name}", b, rows, columns, seed) for b in range(blocks)]
        drawn[name] = np.array(made)
    return replace(projections, **drawn)


def _without_positions(choices: HeadChoices) -> dict[str, object]:
    kept = choices.parameters.items()
    return {name: value for name, value in kept if not name.startswith("position.")}
