"""The code of the panel runs as it stands and gives what the panel shows."""

from contextlib import redirect_stdout
from io import StringIO

import pytest
from numpy.testing import assert_allclose

from attnviz.attention import NORMALIZERS
from attnviz.figures import code_importance, spoken_importance
from attnviz.lessons.importance import importance
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words

WRITERS = (code_importance.with_numpy, code_importance.with_package)
MOVES = (("v", 2, -0.873, 2.0),)
CHOSEN = [
    *({"normalizer": name} for name in NORMALIZERS),
    {"temperature": 0},
    {"normalizer": "entmax", "alpha": 1.0},
    {"scale": "sqrt_d_k", "mask": "causal"},
    {"mask": "custom", "cells": ("1010", "0000", "0110", "1111")},
    {"positions": "shaw"},
    {"positions": "alibi"},
    {"sentence": "saw"},
    {"n_heads": 2, "w_source": "random", "d_v": 2, "head": 1},
    {"scale": 60.0},
    {"d_v": 3},
]


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
def test_both_forms_give_the_numbers_of_the_panel(chosen, write):
    scene = scene_of(Settings(**chosen))
    fits = len(scene.tokens) > 2 and scene.projections.d_v == 2
    for moves in ((), MOVES) if fits else ((),):
        names = run(write(scene, moves, words("en")))
        found = importance(scene.dragged(moves, scene.head), scene.query)
        assert_allclose(names["row"], found.weights, atol=1e-12)
        assert_allclose(names["lengths"], found.lengths, atol=1e-12)
        assert_allclose(names["effects"], found.effects, atol=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_has_the_numbers_of_the_panel(language):
    scene = scene_of(Settings(), language)
    found = importance(scene.trace.head(0), 1)
    said = spoken_importance.say_importance(scene, found, words(language))
    for number in ("0.56", "0.04", "0.22", "0.74"):
        assert number in said


def test_the_verdict_follows_the_numbers():
    scene = scene_of(Settings())

    def verdict(*moves) -> str:
        return spoken_importance.verdict(importance(scene.dragged(moves, 0), 1))

    spot = importance(scene.trace.head(0), 1).spot(2).tolist()
    assert verdict() == "agree"
    assert verdict(("v", 2, *spot)) == "idle"
    assert verdict(("v", 2, -0.9, 2.0)) == "differ"
    silent = scene_of(Settings(normalizer="relu"))
    assert spoken_importance.verdict(importance(silent.trace.head(0), 0)) == "nothing"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_sentence_says_only_the_largest(language):
    scene = scene_of(Settings(sentence=" ".join(["saw", "we", "a"] * 8)), language)
    found = importance(scene.trace.head(0), 1)
    assert len(spoken_importance.say_importance(scene, found, words(language))) < 200
