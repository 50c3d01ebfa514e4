from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attnviz import settings as settings_module
from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.scores import SCORES
from attnviz.errors import InputError
from attnviz.lessons import matrices, sentences
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import DIGITS_TOKENS, WITH_LIMIT, Scene, scene_of, with_example
from attnviz.settings import MAX_TOKENS, SPLITS, W_SOURCES, Settings

HERO_OUTPUT = [[-0.5947, 1.6811], [-0.3842, 1.4399], [0.4451, 1.7755], [-0.3842, 1.4399]]
TABLE = ((1.0, 0.0, 2.0), (0.0, 1.0, 1.0))


def scene(language="en", **chosen) -> Scene:
    return scene_of(Settings(**chosen), language)


def refusal(**chosen) -> tuple[str, dict[str, object]]:
    with pytest.raises(InputError) as refused:
        scene(**chosen)
    return refused.value.code, refused.value.values


def test_the_first_scene_is_the_hero():
    first = scene()
    assert first.tokens == ("I", "saw", "a", "saw")
    assert (first.query, first.key, first.head) == (1, None, 0)
    assert (first.token_sources, first.weight_source) == (("typed",) * 4, "typed")
    assert first.mask is None
    assert_allclose(first.trace.output, HERO_OUTPUT, atol=5.1e-5)


@pytest.mark.parametrize("key", EXAMPLES)
@pytest.mark.parametrize("d_model", [0, 7])
def test_the_language_names_the_tokens_and_changes_no_number(key, d_model):
    chosen = replace(with_example(Settings(), key), positions="none", d_model=d_model)
    english, chinese = scene_of(chosen, "en"), scene_of(chosen, "zh-Hant")
    assert english.tokens == EXAMPLES[key].tokens["en"]
    assert chinese.tokens == EXAMPLES[key].tokens["zh-Hant"]
    assert_allclose(english.trace.output, chinese.trace.output, rtol=0, atol=0)
    assert english.token_sources == chinese.token_sources


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_starts_with_its_own_query_and_settings(key):
    messy = Settings(language="zh-Hant", digits=4, sentence="x", mask="causal", n_heads=3, key=2)
    chosen = with_example(messy, key)
    assert (chosen.language, chosen.digits, chosen.sentence) == ("zh-Hant", 4, "")
    started = scene_of(chosen)
    assert started.query == EXAMPLES[key].query
    assert_allclose(started.inputs, EXAMPLES[key].inputs, rtol=0)
    assert started.weight_source != "random"


def test_two_heads_come_with_their_positions():
    started = scene_of(with_example(Settings(), "two_heads"))
    assert_allclose(started.trace.weights[1, 1], [0.9074, 0.0452, 0.0022, 0.0452], atol=5.1e-5)
    assert_allclose(scene(example="two_heads").trace.weights[1], 0.25)


def test_thinking_machines_come_with_their_scale():
    started = scene_of(with_example(Settings(), "thinking_machines"))
    assert_allclose(started.trace.weights[0, 0], [0.8808, 0.1192], atol=5.1e-5)


# --- Tokens and vectors


def test_equal_words_get_equal_vectors_and_without_positions_equal_outputs():
    said = scene(sentence="The cat sat on the mat")
    assert said.tokens == ("The", "cat", "sat", "on", "the", "mat")
    assert_allclose(said.inputs[0], said.inputs[4], rtol=0)
    assert_allclose(said.trace.output[0], said.trace.output[4], rtol=0)
    assert said.token_sources == ("typed",) * 6


def test_words_that_the_lexicon_does_not_know_are_random_and_say_so():
    said, again, other = (scene(sentence="the zyx", seed=seed) for seed in (1, 1, 2))
    assert said.token_sources == ("typed", "random")
    assert_allclose(said.inputs, again.inputs, rtol=0)
    assert np.abs(said.inputs[1] - other.inputs[1]).max() > 0


