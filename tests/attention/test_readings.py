"""One head in a line of a table."""

from dataclasses import fields, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import metrics
from attnviz.attention.readings import HEAD_TYPES, HeadReading, head_reading, head_table
from tests.attention.weights import even, heads

SEEDS = st.integers(0, 2**32 - 1)
TOKENS = ["[CLS]", "the", "cat", "the", "[SEP]"]
SPECIAL = [True, False, False, False, True]


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.booleans())
def test_every_number_is_that_of_its_metric(seed, causal):
    weights = heads(seed, 1, 5, causal=causal)[0]
    allowed = np.tri(5, dtype=bool) if causal else np.ones((5, 5), dtype=bool)
    found = head_reading(weights, TOKENS, special=SPECIAL, allowed=allowed, layer=2, head=7)
    normalized = metrics.entropy(weights, normalized=True, allowed=allowed)
    expected = {
        "entropy": metrics.entropy(weights).mean(),
        "normalized_entropy": normalized.mean(),
        "effective_tokens": metrics.effective_tokens(weights).mean(),
        "mean_distance": metrics.mean_distance(weights),
        "previous_share": metrics.previous_share(weights),
        "next_share": metrics.next_share(weights),
        "self_share": metrics.self_share(weights),
        "induction_score": metrics.induction_score(weights, TOKENS),
        "duplicate_score": metrics.duplicate_score(weights, TOKENS),
        "special_share": metrics.token_share(weights, SPECIAL),
        "sink_share": metrics.sink_share(weights),
        "later_sink_share": metrics.sink_share(weights, skip_first=True),
    }
    for name, number in expected.items():
        assert getattr(found, name) == pytest.approx(number), name
    assert (found.layer, found.head, found.n_query, found.n_key) == (2, 7, 5, 5)
    assert found.causal == causal
    assert found.distribution
    assert found.first_share == (found.later_sink_share if causal else found.sink_share)
    assert found == head_reading(
        torch.tensor(weights), TOKENS, special=SPECIAL, allowed=allowed, layer=2, head=7
    )


def test_a_head_is_seen_to_be_causal_where_nothing_says_so():
    assert head_reading(even(3, causal=True)).causal
    assert not head_reading(even(3)).causal
    assert not head_reading(np.eye(3), allowed=np.ones((3, 3), dtype=bool)).causal


def test_what_is_not_known_is_none():
    found = head_reading(even(4))
    assert found.induction_score is found.duplicate_score is found.special_share is None
    assert head_reading(even(3), "abc").duplicate_score is None
    assert head_reading(even(3), "abc", special=[False] * 3).special_share is None


def test_one_token_has_an_entropy_and_no_neighbour():
    found = head_reading([[1.0]], "a")
    assert found.entropy == found.normalized_entropy == found.mean_distance == 0
    assert found.effective_tokens == found.self_share == found.sink_share == 1
    assert found.previous_share is found.next_share is found.induction_score is None
    assert found.later_sink_share is None


def test_two_sequences_have_no_neighbours_but_a_first_token():
    found = head_reading(np.full((2, 3), 1 / 3), special=[True, False, False])
    assert found.entropy == pytest.approx(np.log(3))
    assert found.sink_share == found.special_share == pytest.approx(1 / 3)
    assert found.mean_distance is found.previous_share is found.self_share is None
    assert not found.causal


def test_weights_that_do_not_sum_to_1_have_shares_and_no_entropy():
    found = head_reading(even(3) * 2)
    assert not found.distribution
    assert found.entropy is found.normalized_entropy is found.effective_tokens is None
    assert found.self_share == pytest.approx(2 / 3)


def test_empty_rows_are_counted_and_left_out():
    weights = even(3)
    weights[1] = 0
    found = head_reading(weights)
    assert found.n_empty_rows == 1
    assert found.distribution
    assert found.effective_tokens == pytest.approx(3)
    nothing = head_reading(np.zeros((3, 3)), "aaa")
    assert nothing.n_empty_rows == 3
    assert nothing.entropy is nothing.self_share is nothing.duplicate_score is None
    assert nothing.types == ()


def test_a_table_reads_heads_as_they_come():
    asked = []

    def weights_of(head: int) -> np.ndarray:
        asked.append(head)
        return heads(head, 1, 5)[0]

    table = head_table((((0, head), weights_of(head)) for head in range(3)), TOKENS)
    assert asked == []
    first = next(table)
    assert asked == [0]
    assert first == head_reading(weights_of(0), TOKENS, layer=0, head=0)
    assert [reading.head for reading in table] == [1, 2]


def test_a_picture_is_read_with_its_grid():
    weights = heads(1, 1, 5)[0]
    found = head_reading(weights, grid=(2, 2))
    assert found.mean_distance == metrics.mean_distance(weights, grid=(2, 2))


def map_of(name: str) -> tuple[np.ndarray, str]:
    """Draw a head of each type as plainly as can be."""
    before, after = np.eye(6, k=-1), np.eye(6, k=1)
    before[0, 0] = after[5, 5] = 1
    sink = np.zeros((6, 6))
    sink[:, 0] = 1
    special = np.zeros((6, 6))
    special[:, 5] = 1
    repeat, copy = np.eye(6, k=-2), np.eye(6, k=-3)
    repeat[:2, 0] = copy[0, 0] = copy[1:3, 1] = 1
    return {
        "previous": before,
        "next": after,
        "self": np.eye(6),
        "induction": repeat,
        "duplicate": copy,
        "special": special,
        "sink": sink,
        "broad": even(6),
        "narrow": before[::-1],
    }[name]


@pytest.mark.parametrize("name", HEAD_TYPES)
def test_a_plain_head_is_of_its_type_and_of_no_other(name):
    found = head_reading(map_of(name), "abcabc", special=np.arange(6) == 5).types
    looks_at_one_key = name != "broad"
    assert set(found) == {name} | ({"narrow"} if looks_at_one_key else set())


def test_a_rule_names_a_number_of_the_reading_and_holds_at_its_edge():
    reading = head_reading(heads(3, 1, 6)[0], "abcabc", special=[True] + [False] * 5)
    names = {field.name for field in fields(HeadReading)} | {"first_share"}
    for rule in HEAD_TYPES.values():
        assert rule.measure in names
    half = replace(reading, previous_share=0.5, next_share=0.499, self_share=None)
    assert "previous" in half.types
    assert not {"next", "self"} & set(half.types)


def test_a_head_without_a_pattern_has_no_type():
    assert head_reading([[0.7, 0.3, 0], [0.4, 0.3, 0.3], [0.2, 0.5, 0.3]]).types == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tokens": "ab"}, "one token for each"),
        ({"special": [True, False]}, "3 Booleans"),
        ({"allowed": np.ones((2, 2), dtype=bool)}, "allowed must be Booleans"),
        ({"allowed": np.ones((3, 3))}, "allowed must be Booleans"),
    ],
)
def test_what_belongs_to_other_weights_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        head_reading(even(3), **given)


def test_many_heads_at_once_are_refused():
    with pytest.raises(ValueError, match="head by head"):
        head_reading(heads(1, 2, 3))
