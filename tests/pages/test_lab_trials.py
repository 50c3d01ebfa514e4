"""Four questions of the Lab by Streamlit's own test runner: masks, √d, temperatures, dropout."""

from functools import partial
from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention import MASKS, NORMALIZERS
from attnviz.lessons.dropout import RESCALINGS
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.leaks import leaks
from attnviz.lessons.scaling import WIDTHS
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import number
from attnviz.ui.rooms.lab import PANELS
from attnviz.ui.rooms.lab.presets import PRESETS
from tests.pages.reading import asked, linked, parts, payloads, said

PAGE = "lab.py"
OWN = ("scaling", "temperatures", "painter", "dropout")
t = words("en")
shown = partial(asked, PAGE)


def test_every_question_stands_in_its_order():
    names = ("bench", "scaling", "temperatures", "normalizers", "score_functions")
    assert tuple(PANELS) == (*names, "painter", "importance", "dropout")


@pytest.mark.parametrize(("panel", "language"), list(product(OWN, LANGUAGES)))
def test_every_question_opens_in_every_language_and_notation(panel, language):
    for notation in ("row", "column"):
        app = shown(panel, lang=language, notation=notation, mask="causal")
        question = words(language)(f"{panel}.question")
        if notation == "row":
            assert question in said(app)
        assert app.get("bidi_component")


LINKS = [
    {"norm": "sigmoid", "mask": "causal"},
    {"norm": "relu_sum", "mask": "causal"},
    {"norm": "topk", "pos": "shaw"},
    {"score": "additive", "pos": "alibi"},
    {"temp": "0"},
    {"w": "random", "dk": "5", "dv": "3", "d": "4"},
    {"heads": "4", "kv": "2", "w": "random", "head": "3"},
    {"text": "saw"},
    {"text": " ".join(["saw", "we", "the"] * 10), "mask": "causal"},
    {"mask": "custom", "cells": "1000.0000.1011.0110", "q": "1"},
    {"mask": "custom", "cells": "0000.0000.0000.0000", "norm": "hardmax"},
    {"in": "1e5,0;0,1e5;3,4", "mask": "causal"},
    {"text": "<b>x</b> *y* $z$ `w`", "mask": "block"},
    {"present": "1", "mask": "window"},
]


@pytest.mark.parametrize("panel", OWN)
@pytest.mark.parametrize("link", LINKS, ids=str)
def test_every_question_makes_sense_of_any_input(panel, link):
    shown(panel, **link)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_question_takes_every_example(example):
    for panel in OWN:
        shown(panel, ex=example, mask="causal")


# --- The mask ---


def ways(app: AppTest) -> list[dict]:
    return [table for part in parts(app) for table in part.get("tables", ())]


def test_the_leak_of_the_causal_mask_is_shown():
    app = shown("painter", mask="causal", q="0")
    masked, zero, after = ways(app)
    assert masked["cells"][0] == ["1.00", "0.00", "0.00", "0.00"]
    assert zero["cells"][0] == ["0.02", "0.33", "0.33", "0.33"]
    assert [tail[0][1] for tail in zero["tails"][1:]] == ["98.4 %", "63.8 %", "1.2 %", "0 %"]
    assert [tail[0][1] for tail in after["tails"][1:]] == ["0.04", "0.23", "0.92", "1"]
    assert t("painter.zero_says", row=1, token="I", share="98.4 %") in said(app)
    assert "3 ÷ (0.05 + 3) = 98.4 %" in payloads(app)[-1]


@pytest.mark.parametrize("mask", MASKS)
def test_every_mask_is_painted(mask):
    assert any("look" in part for part in parts(shown("painter", mask=mask, norm="sparsemax")))


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_every_normalizer_can_leak_or_not(normalizer):
    said_of_zero = said(shown("painter", mask="causal", norm=normalizer))
    leaks_ = leaks(scene_of(Settings(mask="causal", normalizer=normalizer)).trace.head(0))
    assert (t("painter.no_leak") in said_of_zero) == (leaks_.leaked.max() == 0)


def test_nobody_hidden_says_what_to_do():
    assert t("painter.nobody_hidden") in said(shown("painter"))


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_set_marked_and_painted(preset):
    app = shown("painter")
    app.segmented_control(key="painter.preset").set_value(preset).run()
    assert not app.exception
    assert app.segmented_control(key="painter.preset").value == preset
    mask = {"others": "custom"}.get(preset, preset)
    assert linked(app, "mask", "everyone") == mask
    chosen = {"mask": mask, "cells": ("0111", "1011", "1101", "1110")} if preset == "others" else {}
    allowed = leaks(scene_of(Settings(**(chosen or {"mask": mask}))).trace.head(0)).allowed
    drawn = next(part["cells"] for part in parts(app) if "look" in part)
    assert drawn == ["".join("01"[int(cell)] for cell in row) for row in allowed]


def test_the_number_of_a_mask_is_turned_and_a_wrong_one_is_refused():
    app = shown("painter", mask="window")
    app.number_input(key="painter.number").set_value(2).run()
    assert linked(app, "radius") == "2"
    app.number_input(key="painter.number").set_value(-3).run()
    refused = t("error.setting.out_of_range", name=t("drawer.radius"), least=0, most=64, got=-3)
    assert refused in app.error[0].value.replace("\\", "")
    assert linked(app, "radius") == "2"


