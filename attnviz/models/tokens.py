"""A tokenizer's pieces as tokens that can be read: by their place in the text, not their spelling.

The raw piece of a byte-level vocabulary cannot be read at all, and a normaliser may have changed
the letters; what stands in the text at a piece's offsets is always right.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from attnviz.models.results import Token
from attnviz.models.words import Span, characters, number_words, word_spans

_BLANKS = str.maketrans({" ": "␣", "\n": "⏎", "\r": "⏎", "\t": "⇥", "\u3000": "□", "\u00a0": "␣"})
_SPACE_MARKS = ("Ġ", "▁")
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


@dataclass(frozen=True)
class Pieces:
    """What a tokenizer gives for one or two texts: a piece, an id, a span, … for each token.

    A span of (0, 0), or None, says that the piece stands for no characters.
    """

    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    spans: tuple[Span | None, ...]
    special: tuple[bool, ...]
    segments: tuple[int, ...] = ()
    unknown_id: int | None = None


def read_tokens(
    texts: Sequence[str], found: Pieces, chinese: Callable[[str], Sequence[str]] | None = None
) -> tuple[Token, ...]:
    """Name every piece by the characters it stands for, and number the words."""
    segments = found.segments or (0,) * len(found.pieces)
    spans = [_kept(span, special) for span, special in zip(found.spans, found.special, strict=True)]
    parts: list[tuple[int, int] | None] = [None] * len(spans)
    wholes: list[Span | None] = list(spans)
    for segment, text in enumerate(texts):
        places = [place for place, number in enumerate(segments) if number == segment]
        _find_parts(text, places, spans, parts, wholes)
    tokens = [
        _token(texts[segments[place]], found, place, segments[place], wholes[place], parts[place])
        for place in range(len(spans))
    ]
    if any(span is not None for span in spans):
        return number_words(tokens, [word_spans(text, chinese) for text in texts])
    return tuple(_numbered_by_marks(tokens))


def visible(text: str) -> str:
    """Write a text with its blanks and line ends made visible."""
    return text.translate(_BLANKS)


def patches(rows: int, columns: int, n_tokens: int) -> tuple[Token, ...]:
    """Name the patches of a picture by row and column, counted from 1, after what stands before."""
    before = n_tokens - rows * columns
    special = [
        Token(text=text, piece=text, special=True)
        for text in ["[CLS]", *(f"[REG{number}]" for number in range(1, before))][: max(before, 0)]
    ]
    names = [f"{row + 1},{column + 1}" for row in range(rows) for column in range(columns)]
    return (*special, *(Token(text=name, piece=name, id=place) for place, name in enumerate(names)))


def _kept(span: Span | None, special: bool) -> Span | None:
    return None if special or span is None or span[0] == span[1] else span


def _find_parts(
    text: str,
    places: Sequence[int],
    spans: Sequence[Span | None],
    parts: list[tuple[int, int] | None],
    wholes: list[Span | None],
) -> None:
    """Find the pieces that share a character, and number them."""
    bounds = characters(text)
    number_at = [number for number, (start, end) in enumerate(bounds) for _ in range(start, end)]
    runs: list[tuple[set[int], list[int]]] = []
    for place in places:
        inside = _seen(text, spans[place])
        if inside is None:
            continue
        touched = {number_at[at] for at in range(*inside)}
        if runs and runs[-1][0] & touched:
            runs[-1][0].update(touched)
            runs[-1][1].append(place)
        else:
            runs.append((touched, [place]))
    for touched, shared in runs:
        if len(shared) == 1:
            continue
        whole = (bounds[min(touched)][0], bounds[max(touched)][1])
        for number, place in enumerate(shared, 1):
            parts[place], wholes[place] = (number, len(shared)), whole


def _seen(text: str, span: Span | None) -> Span | None:
    """Leave out the blanks around a piece; None where it is nothing but blanks."""
    if span is None:
        return None
    start, end = span
    inside = text[start:end]
    if not inside.strip():
        return None
    start += len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


def _token(
    text: str,
    found: Pieces,
    place: int,
    segment: int,
    span: Span | None,
    part: tuple[int, int] | None,
) -> Token:
    piece, special = found.pieces[place], found.special[place]
    marked = piece.startswith(_SPACE_MARKS) and not special
    seen = None if span is None else _seen(text, span) or span
    if seen is None:
        shown = piece if special else _readable(piece)
    else:
        shown = text[slice(*seen)].translate(_BLANKS)
    return Token(
        text=shown,
        piece=piece,
        id=found.ids[place],
        start=None if seen is None else seen[0],
        end=None if seen is None else seen[1],
        segment=segment,
        part=part,
        space=marked and shown.strip("␣⏎⇥") != "" and (part is None or part[0] == 1),
        joined=piece.startswith("##") and len(piece) > 2,
        special=special,
        unknown=not special and found.ids[place] == found.unknown_id,
    )


def _readable(piece: str) -> str:
    """Spell a piece whose place in the text is not known."""
    if _BYTE.fullmatch(piece):
        return piece
    shown = piece.removeprefix("##").lstrip("Ġ▁")
    return shown.replace("▁", "␣").replace("Ċ", "⏎") or "␣"


def _numbered_by_marks(tokens: Sequence[Token]) -> list[Token]:
    """Tell words apart without places: a space mark begins one, or a piece that is not joined."""
    marked = any(token.space for token in tokens)
    numbered, word = [], -1
    for token in tokens:
        begins = token.space if marked else not token.joined
        if not token.special and (begins or word < 0):
            word += 1
        numbered.append(token if token.special else replace(token, word=word))
    return numbered
