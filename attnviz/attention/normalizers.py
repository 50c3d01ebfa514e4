"""From scores to weights: how the attention of one query is shared out among its keys.

Every normalizer takes scores (…, query, key) and treats each row alone. A key that may not be seen,
by the mask or by a score of −inf, gets exactly 0, and a row that may see nothing is all zeros. z
stands for the scores of one row, T for the temperature that divides them. T = 0 is the limit, where
the best keys share equally; relu, sigmoid and their like have no limit and refuse it.

The laws stand here, the derivations in `parts.py`. `NORMALIZERS` at the end lists them all.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Shaped

from attnviz.attention.parts import PARTS, NormalizerParts, Number
from attnviz.attention.scores import precise

Scores = Shaped[np.ndarray, "*batch query key"] | Sequence
Mask = Bool[np.ndarray, "..."] | Sequence | None
Weights = Float[np.ndarray, "*batch query key"]


def normalizer_parts(
    name: str, scores: Scores, mask: Mask = None, **parameters: Number | None
) -> NormalizerParts:
    """Take the weights of `NORMALIZERS[name]` apart, into numerators and totals.

    Raises:
        ValueError: if no normalizer has this name; if a score that may be seen is +inf or NaN; if
            the mask does not fit the scores; if a parameter is out of its range.
    """
    if name not in PARTS:
        raise ValueError(f"normalizer must be one of {', '.join(PARTS)}, got {name!r}")
    z = _seen(scores, mask)
    with np.errstate(over="ignore", under="ignore"):  # −inf is the right end: exp(−inf) = 0
        return PARTS[name](z, **parameters)


def softmax(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Share in proportion to exp(z/T).

    A constant added to all scores of a row changes nothing. Higher temperatures share more evenly.

    Source: Vaswani et al. 2017, §3.2.1; the temperature: Hinton et al. 2015, §2.
    """
    return normalizer_parts("softmax", scores, mask, temperature=temperature).weights