def test_tokens_cut_by_hand_are_kept_as_they_are():
    cut = scene(sentence="ignored", pieces=("new york", "is", "|", "大"))
    assert cut.tokens == ("new york", "is", "|", "大")


def test_chinese_is_cut_into_words_or_characters():
    assert scene(sentence="我學習").tokens == ("我", "學習")
    assert scene(sentence="我學習", split="characters").tokens == ("我", "學", "習")


def test_typed_vectors_of_the_examples_size_keep_its_tokens():
    edited = ((1, 0, 2), (0, 1, 1), (1, 1, 0.5), (0, 1, 1))
    typed = scene("zh-Hant", vectors=edited)
    assert typed.tokens == ("他", "會", "開", "會")
    assert_allclose(typed.inputs, edited, rtol=0)


def test_typed_vectors_of_another_size_are_called_by_their_place():
    typed = scene(vectors=((1.0, 2.0),) * 11)
    assert typed.tokens[:2] + typed.tokens[-2:] == ("a¹", "a²", "a¹⁰", "a¹¹")
    assert typed.inputs.shape == (11, 2)
    assert typed.weight_source == "random"


def test_only_the_rows_that_were_changed_are_called_typed():
    said = scene(sentence="zyx qwv")
    changed = (tuple(said.inputs[0].tolist()), (1.0, 2.0, 3.0))
    assert scene(sentence="zyx qwv", vectors=changed).token_sources == ("random", "typed")


def test_another_width_makes_matrices_and_words_random():
    wide = scene(d_model=5)
    assert wide.inputs.shape == (4, 5)
    assert wide.token_sources == ("random",) * 4
    assert wide.weight_source == "random"


@pytest.mark.parametrize(
    ("chosen", "code", "values"),
    [
        ({"sentence": "\u202e"}, "text.empty", {}),
        ({"sentence": "a " * 65}, "text.too_long", {"n_tokens": 65, "most": 64}),
        ({"pieces": ("a",) * 65}, "text.too_long", {"n_tokens": 65, "most": 64}),
        ({"pieces": ("a", "\u200b")}, "text.empty_token", {"place": 2}),
        ({"vectors": ((1.0,),) * 65}, "text.too_long", {"n_tokens": 65, "most": 64}),
        (
            {"vectors": ((1.0,) * 17,)},
            "size.too_large",
            {"name": "d_model", "got": 17, "most": 16},
        ),
        ({"sentence": "a b c", "vectors": TABLE}, "vectors.count", {"n_tokens": 3, "got": 2}),
        ({"d_model": 5, "vectors": TABLE}, "vectors.width", {"d_model": 5, "got": 3}),
        (
            {"vectors": ((1.0, 1e300),)},
            "number.too_large",
            {"name": "a", "row": 1, "column": 2, "most": "1,000,000"},
        ),
        (
            {"n_heads": 3, "n_kv_heads": 2},
            "heads.not_shared_evenly",
            {"n_heads": 3, "n_kv_heads": 2},
        ),
        (
            {"w_source": "typed", "w_q": TABLE},
            "weights.shape",
            {"name": "W^q", "expected": "3 × 2", "got": "2 × 3"},
        ),
        ({"positions": "rotary", "d_k": 3}, "positions.rotary_odd", {"d_k": 3}),
        (
            {"positions": "learned", "position_vectors": TABLE},
            "positions.table_short",
            {"rows": 2, "n_tokens": 4},
        ),
        (
            {"positions": "learned", "position_vectors": ((1.0,),) * 4},
            "positions.width",
            {"d_model": 3, "got": 1},
        ),
        (
            {"positions": "example", "example": "two_heads", "d_model": 3},
            "positions.width",
            {"d_model": 3, "got": 5},
        ),
        ({"positions": "t5", "n_buckets": 3}, "positions.t5_buckets", {"got": 3, "least": 4}),
        (
            {"positions": "t5", "n_buckets": 64, "max_distance": 16},
            "positions.t5_distance",
            {"got": 16, "least": 17},
        ),
        (
            {"temperature": 0.0, "normalizer": "relu"},
            "temperature.no_limit",
            {"normalizer": "relu"},
        ),
        ({"mask": "custom", "cells": ("10", "11")}, "mask.cells", {"n_tokens": 4, "got": 2}),
        (
            {"n_heads": -1},
            "setting.out_of_range",
            {"name": "n_heads", "got": -1, "least": 0, "most": 8},
        ),
    ],
)
def test_what_does_not_fit_together_is_refused_with_its_values(chosen, code, values):
    assert refusal(**chosen) == (code, values)


