import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.masks import (
    MASKS,
    block,
    causal,
    causal_window,
    custom,
    dilated,
    everyone,
    global_tokens,
    graph,
    padding,
    window,
)

sizes = st.integers(1, 13)
radii = st.integers(0, 17)
laws = settings(max_examples=50, deadline=None)
HUGE = 10**30


def pairs(n_query, n_key, may_attend):
    """Ask for every query i and key j on its own."""
    return np.array([[may_attend(i, j) for j in range(n_key)] for i in range(n_query)], dtype=bool)


# --- Laws: each mask is what its definition says of every pair


@laws
@given(n_query=sizes, n_key=sizes)
def test_everyone_sees_all(n_query, n_key):
    np.testing.assert_array_equal(
        everyone(n_query, n_key), pairs(n_query, n_key, lambda i, j: True)
    )


@laws
@given(n_query=sizes, n_key=sizes)
def test_causal_mask_hides_the_future(n_query, n_key):
    newer = n_key - n_query
    expected = pairs(n_query, n_key, lambda i, j: j <= i + newer)
    np.testing.assert_array_equal(causal(n_query, n_key), expected)
    expected = pairs(n_query, n_key, lambda i, j: j <= i)
    np.testing.assert_array_equal(causal(n_query, n_key, align="upper_left"), expected)


@laws
@given(n_query=sizes, n_key=sizes)
def test_causal_queries_are_the_last_rows_of_the_whole_sequence(n_query, n_key):
    n_tokens = max(n_query, n_key)
    whole = causal(n_tokens, n_tokens)
    np.testing.assert_array_equal(causal(n_query, n_tokens), whole[n_tokens - n_query :])


@laws
@given(n_query=sizes, n_key=sizes, radius=radii)
def test_window_shows_both_neighbourhoods(n_query, n_key, radius):
    expected = pairs(n_query, n_key, lambda i, j: abs(i - j) <= radius)
    np.testing.assert_array_equal(window(n_query, n_key, radius), expected)


@laws
@given(n_tokens=sizes, radius=radii)
def test_causal_window_is_a_causal_mask_and_a_window(n_tokens, radius):
    expected = pairs(n_tokens, n_tokens, lambda i, j: 0 <= i - j <= radius)
    np.testing.assert_array_equal(causal_window(n_tokens, n_tokens, radius), expected)
    both = causal(n_tokens, n_tokens) & window(n_tokens, n_tokens, radius)
    np.testing.assert_array_equal(expected, both)


@pytest.mark.parametrize("align", ["lower_right", "upper_left"])
@laws
@given(n_query=sizes, n_key=sizes, radius=radii)
def test_causal_window_without_a_limit_is_the_causal_mask(align, n_query, n_key, radius):
    limited = causal_window(n_query, n_key, radius, align=align)
    unlimited = causal_window(n_query, n_key, HUGE, align=align)
    np.testing.assert_array_equal(unlimited, causal(n_query, n_key, align=align))
    assert np.all(limited <= unlimited)
    assert limited.sum(axis=-1).max() <= radius + 1


@laws
@given(n_query=sizes, n_key=sizes, steps=radii, gap=st.integers(1, 17))
def test_dilated_window_shows_every_gapth_key(n_query, n_key, steps, gap):
    expected = pairs(n_query, n_key, lambda i, j: abs(i - j) <= steps * gap and (i - j) % gap == 0)
    np.testing.assert_array_equal(dilated(n_query, n_key, steps, gap), expected)


@laws
@given(n_query=sizes, n_key=sizes, radius=radii)
def test_dilated_window_without_gaps_is_a_window(n_query, n_key, radius):
    np.testing.assert_array_equal(
        dilated(n_query, n_key, radius, 1), window(n_query, n_key, radius)
    )


@laws
@given(n_query=sizes, key_allowed=st.lists(st.booleans(), min_size=1, max_size=13))
def test_padding_hides_keys_from_every_query_alike(n_query, key_allowed):
    expected = pairs(n_query, len(key_allowed), lambda i, j: key_allowed[j])
    np.testing.assert_array_equal(padding(n_query, key_allowed), expected)
    np.testing.assert_array_equal(padding(n_query, np.array(key_allowed)), expected)


