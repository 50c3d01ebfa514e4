"""What a small model can be taught: sentences drawn from a seed, and the tag of each word."""

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int

from attnviz.errors import InputError

NO_WORD = -1
"""Stands in a sentence after its end, and as the tag of a word that is not asked for."""

N_TESTS = 400
_TEST_SEED = 1_000_003
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_REVERSED, _REPEATED, _COUNTED = 6, 8, 7  # words of a sentence

PRONOUNS, AMBIGUOUS, DETERMINERS = 3, 14, 3
WORDS = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text("utf-8"))
"""The words of the tasks by language, and the sentences that a person's own task starts from."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """Sentences of numbered words, the number of the tag of each word, and each one's kind."""

    words: Int[np.ndarray, "sentence place"]
    tags: Int[np.ndarray, "sentence place"]
    kinds: Int[np.ndarray, " sentence"]

    def __len__(self) -> int:
        return len(self.words)

    def length(self, sentence: int) -> int:
        """Give how many words a sentence has."""
        return int((self.words[sentence] != NO_WORD).sum())


Draw = Callable[[np.random.Generator, int], Sentences]


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """Words with their names by language, tags, kinds of sentence, and how sentences are drawn.

    `before`: each vector also says which word stands before it, since one layer of attention alone
    cannot look up what followed a word. `possible`: how many different sentences can be drawn, each
    as likely as any other. The last four are what the task is learned with, unless a person chooses
    otherwise.
    """

    key: str
    names: dict[str, tuple[str, ...]]
    tags: tuple[str, ...]
    kinds: tuple[str, ...]
    draw: Draw
    tests: Sentences
    possible: int
    before: bool = False
    width: int = 8
    heads: int = 2
    rate: float = 0.02
    steps: int = 300

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return len(self.names["en"])

    @property
    def longest(self) -> int:
        """How many words the longest sentence has."""
        return self.tests.words.shape[1]

    def seen_in(self, n: int) -> float:
        """Give the share of its possible sentences that is expected among `n` drawn ones."""
        return 1 - (1 - 1 / self.possible) ** n

    def names_in(self, language: str) -> tuple[str, ...]:
        """Give the words as they are called in a language."""
        return self.names.get(language, self.names["en"])

    def number(self, names: tuple[str, ...]) -> Int[np.ndarray, " place"]:
        """Find the words of a sentence, named in any language.

        Raises:
            InputError: naming the word that this task does not have, or if none or too many came.
        """
        if not 1 <= len(names) <= self.longest:
            raise InputError("training.length", got=len(names), most=self.longest)
        known = {name.casefold(): i for own in self.names.values() for i, name in enumerate(own)}
        for name in names:
            if name.casefold() not in known:
                raise InputError("training.word", got=name)
        return np.array([known[name.casefold()] for name in names])


def two_saws(n_words: int = 10) -> Task:
    """Tag PRON AMB DET AMB: each ambiguous word is a verb at one place and a noun at the other.

    Source: TEACHING.md, Appendix B4.
    """
    ambiguous = n_words - PRONOUNS - DETERMINERS
    first_det = PRONOUNS + ambiguous

    def draw(rng: np.random.Generator, n: int) -> Sentences:
        pronouns = rng.integers(0, PRONOUNS, n)
        verbs, nouns = rng.integers(PRONOUNS, first_det, (2, n))
        determiners = rng.integers(first_det, n_words, n)
        words = np.stack([pronouns, verbs, determiners, nouns], axis=1)
        return Sentences(words, np.tile(np.arange(4), (n, 1)), (verbs != nouns).astype(int))

    names = {
        language: (*own["pronouns"], *own["ambiguous"][:ambiguous], *own["determiners"])
        for language, own in WORDS["saws"].items()
    }
    return Task(
        key="two_saws",
        names=names,
        tags=("PRON", "VERB", "DET", "NOUN"),
        kinds=("same", "different"),
        draw=draw,
        tests=_tests(draw),
        possible=PRONOUNS * DETERMINERS * ambiguous**2,
    )


