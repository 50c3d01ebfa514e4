"""Attention from the inputs to the output, line by line: read this file first.

A query asks, every key answers with a score, the scores become weights, and the output is the
weighted sum of the values. `attend` is one head; `attend_heads` is a whole layer.
"""

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import (
    Numbers,
    biases,
    booleans,
    finite,
    floats,
    product,
    queries_keys_values,
    read_only,
)
from attnviz.attention.choices import PLAIN, HeadChoices
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import (
    POSITIONS,
    PositionEffect,
    PositionSizes,
    position_effect,
    shaw_effect,
)
from attnviz.attention.projections import Projections
from attnviz.attention.scores import SCORES
from attnviz.attention.trace import HeadTrace, MultiHeadTrace, shared_fields


def attend(
    query: Numbers,
    key: Numbers,
    value: Numbers,
    choices: HeadChoices = PLAIN,
    *,
    mask: Numbers | None = None,
    bias: Numbers | None = None,
) -> HeadTrace:
    """Let every query read the values whose keys answer it best.

    query is (query, d_k), key (key, d_k) and value (key, d_v), with the same further axes before
    them or none. Where `mask` is False a query may not see a key; `bias` is added to the scaled
    scores. A query that may see nothing gets weights and an output of zeros.

    Raises:
        ValueError: if the shapes do not fit together, an entry of query, key or value is not
            finite, or a score grows beyond all numbers.
    Source: Vaswani et al. 2017, Attention Is All You Need, §3.2.1.
    """
    query, key, value = queries_keys_values(query, key, value)
    choices.check_parameters()
    return _attend(query, key, value, choices, mask=mask, bias=bias)


def attend_again(
    trace: HeadTrace,
    *,
    query: Numbers | None = None,
    key: Numbers | None = None,
    value: Numbers | None = None,
    mask: Numbers | None = None,
) -> HeadTrace:
    """Attend with another query, key, value or mask, and with all else as in a trace.

    What is not given stays: relative positions, bias and choices always do.

    Raises:
        ValueError: as `attend` does.
    """
    given = (query, trace.query), (key, trace.key), (value, trace.value)
    again = queries_keys_values(*(old if new is None else new for new, old in given))
    return _attend(
        *again,
        trace.choices,
        mask=trace.mask if mask is None else mask,
        bias=trace.bias,
        relative_key=trace.relative_key,
        relative_value=trace.relative_value,
    )


def attend_heads(
    inputs: Numbers,
    projections: Projections,
    choices: HeadChoices = PLAIN,
    *,
    mask: Numbers | None = None,
    positions: str | Numbers = "none",
    memory: Numbers | None = None,
) -> MultiHeadTrace:
    """Run one layer: project the inputs, attend with every head, put the heads together.

    inputs is (query, d_model). Keys and values are made of the inputs too, or of `memory` (key,
    d_memory), another sequence. `positions` is a key of POSITIONS, or a table (token, d_model) to
    add. `mask` is (query, key) for all heads, or (head, query, key).

    Raises:
        ValueError: if the shapes do not fit together, or an entry is not finite.
    Source: Vaswani et al. 2017, Attention Is All You Need, §3.2.2.
    """
    inputs = floats("inputs", inputs, ("query", "d_model"))
    memory = None if memory is None else floats("memory", memory, ("key", "d_memory"))
    position = _position(inputs, memory, projections, choices, positions)

    encoded_inputs = _encode("inputs", inputs, position)  # (n_query, d_model)
    encoded_memory = None if memory is None else _encode("memory", memory, position)
    source = encoded_inputs if encoded_memory is None else encoded_memory  # (n_key, d_memory)

    w = projections
    query = _project("query", encoded_inputs, w.w_q, w.b_q)  # (n_heads, n_query, d_k)
    key = _project("key", source, w.w_k, w.b_k)  # (n_kv_heads, n_key, d_k)
    value = _project("value", source, w.w_v, w.b_v)  # (n_kv_heads, n_key, d_v)
    if position.turn is not None:
        query, key = position.turn(query), position.turn(key)
    key = _for_every_head(key, w)  # (n_heads, n_key, d_k)
    value = _for_every_head(value, w)  # (n_heads, n_key, d_v)

    heads = _attend(
        query,
        key,
        value,
        choices,
        mask=mask,
        bias=position.bias,
        relative_key=position.relative_key,
        relative_value=position.relative_value,
    )

    side_by_side = heads.output.transpose(1, 0, 2)  # (n_query, n_heads, d_v)
    concatenated = read_only(side_by_side.reshape(len(inputs), -1))  # (n_query, n_heads * d_v)
    output = _project("output", concatenated, w.w_o, w.b_o)  # (n_query, d_out)
    return MultiHeadTrace(
        **shared_fields(heads),
        inputs=inputs,
        encoded_inputs=encoded_inputs,
        memory=memory,
        encoded_memory=encoded_memory,
        position=position,
        projections=projections,
        head_outputs=heads.output,
        concatenated=concatenated,
        output=read_only(output),
    )


