"""Lesson cards: a question, a head that a person chooses as the answer, and what was measured."""

from typing import Literal

import streamlit as st

from attnviz.models.cards import LEAST, PARTLY, RIGHT, Answer, Card, cards, offered
from attnviz.text.numbers import number
from attnviz.ui import cached_models, refusals, session
from attnviz.ui.rooms.models import asked

_CHECKED, _SHOWN, _LIST = "card.checked", "card.shown", "cards"
MOST_SHOWN = 3
"""Heads that are shown as the answer at most."""
_COLOURS: dict[str, Literal["green", "orange", "red"]] = {
    "right": "green",
    "partly": "orange",
    "not": "red",
}
_ICONS = {
    "right": ":material/check_circle:",
    "partly": ":material/adjust:",
    "not": ":material/cancel:",
}


def current() -> Card | None:
    """Give the card that is open."""
    return cards().get(session.settings().card)


def choose() -> None:
    """Draw the button that lists the questions."""
    t, there = session.t(), offered()
    if not there:
        return
    with st.popover(t("cards.choose"), icon=":material/quiz:", key=_LIST, on_change="rerun"):
        st.caption(t("cards.how"))
        for card in there:
            st.button(
                t(f"card.{card.key}.question"),
                key=f"card.{card.key}",
                type="primary" if card is current() else "tertiary",
                on_click=open_card,
                args=(card,),
            )


def open_card(card: Card) -> None:
    """Open a question: its model reads its text, and no head of the answer is shown."""
    reader = card.reader
    if reader is None:
        return
    session.put(_LIST, False)
    session.hold(_CHECKED, "")
    session.hold(_SHOWN, "")
    session.change(
        "models",
        card=card.key,
        model=reader.model,
        passage=reader.text,
        passage_pair="",
        passage_target="",
        heads_shown=((0, 0),),
        mixing="each",
        hidden=(),
        edits=(),
        window=0,
        query=1,
        key=None,
        panel="all_heads",
        amount=None,
        generated=0,
    )


def draw() -> None:
    """Draw the open question in one line, and what is said of the head that was chosen."""
    card, capture = current(), asked.captured()
    if card is None:
        return
    t = session.t()
    found = None if capture is None else cached_models.card_answer(asked.asked(), card.key)
    with st.container(key="card", gap="small"):
        with st.container(
            key="card-line", horizontal=True, vertical_alignment="center", gap="small"
        ):
            st.markdown(f"**{t(f'card.{card.key}.question')}**", width="content")
            if found is not None and capture is not None:
                _buttons(card, asked.heads(capture)[0])
            elif capture is not None:
                _elsewhere(card)
            st.button(
                t("cards.close"),
                icon=":material/close:",
                type="tertiary",
                key="card.close",
                on_click=session.change,
                args=("models",),
                kwargs={"card": ""},
            )
            if found is not None:
                st.caption(t(f"card.{card.key}.hint"), width="content")
        if found is not None and capture is not None:
            _say(card, found, asked.heads(capture)[0])


def _buttons(card: Card, pair: tuple[int, int]) -> None:
    t = session.t()
    st.button(
        t("cards.check", head=name(pair)),
        icon=":material/check:",
        type="primary",
        key="card.check",
        on_click=session.hold,
        args=(_CHECKED, _mark(card, pair)),
    )
    st.button(
        t("cards.show"),
        icon=":material/visibility:",
        key="card.show",
        on_click=session.hold,
        args=(_SHOWN, card.key),
    )


def _mark(card: Card, pair: tuple[int, int]) -> str:
    return f"{card.key}:{pair[0]}.{pair[1]}:{asked.model()}:{asked.text()}"


def name(pair: tuple[int, int]) -> str:
    """Name a head."""
    return session.t()("models.head_name", layer=pair[0], head=pair[1])


def _say(card: Card, found: Answer, pair: tuple[int, int]) -> None:
    """Say what was measured of the head once it is checked, and the answer where it is asked."""
    checked = session.held(_CHECKED) == _mark(card, pair)
    if not checked and session.held(_SHOWN) != card.key:
        return
    t = session.t()
    with st.container(key="card-said", horizontal=True, vertical_alignment="center", gap="small"):
        if checked:
            kind = found.verdict(pair)
            st.badge(verdict(card, found, pair), icon=_ICONS[kind], color=_COLOURS[kind])
        if session.held(_SHOWN) == card.key:
            _reveal(card, found)
        right, partly, least = f"{RIGHT:.0%}", f"{PARTLY:.0%}", number(LEAST, 2)
        st.caption(
            t("cards.rule", right=right, partly=partly, least=least, n=len(found.right)),
            width="content",
        )


def verdict(card: Card, found: Answer, pair: tuple[int, int]) -> str:
    """Judge a head in a sentence, with its number and its rank."""
    t, digits = session.t(), session.settings().digits
    own = found.of(pair)
    if own is None:
        return t("cards.not_measured", head=name(pair))
    return t(
        f"cards.{found.verdict(pair)}",
        head=name(pair),
        measure=t(f"card.{card.key}.measure"),
        value=number(own.value, digits),
        rank=found.rank(pair),
        n=len(found.heads),
    )


def _reveal(card: Card, found: Answer) -> None:
    """Show the best heads, each a button that opens it."""
    t, digits = session.t(), session.settings().digits
    if not found.found:
        st.caption(t("cards.nobody", value=number(found.best.value, digits)), width="content")
        return
    st.caption(t("cards.best", measure=t(f"card.{card.key}.measure")), width="content")
    for each in found.heads[:MOST_SHOWN]:
        st.button(
            t("cards.one", head=name(each.pair), value=number(each.value, digits)),
            key=f"card.best.{each.layer}.{each.head}",
            type="tertiary",
            on_click=asked.open_head,
            args=each.pair,
            kwargs={"more": False},
        )


def _elsewhere(card: Card) -> None:
    """Say that the question cannot be asked of this text, and offer its own."""
    t = session.t()
    st.caption(refusals.escape(t("cards.elsewhere")))
    st.button(
        t("cards.back"), icon=":material/undo:", key="card.back", on_click=open_card, args=(card,)
    )
