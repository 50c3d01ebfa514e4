"""Controls bound to one field of the settings.

A control shows the settings: its value is put before it is drawn. A change goes through
`session.change`, which keeps the settings as they were where attention cannot be computed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from attnviz.settings import Settings
from attnviz.text.numbers import significant
from attnviz.ui import refusals, session


def taken(field: str, take: Callable[[Any], None] | None = None) -> None:
    """Hand over what a control holds: to `take`, or to the field itself."""
    value = session.got(f"control.{field}")
    (take or partial(changed, field))(value)


def changed(field: str, value: Any) -> None:
    """Change one field of the settings; None gives it its default."""
    session.change(field, **{field: getattr(Settings(), field) if value is None else value})


def _label(field: str) -> str:
    return session.t()(f"drawer.{field}")


def select(
    field: str,
    options: Sequence,
    name: Callable[[Any], str],
    *,
    value: Any = None,
    take: Callable[[Any], None] | None = None,
) -> None:
    """Draw a choice among options; `name` says each one."""
    session.put(f"control.{field}", getattr(session.settings(), field) if value is None else value)
    st.selectbox(
        _label(field),
        options,
        format_func=name,
        key=f"control.{field}",
        on_change=taken,
        args=(field, take),
        label_visibility="collapsed" if field == "example" else "visible",
    )
    refusals.show(field)


def radio(
    field: str,
    options: Sequence,
    name: Callable[[Any], str],
    *,
    take: Callable[[Any], None] | None = None,
) -> None:
    """Draw a choice between few options, all of them seen."""
    session.put(f"control.{field}", getattr(session.settings(), field))
    st.radio(
        _label(field),
        options,
        format_func=name,
        key=f"control.{field}",
        horizontal=True,
        on_change=taken,
        args=(field, take),
    )
    refusals.show(field)


def segments(
    field: str, label: str, value: Any, options: Sequence, name: Callable[[Any], str], **more: Any
) -> None:
    """Draw a choice between few options in one line, without its label."""
    session.put(f"control.{field}", value)
    st.segmented_control(
        label,
        options,
        format_func=name,
        key=f"control.{field}",
        label_visibility="collapsed",
        required=True,
        on_change=taken,
        args=(field,),
        **more,
    )


def checkbox(field: str, value: bool) -> None:
    """Draw a choice between yes and no."""
    session.put(f"control.{field}", value)
    st.checkbox(_label(field), key=f"control.{field}", on_change=taken, args=(field, None))
    refusals.show(field)


def several_tokens(field: str) -> None:
    """Draw a choice of any number of tokens."""
    tokens = session.scene().tokens
    chosen = [place for place in getattr(session.settings(), field) if place < len(tokens)]
    session.put(f"control.{field}", chosen)
    st.multiselect(
        _label(field),
        range(len(tokens)),
        format_func=lambda place: f"{place + 1} {tokens[place]}",
        key=f"control.{field}",
        on_change=taken,
        args=(field, lambda places: changed(field, tuple(places))),
    )
    refusals.show(field)


def slider(field: str, value: int, low: int, high: int) -> None:
    """Draw a slider for a whole number."""
    session.put(f"control.{field}", value)
    st.slider(_label(field), low, high, key=f"control.{field}", on_change=taken, args=(field, None))
    refusals.show(field)


def number(
    field: str,
    value: float | int | None,
    low: float | int,
    high: float | int,
    *,
    help_: str | None = None,
    take: Callable[[Any], None] | None = None,
) -> None:
    """Draw a box for one number; emptied, it has its default. What is out of range is refused."""
    whole = isinstance(low, int)
    session.put(f"control.{field}", value if value is None else type(low)(value))
    st.number_input(
        _label(field),
        value=None,
        step=1 if whole else 0.1,
        format="%d" if whole else "%.10g",
        key=f"control.{field}",
        help=help_ or session.t()("drawer.range", least=significant(low), most=significant(high)),
        on_change=taken,
        args=(field, take),
    )
    refusals.show(field)


def text(field: str, value: str, *, take: Callable[[str], None], hint: str = "") -> None:
    """Draw a line of text; text that was refused stays in it."""
    t = session.t()
    session.put(f"control.{field}", session.draft(field, value))
    st.text_input(
        _label(field),
        key=f"control.{field}",
        placeholder=hint,
        help=t(f"drawer.{field}_help"),
        on_change=taken,
        args=(field, take),
    )
    refusals.show(field)


def switch(field: str, label: str, help_: str | None = None) -> None:
    """Draw a switch for a field of the settings."""
    session.put(f"control.{field}", getattr(session.settings(), field))
    st.toggle(label, key=f"control.{field}", help=help_, on_change=taken, args=(field,))


def toggle(name: str, label: str) -> None:
    """Draw a switch for a part of the page."""
    session.put(f"control.{name}_shown", session.flag(name))
    st.toggle(label, key=f"control.{name}_shown", on_change=_toggled, args=(name,))


def _toggled(name: str) -> None:
    session.set_flag(name, session.got(f"control.{name}_shown"))
