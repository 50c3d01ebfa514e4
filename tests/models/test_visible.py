"""A rule says the same as the table it was read off."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnviz.models.layers import Layer
from attnviz.models.visible import Bias, Visible

SIZES = st.integers(1, 9)
LIMITS = st.none() | st.integers(0, 9)


@settings(deadline=None)
@given(n=SIZES, more=st.integers(0, 4), back=LIMITS, ahead=LIMITS)
def test_a_band_is_found_again(n, more, back, ahead):
    rule = Visible(n_query=n, n_key=n + more, back=back, ahead=ahead)
    table = rule.allowed()
    found = Visible.of(table[None])
    assert found.table is None
    assert_array_equal(found.allowed(), table)
    places = np.arange(n)[:, None] + more
    keys = np.arange(n + more)
    expected = np.ones((n, n + more), dtype=bool)
    expected &= True if back is None else keys >= places - back
    expected &= True if ahead is None else keys <= places + ahead
    assert_array_equal(table, expected)


@settings(deadline=None)
@given(n_query=SIZES, n_key=SIZES, heads=st.integers(1, 3), seed=st.integers(0, 99))
def test_any_table_is_kept(n_query, n_key, heads, seed):
    table = np.random.default_rng(seed).random((heads, n_query, n_key)) < 0.6
    rule = Visible.of(table)
    for head in range(heads):
        assert_array_equal(rule.allowed(head), table[head])


@settings(deadline=None)
@given(n=SIZES, back=LIMITS, ahead=LIMITS, first=st.integers(0, 8), seed=st.integers(0, 9))
def test_a_stretch_of_keys_is_all_that_some_queries_see(n, back, ahead, first, seed):
    rule = Visible(n_query=n, n_key=n, back=back, ahead=ahead)
    first = min(first, n - 1)
    rng = np.random.default_rng(seed)
    query, key = rng.normal(size=(2, 1, n, 3)).astype(np.float32)
    layer = Layer(name="l", visible=rule, query=query, key=key, value=key)
    whole = layer.weights(0)
    part, keys = layer.stretch(0, first, n - 1)
    assert_allclose(part, whole[first:, keys], atol=1e-6)
    assert_allclose(part.sum(axis=1), whole[first:].sum(axis=1), atol=1e-6)


def test_a_query_that_sees_nothing_has_weights_and_output_of_zeros():
    table = np.array([[[True, False], [False, False]]])
    ones = np.ones((1, 2, 3), np.float32)
    layer = Layer(name="l", visible=Visible.of(table), query=ones, key=ones, value=ones)
    assert_array_equal(layer.weights(0), [[1, 0], [0, 0]])
    assert_array_equal(layer.output(0), [[1, 1, 1], [0, 0, 0]])


@settings(deadline=None)
@given(n_query=SIZES, n_key=SIZES, seed=st.integers(0, 99))
def test_a_bias_by_distance_is_found_again(n_query, n_key, seed):
    distances = np.random.default_rng(seed).normal(size=(2, n_query + n_key - 1))
    places = np.arange(n_key) - np.arange(n_query)[:, None] + n_query - 1
    table = distances[:, places]
    bias = Bias.of(table)
    assert bias.by_distance.shape == distances.shape
    for head in range(2):
        assert_array_equal(bias.rows(np.arange(n_query), slice(0, n_key), head), table[head])


def test_a_bias_of_zeros_is_none_and_any_other_is_kept():
    assert Bias.of(np.zeros((1, 3, 3))) is None
    table = np.arange(9.0).reshape(1, 3, 3)
    table[0, 0, 0] = 7
    bias = Bias.of(table)
    assert_array_equal(bias.rows(np.array([0, 2]), slice(1, 3), 0), table[0, [0, 2], 1:])


def test_a_bias_of_nothing_is_refused():
    with pytest.raises(ValueError, match="needs a table"):
        Bias().rows(np.arange(1), slice(0, 1), 0)
