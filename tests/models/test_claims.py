"""What the page says of a head of the default model is so in the sentence that it shows.

Where the package with the weights is not installed, the page says so instead; that is tested then.
"""

from functools import cache

import numpy as np
import pytest

from attnviz.attention.metrics import entropy
from attnviz.errors import InputError
from attnviz.models.catalogue import HeadNote, catalogue
from attnviz.models.load import load_model
from attnviz.models.results import Capture

ENTRY = catalogue()["default"]
NOTES = {note.pattern: note for note in ENTRY.heads}


@cache
def captured(pattern: str) -> tuple[Capture, np.ndarray]:
    note = NOTES[pattern]
    capture = load_model("default").capture(note.sentence)
    return capture, capture.weights(note.layer, note.head)


def texts(capture: Capture) -> list[str]:
    return [token.text.casefold() for token in capture.tokens]


def from_to(pattern: str, query: str, key: str) -> float:
    capture, weights = captured(pattern)
    names = texts(capture)
    return float(weights[len(names) - 1 - names[::-1].index(query), names.index(key)])


def words(capture: Capture) -> np.ndarray:
    return np.array([place for place, token in enumerate(capture.tokens) if not token.special])


def previous() -> bool:
    capture, weights = captured("previous")
    return np.mean([weights[i, i - 1] for i in words(capture)]) > 0.95


def following() -> bool:
    capture, weights = captured("next")
    return np.mean([weights[i, i + 1] for i in words(capture)]) > 0.6


def same_word() -> bool:
    capture, weights = captured("same_word")
    names = np.array(texts(capture))
    copies = (names[:, None] == names) & ~np.eye(len(names), dtype=bool)
    rows = copies.any(axis=1)
    return (weights * copies).sum(axis=1)[rows].mean() > 0.4


def word_pieces() -> bool:
    capture, weights = captured("word_pieces")
    own = np.array([-1 if t.word is None else t.word for t in capture.tokens])
    others = (own[:, None] == own) & (own >= 0) & ~np.eye(len(own), dtype=bool)
    rows = others.any(axis=1)
    return (weights * others).sum(axis=1)[rows].mean() > 0.3


def pronoun() -> bool:
    return from_to("pronoun", "she", "queen") > 0.4 > from_to("pronoun", "she", "king")


def argument() -> bool:
    return from_to("argument", "it", "animal") > 0.5 > from_to("argument", "it", "street")


def verb() -> bool:
    return from_to("verb", "soup", "prepared") > from_to("verb", "soup", "delicious") > 0.1


def introduces() -> bool:
    return from_to("introduces", "on", "table") > 0.5


def punctuation() -> bool:
    capture, weights = captured("punctuation")
    return weights[words(capture), texts(capture).index(".")].mean() > 0.5


def sink() -> bool:
    capture, weights = captured("sink")
    return weights[words(capture), 0].mean() > 0.8


def broad() -> bool:
    _, weights = captured("broad")
    return np.mean(entropy(weights, normalized=True)) > 0.85


CLAIMS = {
    "previous": previous,
    "next": following,
    "same_word": same_word,
    "word_pieces": word_pieces,
    "pronoun": pronoun,
    "argument": argument,
    "verb": verb,
    "introduces": introduces,
    "punctuation": punctuation,
    "sink": sink,
    "broad": broad,
}


@pytest.mark.parametrize("pattern", NOTES)
def test_what_is_said_of_a_head_is_so_in_its_sentence(pattern):
    if ENTRY.installed:
        assert CLAIMS[pattern]()
    else:
        with pytest.raises(InputError, check=lambda error: "not_installed" in error.code):
            load_model("default")


@pytest.mark.parametrize("note", ENTRY.heads, ids=lambda note: note.pattern)
def test_the_token_that_an_example_is_about_stands_in_its_sentence(note: HeadNote):
    assert note.asks.casefold() in note.sentence.casefold()
