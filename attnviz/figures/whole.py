"""A whole head in a few equations without digits, for all queries at once.

What is made of queries and keys, what is normalized, how, and what is made of the values: written
once, for the picture in plain text and for the formula in LaTeX.
"""

from dataclasses import dataclass

from attnviz.attention.trace import HeadTrace
from attnviz.figures.cell_formulas import Indices, score_formula, vector_name
from attnviz.figures.laws import arguments_of, limit_of
from attnviz.figures.writing import Hand

ANY: Indices = ("i", "j", "i,j")
PRODUCTS = ("dot", "bilinear")
"""The score functions that are one product of matrices."""


def is_product(trace: HeadTrace) -> bool:
    """Tell whether the table of scores is one product of matrices, such as Q K^T."""
    return trace.choices.score in PRODUCTS and trace.relative_key is None


def scaled_name(hand: Hand, trace: HeadTrace, scores: str) -> str:
    """Name what the scale makes of the scores: 0.125 A, or A / √2."""
    if trace.scale == 1:
        return scores
    if trace.choices.scale == "sqrt_d_k":
        width = str(trace.query.shape[-1])
        return hand.fill("over", value=scores, below=hand.fill("root", value=width))
    return hand.fill("numbered", weight=hand.constant(trace.scale), symbol=scores)


@dataclass(frozen=True)
class Whole:
    """The equations of one head in one hand; `indices` are the letters of any query and key."""

    hand: Hand
    trace: HeadTrace
    indices: Indices = ANY

    @property
    def scores(self) -> list[str]:
        """Give both sides of A = Q K^T, or of α_ij where no product of matrices makes A."""
        choices = self.trace.choices
        if is_product(self.trace):
            return [self.hand.fill("whole.scores"), self.hand.fill(f"whole.{choices.score}")]
        relative = self.trace.relative_key is not None
        name = self.hand.fill("score", ij=self.indices[2])
        return [name, score_formula(self.hand, choices, self.indices, relative)]

    @property
    def weights(self) -> list[str]:
        """Give both sides of A′ = softmax((A / √2 + B + M) / T)."""
        hand, choices, name = self.hand, self.trace.choices, self.trace.choices.normalizer
        parts, z = 1, scaled_name(hand, self.trace, hand.fill("whole.scores"))
        for term, table in (("bias", self.trace.bias), ("mask", self.trace.mask)):
            if table is not None:
                z, parts = hand.fill("raised", value=z, shift=hand.fill(f"whole.{term}")), parts + 1
        limit = limit_of(choices)
        if name != "hardmax" and (limit or choices.temperature != 1):
            whole = hand.fill("factor", value=z) if parts > 1 or "/" in z else z
            below = hand.fill("whole.temperature") if limit else hand.constant(choices.temperature)
            z = hand.fill("over", value=whole, below=below)
        return [hand.fill("whole.weights"), self._law(name, z, limit=limit)]

    @property
    def output(self) -> list[str]:
        """Give both sides of O = A′ V, or of b_i where each query reads values of its own."""
        if self.trace.relative_value is None:
            return [self.hand.fill("whole.outputs"), self.hand.fill("whole.output")]
        return [self.hand.fill("output", i=self.indices[0]), self.weighted_sum(*self.indices)]

    def weighted_sum(self, i: str, j: str, ij: str) -> str:
        """Write Σ_j α′_ij v_j, with what is added to the values."""
        relative = self.trace.relative_value is not None
        value = vector_name(self.hand, "value", (i, j, ij), relative)
        term = self.hand.fill("numbered", weight=self.hand.fill("weight", ij=ij), symbol=value)
        return self.hand.fill("whole.sum", j=j, term=term)

    def _law(self, name: str, z: str, *, limit: bool) -> str:
        hand, given = self.hand, arguments_of(self.trace.choices)
        if name == "sigmoid":
            z += self._offset(given["bias"])
        if name in ("relu", "relu_sum", "relu_length", "sigmoid"):
            return hand.fill(f"whole.{name}", z=z, n=str(self.trace.n_key))
        parameters = {"k": str(given.get("k", ""))}
        if name == "entmax":
            parameters["alpha"] = hand.constant(float(given["alpha"] or 1))
        law = hand.fill(f"laws.{name}", **parameters)
        law = hand.fill("whole.normalized", law=law, z=z)
        return hand.fill("whole.limit", law=law) if limit and name != "hardmax" else law

    def _offset(self, bias: float | int | None) -> str:
        """Write what sigmoid adds: − ln n, unless it is given."""
        if bias is None:
            n_key = self.trace.n_key
            return self.hand.fill("whole.minus_log", n=str(n_key)) if n_key > 1 else ""
        offset = float(bias)
        sign = "whole.minus" if offset < 0 else "whole.plus"
        return self.hand.fill(sign, value=self.hand.constant(abs(offset))) if offset else ""
