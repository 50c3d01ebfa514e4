"""What the questions about heads are shown on: the person's own layer, or one that has enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.twins import twins
from attnviz.scene import Scene, with_example
from attnviz.settings import Settings
from attnviz.ui import bar, cached, session, tools

EXAMPLE = "two_heads"


@dataclass(frozen=True)
class Stage:
    """A layer with several heads; `own` says that it is the person's."""

    settings: Settings
    scene: Scene
    own: bool


def several(fits: Callable[[Scene], object] = lambda scene: True) -> Stage:
    """Give the person's layer if it has several heads and fits, else the two-head example."""
    settings, scene = session.now()
    if scene.trace.n_heads > 1 and fits(scene):
        return Stage(settings, scene, own=True)
    example = replace(
        with_example(settings, EXAMPLE), query=settings.query, key=None, head=settings.head
    )
    return Stage(example, scene_of(example), own=False)


def with_twins() -> Stage:
    """Give a layer of several heads in which two tokens have the same vector."""
    return several(lambda scene: twins(scene.inputs, scene.trace.output))


def scene_of(settings: Settings) -> Scene:
    """Give what other settings would put on the screen.

    Raises:
        InputError: if attention cannot be computed with them.
    """
    return cached.scene(settings, session.language())


def positions_on(stage: Stage) -> str:
    """Name the position code of a layer, or the one that it would take."""
    settings, scene = stage.settings, stage.scene
    if settings.positions != "none":
        return settings.positions
    cycle = EXAMPLES[settings.example].cycle
    fits = cycle is not None and cycle.shape[1] == scene.projections.d_model
    return "example" if fits else "sinusoidal"


def question(key: str) -> None:
    """Ask the question of a panel, in one line."""
    tools.ask(session.t()(key))


def stands_in(stage: Stage, why: str) -> None:
    """Say that an example stands in for the person's own layer, and offer to work with it."""
    if stage.own:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(session.t()(why), width="stretch")
        take_example()


def take_example(**button: Any) -> None:
    """Offer the two-head example."""
    st.button(
        session.t()("stage.take"),
        icon=":material/looks_two:",
        key="stage.take",
        on_click=bar.start_example,
        args=(EXAMPLE,),
        **button,
    )


def segments(
    key: str,
    label: str,
    value: Any,
    options: Any,
    name: Callable[[Any], str],
    take: Callable[[Any], None],
) -> None:
    """Draw a choice between few options, with its label."""
    session.put(key, value)
    st.segmented_control(
        label,
        options,
        format_func=name,
        key=key,
        required=True,
        on_change=lambda: take(session.got(key)),
        width="content",
    )


def some(
    key: str,
    label: str,
    values: list,
    options: Any,
    name: Callable[[Any], str],
    take: Callable[[list], None],
) -> None:
    """Draw a choice of any number of few things."""
    session.put(key, values)
    st.segmented_control(
        label,
        options,
        selection_mode="multi",
        format_func=name,
        key=key,
        on_change=lambda: take(session.got(key)),
        width="content",
    )


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], chosen: int) -> None:
    """Draw a table of counts; the row in hand is bold and marked."""
    lines = ["| " + " | ".join(("", *columns)) + " |", "|" + " :-- |" + " --: |" * len(columns)]
    for place, cells in enumerate(rows):
        marked = [f"◄ **{cell}**" if cell is cells[0] else f"**{cell}**" for cell in cells]
        lines.append("| " + " | ".join(marked if place == chosen else cells) + " |")
    with st.container(key="counts"):
        st.markdown("\n".join(lines))


def verdict(text: str, *, holds: bool = True) -> None:
    """Say a number that was checked: a sign, and not colour alone."""
    st.badge(
        text,
        icon=":material/check:" if holds else ":material/difference:",
        color="gray" if holds else "orange",
    )
