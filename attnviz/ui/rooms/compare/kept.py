"""Several whole numbers of one panel, kept together in the link."""

import re
from collections.abc import Sequence

from attnviz.ui import session

_PART = re.compile(r"([a-z])([0-9]{1,9})")


def whole(letter: str, options: Sequence[int] | range, usual: int) -> int:
    """Give the number that stands after a letter, where it is one of those offered."""
    found = _all().get(letter)
    return found if found is not None and found in options else usual


def keep(panel: str, letters: Sequence[str], **numbers: int) -> None:
    """Change some of a panel's numbers; those of other panels are forgotten."""
    session.change(panel, rung=written(letters, **numbers))


def written(letters: Sequence[str], **numbers: int) -> str:
    """Write a panel's numbers, some of them changed, as the link holds them."""
    kept = {letter: value for letter, value in _all().items() if letter in letters} | numbers
    return "_".join(f"{letter}{value}" for letter, value in kept.items())


def _all() -> dict[str, int]:
    parts = map(_PART.fullmatch, session.settings().rung.split("_"))
    return {part[1]: int(part[2]) for part in parts if part is not None}
