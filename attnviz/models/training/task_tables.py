"""A task of a person's own, read from a small table of sentences and tags."""

import re
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from attnviz.errors import InputError
from attnviz.models.training.tasks import NO_WORD, OWN, WORDS, Sentences, Task

MOST_SENTENCES, MOST_WORDS, LONGEST = 300, 300, 24
MOST_SIGNS = 50_000  # what a link can carry
_HEADERS = tuple(map(set, WORDS["headers"].values()))
_COLUMNS = re.compile(r"\s*[\t|｜]\s*")
_SLASH = re.compile(r"[/／]")

EXAMPLES = {language: text.strip() for language, text in WORDS["own"].items()}
"""What stands in the box before a person has typed anything."""

Tagged = list[tuple[str, str]]


def own_task(text: str) -> Task:
    """Make a task of the sentences of a table; it is measured on the sentences it learns from.

    A line is a sentence: `word/TAG word/TAG`, or its words and its tags in two columns with a tab
    or | between them. Where every line has one word alone, an empty line ends a sentence. A first
    line that names the columns is left out.

    Raises:
        InputError: naming the line that cannot be read, or where the words or tags are too many.
    """
    sentences = read_table(text)
    words = tuple(dict.fromkeys(word for line in sentences for word, _ in line))
    tags = tuple(dict.fromkeys(tag for line in sentences for _, tag in line))
    if len(words) > MOST_WORDS:
        raise InputError("training.words", got=len(words), most=MOST_WORDS)
    if len(tags) < 2:
        raise InputError("training.one_tag", got=", ".join(tags))
    tests = _numbered(sentences, words, tags)

    def draw(rng: np.random.Generator, n: int) -> Sentences:
        chosen = rng.integers(0, len(tests), n)
        return Sentences(tests.words[chosen], tests.tags[chosen], tests.kinds[chosen])

    return Task(
        key=OWN,
        possible=len(tests),
        names={"en": words},
        tags=tags,
        kinds=("ambiguous", "plain"),
        draw=draw,
        tests=tests,
        width=16,
        heads=2,
        steps=400,
    )


def read_table(text: str) -> list[Tagged]:
    """Read the words and tags of each sentence.

    Raises:
        InputError: naming the line where words and tags do not match, or what is too much.
    """
    if len(text) > MOST_SIGNS:
        raise InputError("training.long_table", got=len(text), most=MOST_SIGNS)
    lines = [line.strip() for line in text.splitlines()]
    first = next((place for place, line in enumerate(lines) if line), 0)
    if lines and _names_columns(lines[first]):
        lines[first] = ""
    read = [_line(place, line) if line else [] for place, line in enumerate(lines, 1)]
    found = _blocks(read) if all(len(line) < 2 for line in read) else list(filter(None, read))
    if not found:
        raise InputError("training.no_sentences")
    if len(found) > MOST_SENTENCES:
        raise InputError("training.sentences", got=len(found), most=MOST_SENTENCES)
    for place, line in enumerate(found, 1):
        if len(line) > LONGEST:
            raise InputError("training.long_sentence", place=place, got=len(line), most=LONGEST)
    return found


def _names_columns(line: str) -> bool:
    columns = [column.lower() for column in _COLUMNS.split(line)]
    return len(columns) == 2 and all(map(set.__contains__, _HEADERS, columns))


def _blocks(lines: list[Tagged]) -> list[Tagged]:
    """Join lines of one word each; an empty one ends a sentence."""
    runs = groupby(lines, key=bool)
    return [[pair for line in run for pair in line] for has_words, run in runs if has_words]


def _line(place: int, line: str) -> Tagged:
    columns = _COLUMNS.split(line)
    if len(columns) == 1:
        return [_pair(place, item) for item in line.split()]
    words, tags = columns[0].split(), " ".join(columns[1:]).split()
    if len(words) != len(tags):
        raise InputError(
            "training.unequal", line=place, n_words=len(words), n_tags=len(tags), text=line
        )
    return list(zip(words, tags, strict=True))


def _pair(place: int, item: str) -> tuple[str, str]:
    cut = max((found.start() for found in _SLASH.finditer(item)), default=0)
    word, tag = item[:cut], item[cut + 1 :]
    if not word or not tag:
        raise InputError("training.no_tag", line=place, text=item)
    return word, tag


def _numbered(sentences: list[Tagged], words: Sequence[str], tags: Sequence[str]) -> Sentences:
    longest = max(map(len, sentences))
    shape = (len(sentences), longest)
    numbered, tagged = np.full(shape, NO_WORD), np.full(shape, NO_WORD)
    for row, line in enumerate(sentences):
        numbered[row, : len(line)] = [words.index(word) for word, _ in line]
        tagged[row, : len(line)] = [tags.index(tag) for _, tag in line]
    of: dict[int, set[int]] = {}
    for word, tag in zip(numbered.ravel().tolist(), tagged.ravel().tolist(), strict=True):
        of.setdefault(word, set()).add(tag)
    several = [any(len(of[word]) > 1 for word in row if word >= 0) for row in numbered.tolist()]
    return Sentences(numbered, tagged, 1 - np.array(several).astype(int))
