"""Shared keys and values: which set a head reads, and what is saved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import Projections, attend_heads
from attnviz.errors import InputError
from attnviz.lessons.sharing import divisors, saving, shared

TOKENS = np.random.default_rng(2).normal(size=(5, 7))


@given(n_heads=st.integers(1, 8), seed=st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_every_divisor_can_be_shared_and_no_other_number(n_heads, seed):
    w = Projections.random(7, n_heads, 3, 2, seed)
    for sets in range(1, n_heads + 1):
        if sets in divisors(n_heads):
            assert shared(w, sets).n_kv_heads == sets
        else:
            with pytest.raises(InputError) as refused:
                shared(w, sets)
            assert refused.value.code == "heads.not_shared_evenly"


@pytest.mark.parametrize("sets", [0, 5, 8])
def test_no_sets_and_more_sets_than_heads_are_refused(sets):
    with pytest.raises(InputError):
        shared(Projections.random(7, 4, 3, 2, seed=1), sets)


def test_a_shared_matrix_is_the_mean_of_its_heads():
    w = Projections.random(7, 4, 3, 2, seed=1)
    group = shared(w, 2)
    np.testing.assert_allclose(group.w_k[1], (w.w_k[2] + w.w_k[3]) / 2)
    np.testing.assert_allclose(group.w_v[0], (w.w_v[0] + w.w_v[1]) / 2)
    np.testing.assert_array_equal(group.w_q, w.w_q)


def test_as_many_sets_as_heads_change_nothing():
    w = Projections.random(7, 4, 3, 2, seed=1)
    np.testing.assert_array_equal(
        attend_heads(TOKENS, shared(w, 4)).output, attend_heads(TOKENS, w).output
    )


def test_heads_of_a_set_have_its_keys_and_queries_of_their_own():
    trace = attend_heads(TOKENS, shared(Projections.random(7, 4, 3, 2, seed=1), 2))
    np.testing.assert_array_equal(trace.key[0], trace.key[1])  # heads 1 and 2: set 1
    assert np.abs(trace.key[1] - trace.key[2]).max() > 0.01
    assert np.abs(trace.weights[0] - trace.weights[1]).max() > 0.01


def test_heads_that_share_already_get_theirs_back_first():
    w = Projections.random(7, 4, 3, 2, seed=1, n_kv_heads=2)
    np.testing.assert_array_equal(
        attend_heads(TOKENS, shared(w, 4)).weights, attend_heads(TOKENS, w).weights
    )


def test_the_cache_holds_keys_and_values_of_each_set():
    w = Projections.random(7, 4, 3, 2, seed=1)
    assert saving(w, 2, n_tokens=5).cache == 2 * 5 * (3 + 2)
    for sets in divisors(4):
        group = shared(w, sets)
        made = saving(w, sets, n_tokens=5)
        assert made.parameters == group.w_k.size + group.w_v.size
        assert made.cache == sets * 5 * (3 + 2)
