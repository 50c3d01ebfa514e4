"""What the page Heads draws and writes: who reads which set, and code that gives its numbers."""

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

from attnviz.figures import code_heads
from attnviz.figures.heads import sharing_lines, sharing_lines_alt
from attnviz.figures.spoken_heads import say_heads
from attnviz.lessons.challenges import TARGETS, judge, target_of
from attnviz.lessons.equal_words import apart
from attnviz.lessons.head_count import count, even_heads
from attnviz.lessons.joining import join
from attnviz.lessons.sharing import divisors, shared
from attnviz.lessons.twins import twins
from attnviz.lessons.wirings import sliced
from attnviz.scene import Scene, scene_of
from attnviz.settings import JOININGS, Settings
from attnviz.text import LANGUAGES, words

FORMS = ("numpy", "package")
LAYERS = (
    {"example": "two_heads", "positions": "example"},
    {"n_heads": 4, "n_kv_heads": 2, "w_source": "random", "mask": "causal", "positions": "alibi"},
    {"n_heads": 2, "w_source": "identity", "normalizer": "relu", "scale": "sqrt_d_k"},
)


def run(code: str) -> dict:
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(code, "<panel>", "exec"), names)
    return names


def scenes() -> list[Scene]:
    return [scene_of(Settings(**chosen)) for chosen in LAYERS]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("dropped", [(), (1,), (0, 1)])
def test_the_code_joins_the_heads_as_the_panel_does(form, joining, dropped):
    for scene in scenes():
        made = run(code_heads.joined(scene, joining, dropped, words("en"), form))
        expected = join(scene.trace, joining, dropped).output
        np.testing.assert_allclose(made["joined"], expected, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_the_code_says_how_far_two_words_are_apart(form):
    scene = scenes()[0]
    pair = twins(scene.inputs, scene.trace.output)
    assert pair is not None
    made = run(code_heads.twins_apart(scene, pair, words("zh-Hant"), form))
    np.testing.assert_allclose(made["apart"], apart(scene.trace, pair), atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_the_code_cuts_one_large_w_and_finds_no_difference(form):
    for scene in scenes()[::2]:
        made = run(code_heads.cut(scene, words("en"), form))
        np.testing.assert_allclose(made["apart"], 0, atol=1e-12)
        np.testing.assert_allclose(made["output"], scene.trace.output, atol=1e-11)


def test_the_package_cuts_shared_heads_too():
    made = run(code_heads.cut(scenes()[1], words("en"), "package"))
    assert made["apart"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_the_code_gives_sliced_and_shared_layers(form):
    for change in (sliced, lambda w: shared(w, 1)):
        for scene in scenes():
            if scene.projections.d_model < scene.projections.n_heads:
                continue
            other = replace(scene, projections=change(scene.projections))
            made = run(code_heads.layer(other, words("en"), form))
            np.testing.assert_allclose(made["output"], other.trace.output, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_the_code_counts_the_parameters(form, n_heads):
    scene = scene_of(
        Settings(d_model=4, n_heads=n_heads, d_k=4 // n_heads, d_v=4 // n_heads, w_source="random")
    )
    scene = replace(scene, projections=even_heads(4, n_heads, 0))
    made = run(code_heads.counted(scene, words("en"), form))
    assert made["parameters"] == count(scene.projections, 4).total == 64


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TARGETS)
def test_the_code_measures_the_distance_to_a_target(form, name):
    for scene in scenes():
        target = target_of(name, scene.tokens)
        made = run(code_heads.distance(scene, target, words("en"), form))
        expected = judge(scene.trace.weights[scene.head], target).distance
        np.testing.assert_allclose(made["distance"], expected, atol=1e-12)


@pytest.mark.parametrize("n_heads", [1, 2, 4, 6])
def test_a_line_leads_from_each_head_to_its_set(n_heads):
    for sets in divisors(n_heads):
        figure = sharing_lines(n_heads, sets, words("en"), head=n_heads - 1)
        lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
        boxes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
        assert len(lines) == n_heads
        assert len(boxes) == n_heads + sets
        share = n_heads // sets
        centres = [(box.x0 + box.x1) / 2 for box in boxes if box.line.dash == "dash"]
        assert [line.x1 for line in lines] == [centres[head // share] for head in range(n_heads)]
        assert [line.line.width == 3 for line in lines] == [False] * (n_heads - 1) + [True]


def test_the_drawing_is_said_in_words():
    assert sharing_lines_alt(4, 2, words("en")) == (
        "head 1 reads set 1; head 2 reads set 1; head 3 reads set 2; head 4 reads set 2"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_head_says_whom_it_gives_most(language):
    scene = scene_of(Settings(**LAYERS[0]), language)
    said = say_heads(scene, words(language))
    assert "0.56" in said
    assert "0.91" in said
    assert scene.tokens[0] in said


def test_a_head_that_sees_nothing_says_so():
    scene = scene_of(Settings(mask="custom", cells=("1000", "0000", "0010", "0001")))
    assert "gives nothing" in say_heads(scene, words("en"))
