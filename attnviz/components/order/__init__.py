"""Tokens as chips that a person puts into another order: by mouse, by finger, or by keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attnviz.components import Number, Text, listener, packed, part, pieces

_mount = part("order")


def order(
    chips: Sequence[Text],
    *,
    key: str,
    label: str,
    hint: str,
    place: str,
    on_order: Callable[[tuple[int, ...]], None],
    size: Number = 1.0,
) -> None:
    """Draw chips that can be dragged, or moved by the arrow keys, Home and End.

    `on_order` gets the new order: which chip, counted from 0 as they were handed over, now stands
    at each place. `place` is read aloud with each chip and holds {i} and {n}; `hint` says how to
    move one.
    """

    def moved(value: object) -> None:
        new = permutation(value, len(chips))
        if new is not None:
            on_order(new)

    data = {
        "chips": [pieces(text) for text in chips],
        "label": label,
        "hint": hint,
        "place": place,
        "size": size,
    }
    _mount(key=key, data=packed(data), on_order_change=listener(key, "order", moved))


def permutation(value: object, n: int) -> tuple[int, ...] | None:
    """Read an order of n things, or None: what a browser sends is checked, not believed."""
    if not isinstance(value, list) or any(type(place) is not int for place in value):
        return None
    return tuple(value) if sorted(value) == list(range(n)) else None
