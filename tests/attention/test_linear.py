import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, linear_attend

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
N_QUERY, N_KEY, D_K, D_V = 2, 5, 3, 7


def draw_qkv(seed, n_query=N_QUERY, n_key=N_KEY):
    rng = np.random.default_rng(seed)
    shapes = ((n_query, D_K), (n_key, D_K), (n_key, D_V))
    return [2 * rng.standard_normal(shape) for shape in shapes]


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def expected_weights(query, key, allowed):
    products = (phi(query) @ phi(key).T) * allowed
    totals = products.sum(axis=-1, keepdims=True)
    return products / np.where(totals == 0, 1, totals)


def test_linear_attention_by_hand():
    # phi(0) = 1, phi(1) = 2, phi(-ln 2) = 1/2
    trace = linear_attend([[0.0]], [[1.0], [0.0], [-np.log(2)]], [[7.0], [0.0], [14.0]])
    np.testing.assert_allclose(trace.key_features, [[2], [1], [0.5]])
    np.testing.assert_allclose(trace.totals, [3.5])
    np.testing.assert_allclose(trace.weights, [[4 / 7, 2 / 7, 1 / 7]])
    np.testing.assert_allclose(trace.output, [[6]])


@LAW
@given(seed=seeds)
def test_linear_output_is_the_implied_weights_times_value(seed):
    query, key, value = draw_qkv(seed)
    trace = linear_attend(query, key, value)
    weights = expected_weights(query, key, np.ones((N_QUERY, N_KEY)))
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-12)
    np.testing.assert_allclose(trace.output, weights @ value, atol=1e-12)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-12)


@LAW
@given(seed=seeds, sizes=st.sampled_from([(5, 5), (2, 5), (5, 2), (1, 1)]))
def test_linear_causal_output_is_that_of_the_mask(seed, sizes):
    query, key, value = draw_qkv(seed, *sizes)
    running = linear_attend(query, key, value, causal=True)
    masked = linear_attend(query, key, value, mask=MASKS["causal"](*sizes))
    np.testing.assert_array_equal(running.mask, MASKS["causal"](*sizes))
    np.testing.assert_allclose(running.weights, masked.weights, atol=1e-13)
    np.testing.assert_allclose(running.output, masked.output, atol=1e-12)
    np.testing.assert_array_equal(running.empty_rows, ~MASKS["causal"](*sizes).any(axis=-1))


@LAW
@given(seed=seeds, causal=st.booleans())
def test_linear_masks_leave_out_what_they_hide(seed, causal):
    query, key, value = draw_qkv(seed)
    mask = np.random.default_rng(seed).random((N_QUERY, N_KEY)) < 0.5
    trace = linear_attend(query, key, value, causal=causal, mask=mask)
    allowed = mask & MASKS["causal"](N_QUERY, N_KEY) if causal else mask
    weights = expected_weights(query, key, allowed)
    np.testing.assert_allclose(trace.weights, weights, atol=1e-13)
    np.testing.assert_allclose(trace.output, weights @ value, atol=1e-12)
    np.testing.assert_array_equal(trace.empty_rows, ~allowed.any(axis=-1))


@LAW
@given(seed=seeds)
def test_linear_causal_outputs_ignore_the_future(seed):
    query, key, value = draw_qkv(seed, 5, 5)
    before = linear_attend(query, key, value, causal=True).output
    for each in (query, key, value):
        each[3:] = 9
    np.testing.assert_array_equal(
        linear_attend(query, key, value, causal=True).output[:3], before[:3]
    )


def test_linear_attention_gives_zeros_where_the_features_vanish():
    trace = linear_attend([[-1e4, -1e4], [0, 0]], [[1, 1], [2, 2]], [[3.0], [5.0]])
    np.testing.assert_array_equal(trace.empty_rows, [True, False])
    np.testing.assert_array_equal(trace.output[0], [0])
    np.testing.assert_array_equal(trace.weights[0], [0, 0])


def test_linear_leading_axes_are_heads_of_their_own():
    rng = np.random.default_rng(3)
    query, key, value = (rng.standard_normal((3, n, d)) for n, d in ((2, 3), (5, 3), (5, 7)))
    for options in ({}, {"causal": True}, {"mask": MASKS["causal"](2, 5)}):
        together = linear_attend(query, key, value, **options)
        for head in range(3):
            alone = linear_attend(query[head], key[head], value[head], **options)
            np.testing.assert_allclose(together.output[head], alone.output, rtol=1e-12)
            np.testing.assert_allclose(together.weights[head], alone.weights, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_linear_attention_of_small_floats_is_float32(dtype):
    trace = linear_attend(*(each.astype(dtype) for each in draw_qkv(5)), causal=True)
    assert trace.output.dtype == trace.weights.dtype == np.float32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"key": np.ones((5, 2))},
            r"query and key must be equally wide, got \(2, 3\) and \(5, 2\); p",
        ),
        (
            {"mask": np.ones((5, 2), bool)},
            r"mask must be \(query, key\) = \(2, 5\), got \(5, 2\); build",
        ),
        (
            {"value": np.full((5, 7), np.inf)},
            r"value must hold finite .* inf at \[0, 0\] \(key 0, d_v",
        ),
    ],
)
def test_linear_attention_refuses_what_does_not_fit(change, message):
    arrays = dict(zip(("query", "key", "value"), draw_qkv(7), strict=True))
    with pytest.raises(ValueError, match=f"^{message}"):
        linear_attend(**(arrays | change))
