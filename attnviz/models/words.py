"""Words and characters of a text by its own signs, and attention between words.

A tokenizer's word numbers are no words: a Chinese clause is one of them, or every piece is its own.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import regex
from jaxtyping import Float

from attnviz.attention.arrays import read_only
from attnviz.models.results import Token

Span = tuple[int, int]

_CHARACTER = regex.compile(r"\X")
# A run of Chinese; letters and digits with what holds them together (don't, 3.14, co-author);
# else what people count as one character: a punctuation mark, a flag, an emoji with its joiners.
_PIECE = regex.compile(
    r"""
    (?P<chinese> \p{Han}+ )
    | (?: (?!\p{Han}) [\p{L}\p{N}] [\p{M}\u200C\u200D]*
          (?: ['’ʼ\-‐‑·] (?= (?!\p{Han}) [\p{L}\p{N}]) | (?<=\p{N}) [.,] (?=\p{N}) )? )+
    | (?=\S)\X
    """,
    regex.VERBOSE,
)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which pieces make which word: attention between words is mean @ weights @ sum.

    The mean over a word's queries and the sum over a word's keys: rows that add up to 1 still do.
    """

    labels: tuple[str, ...]
    mean: Float[np.ndarray, "word token"]
    sum: Float[np.ndarray, "token word"]


def characters(text: str) -> list[Span]:
    """Find what people count as one character: an emoji of several people is one."""
    return [found.span() for found in _CHARACTER.finditer(text)]


def word_spans(text: str, chinese: Callable[[str], Sequence[str]] | None = None) -> list[Span]:
    """Find the words of a text; punctuation stands alone, `chinese` cuts a run of Chinese.

    Without it a segmenter does where one is installed, else each character is a word.
    """
    return list(_words(text, chinese or _chinese_words))


def number_words(tokens: Sequence[Token], spans: Sequence[Sequence[Span]]) -> tuple[Token, ...]:
    """Give each token the number of the word it begins in; `spans` has a list for each segment."""
    first = np.cumsum([0, *(len(words) for words in spans)])
    ends = [[end for _, end in words] for words in spans]
    numbered = []
    for token in tokens:
        word = _word_at(token, spans[token.segment], ends[token.segment])
        number = None if word is None else int(first[token.segment]) + word
        numbered.append(replace(token, word=number))
    return tuple(numbered)


def grouping(tokens: Sequence[Token]) -> Grouping:
    """Put the pieces of one word together; a token of no word stands alone."""
    groups: list[list[int]] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        goes_on = before is not None and token.word is not None and token.word == before.word
        if goes_on:
            groups[-1].append(place)
        else:
            groups.append([place])
    member = np.zeros((len(groups), len(tokens)))
    for number, places in enumerate(groups):
        member[number, places] = 1
    labels = tuple(_joined([tokens[place] for place in places]) for places in groups)
    return Grouping(
        labels,
        read_only(member / member.sum(axis=1, keepdims=True)),
        read_only(np.ascontiguousarray(member.T)),
    )


def between_words(
    weights: Float[np.ndarray, "query key"], queries: Grouping, keys: Grouping
) -> Float[np.ndarray, "word _word"]:
    """Give the attention of words to words: mean over query pieces, sum over key pieces."""
    return read_only(queries.mean @ weights @ keys.sum)


def _words(text: str, chinese: Callable[[str], Sequence[str]]) -> Iterator[Span]:
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        if not piece["chinese"]:
            yield start, end
            continue
        for word in chinese(piece[0]):
            yield start, start + len(word)
            start += len(word)


def _chinese_words(run: str) -> Sequence[str]:
    try:
        import rjieba
    except ImportError:
        return list(run)
    return rjieba.cut(run)


def _word_at(token: Token, words: Sequence[Span], ends: Sequence[int]) -> int | None:
    if token.special or token.start is None or token.end is None:
        return None
    word = bisect_right(ends, token.start)
    return word if word < len(words) and words[word][0] < token.end else None


def _joined(tokens: Sequence[Token]) -> str:
    """Write the pieces of one word side by side, a character of several pieces once."""
    return "".join(token.text for token in tokens if token.part is None or token.part[0] == 1)
