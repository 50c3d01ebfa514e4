"""A step player: shows one of several Streamlit containers at a time, without a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from attnviz.components import Number, Text, listener, packed, part, pieces

_mount = part("deck")


@dataclass(frozen=True, kw_only=True)
class DeckWords:
    """What the controls are called; `{i}` and `{n}` are filled in."""

    previous: str
    play: str
    pause: str
    next: str
    place: str  # {i} {n}


@dataclass(frozen=True, eq=False)
class DeckStep:
    """One step: its name in the link and in the container's key, and its title on the scrub bar."""

    name: str
    title: Text


def deck(
    steps: Sequence[DeckStep],
    *,
    key: str,
    prefix: str,
    current: str,
    label: str,
    words: DeckWords,
    on_step: Callable[[str], None] | None = None,
    seconds: Number = 2.5,
    size: Number = 1.0,
    flat: bool = False,
) -> None:
    """Draw the controls of a deck whose steps the page renders itself.

    The page makes `st.container(key=prefix)` and, directly in it, one
    `st.container(key=f"{prefix}-{name}")` for each step, all of them on each run. The deck lays
    them into one place and shows one: by buttons, scrub bar, or the keys left, right, Home, End
    and Space; keys pressed within a deck are its own. Only once a person has stayed on a step does
    `on_step` get its name, for the link. A `flat` deck has its buttons beside the scrub bar where
    there is room, and the page's style sheet knows the place of its step, from 0, as `--at-PREFIX`;
    that styles the whole page anew with each step. Where no script runs, all steps stand one below
    the other.
    """
    names = [step.name for step in steps]
    if current not in names:
        raise ValueError(f"current must be one of {names}, got {current!r}")

    def stayed(value: object) -> None:
        if on_step is not None and value in names:
            on_step(str(value))

    data = {
        "label": label,
        "prefix": prefix,
        "steps": [{"name": step.name, "title": pieces(step.title)} for step in steps],
        "current": names.index(current),
        "words": asdict(words),
        "seconds": seconds,
        "size": size,
        "flat": flat,
    }
    _mount(key=key, data=packed(data), on_step_change=listener(key, "step", stayed))
