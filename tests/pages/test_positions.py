"""The page Positions: every question in both languages, with every code, and what links restore."""

from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention import MASKS, POSITIONS
from attnviz.text import LANGUAGES, words
from tests.pages import reading
from tests.pages.reading import payloads, said

PANELS = ("lamp", "shuffle", "adding", "codes", "rotation", "combining", "wrap")
t = words("en")
opened = partial(reading.opened, "positions.py", lang="en")


def lamp(app: AppTest) -> str:
    return next(text.value for text in app.markdown if text.value.startswith("# "))


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def button(app: AppTest, key: str, **values: object):
    return next(found for found in app.button if found.label == t(key, **values))


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_opens_in_every_language(panel, language):
    app = opened(panel=panel, lang=language)
    asked = words(language)(f"{panel}.question")
    assert next(head.value for head in app.subheader) == asked
    assert payloads(app)
    assert not app.warning
    assert not app.error


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("code", POSITIONS)
def test_every_question_makes_sense_with_every_code(panel, code):
    app = opened(panel=panel, pos=code, heads="2", mask="causal", notation="column")
    assert not app.warning
    assert not app.error


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("example", ["two_heads", "thinking_machines", "pronoun"])
def test_every_question_makes_sense_with_every_example(panel, example):
    app = opened(panel=panel, ex=example)
    assert not app.warning
    assert not app.error


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("n_tokens", [1, 13, 30])
def test_every_question_makes_sense_for_any_length(panel, n_tokens):
    text = " ".join(["saw", "we"][place % 2] for place in range(n_tokens))
    assert not opened(panel=panel, text=text, pos="sinusoidal").error


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("d_k", ["1", "3"])
def test_odd_widths_open(panel, d_k):
    assert not opened(panel=panel, dk=d_k, norm="relu").error


def test_the_first_question_is_the_lamp_and_it_is_off():
    app = opened()
    assert "b₂ = b₄" in lamp(app)
    assert "light_off" in lamp(app)
    assert "‖b₂ − b₄‖ = **0**" in said(app)


@pytest.mark.parametrize("link", [{"pos": "sinusoidal"}, {"mask": "causal"}, {"mask": "graph"}])
def test_positions_and_masks_light_the_lamp(link):
    assert "b₂ ≠ b₄" in lamp(opened(**link))


def test_the_lamp_names_what_it_was_tried_with():
    app = opened(scale="sqrt_d_k", heads="2")
    tried = t("say.comma").join([t("lamp.heads"), t("lamp.scale")])
    assert t("lamp.did_nothing", tried=tried) in said(app)
    assert "o₂ = o₄" in lamp(app)


def test_the_difference_map_needs_a_code():
    assert t("lamp.no_code") in said(opened())
    changed = opened(pos="sinusoidal")
    assert t("lamp.no_code") not in said(changed)
    assert any('"ΔA′' in payload for payload in payloads(changed))


def test_a_sentence_without_a_repeated_word_says_so_and_offers_the_hero():
    app = opened(text="we saw a cat")
    assert t("lamp.no_pair") in said(app)
    assert t("lamp.no_twin") in payloads(app)[0]
    button(app, "lamp.to_hero").click().run()
    assert "b₂ = b₄" in lamp(app)


def test_trying_switches_the_settings():
    app = opened()
    pills = app.get("button_group")[-1]
    pills.set_value(["sinusoidal", "scale"]).run()
    assert app.query_params["pos"] == "sinusoidal"
    assert app.query_params["scale"] == "sqrt_d_k"
    pills = app.get("button_group")[-1]
    pills.set_value(["sinusoidal", "scale", "rotary"]).run()
    assert app.query_params["pos"] == "rotary"
    assert not app.exception


def test_a_trial_that_cannot_be_made_is_refused_in_a_sentence():
    app = opened(dk="3")
    app.get("button_group")[-1].set_value(["rotary"]).run()
    assert [t("error.positions.rotary_odd", d_k=3) in e.value.replace("\\", "") for e in app.error]
    assert "pos" not in app.query_params
    assert "b₂ = b₄" in lamp(app)


def test_a_shuffled_link_moves_every_output_with_its_token():
    app = opened(panel="shuffle", order="3,1,0,2")
    shown = metrics(app)
    assert shown[t("shuffle.along")] == t("shuffle.of", count=4, n=4)
    assert "×10⁻" in shown[t("shuffle.length")]
    assert t("shuffle.equivariant") in said(app)


@pytest.mark.parametrize("link", [{"pos": "sinusoidal"}, {"mask": "causal"}])
def test_a_shuffled_link_with_positions_or_a_mask_does_not(link):
    app = opened(panel="shuffle", order="3,1,0,2", **link)
    assert metrics(app)[t("shuffle.along")] == t("shuffle.of", count=0, n=4)
    assert t("shuffle.equivariant") not in said(app)


def test_a_graph_that_travels_is_compared_too():
    assert t("shuffle.row_travels") in said(opened(panel="shuffle", order="3,1,0,2", mask="graph"))
    assert t("shuffle.row_travels") not in said(opened(panel="shuffle", order="3,1,0,2"))


