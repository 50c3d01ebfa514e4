"""How tokens and indices are lettered in a figure.

Plotly reads a small HTML in every text, so a token such as `<b>` must be escaped; quotes need not
be. Tokens are numbered, because equal tokens are different rows.
"""

import unicodedata
from collections.abc import Sequence

LONGEST_TOKEN = 12
MOST_TICKS = 48
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ZERO_WIDTH_JOINER = "\u200d"


def escape(text: str) -> str:
    """Make text safe to show: no markup, no line break."""
    one_line = text.replace("\r\n", "⏎").replace("\n", "⏎").replace("\r", "⏎")
    return one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shortened(text: str, most: int = LONGEST_TOKEN) -> str:
    """Cut a long token, never leaving a joiner or an accent without its letter."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    while len(kept) > 1 and _inseparable(kept[-1], text[len(kept)]):
        kept = kept[:-1]
    return kept + "…"


def _inseparable(letter: str, following: str) -> bool:
    return letter == _ZERO_WIDTH_JOINER or bool(
        unicodedata.combining(following) or following in (_ZERO_WIDTH_JOINER, "\ufe0f")
    )


def subscript(index: int) -> str:
    """Write the index of a row or column (from 0) as people count it (from 1), lowered: ₁."""
    return str(index + 1).translate(_SUBSCRIPTS)


def superscript(index: int) -> str:
    """Write the index of a token (from 0) as people count it (from 1), raised: ¹."""
    return str(index + 1).translate(_SUPERSCRIPTS)


def pair(query: int, key: int) -> str:
    """Write the two indices of a score or weight: ₂,₁."""
    return f"{subscript(query)},{subscript(key)}"


def token_label(token: str, index: int, most: int = LONGEST_TOKEN) -> str:
    """Write one token with its place in the sequence: saw₂."""
    return escape(shortened(token, most)) + subscript(index)


def token_labels(tokens: Sequence[str], most: int = LONGEST_TOKEN) -> list[str]:
    """Write each token with its place, so that equal tokens stay apart."""
    return [token_label(token, index, most) for index, token in enumerate(tokens)]


def narrow_labels(tokens: Sequence[str], pixels: float | int) -> list[str]:
    """Write each token with its place, cut until it stands in a column this wide."""
    labels = []
    for index, token in enumerate(tokens):
        most = LONGEST_TOKEN
        while most > 1 and label_width([token_label(token, index, most)]) > pixels + 14:
            most -= 1
        labels.append(token_label(token, index, most))
    return labels


def label_width(labels: Sequence[str]) -> int:
    """Estimate the pixels that the widest label takes at 15 px; Chinese letters are square."""
    return 10 + max(sum(15 if letter > "\u2e7f" else 9 for letter in label) for label in labels)


def ticks(labels: Sequence[str], most: int = MOST_TICKS) -> dict:
    """Give the axis settings that print labels at the whole numbers from 0, thinned when many."""
    step = max(1, -(-len(labels) // most))
    places = range(0, len(labels), step)
    return {
        "tickmode": "array",
        "tickvals": list(places),
        "ticktext": [labels[place] for place in places],
    }