@pytest.mark.parametrize(("mask", "field"), [("window", "radius"), ("block", "block")])
def test_a_mask_wider_than_the_sequence_says_that_it_hides_nobody(mask, field):
    app = shown("painter", mask=mask, **{field: "9"})
    assert t("painter.too_wide", value=9, n_tokens=4) in said(app)
    app = shown("painter", mask="causal_window", radius="9")
    assert t("painter.as_causal", value=9, n_tokens=4) in said(app)


def test_a_row_that_may_see_nobody_is_named():
    app = shown("painter", mask="custom", cells="1111.0000.1111.0000", q="1")
    assert t("painter.empty", rows="2, 4").strip() in said(app)
    assert "100 %" in payloads(app)[-1]


def test_weights_that_do_not_add_up_are_not_called_shares():
    app = shown("painter", mask="causal", norm="sigmoid")
    assert "%" not in payloads(app)[-1]
    assert t("painter.raw_same", difference="0").strip() in said(app)


# --- √d ---


def test_the_width_is_the_panels_number_and_another_number_counts_as_none():
    for amount, width in (("512", 512), ("3", 16), ("-1", 16), ("0.2", 16)):
        app = shown("scaling", amount=amount)
        assert app.select_slider(key="scaling.width").value == width
    app.select_slider(key="scaling.width").set_value(64).run()
    assert linked(app, "amount") == "64"
    assert app.select_slider(key="scaling.width").options == list(map(str, WIDTHS))


def test_which_d_is_shown_for_a_head_of_16_and_for_ones_own():
    app = shown("scaling")
    table = next(
        part["tables"][0] for part in parts(app) if part["label"] == t("scaling.which_title")
    )
    assert table["rows"] == ["16 / 64", t("scaling.yours", sizes="2 / 3")]
    root, model, none = map(float, table["cells"][0])
    assert (abs(root - 1) < 0.03, abs(model - 0.5) < 0.02, abs(none - 4) < 0.1) == (True,) * 3


def test_ones_own_largest_weights_are_those_of_both_scales():
    app = shown("scaling")
    table = next(
        part["tables"][0] for part in parts(app) if part["label"] == t("scaling.own_title")
    )
    for place, scale in ((0, "none"), (1, "sqrt_d_k")):
        weights = scene_of(Settings(scale=scale)).trace.head(0).weights
        column = [row[place] for row in table["cells"]]
        assert column == [number(weight, 2) for weight in weights.max(axis=1)]


# --- Temperatures ---


def test_only_one_of_the_two_temperatures_moves_the_map():
    app = shown("temperatures")
    before = [part for part in payloads(app) if t("see.weights_title") in part]
    app.select_slider(key="temperatures.sampling").set_value(0.25).run()
    assert linked(app, "amount") == "0.25"
    assert "temp" not in app.query_params
    assert [part for part in payloads(app) if t("see.weights_title") in part] == before
    app.select_slider(key="temperatures.attention").set_value(4.0).run()
    assert linked(app, "temp") == "4"
    assert linked(app, "amount") == "0.25"
    assert [part for part in payloads(app) if t("see.weights_title") in part] != before


def test_a_typed_temperature_stands_among_the_listed_ones():
    app = shown("temperatures", temp="0.3", amount="0.7")
    assert app.select_slider(key="temperatures.attention").value == 0.3
    assert app.select_slider(key="temperatures.sampling").value == 0.7


def test_normalizers_without_a_limit_are_not_offered_0():
    assert shown("temperatures").select_slider(key="temperatures.attention").options[0] == "0"
    app = shown("temperatures", norm="sigmoid")
    assert app.select_slider(key="temperatures.attention").options[0] == "0.1"


def test_a_temperature_below_0_in_a_link_is_said_and_1_is_shown():
    app = shown("temperatures", amount="-2")
    assert t("temperatures.unusable", got="−2", most="1000") in said(app)
    assert app.select_slider(key="temperatures.sampling").value == 1


# --- Dropout ---


def test_the_share_that_is_dropped_is_the_panels_number():
    app = shown("dropout")
    assert app.number_input(key="dropout.share").value == 0.2
    app.number_input(key="dropout.share").set_value(0.5).run()
    assert linked(app, "amount") == "0.5"
    table = parts(app)[-1]["tables"][0]
    assert [row[0] for row in table["cells"]] == ["2.00", "2.00", "1.00"]
    assert len(table["rows"]) == len(RESCALINGS)


@pytest.mark.parametrize("share", [1.0, 1.5, -0.1])
def test_a_share_outside_0_to_1_is_refused_and_nothing_is_lost(share):
    app = shown("dropout", amount="0.3")
    app.number_input(key="dropout.share").set_value(share).run()
    assert t("error.dropout.share", got=number(share)) in app.error[0].value.replace("\\", "")
    assert linked(app, "amount") == "0.3"
    app.number_input(key="dropout.share").set_value(0.4).run()
    assert not app.error


def test_a_share_outside_0_to_1_in_a_link_is_said():
    app = shown("dropout", amount="1.5")
    assert t("error.dropout.share", got="1.50") in said(app)
    assert app.number_input(key="dropout.share").value == 0.2


def test_another_draw_is_in_the_link():
    app = shown("dropout")
    before = payloads(app)
    next(button for button in app.button if button.label == t("dropout.again")).click().run()
    assert linked(app, "draw") == "1"
    assert payloads(app) != before
    assert t("dropout.draw", draw=2) in said(app)


def test_the_slip_is_seen_at_a_fifth():
    table = parts(shown("dropout"))[-1]["tables"][0]
    assert [row[1] for row in table["cells"]] == ["1.00", "4.00", "0.80"]
    assert [row[3] for row in table["cells"]] == ["1.00", "1.00", "0.50"]
