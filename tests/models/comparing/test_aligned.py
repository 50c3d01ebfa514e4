"""Two maps on the tokens that they share: nothing is shifted, nothing is made up."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.metrics import total_variation
from attnviz.errors import InputError
from attnviz.models.catalogue import catalogue
from attnviz.models.comparing.aligned import (
    MOST_COMPARED,
    WHOLE_LAYER,
    Compared,
    Piece,
    aligned,
    compared,
    seen_of,
    side_of,
)
from attnviz.models.comparing.heads_apart import changed, from_head
from attnviz.models.comparing.minimal_pairs import pairs, partner
from attnviz.models.load import load_model
from attnviz.models.results import Capture, Token

few = settings(max_examples=60, deadline=None)
sequences = st.lists(st.sampled_from("abcde"), max_size=9)
texts = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8)


def capture_of(tokens: list[str], seed: int = 0, n_heads: int = 2, n_layers: int = 2) -> Capture:
    rng, n = np.random.default_rng(seed), len(tokens)
    layers = [rng.dirichlet(np.ones(n), (n_heads, n)).astype(np.float32) for _ in range(n_layers)]
    return Capture.from_attentions(layers, tokens)


def both(one: list[str], other: list[str], seeds: tuple[int, int] = (0, 1)) -> Compared:
    return compared(
        side_of(capture_of(one, seeds[0]), (0, 0)), side_of(capture_of(other, seeds[1]), (0, 0))
    )


@few
@given(sequences, sequences)
def test_every_token_has_one_line_and_they_keep_their_order(one, other):
    places = aligned(one, other)
    assert [at for at, _ in places if at is not None] == list(range(len(one)))
    assert [to for _, to in places if to is not None] == list(range(len(other)))
    assert (None, None) not in places


@few
@given(sequences)
def test_the_same_is_aligned_with_itself(tokens):
    assert aligned(tokens, tokens) == tuple((place, place) for place in range(len(tokens)))


@few
@given(st.integers(2, 8), st.data())
def test_an_insertion_is_left_blank_and_shifts_nothing(n, data):
    tokens = [f"t{place}" for place in range(n)]
    at = data.draw(st.integers(0, n))
    longer = [*tokens[:at], "new", *tokens[at:]]
    expected = [(place, place + (place >= at)) for place in range(n)]
    assert [pair for pair in aligned(tokens, longer) if None not in pair] == expected
    assert aligned(tokens, longer)[at] == (None, at)


def test_a_changed_token_is_paired_and_a_special_one_never_stands_in():
    assert aligned(["too", "tired", "."], ["too", "wide", "."]) == ((0, 0), (1, 1), (2, 2))
    assert aligned(["too", "tired"], ["too", "wide", "."]) == (
        (0, 0), (1, None), (None, 1), (None, 2),
    )  # fmt: skip
    one, other = Piece("[SEP]", special=True), Piece("end")
    assert aligned([one], [other]) == ((0, None), (None, 0))


@few
@given(texts, st.integers(0, 99))
def test_the_same_map_differs_nowhere(tokens, seed):
    found = both(tokens, tokens, (seed, seed))
    np.testing.assert_array_equal(found.difference, 0)
    assert found.largest == 0
    assert found.mean("total_variation") == 0
    assert found.mean("jensen_shannon") == pytest.approx(0, abs=1e-12)
    assert found.mean("kl") == pytest.approx(0, abs=1e-12)
    assert found.mean("cosine") == pytest.approx(1)
    assert found.mean("top1") == 1


@few
@given(texts, texts, st.integers(0, 99))
def test_exchanged_sides_flip_every_sign(one, other, seed):
    seeds = (seed, seed + 1)
    found = both(one, other, seeds)
    back = both(other, one, seeds[::-1])
    if [pair[::-1] for pair in back.rows] != list(found.rows):
        return  # where tokens repeat, two alignments may be as good
    np.testing.assert_array_equal(found.difference, -back.difference)
    for name in ("total_variation", "jensen_shannon", "cosine", "top1"):
        np.testing.assert_allclose(found.apart[name], back.apart[name], atol=1e-12)


@few
@given(texts, texts, st.integers(0, 99))
def test_blanks_and_bounds(one, other, seed):
    found = both(one, other, (seed, seed + 1))
    rows = [place is None for place, _ in found.rows]
    columns = [place is None for place, _ in found.columns]
    expected = np.array(rows)[:, None] | np.array(columns)
    np.testing.assert_array_equal(np.isnan(found.one), expected)
    assert np.nansum(found.one) == pytest.approx(len(one), abs=1e-5)
    known = {name: values[~np.isnan(values)] for name, values in found.apart.items()}
    assert ((known["total_variation"] >= 0) & (known["total_variation"] <= 1 + 1e-9)).all()
    assert (known["jensen_shannon"] <= log(2) + 1e-9).all()
    assert (known["kl"] >= -1e-9).all()
    assert (np.abs(known["cosine"]) <= 1).all()
    assert set(known["top1"]) <= {0.0, 1.0}
    assert (~np.isnan(found.apart["top1"]) <= found.shared_rows).all()


def test_rows_are_compared_over_what_both_have_brought_to_a_sum_of_1():
    one = Capture.from_attentions([np.array([[[0.2, 0.2, 0.6]] * 3], np.float32)], list("abc"))
    other = Capture.from_attentions([np.array([[[0.75, 0.25]] * 2], np.float32)], list("ab"))
    found = compared(side_of(one, (0, 0)), side_of(other, (0, 0)))
    assert found.rows == ((0, 0), (1, 1), (2, None))
    np.testing.assert_allclose(found.difference[0], [0.55, 0.05, np.nan], atol=1e-6)
    np.testing.assert_allclose(found.left_out, [[0.6, 0], [0.6, 0], [0.6, np.nan]], atol=1e-6)
    # over a and b: (½, ½) against (¾, ¼)
    np.testing.assert_allclose(found.apart["total_variation"], [0.25, 0.25, np.nan], atol=1e-6)
    kl = 0.5 * log(0.5 / 0.75) + 0.5 * log(0.5 / 0.25)
    np.testing.assert_allclose(found.apart["kl"], [kl, kl, np.nan], atol=1e-6)
    cosine = 0.5 / np.sqrt(0.5 * 0.625)
    np.testing.assert_allclose(found.apart["cosine"], [cosine, cosine, np.nan], atol=1e-6)
    assert found.farthest == 0
    assert (found.peak(2, 0), found.peak(2, 1)) == (2, None)


def test_where_nothing_is_shared_nothing_is_said():
    found = both(["a", "b"], ["c"])
    assert found.farthest is None
    assert {found.mean(name) for name in found.apart} == {None}
    assert found.largest == 0


def test_a_row_with_nothing_on_what_both_have_is_not_compared():
    one = Capture.from_attentions([np.array([[[0, 1.0], [0.5, 0.5]]], np.float32)], ["a", "b"])
    other = Capture.from_attentions([np.array([[[1.0]]], np.float32)], ["a"])
    found = compared(side_of(one, (0, 0)), side_of(other, (0, 0)))
    assert np.isnan(found.apart["total_variation"][0])
    assert np.isnan(found.apart["cosine"][0])


def test_what_may_not_be_seen_is_told_from_a_blank():
    causal = np.tril(np.ones((1, 3, 3), np.float32)) / np.arange(1, 4, dtype=np.float32)[:, None]
    sides = [
        side_of(Capture.from_attentions([weights], tokens), (0, 0))
        for weights, tokens in ((causal, list("abc")), (causal[:, :2, :2], list("ac")))
    ]
    found = compared(*sides)
    seen = seen_of(found, *sides)
    np.testing.assert_array_equal(seen[0], np.tril(np.ones((3, 3), bool)))
    np.testing.assert_array_equal(
        seen[1], [[True, False, False], [False, False, False], [True, False, True]]
    )
    assert np.isnan(found.other[1]).all()
    assert found.other[0, 2] == 0


def test_words_are_compared_where_pieces_would_not_fit():
    def pieces(*words: tuple[str, ...]) -> list[Token]:
        return [
            Token(text=text, word=number, joined=at > 0)
            for number, word in enumerate(words)
            for at, text in enumerate(word)
        ]

    rng = np.random.default_rng(0)
    one = Capture.from_attentions(
        [rng.dirichlet(np.ones(4), (1, 4)).astype(np.float32)], pieces(("to", "ken"), ("iz", "er"))
    )
    other = Capture.from_attentions(
        [rng.dirichlet(np.ones(3), (1, 3)).astype(np.float32)], pieces(("token",), ("ize", "r"))
    )
    assert compared(side_of(one, (0, 0)), side_of(other, (0, 0))).farthest is None
    found = compared(side_of(one, (0, 0), "words"), side_of(other, (0, 0), "words"))
    assert found.rows == found.columns == ((0, 0), (1, 1))
    np.testing.assert_allclose(found.one.sum(axis=1), 1, atol=1e-6)
    expected = one.weights(0, 0)[:2, 2:].sum(axis=1).mean()  # sum over keys, mean over queries
    assert found.one[0, 1] == pytest.approx(expected, abs=1e-6)


def test_a_whole_layer_is_the_mean_of_its_heads():
    capture = capture_of(list("abc"), n_heads=3)
    mean = np.mean([capture.weights(1, head) for head in range(3)], axis=0)
    np.testing.assert_allclose(side_of(capture, (1, WHOLE_LAYER)).view.weights, mean, atol=1e-6)


def test_too_many_tokens_are_refused_in_words():
    capture = capture_of(["x"] * (MOST_COMPARED + 1), n_heads=1, n_layers=1)
    with pytest.raises(InputError) as refused:
        side_of(capture, (0, 0))
    assert refused.value.code == "models.too_long_to_compare"


def test_every_head_is_compared_with_itself_on_another_text():
    one, other = capture_of(list("abcd"), 0), capture_of(list("abxd"), 1)
    steps = []
    found = changed(one, other, progress=lambda done, total: steps.append((done, total)))
    assert found.heads == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert steps[-1] == (4, 4)
    pair = found.farthest()
    assert pair is not None
    expected = total_variation(one.weights(*pair), other.weights(*pair)).mean()
    assert found.of(pair) == pytest.approx(expected, abs=1e-6)
    assert found.largest == found.of(pair)
    assert changed(one, one).largest == 0


def test_the_nearest_of_all_heads_is_the_head_itself_else_the_least_far():
    capture = capture_of(list("abcd"))
    found = from_head(capture, (1, 0), capture)
    assert found.nearest() == (1, 0)
    other = found.nearest(but=(1, 0))
    assert other is not None
    assert other != (1, 0)
    assert found.of(other) == min(
        d for pair, d in zip(found.heads, found.distances, strict=True) if pair != (1, 0)
    )
    assert from_head(capture, (0, WHOLE_LAYER), capture, whole=True).heads == ((0, -1), (1, -1))


def test_heads_that_share_no_token_have_no_distance():
    found = changed(capture_of(["a"]), capture_of(["b", "c"]))
    assert found.nearest() is None
    assert found.largest == 0
    assert found.of((0, 0)) is None


def test_every_example_has_a_text_that_differs_and_goes_back():
    for entry in catalogue().values():
        for text in {*entry.sentences, *(note.sentence for note in entry.heads)} - {""}:
            assert text in pairs()
            assert partner(text) != text
            assert partner(partner(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [("I saw a saw.", "I saw a."), ("one two", "one"), ("saw", "saw saw"), ("!", "! !")],
)
def test_any_text_has_one_to_compare_with(text, expected):
    assert partner(text) == expected


@pytest.mark.skipif(not catalogue()["default"].installed, reason="the weights are a package")
def test_the_last_word_moves_the_head_away_from_the_animal():
    model = load_model("default")
    tired = "The animal didn't cross the street because it was too tired."
    one, other = model.capture(tired), model.capture(partner(tired))
    found = compared(side_of(one, (3, 1)), side_of(other, (3, 1)))
    names = [token.text for token in one.tokens]
    it, animal, street = (names.index(word) for word in ("it", "animal", "street"))
    cells = [side[it, key] for side in (found.one, found.other) for key in (animal, street)]
    np.testing.assert_allclose(cells, [0.68, 0.05, 0.28, 0.12], atol=0.006)
    assert found.rows == tuple((place, place) for place in range(len(names)))
