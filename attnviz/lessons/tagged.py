"""What each word of the lexicon can be, and which label comes after which."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from attnviz.lessons.lexicon import KINDS, word_of

LABELS = ("pronoun", "determiner", "auxiliary", "verb", "noun", "quality", "other")
SOUNDS = ("h", "e", "l", "o")
"""The sounds of a made-up utterance, in the order in which they are said."""

_OF_KIND = {"being": "noun", "thing": "noun", "preposition": "other", "conjunction": "other"}
_ALSO = """
saw verb noun, like verb other, can auxiliary noun verb, love verb noun, time noun verb
water noun verb, book noun verb, left verb quality, that determiner pronoun other
this determiner pronoun, to other auxiliary, 會 auxiliary noun, 愛 verb noun, 學 verb noun
"""
"""Words that can be several things."""
_OPEN = ("noun", "verb", "quality")
_FOLLOWS = {
    "pronoun": {"verb": 2, "auxiliary": 2},
    "determiner": {"noun": 3, "quality": 2},
    "auxiliary": {"verb": 3, "quality": 1},
    "verb": {"determiner": 2, "noun": 1, "pronoun": 1, "other": 1},
    "noun": {"verb": 2, "auxiliary": 2, "other": 1},
    "quality": {"noun": 2, "other": 1},
    "other": {"determiner": 2, "pronoun": 1, "noun": 1, "quality": 1},
}


def _read() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {
        word: (_label(kind),)
        for kinds in KINDS.values()
        for kind, words in kinds.items()
        for word in words
    }
    entries = (entry.split() for line in _ALSO.strip().splitlines() for entry in line.split(", "))
    found.update((word, tuple(labels)) for word, *labels in entries)
    return found


def _label(kind: str) -> str:
    label = _OF_KIND.get(kind, kind)
    return label if label in LABELS else "other"


POSSIBLE = _read()


def possible(
    tokens: Sequence[str],
) -> tuple[Float[np.ndarray, "token label"], Bool[np.ndarray, " token"]]:
    """Give 1 for each label that a word can have, and whether the word is known.

    An unknown word can be a noun, a verb or a quality.
    """
    known = [word_of(token) in POSSIBLE for token in tokens]
    table = np.zeros((len(tokens), len(LABELS)))
    for row, token in enumerate(tokens):
        for label in POSSIBLE.get(word_of(token), _OPEN):
            table[row, LABELS.index(label)] = 1
    return table, np.array(known, dtype=bool)


def follows() -> Float[np.ndarray, "label label"]:
    """Give how well a label (column) comes after another (row); 0 where it seldom does."""
    table = np.zeros((len(LABELS), len(LABELS)))
    for before, after in _FOLLOWS.items():
        for label, liking in after.items():
            table[LABELS.index(before), LABELS.index(label)] = liking
    return table
