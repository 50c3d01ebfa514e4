"""One label for each vector: what the word before settles, and what nearby frames repair."""

import numpy as np
import pytest

from attnviz.comparisons.labelling import label_frames, label_words, spoken
from attnviz.lessons.tagged import LABELS, POSSIBLE, SOUNDS, follows, possible


def labels(sentence: list[str]) -> tuple[list[str], list[str]]:
    table, _ = possible(sentence)
    found = label_words(table, follows())
    named = [
        [LABELS[i] if i >= 0 else "?" for i in each] for each in (found.labels_alone, found.labels)
    ]
    return named[0], named[1]


def test_two_saws_are_told_apart_by_the_word_before():
    alone, context = labels(["I", "saw", "a", "saw"])
    assert alone == ["pronoun", "?", "determiner", "?"]
    assert context == ["pronoun", "verb", "determiner", "noun"]


def test_the_chinese_twin_too():
    alone, context = labels(["他", "會", "開", "會"])
    assert alone == ["pronoun", "?", "verb", "?"]
    assert context == ["pronoun", "auxiliary", "verb", "noun"]


def test_equal_words_alone_get_equal_numbers():
    table, _ = possible(["saw", "the", "saw"])
    found = label_words(table, follows())
    np.testing.assert_array_equal(found.alone[0], found.alone[2])
    assert np.abs(found.context[0] - found.context[2]).max() > 1


@pytest.mark.parametrize("n", [1, 2, 30, 64])
def test_as_many_labels_as_vectors(n):
    table, known = possible(["saw", "xyzzy"] * (n // 2) + ["a"] * (n % 2))
    found = label_words(table, follows())
    assert found.labels.shape == found.labels_alone.shape == (n,)
    assert not known[1::2].any()


def test_context_is_what_is_there_and_what_follows():
    table, _ = possible(["we", "book", "the", "book"])
    before = np.vstack([np.zeros((1, len(LABELS))), table[:-1]])
    np.testing.assert_allclose(
        label_words(table, follows()).context, 4 * table + before @ follows(), atol=1e-9
    )


def test_every_word_of_the_lexicon_can_be_something():
    assert all(set(found) <= set(LABELS) and found for found in POSSIBLE.values())


def test_attention_repairs_frames_that_are_wrong_by_themselves():
    alone, context = 0, 0
    for seed in range(20):
        made = spoken((0, 1, 2, 3), (7, 6, 9, 8), len(SOUNDS), 0.6, seed)
        found = label_frames(made.frames)
        alone += int((found.labels_alone == made.sounds).sum())
        context += int((found.labels == made.sounds).sum())
    assert 0.7 < alone / 600 < 0.8
    assert context / 600 > 0.9


def test_frames_without_noise_are_right_already():
    made = spoken((2, 0, 1), (3, 1, 2), 4, 0.0, seed=0)
    assert made.sounds.tolist() == [2, 2, 2, 0, 1, 1]
    np.testing.assert_array_equal(label_frames(made.frames).labels_alone, made.sounds)


def test_weights_of_frames_are_those_of_the_score():
    made = spoken((0, 1), (3, 2), 4, 0.5, seed=1)
    at = np.arange(5)
    scores = made.frames @ made.frames.T - 0.05 * (at[:, None] - at) ** 2
    e = np.exp(scores)
    np.testing.assert_allclose(label_frames(made.frames).weights, e / e.sum(1, keepdims=True))
