"""The code of the questions of Matrices runs as it stands and gives what the page shows."""

from dataclasses import replace

import numpy as np
import pytest

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.attention.axes import shares
from attnviz.figures import code_matrices as code
from attnviz.lessons.counting import counted, learned
from attnviz.lessons.ladder import RUNGS, rung
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from tests.figures.test_code import run

t = words("en")
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
CROWD = {"n_heads": 4, "n_kv_heads": 2, "w_source": "random", "d_k": 2, "head": 3}
CHOICES = [
    *({"normalizer": name} for name in NORMALIZERS),
    *({"mask": name} for name in MASKS),
    *({"positions": name} for name in (*POSITIONS, "example")),
    *({"score": name} for name in SCORES),
    {"mask": "custom", "cells": ("1010", "0000", "0110", "1110")},
    {"temperature": 0},
    {"temperature": 0.3, "scale": "sqrt_d_k"},
    {"sentence": "saw"},
]


def scenes(chosen):
    return scene_of(Settings(**chosen)), scene_of(Settings(**(CROWD | chosen)))


@pytest.mark.parametrize("write", [code.axis_numpy, code.axis_package])
@pytest.mark.parametrize("axis", ["key", "query"])
@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_the_axis_code_gives_weights_and_outputs(chosen, axis, write):
    for scene in scenes(chosen):
        names = run(write(scene, axis, t))
        expected = shares(scene.trace.head(scene.head), axis)
        np.testing.assert_allclose(names["weights"], expected.weights, **CLOSE)
        np.testing.assert_allclose(names["output"], expected.output, **CLOSE)


@pytest.mark.parametrize("write", [code.together_numpy, code.together_package])
@pytest.mark.parametrize("positions", [name for name in POSITIONS if name != "shaw"])
def test_two_loops_and_one_product_give_the_same_scores(positions, write):
    for scene in scenes({"positions": positions}):
        names = run(write(scene, t))
        np.testing.assert_allclose(names["one_by_one"], scene.trace.scores[scene.head], **CLOSE)
        np.testing.assert_allclose(names["scores"], scene.trace.scores[scene.head], **CLOSE)
        assert names["difference"] < 1e-12


@pytest.mark.parametrize("write", [code.counting_numpy, code.counting_package])
@pytest.mark.parametrize("positions", POSITIONS)
def test_the_counter_code_counts_what_the_page_counts(positions, write):
    for score in SCORES:
        scene = scenes({"positions": positions, "score": score})[1]
        counts = counted(scene.trace, positions)
        assert run(write(scene, counts, t))["total"] == learned(counts)


@pytest.mark.parametrize("write", [code.ladder_numpy, code.ladder_package])
@pytest.mark.parametrize("name", RUNGS)
def test_the_code_of_a_rung_gives_its_weights_and_outputs(name, write):
    looks = name in ("scores", "projected")
    for chosen in CHOICES if looks else ({}, {"positions": "sinusoidal"}, {"sentence": "saw"}):
        scene = scenes(chosen)[1]
        names = run(write(scene, name, t))
        expected = rung(scene.trace, scene.head, name)
        np.testing.assert_allclose(names["weights"], expected.weights, **CLOSE)
        np.testing.assert_allclose(names["output"], expected.output, **CLOSE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_token_cannot_leave_its_comment(language):
    tokens = ("a\nraise SystemExit", "'''", '"""\r', "{x}")
    scene = replace(scene_of(Settings()), tokens=tokens)
    say = words(language)
    for write in (code.axis_numpy, code.axis_package):
        run(write(scene, "query", say))
    for name in RUNGS:
        run(code.ladder_numpy(scene, name, say))
        run(code.ladder_package(scene, name, say))
