"""One query against every key, scored in every way: never a value, always a query and a key."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from attnviz.attention import HeadChoices, HeadTrace
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.scores import SCORES, score_terms
from attnviz.lessons.matrices import score_parameters

WAYS = ("dot", "scaled", "cosine", "additive", "bilinear")
"""The score functions, and the dot product divided by √d_k."""


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of one query in one way, the products that each is a sum of, and the weights.

    `range` is the least and the largest score that any query and key can have, None for any number.
    """

    name: str
    scores: Float[np.ndarray, " key"]
    terms: tuple[tuple[Float[np.ndarray, " term"], Float[np.ndarray, " term"]], ...]
    weights: Float[np.ndarray, " key"]
    range: tuple[float, float] | None


def in_each_way(head: HeadTrace, query: int, seed: int) -> tuple[Scored, ...]:
    """Score one query of a head against each key in every way; all else stays as it is.

    The matrices of additive and bilinear scores are random, from the seed. What positions add to a
    score, the mask, the temperature and the normalizer are the head's own.
    """
    return tuple(_scored(name, head, query, seed) for name in WAYS)


def choices_of(name: str, head: HeadTrace, seed: int) -> HeadChoices:
    """Give the head's own choices with another score, unscaled unless it is the scaled one."""
    own = head.choices
    score = "dot" if name == "scaled" else name
    kept = {key: value for key, value in own.parameters.items() if not key.startswith("score.")}
    return replace(
        own,
        score=score,
        scale="sqrt_d_k" if name == "scaled" else "none",
        parameters=kept | score_parameters(score, head.key.shape[-1], seed),
    )


def _scored(name: str, head: HeadTrace, i: int, seed: int) -> Scored:
    choices = choices_of(name, head, seed)
    parameters = choices.arguments("score")
    keys = head.key if head.relative_key is None else head.key + head.relative_key[i]
    multiplier = choices.multiplier(keys.shape[-1])
    raw = SCORES[choices.score](head.query[i : i + 1], keys, **parameters)[0]
    terms = tuple(score_terms(choices.score, head.query[i], key, **parameters) for key in keys)
    scores = raw * multiplier
    masked = scores if head.bias is None else scores + head.bias[i]
    if head.mask is not None:
        masked = np.where(head.mask[i], masked, -np.inf)
    arguments = choices.arguments("normalizer")
    weights = NORMALIZERS[choices.normalizer](
        masked[None], temperature=choices.temperature, **arguments
    )[0]
    return Scored(name, scores, terms, weights, _range(choices))


def _range(choices: HeadChoices) -> tuple[float, float] | None:
    if choices.score == "cosine":
        return -1.0, 1.0
    if choices.score == "additive":
        reach = float(np.abs(choices.arguments("score")["v"]).sum())
        return -reach, reach
    return None
