import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import (
    MASKS,
    NORMALIZERS,
    SCORES,
    HeadChoices,
    Projections,
    attend_heads,
)
from attnviz.attention.columns import column_head, same_numbers

# Every size is another prime, so that a forgotten transpose cannot fit.
N_QUERY, N_KEY, D_MODEL, D_K, D_V, N_HEADS = 5, 7, 11, 2, 3, 4
PARAMETERS = {
    "bilinear": {"w": [[1.0, 2.0], [0.0, 1.0]]},
    "additive": {
        "w_query": [[1.0, 0.0], [0.5, 1.0]],
        "w_key": [[1.0, 1.0], [0.0, 1.0]],
        "v": [1.0, -1.0],
    },
}


def layer(seed=0, *, memory=False, biases=True, n_kv_heads=2, d_k=D_K, positions="none", **choices):
    rng = np.random.default_rng(seed)

    def drawn(*shape):
        return rng.normal(size=shape)

    offsets = {"b_q": drawn(N_HEADS, d_k), "b_k": drawn(n_kv_heads, d_k)} if biases else {}
    projections = Projections(
        w_q=drawn(N_HEADS, D_MODEL, d_k),
        w_k=drawn(n_kv_heads, D_MODEL, d_k),
        w_v=drawn(n_kv_heads, D_MODEL, D_V),
        **offsets,
    )
    mask = choices.pop("mask", None)
    read = {"memory": drawn(N_KEY, D_MODEL)} if memory else {}
    inputs = drawn(N_QUERY, D_MODEL)
    chosen = HeadChoices(**choices)
    return attend_heads(inputs, projections, chosen, mask=mask, positions=positions, **read)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    head=st.integers(0, N_HEADS - 1),
    memory=st.booleans(),
    normalizer=st.sampled_from(sorted(NORMALIZERS)),
    score=st.sampled_from(sorted(SCORES)),
    scale=st.sampled_from(["none", "sqrt_d_k", 0.3]),
)
def test_columns_are_the_transpose_of_rows(seed, head, memory, normalizer, score, scale):
    trace = layer(
        seed,
        memory=memory,
        normalizer=normalizer,
        score=score,
        scale=scale,
        parameters=PARAMETERS.get(score, {}),
    )
    rows, columns = trace.head(head), column_head(trace, head)
    for name in ("query", "key", "value", "scores", "weights", "output"):
        one, other = getattr(rows, name), getattr(columns, name)
        assert other.shape == one.shape[::-1]
        np.testing.assert_allclose(other.T, one, atol=1e-9)
    assert same_numbers(trace, head) < 1e-9


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), d_k=st.integers(1, 8))
def test_columns_of_softmax_weights_sum_to_one(seed, d_k):
    weights = column_head(layer(seed, d_k=d_k), 0).weights
    np.testing.assert_allclose(weights.sum(axis=0), 1, atol=1e-12)


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi", "shaw", "t5"])
@pytest.mark.parametrize("score", ["dot", "cosine"])
def test_every_position_code_gives_the_same_numbers(positions, score):
    trace = layer(positions=positions, score=score, mask=MASKS["causal"](N_QUERY, N_QUERY))
    for head in range(N_HEADS):
        assert same_numbers(trace, head) < 1e-14


def test_a_column_that_sees_nothing_is_zeros():
    mask = np.ones((N_QUERY, N_QUERY), dtype=bool)
    mask[2] = False
    trace = layer(mask=mask)
    assert not column_head(trace, 1).weights[:, 2].any()
    assert same_numbers(trace, 1) < 1e-14


@pytest.mark.parametrize("temperature", [0.0, 0.5, 3.0])
def test_temperature_divides_in_columns_too(temperature):
    assert same_numbers(layer(temperature=temperature), 0) < 1e-14


def test_the_hero_has_the_same_numbers_in_both():
    inputs = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
    projections = Projections(
        [[[1, 0], [0, 1], [-1, 0]]], [[[1, 1], [0, 1], [1, 0]]], [[[1, 0], [-1, 1], [0, 1]]]
    )
    trace = attend_heads(inputs, projections)
    columns = column_head(trace, 0)
    assert columns.scores.tolist() == [
        [-3, -2, 4, -2],
        [-1, 0, 2, 0],
        [-1, 1, 3, 1],
        [-1, 0, 2, 0],
    ]
    assert same_numbers(trace, 0) < 1e-15


def test_numbers_that_differ_are_noticed(monkeypatch):
    trace = layer()
    monkeypatch.setitem(
        trace.__dict__, "projections", Projections.random(D_MODEL, N_HEADS, D_K, D_V, 1)
    )
    assert same_numbers(trace, 0) > 0.01


def test_a_head_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="head must be 0"):
        same_numbers(layer(), N_HEADS)
