"""Attention on graphs: weights on edges alone, what a score of 0 leaks, GAT, and hops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.comparisons import graph
from attnviz.comparisons.costs import UNREACHED


@st.composite
def graphs(draw):
    n, seed = draw(st.integers(1, 9)), draw(st.integers(0, 10_000))
    share = draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    return np.random.default_rng(seed).random((n, n)) < share


@given(allowed=graphs(), seed=st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_weights_keep_to_edges_and_no_row_is_undefined(allowed, seed):
    found = graph.Compared.of(graph.Drawn.of(len(allowed), seed), allowed)
    for weights in (found.masked, found.gat, found.gat2):
        assert np.isfinite(weights).all()
        assert (weights[~allowed] == 0).all()
        np.testing.assert_allclose(weights.sum(axis=1), allowed.any(axis=1))
    np.testing.assert_allclose(found.zero.sum(axis=1), 1)
    np.testing.assert_allclose(found.leaked, (found.zero * ~allowed).sum(axis=1))
    assert ((found.leaked > 0) == ~allowed.all(axis=1)).all()


def test_a_score_of_0_leaks_what_exp_of_0_is_worth():
    scores = np.log([[3.0, 5.0, 7.0, 9.0]] * 4)
    allowed = np.zeros((4, 4), dtype=bool)
    allowed[:, :2] = True
    found = graph.Compared.of(graph.Drawn.over(np.eye(4), scores, 0), allowed)
    np.testing.assert_allclose(found.masked[0], [3 / 8, 5 / 8, 0, 0])
    np.testing.assert_allclose(found.zero[0], [0.3, 0.5, 0.1, 0.1])
    np.testing.assert_allclose(found.leaked, 0.2)


def test_graph_attention_by_hand():
    inputs = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = graph.graph_attention(
        inputs, np.eye(2), np.array([1.0, -3.0]), np.array([0.0, 1.0]), np.ones((2, 2), dtype=bool)
    )
    np.testing.assert_allclose(found.masked_scores, [[1.0, 2.0], [-0.6, -0.4]])
    np.testing.assert_allclose(found.output, found.weights @ inputs)


@given(n=st.integers(2, 9), seed=st.integers(0, 1_000))
@settings(max_examples=40, deadline=None)
def test_graph_attention_ranks_nodes_alike_for_everyone(n, seed):
    found = graph.Compared.of(graph.Drawn.of(n, seed), np.ones((n, n), dtype=bool))
    best = found.gat.argmax(axis=1)
    assert (best == best[0]).all()
    assert found.orders()[1] == 1


def test_dot_products_rank_by_who_asks():
    found = graph.Compared.of(graph.Drawn.of(8, 0), graph.lecture_graph())
    assert found.orders()[:2] == (8, 1)


def test_gatv2_by_hand():
    inputs = np.array([[1.0, 0.0], [0.0, 1.0]])
    asks, asked, a = np.array([[1.0, 0], [-2, 0]]), np.eye(2), np.array([1.0, 2.0])
    found = graph.graph_attention_2(inputs, asks, asked, a, np.ones((2, 2), dtype=bool))
    np.testing.assert_allclose(found.masked_scores, [[2.0, 3.0], [-0.2, 1.6]])
    np.testing.assert_allclose(found.output, found.weights @ inputs)


def test_with_gatv2_who_is_preferred_depends_on_who_asks():
    inputs = np.array([[3.0], [-3.0], [0.0]])
    asks, asked, a = np.array([[1.0, -1.0]]), np.array([[1.0, -1.0]]), np.array([1.0, 1.0])
    found = graph.graph_attention_2(inputs, asks, asked, a, np.ones((3, 3), dtype=bool))
    assert found.weights.argmax(axis=1)[:2].tolist() == [0, 1]
    assert any(
        graph.Compared.of(graph.Drawn.of(8, seed), graph.lecture_graph()).orders()[2] > 1
        for seed in range(5)
    )


def test_the_lectures_edges_are_there_both_ways_with_loops():
    joined = graph.lecture_graph()
    for one, other in graph.LECTURE_EDGES:
        assert joined[one - 1, other - 1]
    np.testing.assert_array_equal(joined, joined.T)
    assert joined.diagonal().all()


@given(allowed=graphs(), layers=st.integers(0, 9), data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_node_is_reached_as_powers_of_the_graph_say(allowed, layers, data):
    n = len(allowed)
    query = data.draw(st.integers(0, n - 1))
    found = graph.Compared.of(graph.Drawn.of(n, 0), allowed)
    step = (allowed | np.eye(n, dtype=bool)).astype(int)  # with residuals
    expected = np.linalg.matrix_power(step, layers)[query] > 0
    np.testing.assert_array_equal(found.reached(query, layers), expected)


def test_an_empty_graph_reaches_nobody():
    found = graph.Compared.of(graph.Drawn.of(3, 0), np.zeros((3, 3), dtype=bool))
    assert (found.masked == 0).all()
    assert (found.gat == 0).all()
    np.testing.assert_allclose(found.leaked, 1)
    assert (found.hops == np.where(np.eye(3) == 1, 0, UNREACHED)).all()


@given(allowed=graphs())
def test_a_graph_is_written_and_read_back(allowed):
    np.testing.assert_array_equal(graph.from_cells(graph.as_cells(allowed)), allowed)


@given(n=st.integers(2, 8), seed=st.integers(0, 500))
def test_a_painted_cell_is_joined_both_ways(n, seed):
    rng = np.random.default_rng(seed)
    before = rng.random((n, n)) < 0.4
    before |= before.T
    i, j = rng.integers(n, size=2)
    after = before.copy()
    after[i, j] = not before[i, j]
    found = graph.both_ways(before, after)
    assert found[i, j] == found[j, i] == after[i, j]
    np.testing.assert_array_equal(found, found.T)
    changed = found != before
    assert changed.sum() == (1 if i == j else 2)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_chain_joins_neighbours(n):
    assert graph.chain(n).sum() == 3 * n - 2
