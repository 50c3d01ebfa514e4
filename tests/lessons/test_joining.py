"""Joining heads: what each adds sums up, and what an average loses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MultiHeadTrace, Projections, attend_heads
from attnviz.lessons.joining import join, joining_matrix, mean_map, others_without, read_back
from attnviz.scene import scene_of
from attnviz.settings import JOININGS, Settings


def layer(seed: int = 3, n_heads: int = 3, *, d_out: int | None = 7, bias: bool = False):
    rng = np.random.default_rng(seed)
    w_o = None if d_out is None else rng.normal(size=(n_heads * 2, d_out))
    projections = Projections(
        w_q=rng.normal(size=(n_heads, 5, 3)),
        w_k=rng.normal(size=(n_heads, 5, 3)),
        w_v=rng.normal(size=(n_heads, 5, 2)),
        w_o=w_o,
        b_o=rng.normal(size=d_out) if bias else None,
    )
    return attend_heads(rng.normal(size=(4, 5)), projections)


@pytest.fixture
def saws() -> MultiHeadTrace:
    return scene_of(Settings(example="two_heads", positions="example")).trace


@given(
    seed=st.integers(0, 99),
    n_heads=st.integers(1, 5),
    joining=st.sampled_from(JOININGS),
    dropped=st.sets(st.integers(0, 6)),
    bias=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_what_the_heads_add_sums_to_the_output(seed, n_heads, joining, dropped, bias):
    trace = layer(seed, n_heads, bias=bias)
    made = join(trace, joining, tuple(dropped))
    assert made.sum_error < 1e-12 * (1 + np.abs(made.output).max())
    for head in dropped & set(range(n_heads)):
        assert not made.contributions[head].any()


@pytest.mark.parametrize("bias", [False, True])
def test_learned_without_a_drop_is_the_output_of_the_layer(bias):
    trace = layer(bias=bias)
    np.testing.assert_array_equal(join(trace, "learned").output, trace.output)
    np.testing.assert_allclose(join(trace, "learned").contributions, trace.contributions)


def test_a_layer_without_w_o_is_joined_by_the_identity():
    trace = layer(d_out=None)
    np.testing.assert_array_equal(joining_matrix(trace, "learned"), np.eye(6))
    np.testing.assert_array_equal(join(trace, "learned").output, trace.concatenated)


def test_the_average_is_the_mean_of_the_heads():
    trace = layer()
    np.testing.assert_allclose(
        join(trace, "average").output, trace.head_outputs.mean(axis=0), atol=1e-14
    )


def test_a_dropped_head_is_zero_and_nothing_is_made_larger_for_it():
    trace = layer()
    made, whole = join(trace, "learned", (1,)), join(trace, "learned")
    np.testing.assert_array_equal(made.concatenated[:, 2:4], 0)
    np.testing.assert_array_equal(made.concatenated[:, :2], whole.concatenated[:, :2])
    np.testing.assert_allclose(whole.output - made.output, whole.contributions[1], atol=1e-13)


@pytest.mark.parametrize("dropped", [(0,), (2,), (0, 1), (0, 1, 2)])
def test_a_dropped_head_moves_no_other_map(dropped):
    assert others_without(layer(), dropped, "none") == 0.0


def test_a_dropped_head_moves_no_other_map_when_keys_are_shared_or_scores_slope():
    for chosen in ({"positions": "alibi"}, {"n_kv_heads": 2}, {"mask": "causal"}):
        scene = scene_of(Settings(n_heads=4, w_source="random", **chosen))
        assert others_without(scene.trace, (1,), scene.positions) == 0.0


def test_side_by_side_every_head_can_be_read_back_and_from_an_average_none(saws):
    assert (read_back(join(saws, "identity"), saws) == 0).all()
    assert (read_back(join(saws, "learned"), saws) == 0).all()
    lost = read_back(join(saws, "average"), saws)
    apart = np.abs(saws.head_outputs[0] - saws.head_outputs[1]).max() / 2
    np.testing.assert_allclose(lost, apart)  # the best guess of each is the mean of both


def test_a_head_that_is_left_out_cannot_be_read_back(saws):
    off = read_back(join(saws, "learned", (1,)), saws)
    assert off[0] == 0
    np.testing.assert_allclose(off[1], np.abs(saws.head_outputs[1]).max())


def test_the_mean_of_the_maps_is_no_longer_the_previous_word(saws):
    # TEACHING.md, A4: row 2 of head 2 is .9074 .0452 .0022 .0452
    np.testing.assert_allclose(saws.weights[1, 1], [0.9074, 0.0452, 0.0022, 0.0452], atol=6e-5)
    mean = mean_map(saws)
    np.testing.assert_allclose(mean[1], (saws.weights[0, 1] + saws.weights[1, 1]) / 2)
    assert mean[1, 0] < 0.5 < saws.weights[1, 1, 0]