def shaw(
    query: Numbers,
    key: Numbers,
    value: Numbers,
    choices: HeadChoices = PLAIN,
    *,
    table_key: Numbers,
    table_value: Numbers,
    clip: int,
    mask: Numbers | None = None,
    bias: Numbers | None = None,
) -> HeadTrace:
    """Attend where every key and value moves by a vector that depends on the distance j - i.

    The vectors are rows of the tables, 2 clip + 1 of them, for distances from -clip to clip; the
    scale covers both the key and what is added to it. A table of equal rows leaves the weights of
    softmax as they were.

    Raises:
        ValueError: as `attend` does, or if a table does not fit.
    Source: Shaw et al. 2018, §3.1-3.3 (arXiv:1803.02155).
    """
    query, key, value = queries_keys_values(query, key, value)
    (n_query, d_k), (n_key, d_v) = query.shape[-2:], value.shape[-2:]
    sizes = PositionSizes(n_query, n_key, d_model=d_k, d_k=d_k, d_v=d_v, n_heads=1)
    choices.check_parameters()
    effect = shaw_effect(sizes, clip=clip, table_key=table_key, table_value=table_value)
    return _attend(
        query,
        key,
        value,
        choices,
        mask=mask,
        bias=bias,
        relative_key=effect.relative_key,
        relative_value=effect.relative_value,
    )


def _attend(
    query: Float[np.ndarray, "*head query d_k"],
    key: Float[np.ndarray, "*head key _d_k"],
    value: Float[np.ndarray, "*head key d_v"],
    choices: HeadChoices,
    *,
    mask: Numbers | None,
    bias: Numbers | None,
    relative_key: Float[np.ndarray, "query key _d_k"] | None = None,
    relative_value: Float[np.ndarray, "query key d_v"] | None = None,
) -> HeadTrace:
    """Compute the formula itself, for one head or many."""
    table = (*query.shape[:-1], key.shape[-2])  # (*head, n_query, n_key)
    mask = None if mask is None else booleans("mask", mask, table)
    bias = None if bias is None else biases("bias", bias, table, query.dtype)
    relative_key = _as_exact_as(key, relative_key)
    relative_value = _as_exact_as(value, relative_value)
    scale = choices.multiplier(key.shape[-1])

    scores = _score(query, key, relative_key, choices)  # (*head, n_query, n_key)
    scaled_scores = _scale(scores, scale)
    masked_scores = _hide(scaled_scores, bias, mask)  # -inf where a query may not see a key
    weights = _normalize(masked_scores, choices)  # 0 there
    output = _weigh(weights, value, relative_value)  # (*head, n_query, d_v)
    return HeadTrace(
        query=read_only(query),
        key=read_only(key),
        value=read_only(value),
        scores=read_only(scores),
        scaled_scores=read_only(scaled_scores),
        masked_scores=read_only(masked_scores),
        weights=read_only(weights),
        mask=mask,
        bias=bias,
        scale=scale,
        choices=choices,
        relative_key=relative_key,
        relative_value=relative_value,
        output=read_only(output),
    )


def _score(
    query: Float[np.ndarray, "*head query d_k"],
    key: Float[np.ndarray, "*head key _d_k"],
    relative_key: Float[np.ndarray, "query key _d_k"] | None,
    choices: HeadChoices,
) -> Float[np.ndarray, "*head query key"]:
    score, arguments = SCORES[choices.score], choices.arguments("score")
    if relative_key is None:
        return score(query, key, **arguments)
    keys = key[..., None, :, :] + relative_key  # (*head, query, key, d_k): each query has its own
    return score(query[..., None, :], keys, **arguments)[..., 0, :]


