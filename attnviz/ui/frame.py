"""How a page shows its panels: all in order, one at a time on a projector, or one embedded."""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from attnviz.components.deck import DeckStep, DeckWords, deck
from attnviz.ui import bar, session, style

PAGES = Path(__file__).parent.parent.parent / "pages"

Panels = Mapping[str, Callable[[], None]]


def show(panels: Panels) -> None:
    """Draw the panels of a page as the link or the person asks for."""
    settings = session.settings()
    if st.context.is_embedded:
        style.embed()
        panels.get(settings.panel, next(iter(panels.values())))()
    elif settings.present:
        _present(panels)
    else:
        bar.draw()
        for panel in panels.values():
            panel()


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


def _present(panels: Panels) -> None:
    t, settings = session.t(), session.settings()
    style.present()
    panels = {name: panel for name, panel in panels.items() if name not in session.empty_panels()}
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
        current=settings.panel if settings.panel in names else names[0],
        label=t("present.deck"),
        words=player_words(),
        on_step=lambda name: session.change("panel", panel=name),
        size=session.size(),
    )
    with st.container(key="panel"):
        for name, panel in panels.items():
            with st.container(key=f"panel-{name}"):
                panel()
