"""The page Heads by Streamlit's own test runner: every question, in every language and case."""

from functools import partial
from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.lessons.challenges import TARGETS
from attnviz.scene import scene_of
from attnviz.settings import JOININGS, WIRINGS, Settings
from attnviz.text import LANGUAGES, words
from attnviz.ui.rooms.heads import PANELS, design
from tests.pages.reading import asked, opened, payloads, said

PAGE = "heads.py"
TWO = {"ex": "two_heads", "pos": "example"}
OTHERS = ("thinking_machines", "raschka_journey", "pronoun")
t = words("en")
shown = partial(asked, PAGE)


def started(**link: str) -> AppTest:
    """Open the challenge where every target can be reached."""
    fresh = design.fresh(Settings(), scene_of(Settings()))
    return shown("challenge", **fresh.to_query(), **link)


@pytest.mark.parametrize(("panel", "language"), list(product(PANELS, LANGUAGES)))
def test_every_question_opens_in_every_language(panel, language):
    app = shown(panel, lang=language)
    own = words(language)
    assert own(f"{panel}.question") in [part.value for part in app.subheader]
    assert app.get("bidi_component")


@pytest.mark.parametrize(("panel", "example"), list(product(PANELS, OTHERS)))
def test_other_examples_open_in_every_question(panel, example):
    shown(panel, ex=example)


CASES = {
    "one token": {"text": "saw"},
    "one token, two heads": {"text": "saw", "heads": "2"},
    "thirty tokens": {"text": " ".join(f"w{place % 17}" for place in range(30)), "heads": "3"},
    "eight heads": {"heads": "8", "w": "random"},
    "shared keys": {"heads": "4", "kv": "2", "mask": "causal"},
    "nothing to see": {"mask": "custom", "cells": "1000.0000.0010.0001", "heads": "2"},
    "no shares": {"norm": "relu", "heads": "2", "score": "additive"},
    "turned": {"pos": "rotary", "heads": "2", "notation": "column"},
    "by distance": {"pos": "shaw", "heads": "2", "score": "bilinear"},
    "sloping": {"pos": "alibi", "heads": "3", "notation": "column"},
    "wide": {"d": "16", "dk": "16", "dv": "16", "heads": "8"},
    "narrow": {"d": "1", "dk": "1", "dv": "1", "heads": "2"},
    "markup": {"tok": "<b>|*x*|$y$|*x*", "heads": "2"},
    "presented": {"present": "1", **TWO},
}


@pytest.mark.parametrize(("panel", "case"), list(product(PANELS, CASES)))
def test_every_question_makes_sense_of_every_input(panel, case):
    app = opened(PAGE, panel=panel, lang="zh-Hant", **CASES[case])
    assert not app.error
    refused = panel == "wirings" and case in ("narrow", "wide")
    assert bool(app.warning) <= refused


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("drop", ["", "0", "0,1", "7"])
def test_every_joining_opens_with_any_heads_left_out(joining, drop):
    app = shown("joining", join=joining, drop=drop, **TWO)
    left_out = drop in ("0", "0,1")
    assert (t("joining.others", difference="0") in said(app)) == left_out
    assert t("joining.adds_up", difference="0") in said(app)


@pytest.mark.parametrize("wiring", WIRINGS)
def test_one_large_w_differs_by_0_and_a_slice_does_not(wiring):
    text = said(shown("wirings", wiring=wiring, **TWO))
    assert t("wirings.apart", how=t("wirings.split"), maps="0", outputs="0") in text
    assert t("wirings.apart", how=t("wirings.slice"), maps="0", outputs="0") not in text


def test_more_heads_than_numbers_cannot_slice_and_a_sentence_says_so():
    app = opened(PAGE, panel="wirings", lang="en", wiring="slice", heads="4")
    expected = t("error.heads.no_slice", n_heads=4, d_model=3)
    assert [warning.value.replace("\\", "") for warning in app.warning] == [expected]


def test_one_head_is_offered_company():
    app = shown("every_head")
    assert t("every_head.alone") in said(app)
    app.button(key="stage.take").click().run()
    assert not app.exception
    assert app.query_params["ex"] == "two_heads"
    assert "0.91" in payloads(app)[0]
    assert t("every_head.alone") not in said(app)


def test_the_slider_adds_heads():
    app = shown("every_head")
    app.slider(key="every_head.n_heads").set_value(3).run()
    assert not app.exception
    assert app.query_params["heads"] == "3"


def test_the_two_saws_are_told_apart_by_position_alone():
    app = shown("two_saws")
    names = {"i": "b₂", "j": "b₄"}
    assert t("two_saws.same", head=1, **names) in said(app)
    assert t("two_saws.differ", head=2, difference="1.28", **names) in said(app)
    assert t("two_saws.wraps", key=4, token="saw", weight="0.91", period=4) in said(app)
    off = shown("two_saws", amount="0")
    assert t("two_saws.same", head=2, **names) in said(off)
    assert t("two_saws.for_all", head=2, output="(−0.25, 1.75)") in said(off)