def test_an_unknown_example_is_refused_with_those_that_exist():
    code, values = refusal(example="zyx")
    assert code == "example.unknown"
    assert values == {"got": "zyx", "known": ", ".join(EXAMPLES)}


# --- Choices


@pytest.mark.parametrize("score", SCORES)
def test_every_score_function_has_all_it_needs(score):
    assert np.isfinite(scene(score=score, n_heads=2).trace.scores).all()


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_every_normalizer_has_all_it_needs(normalizer):
    assert np.isfinite(scene(normalizer=normalizer).trace.weights).all()


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("n_tokens", [1, 5])
def test_every_mask_has_all_it_needs(mask, n_tokens):
    assert np.isfinite(scene(mask=mask, sentence="the " * n_tokens).trace.weights).all()


@pytest.mark.parametrize("positions", [*POSITIONS, "example"])
def test_every_position_code_has_all_it_needs(positions):
    assert np.isfinite(scene(positions=positions, n_heads=2).trace.output).all()


@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_temperature_zero_is_offered_exactly_where_the_engine_takes_it(normalizer):
    try:
        NORMALIZERS[normalizer](np.array([[1.0, 2.0]]), temperature=0.0)
    except ValueError:
        assert normalizer not in WITH_LIMIT
    else:
        assert normalizer in WITH_LIMIT


def test_parameters_reach_the_engine():
    assert scene(normalizer="topk", k=1).trace.weights.max(axis=-1).tolist() == [[1, 1, 1, 1]]
    assert_allclose(scene(scale=2.0).trace.scaled_scores, 2 * scene().trace.scores)
    assert_allclose(scene(scale="sqrt_d_k").trace.scale, 2**-0.5)
    cold = scene(temperature=0.25).trace.weights[0, 1]
    assert_allclose(cold, [0.0000, 0.0177, 0.9647, 0.0177], atol=5.1e-5)
    assert scene(normalizer="sigmoid", bias=0.0).trace.weights[0, 1, 1] == 0.5
    far, near = (scene(positions="sinusoidal", base=base).trace.output for base in (1e4, 2.0))
    assert np.abs(far - near).max() > 0.01


@pytest.mark.parametrize(
    ("chosen", "row"),
    [
        ({"mask": "causal"}, [1, 1, 0, 0]),
        ({"mask": "window", "radius": 1}, [1, 1, 1, 0]),
        ({"mask": "causal_window", "radius": 0}, [0, 1, 0, 0]),
        ({"mask": "dilated", "steps": 1, "gap": 2}, [0, 1, 0, 1]),
        ({"mask": "padding", "padding": 1}, [1, 1, 1, 0]),
        ({"mask": "padding", "padding": 9}, [0, 0, 0, 0]),
        ({"mask": "global_tokens", "radius": 0, "global_tokens": (3, 60)}, [0, 1, 0, 1]),
        ({"mask": "block", "block_size": 3}, [1, 1, 1, 0]),
        ({"mask": "graph"}, [1, 1, 1, 0]),
        ({"mask": "graph", "self_loops": False}, [1, 0, 1, 0]),
        ({"mask": "graph", "cells": ("0000", "1000", "0000", "0000")}, [1, 1, 0, 0]),
        ({"mask": "custom"}, [1, 1, 1, 1]),
        ({"mask": "custom", "cells": ("1111", "0010", "1111", "1111")}, [0, 0, 1, 0]),
    ],
)
def test_masks_show_the_second_token_what_they_say(chosen, row):
    mask = scene(**chosen).mask
    assert mask is not None
    assert mask[1].tolist() == [bool(cell) for cell in row]


