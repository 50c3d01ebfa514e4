import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnviz.attention.attend import attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.lexicon import word_vectors


def trace_of(key, *, positions=True):
    example = EXAMPLES[key]
    table = example.positions(len(example.inputs)) if positions else None
    return attend_heads(
        example.inputs,
        example.projections,
        HeadChoices(scale=example.settings.get("scale", "none")),
        positions="none" if table is None else table,
    )


@pytest.mark.parametrize("key", EXAMPLES)
def test_every_example_fits_together(key):
    example = EXAMPLES[key]
    assert example.key == key
    assert set(example.tokens) == {"en", "zh-Hant"}
    assert {len(tokens) for tokens in example.tokens.values()} == {len(example.inputs)}
    assert 0 <= example.query < len(example.inputs) <= 12
    assert example.tokens_in("fr") == example.tokens["en"]
    assert not example.inputs.flags.writeable


def test_the_hero_comes_first():
    assert next(iter(EXAMPLES)) == "hero"


def test_the_hero_has_the_numbers_of_the_first_screen():
    trace = trace_of("hero")
    assert_allclose(trace.scores[0], [[-3, -1, -1, -1], [-2, 0, 1, 0], [4, 2, 3, 2], [-2, 0, 1, 0]])
    assert_allclose(trace.output[1], [-0.3842, 1.4399], atol=5e-5)


# Alammar 2018, The Illustrated Transformer: 112 and 96, then 14 and 12, then .88 and .12.
def test_thinking_machines_has_the_published_scores_and_weights():
    trace = trace_of("thinking_machines")
    assert_allclose(trace.scores[0, 0], [112, 96], rtol=0)
    assert_allclose(trace.scaled_scores[0, 0], [14, 12], rtol=0)
    assert_allclose(trace.weights[0, 0], [0.8808, 0.1192], atol=5e-5)
    assert trace.projections.d_k == 3


# Raschka 2024, Build a Large Language Model (From Scratch), §3.3.1 and §3.3.2.
def test_raschkas_journey_has_the_published_numbers():
    trace, row = trace_of("raschka_journey"), EXAMPLES["raschka_journey"].query
    scores = [0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]
    weights = [0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581]
    assert_allclose(trace.scores[0, row], scores, atol=5.1e-5)
    assert_allclose(trace.weights[0, row], weights, atol=5.1e-5)
    assert_allclose(trace.output[row], [0.4419, 0.6515, 0.5683], atol=5.1e-5)


def test_the_vectors_of_the_lecture_are_all_different_and_so_are_their_outputs():
    output = trace_of("lecture_vectors").output
    distances = np.linalg.norm(output[:, None] - output, axis=-1) + np.eye(4)
    assert distances.min() > 0.05


def test_two_heads_tell_the_two_saws_apart():
    trace = trace_of("two_heads")
    positional = [[0, -3, 0, 3], [3, 0, -3, 0], [0, 3, 0, -3], [-3, 0, 3, 0]]
    assert_allclose(trace.scores[0], trace_of("hero").scores[0], rtol=0)
    assert_allclose(trace.scores[1], positional, rtol=0)
    assert_allclose(trace.weights[1, 1], [0.9074, 0.0452, 0.0022, 0.0452], atol=5.1e-5)
    assert_allclose(trace.weights[1, 3], [0.0022, 0.0452, 0.9074, 0.0452], atol=5.1e-5)
    assert_allclose(trace.output[1], [-0.3842, 1.4399, 0.8170, 1.9978, 0], atol=5.1e-5)
    assert_allclose(trace.output[3], [-0.3842, 1.4399, -0.0881, 1.0926, 0], atol=5.1e-5)


def test_without_positions_the_second_head_only_averages():
    trace = trace_of("two_heads", positions=False)
    assert_allclose(trace.head_outputs[1], [[-0.25, 1.75]] * 4)


def test_own_positions_start_again_after_the_cycle():
    table = EXAMPLES["two_heads"].positions(6)
    assert_allclose(table[4:], table[:2], rtol=0)
    assert_allclose(table[1], [0, 0, 0, 0, 1], rtol=0)
    assert EXAMPLES["hero"].positions(6) is None


def test_the_chinese_sentence_reads_the_same_from_behind():
    trace = trace_of("chinese")
    assert_allclose(trace.output, trace.output[::-1], rtol=0, atol=1e-12)


def test_it_looks_for_the_animal_first_and_the_street_next():
    example = EXAMPLES["pronoun"]
    tokens = example.tokens["en"]
    weights = trace_of("pronoun").weights[0, example.query]
    best = [tokens[place] for place in np.argsort(-weights)]
    assert tokens[example.query] == "it"
    assert best[:2] == ["animal", "street"]
    assert weights.max() > 0.6


def test_it_still_looks_for_the_animal_when_the_street_is_wide():
    example = EXAMPLES["pronoun"]
    words = (*example.tokens["en"][:-1], "wide")
    inputs, _ = example.vectors_of(words, 3, 0)
    weights = attend_heads(inputs, example.projections).weights[0, example.query]
    assert words[int(weights.argmax())] == "animal"


@pytest.mark.parametrize("key", ["hero", "chinese", "pronoun"])
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_the_lexicon_gives_the_words_of_a_sentence_the_vectors_of_the_example(key, language):
    vectors, sources = word_vectors(EXAMPLES[key].tokens[language], 3, 0)
    assert_allclose(vectors, EXAMPLES[key].inputs, rtol=0)
    assert set(sources) == {"typed"}


def test_an_examples_own_words_keep_their_vectors_in_any_sentence():
    example = EXAMPLES["raschka_journey"]
    vectors, sources = example.vectors_of(("STEP", "journey", "旅程", "zyx"), 3, 0)
    assert_allclose(vectors[:3], example.inputs[[5, 1, 1]], rtol=0)
    assert sources == ("typed", "typed", "typed", "random")


def test_words_leave_the_place_of_positions_empty():
    vectors, sources = EXAMPLES["two_heads"].vectors_of(("the", "zyx"), 5, 0)
    assert_allclose(vectors[:, 3:], 0, rtol=0)
    assert sources == ("typed", "random")
