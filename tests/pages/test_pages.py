"""Each page, opened by Streamlit's own test runner: every language, example and choice."""

import re
import time
from dataclasses import fields
from itertools import product

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.lessons.examples import EXAMPLES
from attnviz.settings import MAX_PASSAGE, MAX_TOKENS, Settings
from attnviz.text import LANGUAGES, words
from tests.pages.reading import MAIN, ROOT, opened, payloads

PAGES = sorted(
    {script.name for script in (ROOT / "pages").glob("*.py")} - {"models.py", "train.py"}
)
WHOLE = ("see.py", "steps.py")  # these show all their panels, the others one question at a time

# CPU time of one rerun of See, in seconds. Measured: 0.015, and 0.020 with the type checks that the
# tests switch on; bench/ prints the real figures. The budget is three times that, so that it fails
# for a page that has grown slow, never for a busy machine.
RERUN_BUDGET = 0.060


def drawn(app: AppTest) -> int:
    """Count the pictures and matrices on the page."""
    return len(app.get("plotly_chart")) + len(app.get("bidi_component"))


@pytest.mark.parametrize(("script", "language"), list(product(PAGES, LANGUAGES)))
def test_every_page_opens_in_every_language(script, language):
    app = opened(script, lang=language)
    t = words(language)
    if script in WHOLE:
        assert t("tokens.asks") in payloads(app)[0]
    assert t("bar.own") in [button.label for button in app.button]
    assert drawn(app) >= (5 if script in WHOLE else 1)
    assert not app.warning
    assert not app.error


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("en-GB", "en"), ("fi-FI", "en")],
)
def test_the_browsers_language_is_the_first_one(locale, language):
    app = AppTest.from_file(str(MAIN), default_timeout=30)
    app.context = {"locale": locale}
    app.run()
    assert words(language)("bar.own") in [button.label for button in app.button]


@pytest.mark.parametrize(("script", "example"), list(product(PAGES, EXAMPLES)))
def test_every_example_opens_on_every_page(script, example):
    app = opened(script, ex=example)
    assert not app.warning
    assert app.selectbox(key="control.example").value == example
    assert drawn(app) >= (5 if script in WHOLE else 1)


CHOICES = [
    *(("norm", key) for key in NORMALIZERS),
    *(("score", key) for key in SCORES),
    *(("mask", key) for key in MASKS),
    *(("pos", key) for key in POSITIONS),
    ("scale", "sqrt_d_k"),
    ("scale", "-0.5"),
    ("temp", "0"),
    ("w", "random"),
    ("w", "identity"),
    ("heads", "8"),
]