def reversal(n_words: int = 8) -> Task:
    """Write a string backward: the answer at each place stands at the mirrored place."""

    def draw(rng: np.random.Generator, n: int) -> Sentences:
        words = rng.integers(0, n_words, (n, _REVERSED))
        repeats = np.array([len(set(row)) < _REVERSED for row in words.tolist()])
        return Sentences(words, words[:, ::-1].copy(), repeats.astype(int))

    kinds = ("distinct", "repeats")
    possible = n_words**_REVERSED
    return _signs("reversal", n_words, kinds, draw, possible, width=16, heads=1, steps=500)


def induction(n_words: int = 8) -> Task:
    """Say what followed the last sign where it stood before."""

    def draw(rng: np.random.Generator, n: int) -> Sentences:
        order = rng.permuted(np.tile(np.arange(n_words), (n, 1)), axis=1)[:, : _REPEATED - 1]
        copied = rng.integers(0, _REPEATED - 2, n)
        last, answer = order[np.arange(n), copied], order[np.arange(n), copied + 1]
        words = np.column_stack([order, last])
        tags = np.full(words.shape, NO_WORD)
        tags[:, -1] = answer
        return Sentences(words, tags, (copied < (_REPEATED - 2) // 2).astype(int))

    kinds = ("near", "far")
    possible = math.perm(n_words, _REPEATED - 1) * (_REPEATED - 2)
    return _signs("induction", n_words, kinds, draw, possible, width=16, heads=1, steps=600)


def majority(n_words: int = 3) -> Task:
    """Say at every place which sign is the most frequent; of equal ones, the first."""

    def draw(rng: np.random.Generator, n: int) -> Sentences:
        words = rng.integers(0, n_words, (n, _COUNTED))
        counts = (words[:, :, None] == np.arange(n_words)).sum(axis=1)
        tags = np.repeat(counts.argmax(axis=1)[:, None], _COUNTED, axis=1)
        lead = np.diff(np.sort(counts, axis=1)[:, -2:], axis=1)[:, 0]
        return Sentences(words, tags, (lead < 2).astype(int))

    kinds, possible = ("clear", "close"), n_words**_COUNTED
    return _signs("majority", n_words, kinds, draw, possible, width=8, heads=1, steps=400)


def _signs(
    key: str,
    n_words: int,
    kinds: tuple[str, ...],
    draw: Draw,
    possible: int,
    *,
    width: int,
    heads: int,
    steps: int,
) -> Task:
    signs = tuple(_LETTERS[:n_words])
    return Task(
        key=key,
        names={"en": signs},
        tags=signs,
        kinds=kinds,
        draw=draw,
        tests=_tests(draw),
        possible=possible,
        before=key == "induction",
        width=width,
        heads=heads,
        steps=steps,
    )


def _tests(draw: Draw) -> Sentences:
    """Draw sentences to measure with, each once, in the order of their words."""
    drawn = draw(np.random.default_rng(_TEST_SEED), N_TESTS)
    _, places = np.unique(drawn.words, axis=0, return_index=True)
    return Sentences(drawn.words[places], drawn.tags[places], drawn.kinds[places])


@dataclass(frozen=True)
class Choice:
    """A task that comes with the app, and how many words it may have."""

    make: Callable[[int], Task]
    least: int
    usual: int
    most: int


TASKS = {
    "two_saws": Choice(
        two_saws, PRONOUNS + DETERMINERS + 1, 10, PRONOUNS + DETERMINERS + AMBIGUOUS
    ),
    "reversal": Choice(reversal, 2, 8, len(_LETTERS)),
    "induction": Choice(induction, _REPEATED - 1, 8, len(_LETTERS)),
    "majority": Choice(majority, 2, 3, 8),
}
OWN = "own"
"""A task of the person's own, from a table of sentences and tags."""


def task_of(key: str, n_words: int = 0) -> Task:
    """Make a task with so many words; 0 is as many as it usually has.

    Raises:
        InputError: if there is no such task, or it cannot have so many words.
    """
    if key not in TASKS:
        raise InputError("training.task", got=key, known=", ".join((*TASKS, OWN)))
    choice = TASKS[key]
    if n_words and not choice.least <= n_words <= choice.most:
        raise InputError("training.vocabulary", got=n_words, least=choice.least, most=choice.most)
    return choice.make(n_words or choice.usual)
