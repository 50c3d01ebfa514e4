"""The bar on each page: the example, the way to the drawer, the sources, the language, the link."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from attnviz.attention.checks import TOLERANCE, checks
from attnviz.attention.columns import same_numbers
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import with_example
from attnviz.settings import NOTATIONS
from attnviz.text import LANGUAGES
from attnviz.text.numbers import magnitude
from attnviz.ui import controls, downloads, refusals, session, share, trained
from attnviz.ui.downloads import Finish

_COLOURS: dict[str, Literal["blue", "gray", "green"]] = {
    "typed": "blue",
    "identity": "gray",
    "trained": "green",
}
_OWN = "own"


def sources() -> None:
    """Draw the heads to choose from, where numbers come from, and whether they keep the laws."""
    _heads()
    st.space("stretch")
    chips()
    _same_numbers()
    _self_check()


def of_room(below: Callable[[], None] = sources, *, sentence: bool = True) -> Finish | None:
    """Draw the bar of a room, which offers its panel; `sentence` tells if that reads the sentence.

    What is given draws the offer, once the panel is there.
    """
    return draw(below, partial(downloads.room, sentence=sentence), sentence=sentence)


def draw(
    below: Callable[[], None] = sources,
    take_away: Callable[[], Finish | None] = downloads.draw,
    *,
    sentence: bool = True,
) -> Finish | None:
    """Draw the example, the way to the drawer, the language and the link, in one line.

    Where no `sentence` plays a part, what is to be said `below` stands in the place of its choice.
    """
    t = session.t()
    with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
        if not sentence:
            below()
        else:
            _examples()
            st.button(
                t("bar.own"),
                icon=":material/edit:",
                on_click=session.set_flag,
                args=("drawer", not session.flag("drawer")),
            )
        st.button(
            t("undo.undo"),
            icon=":material/undo:",
            key="undo",
            disabled=not session.undoable(),
            on_click=session.undo,
        )
        finish = shell(take_away)
    if sentence:
        with st.container(key="sources", horizontal=True, vertical_alignment="center", gap="small"):
            below()
    return finish


def shell(take_away: Callable[[], Finish | None]) -> Finish | None:
    """Draw what every page has at the end of its bar; `take_away` draws its downloads."""
    t = session.t()
    st.space("stretch")
    _notation()
    _language()
    st.button(
        t("present.start"),
        icon=":material/slideshow:",
        on_click=lambda: session.change("present", present=True),
    )
    finish = take_away()
    share.draw()
    return finish


def _examples() -> None:
    t, settings = session.t(), session.settings()
    own = bool(settings.sentence or settings.pieces or settings.vectors)
    controls.select(
        "example",
        (_OWN, *EXAMPLES) if own else tuple(EXAMPLES),
        lambda key: t("bar.example_own") if key == _OWN else t(f"example.{key}.title"),
        value=_OWN if own else settings.example,
        take=start_example,
    )


def start_example(example: str) -> None:
    """Show an example afresh."""
    if example != _OWN:
        session.start_over(with_example(session.settings(), example))


def _language() -> None:
    label, languages = session.t()("bar.language"), tuple(LANGUAGES)
    controls.segments("language", label, session.language(), languages, LANGUAGES.__getitem__)


def _notation() -> None:
    t = session.t()
    controls.segments(
        "notation",
        t("notation.choose"),
        session.settings().notation,
        NOTATIONS,
        lambda key: t(f"notation.{key}"),
        help=t("notation.help"),
    )


def _same_numbers() -> None:
    """Say that the other notation gives the same numbers: recomputed with columns as tokens."""
    t, scene = session.t(), session.scene()
    if session.notation().columns:
        difference = same_numbers(scene.trace, scene.head)
        said = {"difference": magnitude(difference)}
        same = difference < TOLERANCE
        label = t("notation.same") if same else t("notation.differ", **said)
        _verdict(same, label, t("notation.same_help", **said))


def chips() -> None:
    """Say where the numbers come from: typed by hand, or random from a seed."""
    scene = session.scene()
    pairs = zip(scene.tokens, scene.token_sources, strict=True)
    random = [token for token, source in pairs if source == "random"]
    source = "typed" if not random else "random" if len(random) == len(scene.tokens) else "mixed"
    source = "trained" if set(scene.token_sources) == {"trained"} else source
    _chip("vectors", source, tokens=refusals.escape(", ".join(dict.fromkeys(random)))[:300])
    matrices = {*scene.head_sources, scene.output_source} - {""}
    some = "random" in matrices and len(matrices) > 1
    _chip("matrices", "part" if some else scene.weight_source)


def _chip(what: str, source: str, **values: str) -> None:
    t = session.t()
    label = t(f"chip.{source}", seed=session.scene().seed)
    label = (trained.opened() if source == "trained" else "") or label
    untrained = label == t("train.untrained")
    help_ = t(f"chip.{source}_help", **values)
    st.badge(
        f"{t(f'chip.{what}')}: {label}",
        color="gray" if untrained else _COLOURS.get(source, "orange"),
        help=help_,
    )


def _self_check() -> None:
    """Say whether the numbers on the page keep the laws of attention, and how exactly."""
    t = session.t()
    made = [check for check in checks(session.scene().trace) if check.applies]
    failed = [check for check in made if not check.holds]
    said = [
        t(f"check.{check.name}", difference=magnitude(check.difference)) for check in failed or made
    ]
    _verdict(not failed, t("check.failed" if failed else "check.ok"), "  \n".join(said))


def _verdict(holds: bool, label: str, reason: str) -> None:
    icon, colour = (":material/check:", "gray") if holds else (":material/error:", "red")
    st.badge(label, icon=icon, color=colour, help=reason)


def _heads() -> None:
    """Choose a head, where there are several."""
    t, scene = session.t(), session.scene()
    n_heads = scene.trace.n_heads
    if n_heads > 1:
        controls.segments(
            "head",
            t("head.choose"),
            scene.head,
            range(n_heads),
            lambda head: t("head.number", number=head + 1),
        )