@pytest.mark.parametrize("script", PAGES)
@pytest.mark.parametrize(("key", "value"), CHOICES)
def test_every_choice_opens_from_a_link(script, key, value):
    app = opened(script, **{key: value})
    assert not app.warning, "the choice was not read"
    assert not app.error
    assert drawn(app) >= (5 if script in WHOLE else 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_drawer_offers_every_choice(language):
    app = opened(lang=language, norm="entmax", mask="global_tokens", pos="t5", heads="4")
    t = words(language)
    app.session_state["drawer.tabs"] = t("drawer.attention")
    app.button[0].click().run()
    assert not app.exception
    for field, choices, said in [
        ("normalizer", NORMALIZERS, "normalizer"),
        ("score", SCORES, "score"),
        ("mask", MASKS, "mask"),
        ("positions", POSITIONS, "position"),
    ]:
        select = app.selectbox(key=f"control.{field}")
        assert select.options == [t(f"{said}.{key}") for key in choices]


@pytest.mark.parametrize("script", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_damaged_link_says_so_and_opens_with_the_defaults(script, language):
    app = opened(script, lang=language, norm="no_such", temp="hot", digits="4")
    t = words(language)
    said = [warning.value.replace("\\", "") for warning in app.warning]
    named = f"{t('drawer.normalizer')} (norm), {t('drawer.temperature')} (temp)"
    assert said == [t("check.damaged", keys=named)]
    if script != "compare.py":  # it opens on a picture, whose numbers have no decimals to choose
        assert "0.2060" in payloads(app)[0]  # the readable part of the link counts


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_of_a_link_has_a_name_for_when_it_cannot_be_read(language):
    keys = {each.metadata["link"].key for each in fields(Settings)} - {"lang"}
    long = dict.fromkeys(("text", "t", "t2", "t3", "vt", "table", "find"), "x" * (MAX_PASSAGE + 1))
    app = opened(lang=language, **(dict.fromkeys(keys, "|") | long | {"b": "temp=|"}))
    assert len(app.warning) == 1
    assert set(re.findall(r"\\\((\w+)\\\)", app.warning[0].value)) == keys


@pytest.mark.parametrize(
    "link",
    [
        {"pos": "rotary", "dk": "3"},
        {"heads": "4", "kv": "3"},
        {"temp": "0", "norm": "sigmoid"},
        {"in": "1,2;3,4", "text": "one two three"},
        {"mask": "custom", "cells": "10.01"},
        {"pos": "t5", "buckets": "2"},
        {"ex": "nowhere"},
        {"text": "\u200b"},
    ],
    ids=lambda link: "&".join(f"{key}={value}" for key, value in link.items()),
)
def test_a_link_of_impossible_choices_says_why_and_keeps_what_fits(link):
    app = opened(lang="en", digits="3", **link)
    assert len(app.warning) == 1
    assert len(re.findall(r"\\\((\w+)\\\)", app.warning[0].value)) == 1  # one part is left out
    left_out = re.findall(r"\\\((\w+)\\\)", app.warning[0].value)
    assert left_out[0] in link
    assert not app.warning[0].value.startswith("Part")  # the reason stands first
    assert list(app.query_params["digits"]) == ["3"]


@pytest.mark.parametrize("script", PAGES)
@pytest.mark.parametrize("n_tokens", [1, 2, 12, 13, MAX_TOKENS])
def test_a_sentence_of_any_length_opens(script, n_tokens):
    app = opened(script, text=" ".join(["saw", "we"][place % 2] for place in range(n_tokens)))
    assert drawn(app) >= (5 if script in WHOLE else 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_token_too_many_is_refused_with_a_sentence_and_nothing_is_lost(language):
    app = opened(lang=language, text=" ".join(["saw"] * MAX_TOKENS))
    assert f"{MAX_TOKENS} × {MAX_TOKENS}" in payloads(app)[0]
    app.button[0].click().run()
    typed = " ".join(["saw"] * (MAX_TOKENS + 1))
    app.text_input(key="control.sentence").set_value(typed).run()
    assert not app.exception
    said = words(language)("error.text.too_long", n_tokens=MAX_TOKENS + 1, most=MAX_TOKENS)
    assert [said in error.value.replace("\\", "") for error in app.error] == [True]
    assert app.text_input(key="control.sentence").value == typed
    assert f"{MAX_TOKENS} × {MAX_TOKENS}" in payloads(app)[0]


def button(app: AppTest, key: str, **values: object):
    """Find a button by its words."""
    return next(found for found in app.button if found.label == words("en")(key, **values))


def test_tokens_are_added_and_taken_away_at_the_end():
    app = opened(lang="en")
    button(app, "tokens.add").click().run()
    assert "5 × 5" in payloads(app)[0]
    button(app, "tokens.remove").click().run()
    button(app, "tokens.remove").click().run()
    assert "3 × 3" in payloads(app)[0]
    assert not app.exception


def test_the_puzzle_of_the_equal_words_is_answered_with_positions():
    app = opened(lang="en")
    assert payloads(app)[0].count("−0.38") > 2
    button(app, "puzzle.switch_on").click().run()
    assert app.query_params["pos"] == "sinusoidal"
    button(app, "puzzle.switch_off").click().run()
    assert "pos" not in app.query_params
    assert not app.exception


def test_settings_go_along_when_the_page_is_changed():
    app = opened(text="the cat sat on the mat", norm="sparsemax", q="5")
    app.switch_page(str(ROOT / "pages" / "steps.py")).run()
    assert not app.exception
    assert "cat" in payloads(app)[0]
    assert app.query_params["norm"] == "sparsemax"


def test_a_rerun_stays_within_its_budget_of_cpu_time():
    app = opened()
    used = []
    for _ in range(10):
        before = time.process_time()
        app.run()
        used.append(time.process_time() - before)
    assert min(used) < RERUN_BUDGET
