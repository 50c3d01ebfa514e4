"""Sentences of any language, cut into tokens."""

import unicodedata
from collections.abc import Iterator

import regex

from attnviz.errors import InputError
from attnviz.lessons.chinese import chinese_words

MAX_TOKENS = 64
MAX_CHARACTERS = 2_000

_SPACE = regex.compile(r"[\s\p{Z}\x1c-\x1f]+")
# What cannot be seen, and what turns the direction of writing round. Joiners stay: they hold an
# emoji of several people together, and some scripts spell with them.
_HIDDEN = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F"
    r"\uFEFF\uFFF9-\uFFFB\u115F\u1160\u2800\u3164\uFFA0]"
)
_NOTHING = regex.compile(r"[\s\u200C\u200D\uFE00-\uFE0F\U000E0000-\U000E01EF]*")
_CHARACTER = regex.compile(r"\X")
# A run of Chinese; a word or number with what holds it together (don't, 3.14, state-of-the-art);
# else what people count as one character: a punctuation mark, a flag, an emoji with its joiners.
_PIECE = regex.compile(
    r"""
    (?P<chinese> \p{Han} [\p{Han}\p{M}]* )
    | (?: (?!\p{Han}) [\p{L}\p{N}] [\p{M}\u200C\u200D]*
          (?: ['’ʼ\-‐‑·] (?= (?!\p{Han}) [\p{L}\p{N}]) | (?<=\p{N}) [.,] (?=\p{N}) )? )+
    | \X
    """,
    regex.VERBOSE,
)


def split_sentence(text: str, split: str = "words") -> tuple[str, ...]:
    """Cut a sentence into words, Chinese into "words" or "characters"; punctuation stands alone.

    Spaces are dropped, and so is what cannot be seen or turns the direction of writing round.

    Raises:
        InputError: if no token is left, or there are too many.
    """
    cut = _words if split == "words" else _characters
    pieces = (piece.strip() for piece in cut(visible(text)))
    tokens = tuple(piece for piece in pieces if not _NOTHING.fullmatch(piece))
    if not tokens:
        raise InputError("text.empty")
    if len(tokens) > MAX_TOKENS:
        raise InputError("text.too_long", n_tokens=len(tokens), most=MAX_TOKENS)
    return tokens


def visible(text: str) -> str:
    """Give a text without what cannot be seen, in one Unicode form, any white space as one space.

    Raises:
        InputError: if it is too long to be looked at.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError("text.too_many_characters", n_characters=len(text), most=MAX_CHARACTERS)
    seen = unicodedata.normalize("NFC", _HIDDEN.sub("", _SPACE.sub(" ", text))).strip()
    return "" if _NOTHING.fullmatch(seen) else seen


def _words(text: str) -> Iterator[str]:
    for piece in _PIECE.finditer(text):
        yield from chinese_words(piece[0]) if piece["chinese"] else [piece[0]]


def _characters(text: str) -> Iterator[str]:
    for piece in _PIECE.finditer(text):
        yield from _CHARACTER.findall(piece[0]) if piece["chinese"] else [piece[0]]
