"""How much of a head's attention lies on a pattern."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention.patterns import (
    after_copies,
    duplicate_score,
    earlier_copies,
    induction_score,
    previous_share,
)

TEXTS = st.text("abc", min_size=1, max_size=12)


def even(n: int) -> np.ndarray:
    """Every query looks at itself and everything before it alike."""
    seen = np.tri(n)
    return seen / seen.sum(axis=1, keepdims=True)


def test_the_previous_share_of_a_small_map_is_the_mean_of_its_subdiagonal():
    weights = [[1, 0, 0], [0.75, 0.25, 0], [0.1, 0.5, 0.4]]
    assert previous_share(weights) == pytest.approx((0.75 + 0.5) / 2)


def test_a_head_that_looks_one_back_has_all_of_its_attention_there():
    weights = np.eye(5, k=-1)
    weights[0, 0] = 1
    assert previous_share(weights) == 1
    assert previous_share(np.eye(5)) == 0


def test_the_first_copy_of_a_repeated_text_tells_an_induction_head_where_to_look():
    tokens = "catdogcatdog"
    weights = np.eye(12, k=-5)  # i − j = p − 1, where the text comes again after p = 6
    weights[:5, 0] = 1
    assert induction_score(weights, tokens) == 1
    assert duplicate_score(weights, tokens) == 0
    weights = np.eye(12, k=-6)
    assert duplicate_score(weights, tokens) == 1
    assert induction_score(weights, tokens) == 0


def test_every_earlier_copy_counts():
    weights = even(6)
    # the x at 2 comes after one copy, the x at 4 after two; a, then a and b followed them
    assert duplicate_score(weights, "xaxbxc") == pytest.approx((1 / 3 + 2 / 5) / 2)
    assert induction_score(weights, "xaxbxc") == pytest.approx((1 / 3 + 2 / 5) / 2)


def test_a_copy_just_before_is_no_place_to_look_for_what_comes_next():
    assert not after_copies("aa").any()
    assert induction_score(even(2), "aa") is None
    assert duplicate_score(even(2), "aa") == 0.5
    assert after_copies("aaa").tolist() == [[False] * 3, [False] * 3, [False, True, False]]


def test_a_score_with_nothing_to_average_is_none():
    assert previous_share([[1.0]]) is None
    assert induction_score(even(3), "abc") is None
    assert duplicate_score(even(3), "abc") is None
    assert previous_share(np.zeros((3, 3))) is None


def test_queries_that_see_nothing_are_left_out():
    weights = np.eye(4, k=-1)
    weights[2] = 0
    assert previous_share(weights) == 1
    weights = even(4)
    weights[2] = 0
    assert duplicate_score(weights, "aaaa") == pytest.approx((1 / 2 + 3 / 4) / 2)


def test_tokens_may_be_words_or_an_array_of_numbers():
    weights = even(4)
    expected = induction_score(weights, "abab")
    assert induction_score(weights, np.array([7, 3, 7, 3])) == expected
    assert induction_score(weights, ["a cat", "sat", "a cat", "sat"]) == expected


def test_half_precision_is_added_up_in_single():
    weights = np.full((2048, 2048), 1e-4, dtype=np.float16)
    assert duplicate_score(weights, "a" * 2048) == pytest.approx(0.1024, rel=1e-3)


@given(TEXTS)
def test_pairs_are_what_their_definition_says(text):
    n = range(len(text))
    copies = [[j < i and text[j] == text[i] for j in n] for i in n]
    after = [[1 <= j < i and text[j - 1] == text[i] for j in n] for i in n]
    np.testing.assert_array_equal(earlier_copies(text), copies)
    np.testing.assert_array_equal(after_copies(text), after)


@given(TEXTS, st.integers(0, 2**32 - 1))
def test_scores_are_shares_and_none_where_no_row_counts(text, seed):
    weights = np.tril(np.random.default_rng(seed).random((len(text), len(text))) + 0.01)
    weights /= weights.sum(axis=1, keepdims=True)
    for score, pairs in (
        (induction_score(weights, text), after_copies(text)),
        (duplicate_score(weights, text), earlier_copies(text)),
    ):
        assert (score is None) == (not pairs.any())
        assert score is None or 0 <= score <= 1 + 1e-12


@given(TEXTS)
def test_renaming_the_tokens_changes_nothing(text):
    renamed = text.translate(str.maketrans("abc", "zxy"))
    assert induction_score(even(len(text)), text) == induction_score(even(len(text)), renamed)


def test_weights_that_are_no_self_attention_are_refused():
    with pytest.raises(ValueError, match=r"\(2, 2\), got \(2, 3\)"):
        previous_share(np.ones((2, 3)))
    with pytest.raises(ValueError, match="one token for each of its rows"):
        induction_score(even(3), "ab")
