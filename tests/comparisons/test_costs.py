"""Costs: the counts of the table, and hops along a mask."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import masks
from attnviz.comparisons import costs

ODD = st.integers(0, 10).map(lambda half: 2 * half + 1)


@given(n=st.integers(1, 10_000), d=st.integers(1, 10_000))
def test_self_attention_works_less_than_an_rnn_exactly_where_n_is_below_d(n, d):
    assert (costs.attention(n, d).work < costs.rnn(n, d).work) == (n < d)
    assert (costs.attention(n, d).work == costs.rnn(n, d).work) == (n == d)


@given(n=st.integers(1, 500), d=st.integers(1, 500))
def test_all_flops_of_self_attention(n, d):
    projections, scores, sums = 2 * 4 * n * d * d, 2 * n * n * d, 2 * n * n * d
    assert costs.attention(n, d).flops == projections + scores + sums == 8 * n * d**2 + 4 * n**2 * d
    assert (scores + sums > projections) == (n > 2 * d)


@given(n=st.integers(1, 10_000), d=st.integers(1, 10_000))
def test_self_attention_always_takes_more_flops_than_an_rnn(n, d):
    assert costs.attention(n, d).flops > costs.rnn(n, d).flops


def test_the_counts_of_the_lectures_table():
    found = costs.all_layers(100, 512, 3, 21)
    assert {name: cost.work for name, cost in found.items()} == {
        "attention": 5_120_000,
        "rnn": 26_214_400,
        "cnn": 78_643_200,
        "restricted": 1_075_200,
    }
    assert [cost.steps for cost in found.values()] == [1, 100, 1, 1]
    assert costs.cheapest(found) == ("restricted",)
    assert costs.cheapest(found, "flops") == ("rnn",)
    assert costs.cheapest(found, "steps") == ("attention", "cnn", "restricted")
    assert costs.cheapest(costs.all_layers(9, 2, 1, 1), "path") == ("attention",)
    assert costs.cheapest(costs.all_layers(7, 7, 1, 7)) == costs.LAYERS


@pytest.mark.parametrize(("n", "stacked", "dilated"), [(4, 3, 2), (16, 15, 3), (64, 63, 4)])
def test_layers_that_link_the_ends(n, stacked, dilated):
    found = costs.all_layers(n, 8, 3, 3)
    assert found["rnn"].path == found["cnn"].path == stacked
    assert found["cnn"].dilated == dilated
    assert found["attention"].path == 1


@given(n=st.integers(1, 30), neighbours=ODD)
def test_paths_along_a_window_are_the_counted_ones(n, neighbours):
    hops = costs.paths(masks.window(n, n, neighbours // 2))
    cost = costs.restricted(n, 4, neighbours)
    assert hops[0, -1] == cost.path
    assert cost.stored == 4 * masks.window(n, n, neighbours // 2).sum()
    place = np.arange(n)
    away = np.abs(place[:, None] - place)
    radius = neighbours // 2
    expected = -(-away // radius) if radius else np.where(away == 0, 0, costs.UNREACHED)
    np.testing.assert_array_equal(hops, expected)


def test_a_global_token_is_a_short_cut_and_the_future_is_out_of_reach():
    near = masks.window(9, 9, 1)
    assert costs.paths(masks.global_tokens(near, [4])).max() == 2
    causal = costs.paths(masks.causal(5, 5))
    np.testing.assert_array_equal(causal == costs.UNREACHED, np.triu(np.ones((5, 5)), 1) == 1)


def test_one_place_alone_has_no_way_to_go():
    assert [cost.path for cost in costs.all_layers(1, 4, 1, 1).values()] == [0, 0, 0, 0]
    assert costs.restricted(2, 4, 1).path == costs.UNREACHED


@given(d=st.integers(1, 2_000), n=st.integers(1, 2_000))
def test_both_orders_cost_the_same_at_n_equal_to_d(d, n):
    assert costs.crossing(d, d) == d
    less = costs.linear_work(n, d, d) < costs.softmax_work(n, d, d)
    assert less == (n > d)
    assert costs.linear_work(d, d, d) == costs.softmax_work(d, d, d)


@given(n=st.integers(1, 300), d_k=st.integers(1, 64), d_v=st.integers(1, 64))
def test_the_crossing_of_unequal_widths(n, d_k, d_v):
    less = costs.linear_work(n, d_k, d_v) < costs.softmax_work(n, d_k, d_v)
    if n != costs.crossing(d_k, d_v):
        assert less == (n > costs.crossing(d_k, d_v))
