"""Texts that differ in one place: what stands there is what a head may answer to."""

import tomllib
from functools import cache
from pathlib import Path

from attnviz.models.words import word_spans


@cache
def pairs() -> dict[str, str]:
    """Give our own sentences, each with one that differs in a word or a sign."""
    text = Path(__file__).with_name("minimal_pairs.toml").read_text(encoding="utf-8")
    return {pair["one"]: pair["other"] for pair in tomllib.loads(text)["pair"]}


def partner(text: str) -> str:
    """Give a text to compare with: the one of our pairs, else the text without its last word.

    A text of one word is followed by itself.
    """
    known = pairs().get(text) or next((a for a, b in pairs().items() if b == text), None)
    if known:
        return known
    words = [span for span in word_spans(text) if any(map(str.isalnum, text[slice(*span)]))]
    if len(words) < 2:
        return f"{text} {text}"
    start, end = words[-1]
    return (text[:start].rstrip() + text[end:]).strip()
