"""Three wirings: one large W, cut, is a W for each head; a slice of the input is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import Projections, attend_heads
from attnviz.errors import InputError
from attnviz.lessons.wirings import (
    cut_again,
    parameters,
    project_then_cut,
    side_by_side,
    slice_mask,
    sliced,
    slices,
)


def inputs(n_tokens: int, d_model: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n_tokens, d_model))


@given(
    d_model=st.integers(1, 9),
    groups=st.integers(1, 3),
    share=st.integers(1, 3),
    d_k=st.integers(1, 4),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_one_large_w_cut_again_gives_the_same_bits(d_model, groups, share, d_k, seed):
    w = Projections.random(d_model, groups * share, d_k, 2, seed, n_kv_heads=groups)
    tokens = inputs(5, d_model, seed)
    one, other = attend_heads(tokens, w), attend_heads(tokens, cut_again(w))
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_array_equal(one.output, other.output)
    np.testing.assert_allclose(project_then_cut(tokens, w.w_q), one.query, rtol=0, atol=1e-14)


def test_each_head_owns_a_run_of_columns():
    w = Projections.random(5, 3, 2, 2, seed=1).w_q
    np.testing.assert_array_equal(side_by_side(w)[:, 2:4], w[1])


def test_slices_share_the_input_out_and_the_first_are_longer():
    assert [run.stop - run.start for run in slices(7, 3)] == [3, 2, 2]
    np.testing.assert_array_equal(slice_mask(7, 3).sum(axis=0), 1)  # each number has one reader


def test_more_heads_than_numbers_cannot_be_sliced():
    with pytest.raises(InputError) as refused:
        slices(3, 4)
    assert refused.value.code == "heads.no_slice"
    assert refused.value.values == {"n_heads": 4, "d_model": 3}


def test_a_sliced_head_sees_nothing_outside_its_slice():
    w = sliced(Projections.random(6, 3, 2, 2, seed=4))
    tokens = inputs(5, 6)
    changed = tokens.copy()
    changed[:, 2:4] += 1.0  # the second head's slice
    one, other = attend_heads(tokens, w), attend_heads(changed, w)
    np.testing.assert_array_equal(one.weights[[0, 2]], other.weights[[0, 2]])
    assert np.abs(one.weights[1] - other.weights[1]).max() > 1e-3


def test_slicing_the_input_is_another_model():
    w, tokens = Projections.random(6, 3, 2, 2, seed=4), inputs(5, 6)
    one, other = attend_heads(tokens, w), attend_heads(tokens, sliced(w))
    assert np.abs(one.weights - other.weights).max() > 0.01


def test_one_head_sees_all_in_every_wiring():
    w, tokens = Projections.random(5, 1, 2, 2, seed=4), inputs(4, 5)
    for wired in (sliced(w), cut_again(w)):
        np.testing.assert_array_equal(
            attend_heads(tokens, wired).output, attend_heads(tokens, w).output
        )


def test_heads_that_shared_keys_read_a_slice_each():
    w = sliced(Projections.random(6, 4, 2, 2, seed=4, n_kv_heads=2))
    assert w.n_kv_heads == 4


def test_sliced_heads_learn_fewer_numbers():
    w = Projections.random(6, 3, 2, 2, seed=1)
    whole = 3 * 6 * (2 + 2 + 2) + w.w_o.size
    assert parameters(w, "separate") == parameters(w, "split") == whole
    assert parameters(w, "slice") == 6 * (2 + 2 + 2) + w.w_o.size
    assert parameters(w, "slice") == sum(
        int(np.count_nonzero(getattr(sliced(w), name))) for name in ("w_q", "w_k", "w_v", "w_o")
    )