def sparsemax(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Take the distribution nearest to z/T: max(z/T − τ, 0), with the τ that makes the sum 1.

    A key 1 or more below the best gets exactly 0 (at T = 1). Equal scores share equally.

    Source: Martins and Astudillo 2016, algorithm 1.
    """
    return normalizer_parts("sparsemax", scores, mask, temperature=temperature).weights


def entmax15(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Take entmax at α = 1.5, between softmax and sparsemax: max(z/2T − τ, 0)².

    A key 2 or more below the best gets exactly 0 (at T = 1).

    Source: Peters et al. 2019, §3 and algorithm 2.
    """
    return normalizer_parts("entmax15", scores, mask, temperature=temperature).weights


def entmax(
    scores: Scores, mask: Mask = None, *, alpha: Number = 1.5, temperature: Number = 1.0
) -> Weights:
    """Share by max((α − 1) z/T − τ, 0)^(1/(α − 1)): softmax at α = 1, sparsemax at α = 2.

    A key 1/(α − 1) or more below the best gets exactly 0 (at T = 1).

    Raises:
        ValueError: if alpha is below 1 or not finite, or as `normalizer_parts` does.

    Source: Peters et al. 2019, §3; Correia et al. 2019.
    """
    return normalizer_parts("entmax", scores, mask, alpha=alpha, temperature=temperature).weights


def topk(scores: Scores, mask: Mask = None, *, k: int = 2, temperature: Number = 1.0) -> Weights:
    """Keep the k best keys and softmax among them alone.

    Of equal scores the first are kept, so that just k keys stay. A k beyond them all is softmax.

    Raises:
        ValueError: if k is below 1, or as `normalizer_parts` does.

    Source: Zhao et al. 2019, Explicit Sparse Transformer; Gupta et al. 2021.
    """
    return normalizer_parts("topk", scores, mask, k=k, temperature=temperature).weights


def hardmax(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Share equally among the best keys and give the rest nothing, at any temperature."""
    return normalizer_parts("hardmax", scores, mask, temperature=temperature).weights


def relu(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Cut off below zero: max(z/T, 0). Rows do not sum to 1; a negative row is all zeros."""
    return normalizer_parts("relu", scores, mask, temperature=temperature).weights


def relu_sum(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Share in proportion to max(z/T, 0). A row without a positive score stays all zeros.

    A positive factor on all scores of a row changes nothing, and so neither does the temperature.
    """
    return normalizer_parts("relu_sum", scores, mask, temperature=temperature).weights


def relu_length(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Divide max(z/T, 0) by the number of keys, those that may not be seen included.

    Source: Wortsman et al. 2023, Replacing softmax with ReLU in Vision Transformers.
    """
    return normalizer_parts("relu_length", scores, mask, temperature=temperature).weights


def sigmoid(
    scores: Scores, mask: Mask = None, *, bias: Number | None = None, temperature: Number = 1.0
) -> Weights:
    """Judge every key on its own: 1/(1 + exp(−(z/T + b))). Rows do not sum to 1.

    Unless given, the bias b is −ln n_key, so that a row of zero scores sums to about 1.

    Raises:
        ValueError: if the bias is not finite, or as `normalizer_parts` does.

    Source: Ramapuram et al. 2024, Theory, Analysis, and Best Practices for Sigmoid Self-Attention.
    """
    return normalizer_parts("sigmoid", scores, mask, bias=bias, temperature=temperature).weights


def softmax1(scores: Scores, mask: Mask = None, *, temperature: Number = 1.0) -> Weights:
    """Share by exp(z/T) / (1 + Σ exp(z/T)): softmax with one more key, of score 0 and value 0.

    A row sums to less than 1, and to almost nothing where every score is very negative.

    Source: Miller 2023, Attention Is Off By One.
    """
    return normalizer_parts("softmax1", scores, mask, temperature=temperature).weights


def _seen(scores: Scores, mask: Mask) -> Weights:
    """Write −inf over every score that may not be seen, and refuse what is no number."""
    (z,) = precise(scores)
    if z.ndim < 2 or z.shape[-1] == 0:
        raise ValueError(
            f"scores must be (…, query, key) with at least one key, got {z.shape}; "
            "give a single row as [row]"
        )
    if mask is not None:
        z = np.where(_fitting(mask, z.shape), z, -np.inf)
    unreadable = ~(z < np.inf)  # NaN is below nothing
    if unreadable.any():
        place = tuple(int(index) for index in np.argwhere(unreadable)[0])
        raise ValueError(
            f"a score that may be seen must be finite or −inf, got {z[place]} at {place}; "
            "look for an overflow in query · key, or hide this pair with the mask"
        )
    return z


def _fitting(mask: Mask, shape: tuple[int, ...]) -> Bool[np.ndarray, "..."]:
    allowed = np.asarray(mask)
    if allowed.dtype != bool:
        raise ValueError(
            f"mask must be Boolean, True = may attend, got {allowed.dtype}; "
            "read an additive mask with MASKS['custom']"
        )
    try:
        return np.broadcast_to(allowed, shape)
    except ValueError:
        raise ValueError(
            f"mask must be (query, key) or broadcast to {shape}, got {allowed.shape}; "
            "build it with MASKS[name](n_query, n_key)"
        ) from None


NORMALIZERS: dict[str, Callable[..., np.ndarray]] = {
    "softmax": softmax,
    "sparsemax": sparsemax,
    "entmax15": entmax15,
    "entmax": entmax,
    "topk": topk,
    "hardmax": hardmax,
    "relu": relu,
    "relu_sum": relu_sum,
    "relu_length": relu_length,
    "sigmoid": sigmoid,
    "softmax1": softmax1,
}

NORMALIZER_PARAMETERS: dict[str, dict[str, float | int | None]] = {
    **{name: {} for name in NORMALIZERS},
    "softmax": {"temperature": 1.0},
    "entmax": {"alpha": 1.5},
    "topk": {"k": 2},
    "sigmoid": {"bias": None},
}
"""The parameters that make a normalizer, and their defaults; all take a `temperature` as well."""

DISTRIBUTIONS = frozenset(
    {"softmax", "sparsemax", "entmax15", "entmax", "topk", "hardmax", "relu_sum"}
)
"""Those whose rows sum to 1; or to 0, where nothing may be seen or relu_sum cuts everything off."""
