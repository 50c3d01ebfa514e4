import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.figures.labels import (
    LONGEST_TOKEN,
    MOST_TICKS,
    escape,
    pair,
    shortened,
    ticks,
    token_labels,
)


@settings(deadline=None)
@given(st.text())
def test_an_escaped_text_holds_no_markup_and_no_line_break(text):
    safe = escape(text)
    assert not {"<", ">", "\n", "\r"} & set(safe)
    unescaped = safe.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert unescaped == text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")


def test_quotes_are_left_alone():
    assert escape('"it\'s"') == '"it\'s"'


def test_equal_tokens_get_different_labels():
    assert token_labels(["I", "saw", "a", "saw"]) == ["I₁", "saw₂", "a₃", "saw₄"]


def test_indices_count_from_one():
    assert pair(1, 0) == "₂,₁"
    assert pair(11, 9) == "₁₂,₁₀"


@settings(deadline=None)
@given(st.text())
def test_a_shortened_token_is_short_and_begins_as_the_token_does(text):
    short = shortened(text)
    assert len(short) <= LONGEST_TOKEN
    assert short == text or text.startswith(short.removesuffix("…"))


def test_an_accent_is_not_cut_from_its_letter():
    assert shortened("abcdefghije\u0301klm") == "abcdefghije\u0301…"[:10] + "…"


def test_an_emoji_is_not_cut_at_its_joiner():
    assert shortened("abcdefghi👨\u200d👩\u200d👧xyz").removesuffix("…")[-1] != "\u200d"


@pytest.mark.parametrize("n", [1, 2, 47, 48, 49, 64, 500])
def test_tick_labels_stay_few_and_start_with_the_first(n):
    axis = ticks([str(place) for place in range(n)])
    assert axis["tickvals"][0] == 0
    assert len(axis["tickvals"]) <= MOST_TICKS
    assert axis["ticktext"] == [str(place) for place in axis["tickvals"]]
