"""Every piece is shown as what stands in the text, whatever the tokenizer made of it."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attnviz.models.results import Token
from attnviz.models.tiny import VOCABULARY
from attnviz.models.tiny_tokenizers import tiny_tokenizer
from attnviz.models.tokens import Pieces, patches, read_tokens
from attnviz.models.words import between_words, characters, grouping, word_spans

FAMILY = "👨‍👩‍👧"


def pieces_of(tokenizer, *texts):
    found = tokenizer(*texts, return_offsets_mapping=True, return_special_tokens_mask=True)
    segments = [0 if number is None else number for number in found.sequence_ids(0)]
    return Pieces(
        pieces=tuple(tokenizer.convert_ids_to_tokens(found["input_ids"])),
        ids=tuple(found["input_ids"]),
        spans=tuple(map(tuple, found["offset_mapping"])),
        special=tuple(map(bool, found["special_tokens_mask"])),
        segments=tuple(segments),
        unknown_id=tokenizer.unk_token_id,
    )


@pytest.fixture(scope="module")
def read():
    tokenizers = {kind: tiny_tokenizer(kind, VOCABULARY) for kind in ("bert", "gpt2", "t5")}

    def by_kind(kind, *texts):
        return read_tokens(texts, pieces_of(tokenizers[kind], *texts))

    return by_kind


def labels(tokens):
    return [token.label for token in tokens]


def test_word_pieces_are_marked_and_special_tokens_too(read):
    tokens = read("bert", "The catt sat")
    assert labels(tokens) == ["[CLS]", "The", "cat", "##t", "sat", "[SEP]"]
    assert [token.special for token in tokens] == [True, False, False, False, False, True]
    assert [token.word for token in tokens] == [None, 0, 1, 1, 2, None]


def test_a_space_before_a_piece_is_shown(read):
    assert labels(read("gpt2", "the cat sat")) == ["the", "␣cat", "␣sat"]
    assert labels(read("t5", "cat sat"))[0].startswith("␣c")


def test_letters_are_those_of_the_text_and_not_of_the_normalizer(read):
    assert [token.text for token in read("bert", "THE cät")][1:3] != ["the"]
    assert "".join(token.text for token in read("bert", "THE cät")[1:-1]) == "THEcät"


def test_a_character_of_several_bytes_is_numbered(read):
    assert labels(read("gpt2", "今")) == ["今 1/3", "今 2/3", "今 3/3"]
    assert [token.word for token in read("gpt2", "今天")] == [0] * 6


def test_an_emoji_of_several_people_is_one_character(read):
    tokens = read("gpt2", f"a {FAMILY}!")
    inside = [token for token in tokens if token.part]
    assert {token.text for token in inside} == {FAMILY}
    assert [token.part for token in inside] == [(k + 1, len(inside)) for k in range(len(inside))]
    assert len({token.word for token in inside}) == 1
    assert tokens[-1].text == "!"


def test_what_the_vocabulary_does_not_have_is_unknown(read):
    tokens = read("bert", "a 🍕")
    assert [token.unknown for token in tokens] == [False, False, True, False]
    assert tokens[2].text == "🍕"


def test_blanks_can_be_seen(read):
    assert labels(read("gpt2", "a\n\n\tb  c")) == ["a", "⏎", "⏎", "⇥", "b", "␣", "␣c"]


def test_markup_stays_text(read):
    assert "".join(token.text for token in read("gpt2", "<b>a</b>")) == "<b>a</b>"


def test_a_word_that_comes_again_is_another_word(read):
    tokens = read("bert", "the cat the cat")[1:-1]
    assert [token.text for token in tokens] == ["the", "cat", "the", "cat"]
    assert [token.word for token in tokens] == [0, 1, 2, 3]
    assert [token.id for token in tokens[:2]] == [token.id for token in tokens[2:]]


def test_a_pair_of_texts_keeps_its_places_apart(read):
    tokens = read("bert", "the cat", "a cat sat")
    assert [(token.text, token.segment, token.word) for token in tokens if not token.special] == [
        ("the", 0, 0),
        ("cat", 0, 1),
        ("a", 1, 2),
        ("cat", 1, 3),
        ("sat", 1, 4),
    ]
    assert (tokens[4].start, tokens[4].end) == (0, 1)


def test_pieces_without_places_are_read_by_their_marks():
    names = ("▁the", "▁c", "at", "<0xF0>", "</s>")
    special = (False, False, False, False, True)
    found = Pieces(names, (4, 5, 6, 7, 1), (None,) * 5, special)
    tokens = read_tokens(["the cat🍕"], found)
    assert labels(tokens) == ["␣the", "␣c", "at", "<0xF0>", "</s>"]
    assert [token.word for token in tokens] == [0, 1, 1, 1, None]


@settings(deadline=None)
@given(text=st.text(max_size=40))
@example(text="네이버 안녕")
@example(text="½ ﬁ e\u0301 \u200d")
@example(text="🇹🇼🏳️‍🌈 a\u0000b")
@example(text="今天天氣很好，don't")
def test_any_text_is_read_piece_by_piece(read, text):
    for kind in ("bert", "gpt2", "t5"):
        for token in read(kind, text):
            if token.start is None or token.end is None:
                continue
            assert 0 <= token.start < token.end <= len(text)
            if token.part:
                assert 1 <= token.part[0] <= token.part[1]
                assert text[token.start : token.end].strip() == text[token.start : token.end]


def test_words_hold_together_what_belongs_together():
    text = "Don't stop: co-author's 3.14, naïve!"
    assert [text[slice(*span)] for span in word_spans(text)] == [
        *("Don't", "stop", ":", "co-author's", "3.14", ",", "naïve", "!")
    ]


def test_chinese_is_cut_by_whoever_is_asked():
    text = "我愛機器學習 ok"
    cut = word_spans(text, chinese=lambda run: [run[:1], run[1:2], run[2:4], run[4:]])
    assert [text[slice(*span)] for span in cut] == ["我", "愛", "機器", "學習", "ok"]
    found = [text[slice(*span)] for span in word_spans(text)]
    assert "".join(found) == "我愛機器學習ok"


@given(text=st.text(max_size=60))
def test_characters_cover_a_text_and_words_its_signs(text):
    assert "".join(text[slice(*span)] for span in characters(text)) == text
    covered = {place for span in word_spans(text) for place in range(*span)}
    assert {place for place, sign in enumerate(text) if not sign.isspace()} <= covered | {
        place for place, sign in enumerate(text) if not sign.isprintable()
    }


def test_attention_between_words_sums_over_keys_and_averages_over_queries():
    tokens = [Token(text="[CLS]", special=True)]
    tokens += [Token(text=text, word=word) for text, word in (("cat", 0), ("z", 0), ("sat", 1))]
    groups = grouping(tokens)
    assert groups.labels == ("[CLS]", "catz", "sat")
    weights = np.arange(16.0).reshape(4, 4)
    expected = [[0, 3, 3], [6, (5 + 6 + 9 + 10) / 2, 9], [12, 27, 15]]
    assert_allclose(between_words(weights, groups, groups), expected)


@given(words=st.lists(st.integers(0, 4), min_size=1, max_size=9), seed=st.integers(0, 99))
def test_rows_that_add_up_to_1_still_do_between_words(words, seed):
    groups = grouping([Token(text="x", word=word) for word in sorted(words)])
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(words)), size=len(words))
    assert_allclose(between_words(weights, groups, groups).sum(axis=1), 1)


def test_patches_are_named_by_row_and_column():
    tokens = patches(2, 3, 9)
    assert [token.text for token in tokens] == [
        *("[CLS]", "[REG1]", "[REG2]", "1,1", "1,2", "1,3", "2,1", "2,2", "2,3")
    ]
    assert [token.special for token in tokens].count(True) == 3
