"""An RNN step by step: its exact derivatives, who waits, and what is left of the first input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import HeadChoices, attend
from attnviz.comparisons.recurrence import (
    READERS,
    Cell,
    Head,
    Survival,
    drawn_inputs,
    finished_after,
    powers,
    ready,
)

STEP = 1e-6


def by_differences(outputs, inputs):
    """Differentiate the last output by the first input, number by number."""
    columns = []
    for place in range(inputs.shape[1]):
        up, down = inputs.copy(), inputs.copy()
        up[0, place] += STEP
        down[0, place] -= STEP
        columns.append((outputs(up)[-1] - outputs(down)[-1]) / (2 * STEP))
    return np.stack(columns, axis=1)


@given(n=st.integers(1, 12), radius=st.sampled_from([0.5, 0.9, 1.5]), seed=st.integers(0, 50))
@settings(max_examples=25, deadline=None)
def test_the_derivative_of_the_rnn_is_exact(n, radius, seed):
    cell, inputs = Cell.drawn(5, radius, seed), drawn_inputs(n, 5, seed)
    found = cell.jacobians(inputs)
    assert found.shape == (n, 5, 5)
    np.testing.assert_allclose(found[-1], by_differences(cell.states, inputs), atol=1e-8)


@given(n=st.integers(1, 12), seed=st.integers(0, 50))
@settings(max_examples=25, deadline=None)
def test_the_derivative_of_the_head_is_exact(n, seed):
    head, inputs = Head.drawn(5, seed), drawn_inputs(n, 5, seed)

    def outputs(x):
        scaled = HeadChoices(scale="sqrt_d_k")
        return attend(x @ head.w_q, x @ head.w_k, x @ head.w_v, scaled).output

    np.testing.assert_allclose(head.jacobian(inputs), by_differences(outputs, inputs), atol=1e-7)


@pytest.mark.parametrize("radius", [0.5, 0.9, 1.5])
def test_the_spectral_radius_is_the_one_asked_for(radius):
    eigenvalues = np.linalg.eigvals(Cell.drawn(8, radius, 3).w_hidden)
    assert np.abs(eigenvalues).max() == pytest.approx(radius)


def test_the_rule_of_thumb_of_the_lecture():
    left = powers(101, 0.9)
    assert round(float(left[10]), 2) == 0.35
    assert round(float(left[50]), 3) == 0.005
    assert float(left[100]) == pytest.approx(3e-5, rel=0.15)


def test_shares_begin_with_1_and_fade_in_the_rnn_alone():
    found = Survival.of(50, 0.9, 0)
    assert found.rnn[0] == found.attention[0] == found.weights[0] == 1
    assert found.rnn[-1] < 1e-6 < found.attention[-1]
    assert ((found.weights > 0) & (found.weights <= 1)).all()
    np.testing.assert_array_equal(Survival.of(20, 0.9, 0).rnn, found.rnn[:20])


@pytest.mark.parametrize("n", [1, 4, 64])
def test_an_rnn_takes_n_steps_and_self_attention_one(n):
    assert finished_after(n, "rnn") == finished_after(n, "both") == n
    assert finished_after(n, "attention") == 1


@given(n=st.integers(1, 40), tick=st.integers(0, 45))
def test_two_directions_wait_for_each_other(n, tick):
    assert ready(n, tick, "rnn").sum() == min(n, tick)
    assert ready(n, tick, "both").sum() == max(0, 2 * min(n, tick) - n)
    assert ready(n, tick, "attention").all() == (tick >= 1)
    for reader in READERS:  # what is finished stays finished
        assert (ready(n, tick, reader) <= ready(n, tick + 1, reader)).all()


def test_an_unknown_reader_is_refused():
    with pytest.raises(ValueError, match="reader must be one of"):
        ready(3, 1, "transformer")
