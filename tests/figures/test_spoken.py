"""What is said aloud is true, complete in both languages, and made of the trace's numbers alone."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES, HeadChoices
from attnviz.attention.ancestry import ancestry
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.figures.spoken import (
    rounding_note,
    say_cell,
    say_scene,
    say_step,
    sentence_of,
)
from attnviz.figures.spoken_words import Voice
from attnviz.figures.steps import STEPS
from attnviz.scene import Scene, scene_of, with_example
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words

EN, ZH = words("en"), words("zh-Hant")
ATTENTION = re.compile("attention|注意")


def scene(language: str = "en", **chosen) -> Scene:
    return scene_of(Settings(**chosen), language)


def numbers_in(said: str) -> list[float]:
    """Read the numbers of a sentence as an ear would, once the tokens are taken away."""
    plain = re.sub("“[^”]*”|「[^」]*」", "", said)
    plain = re.sub(r"(minus|負) (?=\d)|(?<=負)(?=\d)", "-", plain).replace("負-", "-")
    powers = re.compile(r" times ten to the power | 乘以十的 ")
    plain = powers.sub("e", plain)
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", plain)]


def numbers_of(shown: Scene) -> np.ndarray:
    """Gather every number that a sentence about a scene may hold."""
    layer, head = shown.trace, shown.trace.head(shown.head)
    arrays = [head.query, head.key, head.value, head.scores, head.scaled_scores, head.weights]
    arrays += [head.masked_scores, head.output, layer.output, layer.encoded_inputs]
    apart = np.linalg.norm(layer.output[:, None] - layer.output, axis=-1)
    arrays += [head.weights.sum(axis=1), apart]
    for query in range(layer.n_query):
        for key in range(layer.n_key):
            found = ancestry(head, query, key)
            arrays += [found.contribution, [found.numerator, found.total, found.threshold or 0]]
    widths = [size for table in (layer.inputs, layer.output, head.query) for size in table.shape]
    counts = np.arange(max(*widths, layer.n_heads, head.value.shape[1]) + 1)
    choices = shown.choices
    own = [choices.temperature, layer.scale, *choices.arguments("normalizer").values()]
    own = [number for number in own if isinstance(number, int | float)]
    everything = np.concatenate([np.ravel(a).astype(float) for a in (*arrays, counts, own)])
    return everything[np.isfinite(everything)]


def assert_true(said: str, shown: Scene, digits: int) -> None:
    known = numbers_of(shown)
    for number in numbers_in(said):
        error = np.abs(known - number) - 1e-6 * np.abs(known)
        rounding = 10.0**-digits / 2 + 1e-4 * (digits > 4) + 5e-5
        large = np.abs(known) >= 1e7  # said in powers of ten
        assert (error <= np.where(large, 0.51 * 10.0**-digits * np.abs(known), rounding)).any(), (
            number,
            said,
        )


def test_the_hero_is_said_in_english():
    assert say_scene(scene(), EN) == (
        "In “I saw a saw”, with one head, “saw”, token 2, asks: 0.56 of its attention goes to "
        "“a”, token 3, more than to any other, and the output is minus 0.38 and 1.44. "
        "Tokens 2 and 4, both “saw”, get the same output: nothing tells them apart."
    )


def test_the_hero_is_said_in_chinese():
    assert say_scene(scene("zh-Hant"), ZH) == (
        "在「他會開會」裡，只用一個頭，第 2 個詞元「會」在問：它最注意第 3 個詞元「開」，"
        "把 0.56 的注意力給了它，輸出是負 0.38、1.44。"
        "第 2 和第 4 個詞元都是「會」，輸出一模一樣：沒有東西能分開它們。"
    )


def test_a_cell_of_the_hero_is_said_in_both_languages():
    assert say_cell(scene(), 1, 2, EN) == (
        "When “saw”, token 2, asks, “a”, token 3, gets 0.56 of its attention: its score is 1, "
        "which makes 2.72 out of 4.85 for the whole row. It adds 0.00 and 0.56 to the output."
    )
    assert say_cell(scene("zh-Hant"), 1, 2, ZH) == (
        "第 2 個詞元「會」在問的時候，第 3 個詞元「開」分到 0.56 的注意力："
        "它的分數是 1，算成 2.72，整列(row)一共 4.85。它給輸出加上 0.00、0.56。"
    )


def test_the_rounding_of_the_hero_is_explained_with_its_numbers():
    row = scene().trace.head(0).weights[1]
    assert rounding_note(row, 2, EN).startswith(
        "The weights shown, 0.03, 0.21, 0.56 and 0.21, add up to 1.01, the exact ones to 1."
    )
    assert rounding_note(row, 2, ZH).startswith(
        "畫面上的權重 0.03、0.21、0.56、0.21 加起來是 1.01，精確的權重加起來是 1。"
    )
    assert rounding_note(row, 3, EN) == ""


def test_every_choice_that_is_not_the_default_is_said():
    said = say_scene(
        scene(mask="causal", scale="sqrt_d_k", normalizer="sparsemax", temperature=0.5), EN
    )
    assert "Scores are divided by the square root of 2; the mask leaves 2 of 4 keys" in said
    assert "the temperature is 0.5; sparsemax makes the weights." in said
    assert "but their outputs are 1.41 apart" in said


def test_ties_are_said_to_be_equal():
    assert "goes equally to “saw”, token 2, “a”, token 3, and “saw”, token 4, 0.32 each" in (
        say_scene(scene(query=0), EN)
    )
    assert "equally to 6 tokens" in say_scene(scene(pieces=("a",) * 6), EN)


def test_a_query_that_sees_nothing_is_said_to():
    shown = scene(mask="padding", padding=4)
    assert "asks but may see nothing: its weights and its output are 0." in say_scene(shown, EN)
    assert say_cell(shown, 1, 2, EN).endswith("it may not see “a”, token 3: the weight is 0.")
    for step in ("masked_scores", "weights", "head_outputs"):
        assert "may see nothing" in say_step(shown, step, EN)


def test_one_token_attends_to_itself():
    assert "all of its attention goes to itself" in say_scene(scene(pieces=("hi",)), EN)
    assert "它的注意力全部給了自己" in say_scene(scene("zh-Hant", pieces=("hi",)), ZH)


def test_a_row_of_zeros_is_said_to_be_one():
    shown = scene(query=0, normalizer="relu_sum")
    assert "no score is above 0, so every weight is 0" in say_scene(shown, EN)
    assert "no score of this row is above 0" in say_cell(shown, 0, 1, EN)


def test_a_small_number_is_never_said_to_be_nothing():
    assert Voice(EN, 2).number(0.004) == Voice(EN, 2).number(-1e-9) == "almost 0"
    assert Voice(ZH, 2).number(0) == "0"


def test_numbers_are_said_without_signs():
    voice = Voice(EN, 2)
    assert voice.number(-np.inf) == "minus infinity"
    assert voice.number(-2.5e8) == "minus 2.50 times ten to the power 8"
    assert voice.vector([1.0, -0.5]) == "1.00 and minus 0.50"
    assert voice.vector([1.0] * 9) == "9 numbers, the first 1, 1 and 1"


def test_a_sentence_is_put_together_as_people_write_it():
    assert sentence_of(("他", "會", "開", "GPT", "會", "!")) == "他會開GPT會!"
    assert sentence_of(("I", "saw", ",", "twice", ".")) == "I saw, twice."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_only_a_distribution_is_called_attention(normalizer, language):
    shown, t = scene(language, normalizer=normalizer), words(language)
    said = [say_scene(shown, t), say_cell(shown, 1, 2, t), say_step(shown, "weights", t)]
    said.append(rounding_note(shown.trace.head(0).weights[1], 2, t))
    assert bool(ATTENTION.search(" ".join(said))) == (normalizer in DISTRIBUTIONS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["two_heads", "thinking_machines", "pronoun", "chinese"])
def test_every_step_of_an_example_is_said_with_its_numbers(key, language):
    shown, t = scene_of(with_example(Settings(), key), language), words(language)
    for step in STEPS:
        assert_true(say_step(shown, step, t), shown, 2)


def test_an_unknown_step_is_refused_by_name():
    with pytest.raises(ValueError, match="step must be one of encoded_inputs, query"):
        say_step(scene(), "squery", EN)


@st.composite
def choices_of(draw) -> dict:
    normalizer = draw(st.sampled_from(tuple(NORMALIZERS)))
    return {
        "pieces": draw(st.sampled_from(((), ("a",), ("x", "y", "x"), tuple("abcdefghijklmno")))),
        "query": draw(st.integers(0, 3)),
        "head": draw(st.integers(0, 2)),
        "n_heads": draw(st.sampled_from((0, 2))),
        "d_v": draw(st.sampled_from((0, 1, 6))),
        "w_source": draw(st.sampled_from(("example", "random"))),
        "score": draw(st.sampled_from(tuple(SCORES))),
        "scale": draw(st.sampled_from(("none", "sqrt_d_k", -0.37, 1000.0))),
        "temperature": draw(st.sampled_from((1, 0.3))),
        "normalizer": normalizer,
        "alpha": draw(st.sampled_from((1, 1.5, 3))),
        "mask": draw(st.sampled_from(tuple(MASKS))),
        "padding": draw(st.sampled_from((1, 64))),
        "positions": draw(st.sampled_from((*POSITIONS, "example"))),
    }


@settings(max_examples=40, deadline=None)
@given(
    choices_of(),
    st.sampled_from(tuple(LANGUAGES)),
    st.integers(2, 4),
    st.integers(0, 3),
    st.sampled_from(tuple(STEPS)),
)
def test_all_settings_have_true_sentences(chosen, language, digits, key, step):
    shown, t = scene(language, **chosen), words(language)
    key = min(key, len(shown.tokens) - 1)
    for said in (
        say_scene(shown, t, digits),
        say_cell(shown, shown.query, key, t, digits),
        say_step(shown, step, t, digits),
    ):
        assert said.endswith(("。", "."))
        assert not re.search("[α′−∞×₀-₉]", said)
        assert_true(said, shown, digits)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=9),
    st.integers(2, 4),
    st.sampled_from(tuple(LANGUAGES)),
)
def test_a_rounding_note_is_given_just_where_the_shown_digits_disagree(row, digits, language):
    weights = np.array(row) / max(sum(row), 1e-9)
    shown = [round(weight * 10**digits + 1e-12) for weight in weights.tolist()]
    note = rounding_note(weights, digits, words(language))
    if abs(sum(shown) - weights.sum() * 10**digits) > 0.51:
        assert note
    if note:
        assert numbers_in(note)


def test_huge_weights_need_no_note():
    assert rounding_note(np.array([3e9, 1.25]), 2, EN) == ""


def test_temperature_zero_is_said_as_what_it_does():
    shown = replace(scene(), choices=HeadChoices(temperature=0.0))
    assert "The temperature is 0; only the largest scores get weight." in say_scene(shown, EN)
