"""The bench, the normalizers and the score functions of the Lab, by Streamlit's own test runner."""

from contextlib import redirect_stdout
from io import StringIO
from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.experiments import EXPERIMENTS
from attnviz.experiments.sides import written
from attnviz.lessons.examples import EXAMPLES
from attnviz.settings import MAX_TOKENS
from attnviz.text import LANGUAGES, words
from tests.pages.reading import opened, payloads, said
from tests.pages.test_shell import with_popover

PANELS = ("bench", "normalizers", "score_functions")
t = words("en")


def lab(**link: str) -> AppTest:
    app = opened("lab.py", **({"lang": "en"} | link))
    assert not app.warning
    return app


def choose(app: AppTest, field: str, value: object) -> AppTest:
    """Give side B another value, as a person does: first the field, then its value."""
    app.selectbox(key="bench.field").set_value(field).run()
    key = f"bench.value.{field}"
    boxes = [box for box in (*app.selectbox, *app.number_input) if box.key == key]
    boxes[0].set_value(value).run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize(("panel", "language"), list(product(PANELS, LANGUAGES)))
def test_every_question_opens_in_every_language(panel, language):
    app = lab(panel=panel, lang=language)
    assert words(language)("tokens.asks") in payloads(app)[0]
    assert not app.error


def test_the_bench_opens_with_the_scale_on_side_b():
    app = lab()
    assert app.selectbox(key="bench.question").value == "scale"
    assert "from 0.56 to 0.47" in said(app)
    assert "b₂ moves by 0.09" in said(app)


@pytest.mark.parametrize(("key", "language"), list(product(EXPERIMENTS, LANGUAGES)))
def test_every_experiment_opens_from_its_link(key, language):
    app = lab(exp=key, lang=language)
    assert not app.error
    assert app.selectbox(key="bench.question").value == key
    assert words(language)(f"experiment.{key}.claim") in app.selectbox(key="bench.question").options
    assert "{" not in said(app)


def test_an_experiment_is_one_click():
    app = lab()
    app.selectbox(key="bench.question").set_value("tied").run()
    assert not app.exception
    assert app.query_params["exp"] == "tied"
    assert "b" not in app.query_params
    assert "α₂,₁ = −2 but α₁,₂ = −1" in said(app)
    app.selectbox(key="bench.question").set_value("zero_query").run()
    assert "(−0.25, 1.75)" in said(app)


def test_an_experiment_follows_the_persons_own_numbers():
    app = lab(exp="doubled", text="we saw we", **{"in": "1,0,0;0,1,0;1,0,2"})
    assert not app.error
    assert "3 × 3" in payloads(app)[0]


def test_softmax_against_sparsemax_by_field_and_value():
    app = choose(lab(), "normalizer", "sparsemax")
    assert app.query_params["b"] == "norm=sparsemax"
    assert app.selectbox(key="bench.question").value == "own"
    assert "The entropy of token 2 goes from 1.08 to 0 nats" in said(app)
    restored = lab(b="norm=sparsemax")
    assert said(restored) == said(app)


def test_differences_add_up_and_are_taken_away_one_by_one():
    app = choose(choose(lab(), "normalizer", "relu"), "temperature", 0.5)
    assert app.query_params["b"] == "temp=0.5&norm=relu"
    press(app, "bench.without.normalizer")
    assert app.query_params["b"] == "temp=0.5"
    press(app, "bench.without.temperature")
    assert t("bench.same") in said(app)
    assert "no weight changes; no output changes" in said(app)


def test_a_value_joins_the_experiment_that_was_chosen():
    app = choose(lab(exp="scale"), "normalizer", "relu")
    assert app.query_params["b"] == "scale=sqrt_d_k&norm=relu"


def test_sides_are_swapped_and_swapped_back():
    app = press(lab(exp="relu"), "bench.swap")
    assert app.query_params["norm"] == "relu"
    assert "exp" not in app.query_params
    assert "add up to 1; they are no distribution" in said(app)
    press(app, "bench.swap")
    assert "norm" not in app.query_params
    assert app.query_params["b"] == "norm=relu"