def _scale(
    scores: Float[np.ndarray, "*head query key"], scale: float
) -> Float[np.ndarray, "*head query key"]:
    if scale != 1:
        with np.errstate(over="ignore", invalid="ignore"):
            scores = scores * scale
    return finite("scaled_scores", scores, ("query", "key"))


def _hide(
    scores: Float[np.ndarray, "*head query key"],
    bias: Float[np.ndarray, "... query key"] | None,
    mask: Bool[np.ndarray, "... query key"] | None,
) -> Float[np.ndarray, "*head query key"]:
    if bias is not None:
        scores = scores + bias
    return scores if mask is None else np.where(mask, scores, -np.inf)


def _normalize(
    scores: Float[np.ndarray, "*head query key"], choices: HeadChoices
) -> Float[np.ndarray, "*head query key"]:
    normalizer, arguments = NORMALIZERS[choices.normalizer], choices.arguments("normalizer")
    return normalizer(scores, temperature=choices.temperature, **arguments)


def _weigh(
    weights: Float[np.ndarray, "*head query key"],
    value: Float[np.ndarray, "*head key d_v"],
    relative_value: Float[np.ndarray, "query key d_v"] | None,
) -> Float[np.ndarray, "*head query d_v"]:
    with np.errstate(over="ignore", invalid="ignore"):
        output = product(weights, value)
        if relative_value is not None:  # each query has its own values
            output = output + product(weights[..., None, :], relative_value)[..., 0, :]
    return finite("output", output, ("query", "d_v"))


def _position(
    inputs: Float[np.ndarray, "query d_model"],
    memory: Float[np.ndarray, "key d_memory"] | None,
    projections: Projections,
    choices: HeadChoices,
    positions: str | Numbers,
) -> PositionEffect:
    """Find what the position code does to this layer, once all is as wide as it must be."""
    read = inputs if memory is None else memory
    for name, tokens, width in (
        ("inputs", inputs, projections.d_model),
        ("inputs" if memory is None else "memory", read, projections.d_memory),
    ):
        if tokens.shape[1] != width:
            raise ValueError(
                f"{name} must be {width} wide, as the rows of the projections, got {tokens.shape}; "
                "change the width of one of them"
            )
    code = POSITIONS.get(positions) if isinstance(positions, str) else None
    choices.check_parameters(code)
    sizes = PositionSizes(
        n_query=len(inputs),
        n_key=len(read),
        d_model=projections.d_model,
        d_k=projections.d_k,
        d_v=projections.d_v,
        n_heads=projections.n_heads,
    )
    return position_effect(positions, sizes, choices.arguments("position", code))


def _encode(
    name: str, tokens: Float[np.ndarray, "token d"], position: PositionEffect
) -> Float[np.ndarray, "token d"]:
    added = position.added
    if added is None:
        return tokens
    if added.shape[1] != tokens.shape[1]:
        raise ValueError(
            f"{name} must be as wide as the positions added to it, {added.shape[1]}, "
            f"got {tokens.shape}; choose rotary, alibi, t5, shaw or no positions"
        )
    return read_only(tokens + added[: len(tokens)].astype(tokens.dtype))


def _project(
    name: str,
    tokens: Float[np.ndarray, "token d"],
    matrix: Float[np.ndarray, "*head d width"] | None,
    offset: Float[np.ndarray, "*head width"] | None,
) -> Float[np.ndarray, "*head token width"]:
    """Multiply and add what there is: x W + b."""
    projected = tokens
    with np.errstate(over="ignore", invalid="ignore"):
        if matrix is not None:
            projected = product(projected, matrix)
        if offset is not None:
            projected = projected + offset[..., None, :]
    return finite(name, projected, ("token", "feature"))


def _for_every_head(
    shared: Float[np.ndarray, "kv_head token width"], projections: Projections
) -> Float[np.ndarray, "head token width"]:
    """Repeat shared keys or values: head h gets those of projections.kv_head(h)."""
    n_heads, n_shared = projections.n_heads, len(shared)
    return shared if n_shared == n_heads else np.repeat(shared, n_heads // n_shared, axis=0)


def _as_exact_as(
    exact: Float[np.ndarray, "..."], relative: Float[np.ndarray, "query key d"] | None
) -> Float[np.ndarray, "query key d"] | None:
    return None if relative is None else read_only(relative.astype(exact.dtype))
