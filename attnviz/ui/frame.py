"""How a page shows its panels: all in order, one at a time, on a projector, or one embedded."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import streamlit as st

from attnviz.components.deck import DeckStep, DeckWords, deck
from attnviz.ui import bar, session, style
from attnviz.ui.downloads import Finish

PAGES = Path(__file__).parent.parent.parent / "pages"

Panels = Mapping[str, Callable[[], None]]
Groups = Mapping[str, Sequence[str]]


def show(
    panels: Panels,
    *,
    empty: Collection[str] = (),
    head: Callable[[], Finish | None] = bar.draw,
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


def show_one(
    panels: Panels,
    *,
    groups: Groups | None = None,
    applies: Callable[[str], bool] = lambda name: True,
    head: Callable[[], Finish | None] = bar.of_room,
    news: Callable[[], None] | None = None,
    beside: Callable[[], None] | None = None,
) -> None:
    """Draw the one panel that is chosen: each answers a question of its own, and only it costs.

    The choice is the setting `panel`, so a link opens the same question. Where there are many,
    `groups` puts them together, by the key of each group; those of none are in the last. Panels
    that do not apply to what is in hand are left out. `head` and `news` are as in `show`; what
    `head` gives draws what needs the panel. `beside` draws the end of the line of questions.
    """
    finish = None
    if not session.alone():
        finish = head()
    elif news is not None:
        news()
    together = _grouped([name for name in panels if applies(name)], groups or {"": ()})
    there = {name: panels[name] for names in together.values() for name in names}
    name = _chosen(there)
    if st.context.is_embedded:
        _embed(there)
    elif session.settings().present:
        _present(there, drawn=(name,))
    else:
        with st.container(key="questions"):
            if groups:
                _choose_in_groups(together, name, beside)
            else:
                _choose(tuple(there), name)
        with st.container(key="question"):
            there[name]()
        if finish is not None:
            finish(name)


def _grouped(panels: Sequence[str], groups: Groups) -> dict[str, list[str]]:
    """Put panels into their groups, in the order of the groups; empty ones are left out."""
    found = {group: [name for name in names if name in panels] for group, names in groups.items()}
    known = {name for names in groups.values() for name in names}
    found[list(groups)[-1]] += [name for name in panels if name not in known]
    return {group: names for group, names in found.items() if names}


def _choose_in_groups(groups: Groups, chosen: str, beside: Callable[[], None] | None) -> None:
    """Draw the groups of questions, and beside them those of the group in hand."""
    t = session.t()
    group = next(key for key, names in groups.items() if chosen in names)
    session.hold(f"group.{group}", chosen)
    session.put("control.group", group)
    with st.container(key="grouped", horizontal=True, vertical_alignment="center", gap="small"):
        st.segmented_control(
            t("group.choose"),
            tuple(groups),
            format_func=lambda key: t(f"group.{key}"),
            key="control.group",
            label_visibility="collapsed",
            required=True,
            on_change=lambda: _turn_to_group(groups),
        )
        _choose(groups[group], chosen)
        if beside is not None:
            st.space("stretch")
            beside()


def _turn_to_group(groups: Groups) -> None:
    """Show the question of a group that was shown last, or its first one."""
    group = session.got("control.group")
    before, names = session.held(f"group.{group}"), groups[group]
    turn(before if before in names else names[0])


def _embed(panels: Panels) -> None:
    style.embed()
    panels[_chosen(panels)]()


def _chosen(panels: Panels) -> str:
    asked = session.settings().panel
    return asked if asked in panels else next(iter(panels))


def _choose(names: Sequence[str], chosen: str) -> None:
    """Draw questions in a line."""
    t = session.t()
    session.put("control.panel", chosen)
    st.segmented_control(
        t("panel.choose"),
        tuple(names),
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