@laws
@given(n_tokens=sizes, radius=radii, data=st.data())
def test_global_tokens_see_all_and_are_seen_by_all(n_tokens, radius, data):
    tokens = data.draw(st.lists(st.integers(0, n_tokens - 1)))
    base = window(n_tokens, n_tokens, radius)
    expected = pairs(n_tokens, n_tokens, lambda i, j: base[i, j] or i in tokens or j in tokens)
    mask = global_tokens(base, tokens)
    np.testing.assert_array_equal(mask, expected)
    np.testing.assert_array_equal(mask, mask.T)


@laws
@given(n_query=sizes, n_key=sizes, size=st.integers(1, 17))
def test_blocks_keep_to_themselves(n_query, n_key, size):
    expected = pairs(n_query, n_key, lambda i, j: i // size == j // size)
    np.testing.assert_array_equal(block(n_query, n_key, size), expected)


@laws
@given(n_tokens=sizes, data=st.data())
def test_graph_shows_its_edges_and_each_node_itself(n_tokens, data):
    token = st.integers(0, n_tokens - 1)
    edges = data.draw(st.sets(st.tuples(token, token)))
    adjacency = pairs(n_tokens, n_tokens, lambda i, j: (i, j) in edges)
    np.testing.assert_array_equal(graph(adjacency, self_loops=False), adjacency)
    expected = pairs(n_tokens, n_tokens, lambda i, j: i == j or (i, j) in edges)
    np.testing.assert_array_equal(graph(adjacency), expected)
    np.testing.assert_array_equal(graph(adjacency.T), expected.T)


@laws
@given(n_query=sizes, n_key=sizes, seed=st.integers(0, 99))
def test_custom_reads_boolean_and_additive_masks_alike(n_query, n_key, seed):
    allowed = np.random.default_rng(seed).random((n_query, n_key)) < 0.5
    additive = np.where(allowed, 0.0, -np.inf)
    for given_mask in (allowed, allowed.tolist(), additive, additive.astype(np.float16)):
        np.testing.assert_array_equal(custom(given_mask), allowed)


# --- Worked by hand


def drawn(mask):
    return ["".join("x" if seen else "." for seen in row) for row in mask]


def test_causal_mask_of_two_new_queries_after_three_cached_keys():
    assert drawn(causal(2, 5)) == ["xxxx.", "xxxxx"]
    assert drawn(causal(2, 5, align="upper_left")) == ["x....", "xx..."]


def test_causal_mask_leaves_queries_before_the_first_key_nothing():
    assert drawn(causal(5, 3)) == ["...", "...", "x..", "xx.", "xxx"]


def test_window_counts_two_radii_and_itself():
    assert drawn(window(5, 5, 1)) == ["xx...", "xxx..", ".xxx.", "..xxx", "...xx"]
    assert window(11, 11, 3)[5].sum() == 7


def test_causal_window_counts_a_radius_and_itself():
    assert drawn(causal_window(5, 5, 1)) == ["x....", "xx...", ".xx..", "..xx.", "...xx"]
    assert drawn(causal_window(2, 5, 1)) == ["..xx.", "...xx"]


def test_dilated_window_skips_keys():
    assert drawn(dilated(5, 5, 1, 2)) == ["x.x..", ".x.x.", "x.x.x", ".x.x.", "..x.x"]


def test_last_block_may_be_short():
    assert drawn(block(5, 5, 2)) == ["xx...", "xx...", "..xx.", "..xx.", "....x"]


def test_global_token_draws_a_cross():
    assert drawn(global_tokens(window(5, 5, 0), [2])) == [
        "x.x..",
        ".xx..",
        "xxxxx",
        "..xx.",
        "..x.x",
    ]


def test_global_tokens_of_a_causal_mask_are_causal_once_combined():
    mask = global_tokens(causal_window(5, 5, 0), [2]) & causal(5, 5)
    assert drawn(mask) == ["x....", ".x...", "xxx..", "..xx.", "..x.x"]


def test_global_tokens_fit_masks_that_are_not_square():
    assert drawn(global_tokens(np.zeros((2, 5), dtype=bool), [1, 4])) == [".x..x", "xxxxx"]


def test_graph_reads_weights_as_edges():
    assert drawn(graph([[0, 2.5, 0], [0, 0, 0], [-1, 0, 0]])) == ["xx.", ".x.", "x.x"]


def test_a_node_without_edges_or_self_loop_sees_nothing():
    assert drawn(graph([[0, 1], [0, 0]], self_loops=False)) == [".x", ".."]


# --- Edges


@pytest.mark.parametrize("n_query", [1, 2])
@pytest.mark.parametrize("n_key", [1, 5])
def test_limits_beyond_the_sequence_hide_nothing(n_query, n_key):
    for mask in (
        window(n_query, n_key, HUGE),
        block(n_query, n_key, HUGE),
        dilated(n_query, n_key, HUGE, 1),
    ):
        np.testing.assert_array_equal(mask, everyone(n_query, n_key))


@pytest.mark.parametrize("gap", [5, 6, HUGE])
def test_a_gap_beyond_the_sequence_leaves_a_token_alone(gap):
    np.testing.assert_array_equal(dilated(5, 5, 3, gap), np.eye(5, dtype=bool))


def test_radius_zero_leaves_a_token_alone():
    for mask in (window(5, 5, 0), causal_window(5, 5, 0), dilated(5, 5, 0, 3), block(5, 5, 1)):
        np.testing.assert_array_equal(mask, np.eye(5, dtype=bool))


def every_mask():
    base = np.zeros((2, 5), dtype=bool)
    return {
        "everyone": everyone(2, 5),
        "causal": causal(2, 5),
        "window": window(2, 5, 1),
        "causal_window": causal_window(2, 5, 1),
        "dilated": dilated(2, 5, 1, 2),
        "padding": padding(2, base[0]),
        "global_tokens": global_tokens(base, [0]),
        "block": block(2, 5, 2),
        "graph": graph(base[:, :2]),
        "custom": custom(base),
    }


def test_every_mask_is_boolean_and_new():
    made = every_mask()
    assert made.keys() == MASKS.keys()
    for mask in made.values():
        assert mask.dtype == np.bool_
        assert mask.flags.writeable


def test_masks_made_of_masks_leave_them_alone():
    for make in (custom, graph, lambda given: global_tokens(given, [])):
        given_mask = np.eye(3, dtype=bool)
        made = make(given_mask)
        made[:] = True
        np.testing.assert_array_equal(given_mask, np.eye(3, dtype=bool))


@pytest.mark.parametrize(
    ("name", "arguments", "complaint"),
    [
        ("everyone", (-1, 5), "n_query must be at least 0, got -1"),
        ("causal", (2, -5), "n_key must be at least 0"),
        ("causal", (2, 5, "middle"), "align must be one of lower_right, upper_left, got 'middle'"),
        ("window", (2, 5, -1), "radius must be at least 0"),
        ("causal_window", (2, 5, -1), "radius must be at least 0"),
        ("dilated", (2, 5, -1, 1), "steps must be at least 0"),
        ("dilated", (2, 5, 1, 0), "gap must be at least 1"),
        ("block", (2, 5, 0), "size must be at least 1"),
        ("padding", (-2, [True]), "n_query must be at least 0"),
        ("padding", (2, [[True]]), "key_allowed must be Boolean with 1 axes"),
        ("padding", (2, [1, 0]), "key_allowed must be Boolean"),
        ("global_tokens", ([[True]], [1]), r"tokens must be between 0 and 0, got \[1\]"),
        ("global_tokens", ([[True, True]], [-1, 1, 2]), r"got \[-1, 2\]"),
        ("global_tokens", ([True], [0]), "base must be Boolean with 2 axes"),
        ("graph", ([[0, 1]],), r"adjacency must be \(token, token\), got \(1, 2\)"),
        ("graph", ([0, 1],), "adjacency must be"),
        ("custom", ([True],), "allowed must be Boolean with 2 axes"),
        ("custom", ([[0, 1]],), "allowed must be Boolean"),
        ("custom", ([[0.0, 1.0]],), "an additive mask must hold 0 and −inf alone"),
        ("custom", ([[0.0, -1e9]],), "an additive mask must hold 0 and −inf alone"),
        ("custom", ([[0.0, math.nan]],), "an additive mask must hold 0 and −inf alone"),
        ("custom", ([[0.0, math.inf]],), "an additive mask must hold 0 and −inf alone"),
    ],
)
def test_what_makes_no_mask_is_refused(name, arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        MASKS[name](*arguments)
