"""How a page shows its panels: all in order, one at a time, on a projector, or one embedded."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import streamlit as st

from attnviz.components.deck import DeckStep, DeckWords, deck
from attnviz.ui import bar, session, style

PAGES = Path(__file__).parent.parent.parent / "pages"

Panels = Mapping[str, Callable[[], None]]


def show(
    panels: Panels,
    *,
    empty: Collection[str] = (),
    head: Callable[[], None] = bar.draw,
    news: Callable[[], None] | None = None,
) -> None:
    """Draw the panels of a page as the link or the person asks for.

    `empty` names those that have nothing to show at the moment: a projector skips them. `head`
    draws what stands above them all, `news` what must be said wherever a panel is shown.
    """
    if news is not None and session.alone():
        news()
    if st.context.is_embedded:
        _embed(panels)
    elif session.settings().present:
        there = {name: panel for name, panel in panels.items() if name not in empty}
        _present(there, drawn=tuple(there))
    else:
        head()
        for panel in panels.values():
            panel()


def show_one(panels: Panels) -> None:
    """Draw the one panel that is chosen: each answers a question of its own, and only it costs.

    The choice is the setting `panel`, so a link opens the same question.
    """
    name = _chosen(panels)
    if st.context.is_embedded:
        _embed(panels)
    elif session.settings().present:
        _present(panels, drawn=(name,))
    else:
        bar.draw()
        _choose(panels, name)
        with st.container(key="question"):
            panels[name]()


def _embed(panels: Panels) -> None:
    style.embed()
    panels[_chosen(panels)]()


def _chosen(panels: Panels) -> str:
    asked = session.settings().panel
    return asked if asked in panels else next(iter(panels))


def _choose(panels: Panels, chosen: str) -> None:
    """Draw the questions of the page in a line."""
    t = session.t()
    session.put("control.panel", chosen)
    with st.container(key="questions"):
        st.segmented_control(
            t("panel.choose"),
            tuple(panels),
            format_func=lambda name: t(f"panel.{name}"),
            key="control.panel",
            label_visibility="collapsed",
            required=True,
            on_change=lambda: turn(session.got("control.panel")),
        )


def turn(panel: str) -> None:
    """Show another question; the number that the last one turned is not this one's."""
    session.change("panel", panel=panel, amount=None)


def player_words() -> DeckWords:
    """Give the words of a step player."""
    t = session.t()
    return DeckWords(
        previous=t("steps.previous"),
        play=t("steps.play"),
        pause=t("steps.pause"),
        next=t("steps.next"),
        place=t("steps.place", i="{i}", n="{n}"),
    )


def _present(panels: Panels, drawn: Collection[str]) -> None:
    """Show one panel at a time, large; those of `drawn` are there when it is their turn."""
    t = session.t()
    style.present()
    names = list(panels)
    with st.container(key="leave"):
        st.button(
            t("present.leave"),
            icon=":material/close_fullscreen:",
            type="tertiary",
            shortcut="Escape",
            on_click=lambda: session.change("present", present=False),
        )
    if len(names) == 1:
        panels[names[0]]()
        return
    deck(
        [DeckStep(name, t(f"panel.{name}")) for name in names],
        key="panels",
        prefix="panel",
        current=_chosen(panels),
        label=t("present.deck"),
        words=player_words(),
        on_step=turn,
        size=session.size(),
    )
    with st.container(key="panel"):
        for name in drawn:
            with st.container(key=f"panel-{name}"):
                panels[name]()
