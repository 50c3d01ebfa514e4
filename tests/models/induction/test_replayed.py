"""The package's own model at its moments: in numpy as in torch, and under a name of its own."""

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.models.catalogue import allowed
from attnviz.models.induction.film import KEY, moments, name_at, step_of, stirs
from attnviz.models.induction.replayed import read, replay, signs_twice
from attnviz.models.load import load_model
from attnviz.models.writing import write

FILM = moments()
TEXTS = (signs_twice(3), "The cat sat.\nThe cat § sat")


@pytest.mark.parametrize("moment", [FILM[0], FILM[6], FILM[-1]], ids=lambda each: str(each.step))
@pytest.mark.parametrize("text", TEXTS, ids=["signs", "text"])
def test_in_numpy_it_does_what_the_model_does(moment, text):
    model = load_model(name_at(moment.step))
    capture, seen = model.capture(text), replay(moment.step, text)
    assert [token.id for token in capture.tokens] == seen.ids.tolist()
    for layer, maps in enumerate(seen.weights):
        for head, weights in enumerate(maps):
            np.testing.assert_allclose(weights, capture.weights(layer, head), atol=1e-5)
    np.testing.assert_allclose(seen.expected, write(model, text).expected, atol=1e-4)


def test_the_names_of_the_moments():
    assert name_at(FILM[-1].step) == KEY
    assert step_of(KEY) is None
    assert [step_of(name_at(each.step)) for each in FILM[:-1]] == [each.step for each in FILM[:-1]]
    assert step_of(f"{KEY}-1") is None
    assert step_of("opus") is None


def test_a_moment_may_be_loaded_where_the_model_may(monkeypatch):
    name = name_at(FILM[1].step)
    assert allowed(name, folders=False)
    monkeypatch.setenv("ATTNVIZ_MODELS", "opus")
    assert not allowed(name)
    monkeypatch.setenv("ATTNVIZ_MODELS", KEY)
    assert allowed(name)


def test_the_previous_token_head_stirs_first_and_then_both_grow_together():
    previous = [each.best_previous for each in FILM]
    induction = [each.best_induction for each in FILM]
    assert 0 < stirs(previous) < stirs(induction) < len(FILM) - 1
    growing = range(stirs(induction), len(FILM))
    for place in growing:
        assert previous[place] > previous[place - 1]
        assert induction[place] > induction[place - 1]
    assert max(previous[: stirs(induction)]) < 0.2  # neither was there before the other came


def test_what_never_grows_stirs_last():
    assert stirs([1.0, 1.0, 0.5]) == 2


def test_at_the_end_the_second_copy_is_known_and_at_the_start_it_is_not():
    shares = []
    for step in (FILM[0].step, FILM[-1].step):
        seen = [replay(step, signs_twice(seed)) for seed in range(12)]
        copies = [each.copies for each in seen]
        assert all(found is not None and found.length == 8 for found in copies)
        shares.append(np.mean([each.right[8:] for each in seen]))
    assert shares[0] < 0.1
    assert shares[1] > 0.9


@pytest.mark.parametrize("text", ["", "a", "a" * 97])
def test_a_text_that_does_not_fit_is_refused(text):
    with pytest.raises(InputError) as refused:
        read(text)
    assert refused.value.code == "film.length"
    assert refused.value.values == {"got": len(text), "most": 96}


def test_a_step_that_was_not_kept_is_refused():
    with pytest.raises(InputError) as refused:
        replay(1, "abab")
    assert refused.value.code == "film.step"


def test_no_character_is_more_than_a_token():
    assert len(read("ab中\U0001f600")) == 4
