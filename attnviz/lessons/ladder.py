"""From a plain average to attention, a rung at a time: only where the weights come from changes.

The rungs after Karpathy, Let's build GPT (2023), and Raschka 2024, Build a Large Language Model
(From Scratch), chapter 3.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from attnviz.attention.arrays import product, read_only
from attnviz.attention.attend import attend
from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import softmax
from attnviz.attention.trace import HeadTrace, MultiHeadTrace

Table = Float[np.ndarray, "query key"]
Vectors = Float[np.ndarray, "token d"]


@dataclass(frozen=True, eq=False)
class Rung:
    """Weights, what they weigh, and what comes out; `scores` are what softmax makes them of.

    `ways` has the same output computed in other ways, by name.
    """

    name: str
    scores: Table
    weights: Table
    values: Vectors
    output: Vectors
    ways: dict[str, Vectors]

    def differences(self) -> dict[str, float]:
        """Give how far each way ends from the output, at most."""
        return {way: float(np.abs(found - self.output).max()) for way, found in self.ways.items()}


def rung(trace: MultiHeadTrace, head: int, name: str) -> Rung:
    """Give one rung of the ladder for these inputs.

    mean: everyone gets the mean of all. running: the mean of what came before and itself. fixed:
    a token half as much as the one before it, at each step of distance. scores: how well two
    inputs match, without any matrix. projected: the head itself, with its matrices.

    Raises:
        ValueError: if there is no such rung, or no such head.
    """
    if name not in RUNGS:
        raise ValueError(f"rung must be one of {', '.join(RUNGS)}, got {name!r}; choose one")
    return RUNGS[name](trace, head)


def _mean(trace: MultiHeadTrace, head: int) -> Rung:
    return _averaged("mean", trace, np.zeros(_square(trace)))


def _running(trace: MultiHeadTrace, head: int) -> Rung:
    past = MASKS["causal"](*_square(trace))
    return _averaged("running", trace, np.where(past, 0.0, -np.inf))


def _fixed(trace: MultiHeadTrace, head: int) -> Rung:
    place = np.arange(trace.n_query)
    scores = -np.log(2.0) * np.abs(place[:, None] - place)
    return _averaged("fixed", trace, scores)


def _averaged(name: str, trace: MultiHeadTrace, scores: Table) -> Rung:
    """Average the inputs by shares that do not look at them: a loop, a product, a softmax."""
    values = trace.encoded_inputs
    shares = np.exp2(scores / np.log(2.0))  # 1, or a half, a quarter …; 0 where nothing is seen
    weights = shares / shares.sum(axis=1, keepdims=True)
    return Rung(
        name=name,
        scores=read_only(scores),
        weights=read_only(weights),
        values=values,
        output=read_only(product(weights, values)),
        ways={
            "loop": _looped(shares, values, shared=True),
            "product": weights @ values,
            "softmax": softmax(scores) @ values,
        },
    )


def _matched(trace: MultiHeadTrace, head: int) -> Rung:
    """Score inputs against inputs: queries, keys and values are the inputs themselves."""
    inputs, own = trace.encoded_inputs, trace.choices
    kept = {f"normalizer.{name}": value for name, value in own.arguments("normalizer").items()}
    choices = replace(own, score="dot", parameters=kept)
    mask = trace.head(head).mask
    return _attended("scores", attend(inputs, inputs, inputs, choices, mask=mask))


def _projected(trace: MultiHeadTrace, head: int) -> Rung:
    return _attended("projected", trace.head(head))


def _attended(name: str, trace: HeadTrace) -> Rung:
    ways = {"loop": _looped(trace.weights, trace.value), "product": trace.weights @ trace.value}
    if trace.relative_value is not None:  # each query has values of its own
        moved = np.einsum("ij,ijd->id", trace.weights, trace.relative_value)
        ways = {way: output + moved for way, output in ways.items()}
    return Rung(
        name=name,
        scores=trace.masked_scores,
        weights=trace.weights,
        values=trace.value,
        output=trace.output,
        ways=ways,
    )


def _looped(shares: Table, values: Vectors, *, shared: bool = False) -> Vectors:
    """Add up in two loops, for each query and for each key; divide by the sum if it is shared."""
    output = np.zeros((len(shares), values.shape[1]))
    for query, row in enumerate(shares.tolist()):
        for key, share in enumerate(row):
            output[query] += share * values[key]
        if shared:
            output[query] /= sum(row)
    return output


def _square(trace: MultiHeadTrace) -> tuple[int, int]:
    return trace.n_query, trace.n_query


RUNGS: dict[str, Callable[[MultiHeadTrace, int], Rung]] = {
    "mean": _mean,
    "running": _running,
    "fixed": _fixed,
    "scores": _matched,
    "projected": _projected,
}
