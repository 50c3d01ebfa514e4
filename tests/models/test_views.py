"""One head as it is looked at: what is grouped, left out and packed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnviz.errors import InputError
from attnviz.models.results import Capture, Token
from attnviz.models.views import mixed, packed, thumbnails, view

few = settings(max_examples=40, deadline=None)

# [CLS] un##happy 學(two pieces) . [SEP]: two words of two pieces each, one of them one character.
TOKENS = (
    Token(text="[CLS]", piece="[CLS]", special=True),
    Token(text="un", piece="un", start=0, end=2, word=0),
    Token(text="happy", piece="##happy", start=2, end=7, word=0, joined=True),
    Token(text="學", piece="å­", start=7, end=8, word=1, part=(1, 2)),
    Token(text="學", piece="¸", start=7, end=8, word=1, part=(2, 2)),
    Token(text=".", piece=".", start=8, end=9, word=2, segment=1),
    Token(text="[SEP]", piece="[SEP]", special=True, segment=1),
)


def random_weights(n_heads: int = 2, n: int = len(TOKENS), seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n), (n_heads, n)).astype(np.float32)


def captured(weights: np.ndarray | None = None, tokens=TOKENS) -> Capture:
    return Capture.from_attentions([random_weights() if weights is None else weights], tokens)


def test_pieces_are_shown_as_they_are():
    capture = captured()
    shown = view(capture, 0, 1)
    np.testing.assert_array_equal(shown.weights, capture.weights(0, 1))
    assert shown.queries[2] == TOKENS[2].label
    assert shown.key_places == tuple(range(len(TOKENS)))


def test_attention_between_words_adds_up_keys_and_averages_queries():
    capture = captured()
    weights = capture.weights(0, 0)
    shown = view(capture, 0, 0, unit="words")
    assert shown.queries == ("[CLS]", "unhappy", "學", ".", "[SEP]")
    expected = weights[1:3, 3:5].sum(axis=1).mean()
    np.testing.assert_allclose(shown.weights[1, 2], expected, rtol=1e-6)
    np.testing.assert_allclose(shown.sums, 1, atol=1e-6)


def test_characters_join_only_the_pieces_of_one_character():
    shown = view(captured(), 0, 0, unit="characters")
    assert shown.queries == ("[CLS]", "un", "happy", "學", ".", "[SEP]")
    np.testing.assert_allclose(shown.sums, 1, atol=1e-6)


def test_hidden_special_tokens_take_their_share_away_and_it_shows():
    capture = captured()
    shown = view(capture, 0, 0, specials=False)
    weights = capture.weights(0, 0)
    assert "[CLS]" not in shown.queries + shown.keys
    np.testing.assert_allclose(shown.sums, weights[1:6, 1:6].sum(axis=1), rtol=1e-6)
    assert (shown.sums < 1).all()


@pytest.mark.parametrize(("part", "size"), [("aa", (5, 5)), ("ab", (5, 2)), ("ba", (2, 5))])
def test_a_pair_shows_one_text_asking_the_other(part, size):
    shown = view(captured(), 0, 0, part=part)
    assert shown.weights.shape == size == (len(shown.queries), len(shown.keys))


def test_nothing_left_is_said_in_a_sentence():
    only_special = tuple(Token(text=t, special=True) for t in ("[CLS]", "[SEP]"))
    capture = captured(random_weights(1, 2), only_special)
    with pytest.raises(InputError, check=lambda error: "nothing_left" in error.code):
        view(capture, 0, 0, specials=False)


def test_what_may_not_be_seen_is_a_range_and_never_a_zero():
    weights = np.tril(np.ones((1, 4, 4)))
    weights /= weights.sum(axis=-1, keepdims=True)
    tokens = [Token(text=text) for text in "abcd"]
    shown = view(captured(weights, tokens), 0, 0)
    np.testing.assert_array_equal(shown.weights, weights[0].astype(np.float32))
    assert shown.ranges.shape == (4, 2)
    assert (shown.ranges[:, 0] == 0).all()


@few
@given(
    arrays(np.float32, (3, 5), elements=st.floats(0, 1, width=32)),
)
def test_packing_is_exact_to_a_sixteen_bit_share_of_each_row(weights):
    tops, cells = (
        np.frombuffer(part, kind) for part, kind in zip(packed(weights), ("f4", "u2"), strict=True)
    )
    back = cells.reshape(3, 5) / 65_535 * tops[:, None]
    np.testing.assert_array_equal(tops, weights.max(axis=1))
    assert (np.abs(back - weights) <= tops[:, None] / 130_000 + 1e-12).all()


def test_the_mean_and_the_largest_of_heads_are_those_of_their_weights():
    capture = captured()
    views = [view(capture, 0, head) for head in (0, 1)]
    both = np.stack([each.weights for each in views])
    np.testing.assert_allclose(mixed(views, "mean").weights, both.mean(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(mixed(views, "max").weights, both.max(axis=0))


def test_a_thumbnail_is_the_root_of_the_largest_weight_of_each_block():
    weights = np.zeros((1, 4, 4), np.float32)
    weights[0, np.arange(4), [0, 0, 3, 3]] = 1
    shades, shape, largest = thumbnails(captured(weights, [Token(text=t) for t in "abcd"]), 0, 2)
    assert shape == (2, 2)
    assert largest == (1.0,)
    np.testing.assert_array_equal(
        np.frombuffer(shades, np.uint8).reshape(shape), [[255, 0], [0, 255]]
    )


def test_long_texts_are_shown_in_blocks_of_their_largest_weight():
    n = 1_500
    weights = np.zeros((1, n, n), np.float32)
    weights[0, np.arange(n), np.arange(n)] = 1
    shown = view(captured(weights, [Token(text=str(i)) for i in range(n)]), 0, 0)
    assert shown.row_edges is not None
    assert shown.row_edges[-1] == n
    assert max(shown.weights.shape) <= 512
    assert (np.diagonal(shown.weights) == 1).all()
    assert len(shown.queries) == n
