from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attnviz.lessons.lexicon import KINDS, LEXICON, seeded, word_vectors

few = settings(max_examples=50, deadline=None)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
seeds = st.integers(0, 2**31 - 1)


def test_the_hero_has_its_own_vectors_in_both_languages():
    hero = [[1, 0, 2], [0, 1, 1], [1, 1, 0], [0, 1, 1]]
    for tokens in (("I", "saw", "a", "saw"), ("他", "會", "開", "會")):
        vectors, sources = word_vectors(tokens, 3, 0)
        assert_allclose(vectors, hero)
        assert sources == ("typed",) * 4


def test_the_lexicon_is_small_whole_numbers():
    assert 60 <= sum(map(len, KINDS["en"].values())) <= 100
    assert 60 <= sum(map(len, KINDS["zh-Hant"].values())) <= 100
    assert all(len(v) == 3 and set(v) <= {-2, -1, 0, 1, 2} for v in LEXICON.values())
    assert len(LEXICON) == sum(len(each) for kinds in KINDS.values() for each in kinds.values())


@pytest.mark.parametrize("language", sorted(KINDS))
def test_words_that_differ_have_different_vectors_unless_they_mean_the_same(language):
    same = {frozenset(["a", "an"]), frozenset(["但", "但是"])}
    every = [pair for kind in KINDS[language].values() for pair in kind.items()]
    for (one, vector), (other, another) in combinations(every, 2):
        assert vector != another or frozenset([one, other]) in same, (one, other)


@pytest.mark.parametrize("language", sorted(KINDS))
def test_words_of_a_kind_lie_nearer_to_each_other_than_to_other_kinds(language):
    within, between = [], []
    every = [(kind, v) for kind, each in KINDS[language].items() for v in each.values()]
    for (kind, one), (other_kind, other) in combinations(every, 2):
        distance = float(np.linalg.norm(np.subtract(one, other)))
        (within if kind == other_kind else between).append(distance)
    assert np.mean(within) < 0.6 * np.mean(between)


@few
@given(words, seeds, st.integers(1, 16))
def test_the_same_word_has_the_same_vector_however_it_is_written(word, seed, d_model):
    tokens = (word, word.upper().lower(), word)
    vectors, _ = word_vectors(tokens, d_model, seed)
    assert_allclose(vectors[0], vectors[2], rtol=0, atol=0)
    capitals, _ = word_vectors(("Café", "cafe\u0301", "CAFÉ", "don’t", "DON'T"), d_model, seed)
    assert_allclose(capitals[0], capitals[1], rtol=0, atol=0)
    assert_allclose(capitals[0], capitals[2], rtol=0, atol=0)
    assert_allclose(capitals[3], capitals[4], rtol=0, atol=0)


@few
@given(words, seeds, st.integers(1, 15))
def test_a_wider_vector_begins_with_the_narrower_one(word, seed, d_model):
    narrow, wide = (word_vectors((word, "the"), width, seed)[0] for width in (d_model, d_model + 1))
    assert_allclose(wide[:, :d_model], narrow, rtol=0, atol=0)


@few
@given(words, seeds)
def test_random_vectors_stay_readable(word, seed):
    vectors, _ = word_vectors((word,), 16, seed)
    assert_allclose(vectors, np.round(vectors, 1), rtol=0, atol=0)
    assert np.abs(vectors).max() <= 2


def test_only_words_of_the_lexicon_are_called_hand_made():
    assert word_vectors(("The", "zyx", "cat"), 3, 0)[1] == ("typed", "random", "typed")
    assert word_vectors(("The", "zyx", "cat"), 2, 0)[1] == ("typed", "random", "typed")
    assert word_vectors(("The", "zyx", "cat"), 4, 0)[1] == ("random",) * 3


def test_no_words_are_a_table_without_rows():
    assert word_vectors((), 5, 0)[0].shape == (0, 5)


def test_random_numbers_never_change():
    assert seeded("zyx", 5, 2718, 2.0).tolist() == [-0.4, -0.2, -0.3, -1.8, 0.1]


def test_random_numbers_fill_their_range_evenly():
    drawn = seeded("even", 4_200, 7, 2.0)
    counts = np.bincount(np.round(drawn * 10).astype(int) + 20, minlength=41)
    assert counts.min() > 60
    assert counts.max() < 150
    assert abs(drawn.mean()) < 0.1