def test_a_side_b_of_defaults_is_kept_by_the_link():
    app = choose(lab(scale="sqrt_d_k", exp="causal"), "scale", "none")
    link = dict(app.query_params)
    assert "mask" in link["b"]
    assert "scale" in link["b"]
    restored = lab(**{key: value for key, value in link.items() if isinstance(value, str)})
    assert said(restored) == said(app)


def test_what_side_b_has_becomes_the_settings():
    app = press(lab(exp="sparsemax"), "bench.take")
    assert app.query_params["norm"] == "sparsemax"
    assert not {"b", "exp"} & set(app.query_params)


def test_an_experiment_that_side_a_has_already_compares_with_the_plain_side():
    app = lab(exp="scale", scale="sqrt_d_k")
    assert "Side A has it already" in said(app)
    assert "from 0.56 to 0.47" in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_side_b_that_cannot_be_computed_leaves_side_a(language):
    app = lab(lang=language, b="pos=rotary", dk="3")
    said_ = words(language)("error.positions.rotary_odd", d_k=3)
    assert [said_ in error.value.replace("\\", "") for error in app.error] == [True]
    assert words(language)("bench.title_a") in payloads(app)[0]


def test_a_value_that_side_b_cannot_take_is_refused_and_nothing_changes():
    app = choose(lab(dk="3"), "positions", "rotary")
    assert len(app.error) == 1
    assert t("check.kept") in app.error[0].value
    assert "b" not in app.query_params
    assert "from" in said(app)


def test_the_field_in_hand_gives_way_when_side_b_no_longer_reads_it():
    app = choose(lab(), "normalizer", "sigmoid")
    choose(app, "bias", -1.0)
    assert "bias=-1" in app.query_params["b"]
    app.selectbox(key="bench.question").set_value("scale").run()
    assert not app.exception
    assert app.selectbox(key="bench.field").value == "scale"


OTHERS = {
    "d_model": 5,
    "d_k": 4,
    "d_v": 3,
    "n_heads": 2,
    "vectors": ((1, 0, 0),) * 4,
    "w_q": ((1.0, 0.0),) * 3,
    "scale": 0.5,
    "temperature": 0.5,
    "normalizer": "entmax",
    "mask": "causal",
    "align": "upper_left",
    "global_tokens": (1, 2),
    "cells": ("1000", "1100", "1110", "1111"),
    "self_loops": False,
    "position_vectors": ((0.5, 0, 1),) * 4,
    "pairs": "half",
    "bias": -1,
}


@pytest.mark.parametrize("name", OTHERS)
def test_whatever_side_b_has_different_is_named(name):
    app = lab(b=written({name: OTHERS[name]}))
    assert not app.error
    assert "{" not in said(app)


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize(
    "link",
    [
        *({"norm": key} for key in NORMALIZERS),
        *({"score": key} for key in SCORES),
        *({"mask": key} for key in MASKS),
        *({"pos": key} for key in POSITIONS),
        {"temp": "0"},
        {"heads": "4", "kv": "2", "head": "3"},
        {"dk": "1"},
        {"d": "7"},
        {"mask": "custom", "cells": "0000.1000.0110.1111", "q": "0"},
        {"notation": "column", "w": "random", "heads": "2"},
        {"present": "1"},
        *({"ex": key} for key in EXAMPLES),
    ],
    ids=str,
)
def test_every_choice_opens_on_every_question(panel, link):
    app = lab(panel=panel, **link)
    assert not app.error
    assert "{" not in said(app)


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("n_tokens", [1, 12, 13, 30, MAX_TOKENS])
def test_a_sentence_of_any_length_opens(panel, n_tokens):
    text = " ".join(["saw", "we"][place % 2] for place in range(n_tokens))
    assert not lab(panel=panel, text=text).error


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", PANELS)
def test_the_code_of_each_question_runs(panel, language):
    key = "scorings" if panel == "score_functions" else panel
    app = with_popover(lab(panel=panel, lang=language, exp="relu"), f"code.{key}")
    numpy_lines, package_lines = (code.value for code in app.code)
    for code in (numpy_lines, package_lines):
        with redirect_stdout(StringIO()) as shown:
            exec(compile(code, panel, "exec"), {})
        assert shown.getvalue()


def test_hostile_tokens_stay_text():
    app = lab(tok="<b>x</b>|$a$|**c**", exp="scale")
    assert not app.error
    assert not app.exception
