"""Every head over several texts."""

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.models.catalogue import catalogue
from attnviz.models.corpus import AVERAGED, averaged, over, sentences_for
from attnviz.models.listed import listed
from attnviz.models.results import Capture


def capture(n: int, seed: int, n_heads: int = 2, tokens: str = "abcabcabc") -> Capture:
    rng = np.random.default_rng(seed)
    weights = [rng.dirichlet(np.ones(n), (n_heads, n)).astype(np.float32) for _ in range(2)]
    return Capture.from_attentions(weights, list(tokens[:n]))


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 999)), min_size=1, max_size=5))
def test_each_number_is_the_mean_over_the_texts_that_have_it(texts):
    tables = [listed(capture(n, seed)) for n, seed in texts]
    for place, found in enumerate(averaged(tables)):
        assert found.n_texts == len(texts)
        for name in AVERAGED:
            own = [getattr(table[place], name) for table in tables]
            there = [number for number in own if number is not None]
            mean = getattr(found.mean, name)
            assert found.count(name) == len(there)
            assert mean == (pytest.approx(statistics.mean(there)) if there else None)
            spread = pytest.approx(statistics.stdev(there), abs=1e-9) if len(there) > 1 else None
            assert found.spread(name) == spread


def test_one_text_is_its_own_mean():
    (table,) = tables = [listed(capture(5, 3))]
    for own, found in zip(table, averaged(tables), strict=True):
        assert found.mean == own
        assert found.mean.types == own.types


def test_a_number_that_few_texts_have_is_a_mean_over_those():
    tables = [listed(capture(3, 1)), listed(capture(6, 2))]  # "abc" repeats nothing
    (first, *_) = averaged(tables)
    assert first.count("induction_score") == 1
    assert first.spread("induction_score") is None
    assert first.mean.induction_score == tables[1][0].induction_score
    assert first.count("self_share") == 2


def test_the_types_are_those_of_the_means():
    eye, even = np.eye(4, dtype=np.float32), np.full((4, 4), 0.25, dtype=np.float32)
    texts = [Capture.from_attentions([table[None]], list("abcd")) for table in (eye, even)]
    (found,) = averaged([listed(text) for text in texts])
    assert found.mean.self_share == 0.625
    assert "self" in found.mean.types
    assert found.spread("self_share") == pytest.approx(0.75 / 2**0.5)


def test_a_causal_model_leaves_the_first_query_out_of_its_first_share():
    lower = np.tril(np.ones((4, 4), dtype=np.float32))
    lower /= lower.sum(axis=1, keepdims=True)
    (found,) = averaged([listed(Capture.from_attentions([lower[None]], list("abcd")))])
    assert found.mean.first_share == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert found.count("first_share") == 1


def test_captures_are_read_as_they_come_and_progress_is_told():
    told = []
    found = over(
        (capture(4, seed) for seed in range(3)), 3, lambda done, total: told.append((done, total))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert found[0].n_texts == 3
    assert found[0].mean.n_query == 12


def test_texts_of_different_models_are_refused():
    with pytest.raises(ValueError, match="same heads"):
        averaged([listed(capture(3, 1)), listed(capture(3, 1, n_heads=3))])
    with pytest.raises(ValueError, match="same heads"):
        averaged([])


def test_there_are_sentences_for_every_model():
    for key in catalogue():
        texts = sentences_for(key)
        assert 12 <= len(texts) <= 20
        assert len(set(texts)) == len(texts)
    assert sentences_for("zh") != sentences_for("default")
    assert sentences_for("./a/folder") == sentences_for("default")


def test_the_sentences_are_short_and_long_repeat_words_and_have_pronouns():
    texts = sentences_for("default")
    lengths = [len(text.split()) for text in texts]
    assert min(lengths) == 1
    assert max(lengths) >= 20
    plain = [[word.strip(".,;!?“”()").casefold() for word in text.split()] for text in texts]
    assert sum(len(set(each)) < len(each) for each in plain) >= 5
    assert sum(bool({"he", "she", "it", "they"} & set(each)) for each in plain) >= 4
