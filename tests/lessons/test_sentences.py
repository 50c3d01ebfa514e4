import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.lessons.chinese import chinese_words
from attnviz.lessons.sentences import MAX_CHARACTERS, MAX_TOKENS, split_sentence, visible

few = settings(max_examples=50, deadline=None)
FAMILY, TAIWAN, KEYCAP, THUMB = "👩‍👩‍👧", "🇹🇼", "1️⃣", "👍🏽"


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("the cat sat on the mat", ["the", "cat", "sat", "on", "the", "mat"]),
        ("I saw a saw.", ["I", "saw", "a", "saw", "."]),
        ("他會開會", ["他", "會", "開", "會"]),
        ("我愛機器學習！", ["我", "愛", "機器", "學習", "！"]),
        ("我喜歡學習", ["我", "喜歡", "學習"]),
        (
            "那動物避開這街，因為牠很累",
            ["那", "動物", "避開", "這", "街", "，", "因為", "牠", "很", "累"],
        ),
        ("今天天气很好", ["今天天气", "很", "好"]),
        ("GPT-2模型 v1.0", ["GPT-2", "模型", "v1.0"]),
        ("don't isn’t state-of-the-art", ["don't", "isn’t", "state-of-the-art"]),
        ("3.14, 1,000 & 5%", ["3.14", ",", "1,000", "&", "5", "%"]),
        ("stop—now...", ["stop", "—", "now", ".", ".", "."]),
        (f"{FAMILY} {TAIWAN}{KEYCAP} ok{THUMB}", [FAMILY, TAIWAN, KEYCAP, "ok", THUMB]),
        ("שלום עולם!", ["שלום", "עולם", "!"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("e\u0301te\u0301", ["été"]),
        ("a\u3000b\u00a0c\td\ne", ["a", "b", "c", "d", "e"]),
    ],
)
def test_sentences_of_any_language_are_cut_into_words(sentence, tokens):
    assert list(split_sentence(sentence)) == tokens


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("開會 ok", ["開", "會", "ok"]),
        (f"{FAMILY}a{TAIWAN}", [FAMILY, "a", TAIWAN]),
        ("e\u0301x\u0323 don't", ["éx\u0323", "don't"]),
        ("𠮷野", ["𠮷", "野"]),
    ],
)
def test_characters_are_what_people_count_and_only_chinese_is_cut_into_them(sentence, tokens):
    assert list(split_sentence(sentence, "characters")) == tokens


@pytest.mark.parametrize("split", ["words", "characters"])
@few
@given(text=st.text(max_size=40))
def test_tokens_are_all_that_can_be_seen_of_the_text(split, text):
    tokens = () if not visible(text) else split_sentence(text, split)
    joiners = dict.fromkeys([0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0xE0000, 0xE01F0)])
    seen = visible(text).translate(joiners)
    assert "".join(tokens).translate(joiners) == "".join(seen.split())
    assert all(token and unicodedata.is_normalized("NFC", visible(token)) for token in tokens)


@few
@given(st.text("他會開愛學習機器今天氣們很好hello 。", min_size=1, max_size=30))
def test_chinese_words_are_the_text_cut_somewhere(text):
    assert "".join(chinese_words(text)) == text


@pytest.mark.parametrize(
    "hidden", ["\u202e", "\u2066", "\u200f", "\x00", "\x1b", "\u200b", "\ufeff", "\u00ad"]
)
def test_what_cannot_be_seen_or_turns_the_writing_round_is_removed(hidden):
    assert split_sentence(f"ab{hidden}cd") == ("abcd",)


def test_half_a_surrogate_pair_is_removed():
    assert split_sentence("a\ud800b") == ("ab",)


@pytest.mark.parametrize(
    "nothing", ["", " \n\t", "\u3000", "\u202e\u200b", "\u200d", "\ufe0f", "\u3164"]
)
def test_a_sentence_without_a_visible_sign_is_refused(nothing):
    with pytest.raises(InputError, check=lambda error: "text.empty" in error.code):
        split_sentence(nothing)


def test_repeated_words_stay_repeated():
    tokens = split_sentence("the cat sat on the mat")
    assert len(tokens) == 6
    assert tokens[0] == tokens[4]


def test_as_many_tokens_as_fit_are_taken_and_one_more_is_refused():
    assert len(split_sentence("a " * MAX_TOKENS)) == MAX_TOKENS
    with pytest.raises(InputError) as refused:
        split_sentence("a " * (MAX_TOKENS + 1))
    assert refused.value.code == "text.too_long"
    assert refused.value.values == {"n_tokens": MAX_TOKENS + 1, "most": MAX_TOKENS}


def test_a_text_too_long_to_be_looked_at_is_refused_with_both_numbers():
    with pytest.raises(InputError) as refused:
        split_sentence("a" * (MAX_CHARACTERS + 1))
    assert refused.value.code == "text.too_many_characters"
    assert refused.value.values == {"n_characters": MAX_CHARACTERS + 1, "most": MAX_CHARACTERS}
