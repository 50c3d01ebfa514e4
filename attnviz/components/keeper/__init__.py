"""What the pictures of a page hold reaches the server with the next thing that a person does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attnviz.components import listener, packed, part

_mount = part("keeper", "tokens")


@dataclass(frozen=True)
class Kept:
    """What pictures wrote into the address, by its keys, "" for what they took out of it.

    `text` names what was shown when a token was locked.
    """

    values: Mapping[str, str]
    text: str = ""


def keeper(*, key: str, on_kept: Callable[[Kept], None]) -> None:
    """Listen on the page: a lock asks the server nothing, but whatever comes next brings it along.

    It shows nothing itself.
    """

    def came(value: object) -> None:
        kept = read_kept(value)
        if kept.values:
            on_kept(kept)

    _mount(key=key, data=packed({}), on_kept_change=listener(key, "kept", came))


def read_kept(value: object) -> Kept:
    """Read what a browser says that its pictures hold; what is neither text nor number is not."""
    pairs = dict(value) if isinstance(value, dict) else {}
    text = pairs.pop("text", "")
    return Kept(
        {
            str(key): "" if held is None else str(held)
            for key, held in pairs.items()
            if held is None or (isinstance(held, str | int) and not isinstance(held, bool))
        },
        text if isinstance(text, str) else "",
    )