def test_ties_that_prefer_the_first_are_named():
    app = opened(panel="shuffle", norm="topk", top="1", order="2,1,0,3")
    assert t("shuffle.by_ties", normalizer=t("normalizer.topk")) in said(app)


def test_an_order_that_is_none_counts_as_they_stand():
    app = opened(panel="shuffle", order="0,0,1,2")
    assert t("shuffle.not_yet") in said(app)


def test_the_button_shuffles_and_brings_back():
    app = opened(panel="shuffle")
    button(app, "shuffle.shuffle").click().run()
    first = app.query_params["order"]
    button(app, "shuffle.shuffle").click().run()
    assert app.query_params["order"] != first
    button(app, "shuffle.as_they_stood").click().run()
    assert "order" not in app.query_params


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("1", "(0, 1, 1) + (0.84, 0.54, 0.00) = (0.84, 1.54, 1.00)"),
        ("3", "(0, 1, 1) + (0.14, −0.99, 0.01) = (0.14, 0.01, 1.01)"),
    ],
)
def test_the_digits_of_a_plus_e(query, line):
    for link in ({}, {"pos": "sinusoidal"}):
        assert line in payloads(opened(panel="adding", q=query, **link))[0]


def test_what_is_only_shown_can_be_switched_on():
    app = opened(panel="adding")
    button(app, "adding.switch_on").click().run()
    assert app.query_params["pos"] == "sinusoidal"
    assert not [found for found in app.button if found.label == t("adding.switch_on")]


def test_the_paper_and_the_library_are_told_apart():
    paper = opened(panel="codes", pos="sinusoidal", d="6")
    library = opened(panel="codes", pos="sinusoidal_tensor2tensor", d="6")
    assert t("codes.about_sinusoidal", base="10000") in said(paper)
    assert t("codes.about_sinusoidal_tensor2tensor", base="10000") in said(library)
    assert payloads(paper)[0] != payloads(library)[0]


def test_a_wider_picture_changes_no_number_of_the_model():
    app = opened(panel="codes", pos="sinusoidal")
    button(app, "codes.widen", d=16).click().run()
    assert app.query_params["width"] == "16"
    assert "d" not in app.query_params
    assert "8 × 16" in payloads(app)[0]
    button(app, "codes.narrow", d=3).click().run()
    assert "8 × 3" in payloads(app)[0]


def test_buckets_slopes_and_distances_are_listed():
    assert t("codes.and_ahead") in payloads(opened(panel="codes", pos="t5", both="0"))[0]
    assert '"0.003906"' in payloads(opened(panel="codes", pos="alibi", heads="8"))[0]
    assert t("codes.by_distance") in payloads(opened(panel="codes", pos="shaw", clip="1"))[0]


def test_moving_query_and_key_together_changes_no_score():
    readouts = []
    for shift in ("0", "17"):
        app = opened(panel="rotation", amount=shift)
        readouts.append(t("rotation.readout", score="−4.45") in payloads(app)[0])
    assert readouts == [True, True]


def test_rotary_at_an_odd_width_is_refused_but_explained():
    app = opened(panel="rotation", dk="3")
    assert t("rotation.odd", d_k=3) in said(app)
    button(app, "rotation.on").click().run()
    assert [t("error.positions.rotary_odd", d_k=3) in e.value.replace("\\", "") for e in app.error]
    assert "pos" not in app.query_params


def test_adding_is_concatenating_where_there_is_room():
    app = opened(panel="combining")
    assert t("combining.overlap", count=3) in said(app)
    button(app, "combining.to_two_heads").click().run()
    assert metrics(app)[t("combining.tied")] == "0"
    assert t("combining.apart", count=0) in said(app)
    assert app.query_params["panel"] == "combining"


def test_the_way_to_combine_is_in_the_link_and_survives_another_example():
    app = opened(panel="combining", combine="concatenate")
    assert "[a | e]" in payloads(app)[0]
    button(app, "combining.to_two_heads").click().run()
    assert app.query_params["combine"] == "concatenate"


def test_one_circle_comes_round_and_three_do_not():
    one = opened(panel="wrap", digits="4")
    assert "0.9074" in payloads(one)[0]
    assert t("wrap.first", best=4, weight="0.9074") in said(one)
    three = opened(panel="wrap", amount="3")
    assert "looks most at token 1" in said(three)
    masked = opened(panel="wrap", mask="causal")
    assert t("wrap.masked", mask=t("mask.causal")) in said(masked)


def test_more_tokens_than_the_circle_has_places_share_them():
    app = opened(panel="wrap", text="we saw a cat saw a dog")
    assert t("wrap.identical", n=7, period=4, next=5) in said(app)


@pytest.mark.parametrize("panel", PANELS)
def test_the_code_opens_in_both_forms(panel):
    app = opened(panel=panel)
    app.session_state[f"code.{panel}"] = True
    app.run()
    assert not app.exception


@pytest.mark.parametrize("mask", MASKS)
def test_the_lamp_opens_with_every_mask(mask):
    assert not opened(mask=mask).error


@pytest.mark.parametrize("panel", PANELS)
def test_the_drawer_opens_beside_every_question(panel):
    app = opened(panel=panel, pos="sinusoidal")
    app.session_state["drawer.tabs"] = t("drawer.attention")
    button(app, "bar.own").click().run()
    assert not app.exception
