"""The plane on Step by step and in Lab: what the page sends, keeps, and puts back."""

import json

import pytest
from numpy.testing import assert_allclose

from attnviz.lessons.importance import importance
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from tests.pages.reading import opened

PANEL = {"panel": "importance"}


def planes(app) -> list[dict]:
    """Give what each plane of the page is to draw."""
    sent = [json.loads(part.proto.bytes) for part in app.get("bidi_component")]
    return [data for data in sent if "planes" in data]


def button(app, label: str):
    return next(one for one in app.button if one.label == label)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_panel_opens_in_every_language(language):
    app, t = opened("lab.py", lang=language, **PANEL), words(language)
    assert t("importance.title") in [title.value for title in app.subheader]
    (plane,) = planes(app)
    assert plane["columns"] == ["weights", "lengths", "effects"]
    assert sorted(plane["tips"]) == ["v0", "v1", "v2", "v3"]
    found = importance(scene_of(Settings()).trace.head(0), 1)
    assert_allclose(plane["row"]["without"], found.without)


def test_the_heaviest_value_is_put_where_it_changes_nothing_and_back():
    app, t = opened("lab.py", lang="en", **PANEL), words("en")
    button(app, t("importance.put", name="v₃")).click().run()
    assert_allclose(planes(app)[0]["tips"]["v2"], [-0.873, 2], atol=5e-4)
    assert "".join(app.query_params["move"]).startswith("v2:")
    said = " ".join(text.value for text in app.markdown)
    assert t("importance.token", token="a", place=3) in said.replace("\\", "")
    assert "0.56" in said
    button(app, t("plane.put_back")).click().run()
    assert planes(app)[0]["tips"]["v2"] == [0, 1]
    assert "move" not in app.query_params


def test_the_slider_is_the_temperature_of_the_settings():
    app = opened("lab.py", lang="en", temp="0", **PANEL)
    (plane,) = planes(app)
    assert plane["row"]["output"] == [0, 1]
    assert plane["law"]["normalizer"] == "hardmax"
    app.select_slider[0].set_value(4).run()
    assert "".join(app.query_params["temp"]) == "4"


@pytest.mark.parametrize(
    "link",
    [
        {"dv": "3"},
        {"text": "saw"},
        {"text": " ".join(["saw", "we"] * 15)},
        {"heads": "2", "w": "random", "dv": "2"},
        {"norm": "relu", "q": "0"},
        {"norm": "entmax15"},
        {"norm": "sigmoid"},
        {"pos": "shaw"},
        {"mask": "causal", "q": "0"},
        {"notation": "column"},
        {"present": "1"},
        {"move": "v2:1,1;v60:1,1;q1:3,3"},
    ],
    ids=str,
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_input_opens(link, language):
    app = opened("lab.py", lang=language, **PANEL, **link)
    assert not app.warning
    assert not app.error
    (plane,) = planes(app)
    assert plane["columns"]


def test_the_steps_have_their_arrows_and_moved_ones_change_nothing_else():
    still, moved = (opened("steps.py", lang="en", **link) for link in ({}, {"move": "k0:1,-1"}))
    scores, sums = planes(moved)
    assert sorted(scores["tips"]) == ["k0", "k1", "k2", "k3", "q1", "v0", "v1", "v2", "v3"]
    assert sorted(sums["tips"]) == ["v0", "v1", "v2", "v3"]
    expected = scene_of(Settings()).dragged((("k", 0, 1.0, -1.0),), 0)
    assert scores["row"]["scores"] == expected.scores[1].tolist()
    assert sums["row"]["weights"] == expected.weights[1].tolist()
    figures = [[chart.proto.spec for chart in app.get("plotly_chart")] for app in (still, moved)]
    assert figures[0] == figures[1]


def test_relative_positions_move_the_arrows_that_are_drawn():
    app = opened("steps.py", lang="en", pos="shaw", move="k0:1,-1")
    head = scene_of(Settings(positions="shaw")).dragged((("k", 0, 1.0, -1.0),), 0)
    scores = planes(app)[0]
    assert head.relative_key is not None
    assert_allclose(scores["tips"]["k0"], head.key[0] + head.relative_key[1, 0])
    assert scores["names"]["k0"] == "k₁ + r"


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_two_features_a_sentence_says_why_there_is_no_plane(language):
    app, t = opened("steps.py", lang=language, dk="3", dv="3"), words(language)
    captions = [caption.value for caption in app.caption]
    for name in ("d_k", "d_v"):
        assert t("plane.needs", name=name, got=3) in captions
    assert planes(app) == []


def test_whoever_predicts_sees_no_plane_that_tells_the_answer():
    assert planes(opened("steps.py", lang="en", predict="1")) == []
