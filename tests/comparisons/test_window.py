"""A fully connected layer over a window: what reaches an output, and how many weights it needs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.comparisons import window
from attnviz.errors import InputError


@given(n=st.integers(1, 30), radius=st.integers(0, 12), data=st.data())
@settings(max_examples=30, deadline=None)
def test_an_output_moves_with_the_frames_in_reach_and_no_others(n, radius, data):
    place = data.draw(st.integers(0, n - 1))
    found = window.Nudged.of(n, radius, place, seed=1)
    reached = window.in_reach(n, place, radius)
    np.testing.assert_array_equal(found.window > 0, reached)
    assert (found.attention > 0).all()
    assert reached.sum() == min(n - 1, place + radius) - max(0, place - radius) + 1


def test_a_window_is_a_sum_over_its_places():
    weights = window.window_weights(1, 2, 3, seed=0)
    inputs = np.random.default_rng(2).normal(size=(5, 2))
    found = window.through_window(inputs, weights)
    middle = inputs[1] @ weights[0] + inputs[2] @ weights[1] + inputs[3] @ weights[2]
    np.testing.assert_allclose(found[2], middle)
    np.testing.assert_allclose(found[0], inputs[0] @ weights[1] + inputs[1] @ weights[2])


def test_a_whole_sequence_takes_its_own_length_alone():
    weights = window.whole_weights(5, 2, 3, seed=0)
    assert window.through_whole(np.ones((5, 2)), weights).shape == (5, 3)
    for n in (4, 6):
        with pytest.raises(InputError) as refused:
            window.through_whole(np.ones((n, 2)), weights)
        assert refused.value.code == "window_fc.length"
        assert refused.value.values == {"n": 5, "got": n}


def test_over_its_own_length_every_frame_counts():
    assert (window.Nudged.of(11, 1, 10, seed=0).whole(11) > 0).all()


def test_weights_are_counted_as_they_are():
    assert window.window_weights(5, 4, 3, 0).size == window.window_parameters(5, 4, 3) == 132
    assert window.whole_weights(7, 4, 3, 0).size == window.whole_parameters(7, 4, 3) == 588
    layer = window.attention_layer(4, 4, 0)
    own = layer.w_q.size + layer.w_k.size + layer.w_v.size
    assert own == window.attention_parameters(4, 4, 4) == 48


def test_more_frames_begin_with_the_same_ones():
    np.testing.assert_array_equal(window.frames(9, 3)[:4], window.frames(4, 3))


def test_a_row_of_attention_moves_where_window_weights_cannot():
    assert window.Nudged.of(6, 5, 5, seed=0).moved > 1e-3


def test_a_radius_below_0_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        window.window_weights(-1, 1, 1, 0)
