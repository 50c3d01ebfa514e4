"""The answer of a card is computed by its rule, and judged by a threshold that is stated."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.models.cards import LEAST, PARTLY, RIGHT, Answer, Measured, answer, cards, offered
from attnviz.models.catalogue import catalogue
from attnviz.models.load import load_model
from attnviz.text import LANGUAGES, words

CARDS = cards()
READERS = [(card.key, reader) for card in CARDS.values() for reader in card.readers]

# What MODELS was measured to do best on the sentence of each card.
BEST = {
    ("antecedent", "default"): (3, 1),
    ("previous", "default"): (0, 2),
    ("previous", "smollm2"): (16, 0),
    ("previous", "induction"): (0, 2),
    ("rest", "default"): (4, 5),
    ("rest", "smollm2"): (18, 8),
    ("stop", "default"): (3, 11),
    ("same_word", "default"): (0, 8),
    ("again", "smollm2"): (18, 6),
    ("again", "induction"): (1, 3),
}

loaded = cache(load_model)


@cache
def answered(key: str, model: str):
    reader = next(each for each in CARDS[key].readers if each.model == model)
    capture = loaded(model).capture(reader.text)
    return answer(CARDS[key], capture), capture


@pytest.mark.parametrize(("key", "reader"), READERS, ids=lambda each: str(each)[:20])
def test_every_card_has_an_answer_in_its_own_text_and_few_are_right(key, reader):
    if not catalogue()[reader.model].installed:
        pytest.skip("the weights are not installed")
    found, capture = answered(key, reader.model)
    assert found is not None
    assert found.found
    assert len(found.heads) == sum(layer.n_heads for layer in capture.layers)
    assert 1 <= len(found.right) <= len(found.heads) / 2
    assert found.verdict((0, 0)) != "right"
    assert np.all(np.diff([each.value for each in found.heads]) <= 0)
    if (key, reader.model) in BEST:
        assert found.best.pair == BEST[key, reader.model]


def test_a_pair_is_the_weight_between_its_words():
    if not catalogue()["default"].installed:
        pytest.skip("the weights are not installed")
    found, capture = answered("antecedent", "default")
    names = [token.text for token in capture.tokens]
    weight = capture.weights(3, 1)[names.index("it"), names.index("animal")]
    assert found.of((3, 1)).value == pytest.approx(float(weight))
    assert found.rank((3, 1)) == 1


def test_what_repeats_is_the_induction_score_of_metrics():
    from attnviz.attention.metrics import induction_score

    found, capture = answered("again", "induction")
    ids = [token.id for token in capture.tokens]
    for each in found.heads:
        expected = induction_score(capture.weights(*each.pair), ids)
        assert each.value == pytest.approx(expected)


@pytest.mark.parametrize("key", ["antecedent", "stop", "same_word", "again"])
def test_a_text_without_what_is_asked_has_no_answer(key, tiny):
    assert answer(CARDS[key], tiny("gpt2").capture("xyz")) is None


def test_one_token_has_no_token_before_it(tiny):
    for key in CARDS:
        assert answer(CARDS[key], tiny("gpt2").capture("the")) is None


def test_heads_that_read_another_text_are_left_out(tiny):
    capture = tiny("t5").capture("the cat sat on the mat", target="a dog")
    found = answer(CARDS["previous"], capture)
    kinds = {capture.layers[each.layer].kind for each in found.heads}
    assert kinds == {"encoder", "decoder"}


VALUES = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12)


@given(VALUES)
def test_verdicts_follow_the_stated_shares_of_the_best(values):
    heads = sorted(
        (Measured(0, at, value) for at, value in enumerate(values)), key=lambda m: -m.value
    )
    found, best = Answer(tuple(heads)), max(values)
    for at, value in enumerate(values):
        verdict = found.verdict((0, at))
        assert found.rank((0, at)) == 1 + sum(other > value for other in values)
        if best < LEAST:
            assert verdict == "not"
        else:
            assert (verdict == "right") == (value >= RIGHT * best)
            assert (verdict == "not") == (value < PARTLY * best)
    assert found.verdict((9, 9)) == "not"
    assert found.of((9, 9)) is None
    assert found.found == (best >= LEAST)


def test_a_card_needs_a_model_that_is_here(monkeypatch):
    monkeypatch.setenv("ATTNVIZ_MODELS", "induction")
    assert [card.key for card in offered()] == ["previous", "again"]
    assert {card.reader.model for card in offered()} == {"induction"}
    monkeypatch.setenv("ATTNVIZ_MODELS", "")
    assert offered() == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_its_words(language):
    t = words(language)
    for key in CARDS:
        assert t(f"card.{key}.question")
        assert t(f"card.{key}.measure")
        assert t(f"card.{key}.hint")
