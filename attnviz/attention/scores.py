"""How well each key answers each query: one number a pair, before any scaling or mask.

A score function takes query (…, query, d_k) and key (…, key, d_k) and gives (…, query, key);
leading axes broadcast. Every score is a sum of products; `score_terms` writes one out. `SCORES` at
the end lists all score functions.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Float, Shaped

from attnviz.attention.arrays import SupportsArray, product

BLOCK_SIZE = 2**22
"""Numbers that additive attention holds at once: longer inputs go a block of queries at a time."""


def precise(
    *arrays: Shaped[np.ndarray, "..."] | Sequence | SupportsArray | float,
) -> tuple[np.ndarray, ...]:
    """Bring arrays to the one precision in which attention is computed.

    float32 stays float32, float16 becomes float32, and everything else float64: whole numbers,
    Booleans, lists. Of several arrays the widest decides.
    """
    read = [np.asarray(array) for array in arrays]
    widest = np.result_type(*(array.dtype for array in read))
    dtype = np.float32 if widest in (np.float16, np.float32) else np.float64
    return tuple(array.astype(dtype, copy=False) for array in read)


def dot(
    query: Shaped[np.ndarray, "... query d_k"] | Sequence,
    key: Shaped[np.ndarray, "... key d_k"] | Sequence,
) -> Float[np.ndarray, "... query key"]:
    """Multiply matching features and add up: q · k.

    It grows with the length of either vector. For independent features of variance 1 its own
    variance is d_k, which is why the Transformer divides it by √d_k.

    Raises:
        ValueError: if query and key differ in width.

    Source: Vaswani et al. 2017, §3.2.1.
    """
    return _pairs(*_dot_terms(query, key))


def cosine(
    query: Shaped[np.ndarray, "... query d_k"] | Sequence,
    key: Shaped[np.ndarray, "... key d_k"] | Sequence,
) -> Float[np.ndarray, "... query key"]:
    """Compare directions alone: the cosine of the angle between q and k, from −1 to 1.

    Stretching a vector changes nothing. A zero vector has no direction and scores 0.

    Raises:
        ValueError: if query and key differ in width.

    Source: Graves et al. 2014, Neural Turing Machines, eq. 6.
    """
    return np.clip(_pairs(*_cosine_terms(query, key)), -1, 1)


def bilinear(
    query: Shaped[np.ndarray, "... query d_query"] | Sequence,
    key: Shaped[np.ndarray, "... key d_key"] | Sequence,
    *,
    w: Shaped[np.ndarray, "... d_query d_key"] | Sequence,
) -> Float[np.ndarray, "... query key"]:
    """Let a matrix stand between the two: q W k.

    W = I is the dot product. Unless W is symmetric, swapping query and key is another score.

    Raises:
        ValueError: if w is not (width of query, width of key).

    Source: Luong et al. 2015, §3.1 ("general").
    """
    return _pairs(*_bilinear_terms(query, key, w=w))


def additive(
    query: Shaped[np.ndarray, "... query d_query"] | Sequence,
    key: Shaped[np.ndarray, "... key d_key"] | Sequence,
    *,
    w_query: Shaped[np.ndarray, "... d_query d_hidden"] | Sequence,
    w_key: Shaped[np.ndarray, "... d_key d_hidden"] | Sequence,
    v: Shaped[np.ndarray, "... d_hidden"] | Sequence,
    bias: Shaped[np.ndarray, "... d_hidden"] | Sequence | None = None,
) -> Float[np.ndarray, "... query key"]:
    """Ask a small network: v · tanh(q W_query + k W_key + bias), from −‖v‖₁ to ‖v‖₁.

    Query and key may differ in width. The paper has no bias.

    Raises:
        ValueError: if a matrix does not fit the vectors it meets.

    Source: Bahdanau et al. 2015, §3.1 and appendix A.1.2.
    """
    asked, answered, v = _hidden_layer(query, key, w_query, w_key, v, bias)
    blocks = [
        np.vecdot(
            np.tanh(block[..., :, None, :] + answered[..., None, :, :]), v[..., None, None, :]
        )
        for block in _query_blocks(asked, answered)
    ]
    return np.concatenate(blocks, axis=-2)


def score_terms(
    name: str,
    query: Shaped[np.ndarray, "d_query"] | Sequence,
    key: Shaped[np.ndarray, "d_key"] | Sequence,
    **parameters: Shaped[np.ndarray, "..."] | Sequence | None,
) -> tuple[Float[np.ndarray, "term"], Float[np.ndarray, "term"]]:
    """Write the score of one query and one key as a sum of products: Σ left · right.

    dot: q, k; cosine: q/‖q‖, k/‖k‖; bilinear: q W, k; additive: v and
    tanh(q W_query + k W_key + bias).

    Raises:
        ValueError: if no score function has this name, or the vectors do not fit each other.
    """
    if name not in _TERMS:
        raise ValueError(f"score must be one of {', '.join(_TERMS)}, got {name!r}")
    left, right = _TERMS[name]([query], [key], **parameters)
    return left[0], right[0]


def _dot_terms(query, key):
    query, key = precise(query, key)
    _refuse_misfit("query", query.shape, "key", key.mT.shape)
    return query, key


def _cosine_terms(query, key):
    query, key = _dot_terms(query, key)
    return _unit(query), _unit(key)


def _bilinear_terms(query, key, *, w):
    query, key, w = precise(query, key, w)
    _refuse_misfit("query", query.shape, "w", w.shape)
    _refuse_misfit("w", w.shape, "key", key.mT.shape)
    return _pairs(query, w.mT), key


def _additive_terms(query, key, *, w_query, w_key, v, bias=None):
    asked, answered, v = _hidden_layer(query, key, w_query, w_key, v, bias)
    return v[None, :], np.tanh(asked + answered)


def _hidden_layer(query, key, w_query, w_key, v, bias):
    """Project queries and keys to the hidden layer of additive attention; keys carry the bias."""
    query, key, w_query, w_key, v, bias = precise(
        query, key, w_query, w_key, v, np.zeros_like(v) if bias is None else bias
    )
    _refuse_misfit("query", query.shape, "w_query", w_query.shape)
    _refuse_misfit("key", key.shape, "w_key", w_key.shape)
    _refuse_misfit("w_query", w_query.shape, "w_key", w_key.mT.shape)
    _refuse_misfit("w_key", w_key.shape, "v", (v.shape[-1], 1))
    return _pairs(query, w_query.mT), _pairs(key, w_key.mT) + bias[..., None, :], v


@np.errstate(over="ignore", invalid="ignore")
def _pairs(
    left: Float[np.ndarray, "... row d"], right: Float[np.ndarray, "... column d"]
) -> Float[np.ndarray, "... row column"]:
    """Multiply every row with every other row and add up.

    What overflows is refused, with its place, when the scores become weights.
    """
    return product(left, right.mT)


@np.errstate(invalid="ignore")
def _unit(vectors: Float[np.ndarray, "*row d"]) -> Float[np.ndarray, "*row d"]:
    """Divide each vector by its length; a zero vector stays zero.

    Dividing by the largest feature first keeps the squares of tiny and huge features in range.
    """
    largest = np.max(np.abs(vectors), axis=-1, keepdims=True, initial=0)
    level = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest != 0)
    length = np.linalg.norm(level, axis=-1, keepdims=True)
    return np.divide(level, length, out=np.zeros_like(level), where=length != 0)


def _query_blocks(
    asked: Float[np.ndarray, "... query d_hidden"], answered: Float[np.ndarray, "... key d_hidden"]
) -> Iterator[np.ndarray]:
    """Cut the queries so that a block against all keys holds at most `BLOCK_SIZE` numbers."""
    n_query = asked.shape[-2]
    against_one_query = np.broadcast_shapes(asked[..., :1, :].shape, answered.shape)
    n_rows = max(1, BLOCK_SIZE // max(1, math.prod(against_one_query)))
    for start in range(0, max(1, n_query), n_rows):
        yield asked[..., start : start + n_rows, :]


def _refuse_misfit(
    left: str, left_shape: tuple[int, ...], right: str, right_shape: tuple[int, ...]
) -> None:
    """Refuse matrices that cannot be multiplied, before numpy does so without their names."""
    if left_shape[-1] != right_shape[-2]:
        raise ValueError(
            f"{left} and {right} must share a width, got {left_shape} meeting {right_shape}; "
            f"give {right} {left_shape[-1]} features, or {left} {right_shape[-2]}"
        )


SCORES: dict[str, Callable[..., np.ndarray]] = {
    "dot": dot,
    "cosine": cosine,
    "additive": additive,
    "bilinear": bilinear,
}

_TERMS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "dot": _dot_terms,
    "cosine": _cosine_terms,
    "additive": _additive_terms,
    "bilinear": _bilinear_terms,
}