def test_a_kind_of_word_is_named_in_the_language_of_the_sentence():
    kinds = words("zh-Hant")
    text = said(shown("two_saws", lang="zh-Hant"))
    assert kinds("two_saws.kind.pronoun") in text
    assert kinds("two_saws.kind.verb") in text
    assert t("two_saws.kind.determiner") in said(shown("two_saws"))


@pytest.mark.parametrize(
    ("width", "heads", "total"), [("4", "1", 64), ("4", "2", 64), ("8", "4", 256)]
)
def test_parameters_are_counted_for_any_width(width, heads, total):
    app = shown("head_count", width=width, amount=heads)
    assert t("head_count.same", total=total) in said(app)


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Choose one of the segments of a question."""
    control = next(part for part in app.get("button_group") if part.key == key)
    control.set_value(value).run()
    assert not app.exception
    return app


def test_heads_that_do_not_divide_the_width_are_refused_with_a_sentence():
    app = choose(shown("head_count"), "head_count.heads", 3)
    expected = t("error.heads.not_dividing", n_heads=3, d_model=4, known="1, 2, 4")
    assert [expected in error.value.replace("\\", "") for error in app.error] == [True]
    assert "amount" not in app.query_params


def test_sets_that_do_not_divide_the_heads_are_refused_with_a_sentence():
    app = choose(shown("sharing", heads="4"), "sharing.n_kv_heads", 3)
    expected = t("error.heads.not_shared_evenly", n_heads=4, n_kv_heads=3)
    assert [expected in error.value.replace("\\", "") for error in app.error] == [True]
    choose(app, "sharing.n_kv_heads", 1)
    assert not app.error
    assert app.query_params["amount"] == "1"


def test_sharing_starts_from_the_sets_that_the_layer_has():
    own = {"heads": "4", "d": "4", "w": "random", "seed": "3"}
    for sets in (1, 2):
        app = shown("sharing", kv=str(sets), **own)
        assert app.get("button_group")
        assert t("sharing.kept", n_kv=sets, n=4, d_k=2, d_v=2, cache=sets * 16) in said(app)
    assert t("sharing.kept", n_kv=1, n=4, d_k=2, d_v=2, cache=16) in said(
        shown("sharing", kv="2", amount="1", **own)
    )


def test_the_choices_of_a_question_are_in_the_link():
    app = choose(shown("joining", **TWO), "joining.how", "average")
    choose(app, "joining.dropped", [1])
    assert app.query_params["join"] == "average"
    assert app.query_params["drop"] == "1"
    app = choose(shown("wirings", **TWO), "wirings.how", "slice")
    assert app.query_params["wiring"] == "slice"
    app = choose(shown("head_count"), "head_count.d_model", 8)
    assert app.query_params["width"] == "8"


@pytest.mark.parametrize("target", TARGETS)
def test_the_hints_end_in_a_solution_and_other_solutions_count(target):
    app = started(target=target)
    solved = t("challenge.solved", distance="#", solved="0.10").split("#")[0]
    for _ in range(2):
        app.button(key="challenge.hint").click().run()
    for hint in (1, 2):
        assert t(f"challenge.hint.{target}.{hint}") in said(app)
    app.button(key="challenge.solve").click().run()
    assert not app.exception
    assert solved in app.get("progress")[0].proto.text
    app.button(key="challenge.turn").click().run()
    assert not app.exception
    assert solved in app.get("progress")[0].proto.text


def test_the_challenge_starts_with_a_click_and_undo_brings_the_input_back():
    app = shown("challenge")
    assert t("challenge.equal", first=2, second=4) in said(app)
    app.button(key="challenge.start").click().run()
    assert not app.exception
    assert t("challenge.equal", first=2, second=4) not in said(app)
    assert app.query_params["wq"] == "0,0;0,0;0,0;0,0;0,0"
    app.button(key="undo").click().run()
    assert not app.exception
    assert "wq" not in app.query_params


def test_another_target_starts_with_no_hint():
    app = started()
    app.button(key="challenge.hint").click().run()
    assert app.query_params["amount"] == "1"
    choose(app, "challenge.target", "first")
    assert "amount" not in app.query_params
    assert app.query_params["target"] == "first"


def test_a_mask_that_hides_the_target_says_so():
    app = shown("challenge", mask="causal", target="next")
    assert t("challenge.hidden") in said(app)
    assert t("challenge.hidden") not in said(shown("challenge", mask="causal"))


def test_one_token_has_no_neighbour_to_attend_to():
    app = opened(PAGE, panel="challenge", lang="en", text="saw")
    assert [part.value for part in app.info] == [t("challenge.too_short")]