def test_a_typed_table_of_positions_is_added():
    table = tuple((float(place), 0.0, 0.0) for place in range(6))
    added = scene(positions="learned", position_vectors=table)
    assert_allclose(added.trace.encoded_inputs - added.inputs, table[:4], rtol=0)


# --- Looking around


def test_what_is_looked_at_always_exists():
    looked = scene(query=60, key=60, head=7, n_heads=2)
    assert (looked.query, looked.key, looked.head) == (3, None, 1)
    assert scene(key=3).key == 3


def test_looking_elsewhere_shares_the_trace():
    here = scene()
    trace = here.trace
    there = here.at(Settings(query=3, key=0))
    assert (there.query, there.key) == (3, 0)
    assert there.trace is trace
    assert (here.query, here.key) == (1, None)


def test_digits_fit_up_to_a_dozen_tokens():
    assert scene(sentence="the " * DIGITS_TOKENS).digits_fit
    assert not scene(sentence="the " * (DIGITS_TOKENS + 1)).digits_fit


def test_inputs_cannot_be_changed():
    for one in (scene(), scene(sentence="zyx"), scene(vectors=TABLE)):
        assert not one.inputs.flags.writeable


def test_the_limits_are_the_same_in_every_file():
    assert settings_module.MAX_TOKENS == sentences.MAX_TOKENS
    assert settings_module.MAX_CHARACTERS == sentences.MAX_CHARACTERS
    assert settings_module.LARGEST_NUMBER == matrices.LARGEST_NUMBER


extreme = st.sampled_from([-1e6, -1.0, 0.0, 1e-300, 0.5, 1.0, 1e6])
squares = st.integers(1, 4).flatmap(
    lambda n: st.tuples(*[st.tuples(*[extreme] * 3)] * n),
)


@settings(max_examples=50, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "example": st.sampled_from(list(EXAMPLES)),
            "sentence": st.text(max_size=12),
            "split": st.sampled_from(SPLITS),
            "pieces": st.lists(st.text(max_size=3), max_size=3).map(tuple),
            "vectors": squares,
            "n_heads": st.integers(0, 8),
            "n_kv_heads": st.integers(0, 4),
            "d_model": st.sampled_from([0, 1, 3, 16]),
            "d_k": st.sampled_from([0, 1, 2, 16]),
            "w_source": st.sampled_from(W_SOURCES),
            "w_q": squares,
            "score": st.sampled_from(list(SCORES)),
            "scale": st.sampled_from(["none", "sqrt_d_k", -1e3, 0.0, 1e3]),
            "temperature": st.sampled_from([0.0, 1e-3, 1.0, 1e3]),
            "normalizer": st.sampled_from(list(NORMALIZERS)),
            "alpha": st.sampled_from([1.0, 1.5, 10.0]),
            "mask": st.sampled_from(list(MASKS)),
            "padding": st.integers(0, MAX_TOKENS),
            "self_loops": st.booleans(),
            "positions": st.sampled_from([*POSITIONS, "example"]),
            "position_vectors": squares,
            "n_buckets": st.sampled_from([2, 3, 4, 5, 64]),
            "bidirectional": st.booleans(),
            "clip": st.sampled_from([0, 64]),
        },
    )
)
def test_any_settings_give_finite_numbers_or_are_refused_in_words(chosen):
    try:
        made = scene(**chosen)
    except InputError:
        return
    assert np.isfinite(made.trace.output).all()
    assert len(made.tokens) == len(made.inputs) == len(made.token_sources) <= MAX_TOKENS
    assert len(made.head_sources) == made.trace.n_heads
