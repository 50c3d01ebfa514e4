"""Tasks: what is drawn is what the task says, the same for the same seed; tables of one's own."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.errors import InputError
from attnviz.models.training.task_tables import (
    EXAMPLES,
    LONGEST,
    MOST_SENTENCES,
    MOST_SIGNS,
    own_task,
    read_table,
)
from attnviz.models.training.tasks import NO_WORD, TASKS, Sentences, task_of
from attnviz.settings.links import MAX_PASSAGE

SEEDS = st.integers(0, 10_000)


def drawn(key: str, seed: int, n: int = 40, n_words: int = 0) -> Sentences:
    return task_of(key, n_words).draw(np.random.default_rng(seed), n)


@given(st.sampled_from(sorted(TASKS)), SEEDS)
def test_the_same_seed_draws_the_same_sentences(key, seed):
    one, two = drawn(key, seed), drawn(key, seed)
    np.testing.assert_array_equal(one.words, two.words)
    np.testing.assert_array_equal(one.tags, two.tags)


@given(st.sampled_from(sorted(TASKS)), SEEDS, st.data())
def test_words_tags_and_kinds_are_known_ones(key, seed, data):
    choice = TASKS[key]
    task = task_of(key, data.draw(st.integers(choice.least, choice.most)))
    found = task.draw(np.random.default_rng(seed), 30)
    assert 0 <= found.words.min() <= found.words.max() < task.n_words
    assert NO_WORD <= found.tags.min() <= found.tags.max() < len(task.tags)
    assert set(found.kinds.tolist()) <= set(range(len(task.kinds)))
    assert found.words.shape[1] == task.longest


@given(SEEDS)
def test_a_word_that_stands_twice_is_a_verb_and_a_noun(seed):
    found = drawn("two_saws", seed)
    same = found.words[:, 1] == found.words[:, 3]
    np.testing.assert_array_equal(same, found.kinds == 0)
    np.testing.assert_array_equal(found.tags, np.tile([0, 1, 2, 3], (len(found), 1)))


@given(SEEDS)
def test_reversed_twice_is_as_it_was(seed):
    found = drawn("reversal", seed)
    np.testing.assert_array_equal(found.tags[:, ::-1], found.words)


@given(SEEDS)
def test_what_followed_the_last_sign_stands_after_its_copy(seed):
    found = drawn("induction", seed)
    for words, tags in zip(found.words.tolist(), found.tags.tolist(), strict=True):
        follows = [after for before, after in pairwise(words) if before == words[-1]]
        assert follows == [tags[-1]]
        assert set(tags[:-1]) == {NO_WORD}


@given(SEEDS)
def test_no_sign_is_more_frequent_than_the_majority(seed):
    found = drawn("majority", seed)
    for words, tags in zip(found.words.tolist(), found.tags.tolist(), strict=True):
        most = max(map(words.count, words))
        assert set(tags) == {min(sign for sign in words if words.count(sign) == most)}


def test_test_sentences_are_there_once_and_of_every_kind():
    for key in TASKS:
        task = task_of(key)
        assert len(np.unique(task.tests.words, axis=0)) == len(task.tests)
        assert set(task.tests.kinds.tolist()) == set(range(len(task.kinds)))


def test_a_sentence_is_found_by_its_words_in_each_language():
    task = task_of("two_saws")
    np.testing.assert_array_equal(
        task.number(("I", "saw", "a", "saw")), task.number(("我", "鋸", "一個", "鋸"))
    )


@pytest.mark.parametrize(
    ("sentence", "code"),
    [("I saw the elephant", "training.word"), ("I saw a saw saw", "training.length")],
)
def test_a_sentence_with_other_words_or_too_many_is_refused(sentence, code):
    with pytest.raises(InputError) as refused:
        task_of("two_saws").number(tuple(sentence.split()))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("key", "n_words", "code"),
    [
        ("nowhere", 0, "training.task"),
        ("two_saws", 6, "training.vocabulary"),
        ("reversal", 27, "training.vocabulary"),
    ],
)
def test_a_task_that_cannot_be_is_refused(key, n_words, code):
    with pytest.raises(InputError) as refused:
        task_of(key, n_words)
    assert refused.value.code == code


def test_both_ways_to_write_a_table_say_the_same():
    slashes = read_table("I/PRON saw/VERB\n\nwe／PRON 1/2/NUM")
    columns = read_table("I saw\tPRON VERB\nwe 1/2 | PRON NUM")
    assert slashes == columns
    assert slashes[1] == [("we", "PRON"), ("1/2", "NUM")]


def test_a_word_a_line_is_a_sentence_to_the_next_empty_line():
    lines = "I\tPRON\nsaw\tVERB\n\n\nwe\tPRON\n1/2\tNUM\n"
    assert read_table(lines) == read_table("I saw\tPRON VERB\nwe 1/2\tPRON NUM")
    assert read_table("\n" + lines.replace("\t", " | ")) == read_table(lines)


@pytest.mark.parametrize("header", ["Sentence\tTags", "word | TAG", "句子｜標記"])
def test_a_line_that_names_the_columns_is_no_sentence(header):
    table = "I saw\tPRON VERB\nwe saw\tPRON VERB"
    assert read_table(f"\n{header}\n{table}") == read_table(table)


def test_a_table_is_no_longer_than_a_link_can_carry():
    assert MOST_SIGNS == MAX_PASSAGE
    fits = "\n".join(["a/X b/Y"] * MOST_SENTENCES).ljust(MOST_SIGNS)
    assert len(read_table(fits)) == MOST_SENTENCES
    with pytest.raises(InputError) as refused:
        read_table(fits + " ")
    assert refused.value.code == "training.long_table"


@pytest.mark.parametrize("language", list(EXAMPLES))
def test_the_first_table_of_each_language_can_be_learned_from(language):
    task = own_task(EXAMPLES[language])
    assert len(task.tests) == len(EXAMPLES[language].splitlines())
    assert 0 in task.tests.kinds


def test_kinds_of_own_sentences_tell_whether_a_word_has_several_tags():
    task = own_task("I/PRON can/AUX can/VERB\nyou/PRON go/VERB")
    assert task.tests.kinds.tolist() == [0, 1]
    assert task.tests.words[1].tolist() == [2, 3, NO_WORD]


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("", "training.no_sentences", {}),
        ("a/X b/Y\n\nsaw/", "training.no_tag", {"line": 3, "text": "saw/"}),
        ("a/X b/Y\nsaw", "training.no_tag", {"line": 2, "text": "saw"}),
        ("a b\tX Y\na b c\tX Y", "training.unequal", {"line": 2, "n_words": 3, "n_tags": 2}),
        ("a/X b/X", "training.one_tag", {"got": "X"}),
        (
            " ".join(["a/X"] * (LONGEST + 1)),
            "training.long_sentence",
            {"place": 1, "got": LONGEST + 1},
        ),
        ("a/X b/Y\n" * 301, "training.sentences", {"got": 301}),
    ],
)
def test_a_table_that_cannot_be_read_names_its_line(text, code, values):
    with pytest.raises(InputError) as refused:
        own_task(text)
    assert refused.value.code == code
    assert values.items() <= refused.value.values.items()


def test_so_many_sentences_are_possible():
    assert {key: task_of(key).possible for key in TASKS} == {
        "two_saws": 3 * 4 * 3 * 4,
        "reversal": 8**6,
        "induction": 8 * 7 * 6 * 5 * 4 * 3 * 2 * 6,
        "majority": 3**7,
    }


@given(SEEDS)
def test_the_share_that_is_met_is_that_of_drawn_sentences(seed):
    task = task_of("two_saws")
    n = 200
    found = task.draw(np.random.default_rng(seed), n)
    met = len(np.unique(found.words, axis=0)) / task.possible
    assert abs(met - task.seen_in(n)) < 0.15
    assert (task.seen_in(0), task.seen_in(1)) == (0, pytest.approx(1 / task.possible))
