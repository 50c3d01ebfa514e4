"""What a head is compared with: itself on another text, another head or layer, another model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnviz.errors import InputError
from attnviz.models.catalogue import catalogue
from attnviz.models.comparing.aligned import WHOLE_LAYER, Pair
from attnviz.models.comparing.minimal_pairs import partner
from attnviz.models.results import Capture
from attnviz.models.views import Unit
from attnviz.settings import Settings
from attnviz.ui import refusals, session
from attnviz.ui.cached_models import Asked
from attnviz.ui.rooms.models import asked, in_hand, opening

KINDS = ("text", "head", "layer", "model")
_OF_HEADS = ("off", "even")  # edits that hold for any text
_WHOLE = 1  # in `amount`: layers are compared, and not heads


@dataclass(frozen=True)
class Against:
    """The two sides: what each is of, and the head of it; `other_pair` None is yet to be found."""

    kind: str
    one: Asked
    pair: Pair
    other: Asked
    other_pair: Pair | None

    @property
    def whole(self) -> bool:
        """Tell whether whole layers are compared."""
        return self.kind == "layer"

    @property
    def unit(self) -> Unit:
        """Give what is aligned: models cut a text differently, so that pieces would not do."""
        unit: Unit = session.settings().unit  # pyright: ignore[reportAssignmentType] one of UNITS
        return "words" if self.kind == "model" and unit == "pieces" else unit


def kinds(capture: Capture) -> tuple[str, ...]:
    """List what this capture can be compared with."""
    reads = not opening.given() and capture.grid is None
    there = {"text": reads, "head": True, "layer": capture.n_layers > 1}
    there["model"] = reads and bool(_other_models())
    return tuple(kind for kind in KINDS if there[kind])


def kind_of(capture: Capture) -> str:
    """Give what it is compared with: the link's choice, or the first that there is."""
    settings, there = session.settings(), kinds(capture)
    chosen = settings.against
    if chosen == "head" and settings.amount == _WHOLE:
        chosen = "layer"
    return chosen if chosen in there else there[0]


def chosen(capture: Capture) -> Against:
    """Give both sides as the link says, or a default that shows something."""
    kind, one = kind_of(capture), asked.asked()
    layer, head = asked.heads(capture)[0]
    pair = (layer, WHOLE_LAYER) if kind == "layer" else (layer, head)
    held = next(iter(session.settings().against_head), None)
    if kind == "text":
        edits = tuple(edit for edit in one.edits if edit[0] in _OF_HEADS)
        return Against(kind, one, pair, replace(one, text=other_text(), edits=edits), pair)
    if kind == "model":
        return Against(kind, one, pair, replace(one, model=other_model(), window=0, edits=()), held)
    if kind == "layer":
        fits = held is not None and held[0] < capture.n_layers and held[0] != layer
        other = held[0] if held is not None and fits else _next_layer(capture, layer)
        return Against(kind, one, pair, one, (other, WHOLE_LAYER))
    fits = held is not None and held != pair and _there(capture, held)
    return Against(kind, one, pair, one, held if fits else None)


def fitting(against: Against, other: Capture) -> Against:
    """Leave a head out that the other model does not have, so that one is found."""
    pair = against.other_pair
    if against.kind != "model" or pair is None or _there(other, pair):
        return against
    return replace(against, other_pair=None)


def other_text() -> str:
    """Give the text of the other side: the person's own, or one that differs in a word."""
    return session.settings().against_text or partner(asked.text())


def other_model() -> str:
    """Give the model of the other side: the chosen one, or the first of the same kind."""
    chosen, there = session.settings().against_model, _other_models()
    if chosen:
        return chosen
    known, own = catalogue(), asked.entry()
    alike = [key for key in there if own and key in known and known[key].kind == own.kind]
    return next(iter([*alike, *there]), "default")


def _other_models() -> list[str]:
    """List the other models that can be chosen and read a text."""
    known = catalogue()
    reading = [key for key in asked.offered() if key not in known or known[key].kind != "vision"]
    return [key for key in reading if key != asked.model()]


def _next_layer(capture: Capture, layer: int) -> int:
    return layer + 1 if layer + 1 < capture.n_layers else layer - 1


def _there(capture: Capture, pair: Pair) -> bool:
    return pair[0] < capture.n_layers and pair[1] < capture.layers[pair[0]].n_heads


def draw(capture: Capture) -> DeltaGenerator:
    """Draw what the head in hand is compared with, and give the line, for what is known later."""
    t, kind = session.t(), kind_of(capture)
    line = st.container(key="versus", horizontal=True, vertical_alignment="center", gap="small")
    with line:
        session.put("control.against", kind)
        st.segmented_control(
            t("versus.choose"),
            kinds(capture),
            format_func=lambda key: t(f"versus.kind.{key}"),
            key="control.against",
            required=True,
            label_visibility="collapsed",
            on_change=lambda: _take_kind(session.got("control.against")),
        )
        if kind == "text":
            _draw_text()
        elif kind == "layer":
            _draw_layer(capture)
        elif kind == "model":
            _draw_model()
    refusals.show("against_text")
    return line


def _take_kind(kind: str) -> None:
    amount = _WHOLE if kind == "layer" else None
    against = "head" if kind == "layer" else kind
    session.change("models", against=against, amount=amount, against_head=(), passage=asked.text())


def _draw_text() -> None:
    session.put("control.against_text", session.draft("against_text", other_text()))
    st.text_area(
        session.t()("versus.text"),
        key="control.against_text",
        height=68,
        label_visibility="collapsed",
        on_change=_take_text,
    )


def _take_text() -> None:
    typed = session.got("control.against_text")
    if not typed.strip():
        session.refuse("against_text", InputError("models.no_tokens"), typed)
        return
    session.change(
        "against_text", draft=typed, against="text", against_text=typed, passage=asked.text()
    )


def _draw_layer(capture: Capture) -> None:
    t, against = session.t(), chosen(capture)
    if against.other_pair is None:
        return
    session.put("control.against_layer", against.other_pair[0])
    st.selectbox(
        t("versus.layer"),
        [layer for layer in range(capture.n_layers) if layer != against.pair[0]],
        format_func=lambda layer: t("versus.layer_name", layer=layer),
        key="control.against_layer",
        label_visibility="collapsed",
        on_change=lambda: take_head((session.got("control.against_layer"), 0)),
    )


def _draw_model() -> None:
    t, known, there, now = session.t(), catalogue(), _other_models(), other_model()
    session.put("control.against_model", now)
    st.selectbox(
        t("versus.model"),
        there if now in there else [*there, now],
        format_func=lambda key: known[key].title if key in known else key,
        key="control.against_model",
        label_visibility="collapsed",
        on_change=lambda: _take_model(session.got("control.against_model")),
    )


def _take_model(key: str) -> None:
    session.change(
        "models", against="model", against_model=key, against_head=(), passage=asked.text()
    )


def choose_head(against: Against, other: Capture) -> None:
    """Draw the choice of the other side's head, and the way to exchange the sides."""
    t = session.t()
    if against.kind in ("head", "model"):
        names = {
            (layer, head): in_hand.name(other, layer, head)
            for layer, found in enumerate(other.layers)
            for head in range(found.n_heads)
            if against.kind == "model" or (layer, head) != against.pair
        }
        session.put("control.against_head", against.other_pair)
        st.selectbox(
            t("versus.head"),
            list(names),
            format_func=names.__getitem__,
            key="control.against_head",
            label_visibility="collapsed",
            on_change=lambda: take_head(session.got("control.against_head")),
        )
    st.button(
        t("versus.swap"),
        icon=":material/swap_horiz:",
        key="versus.swap",
        on_click=swap,
        args=(against,),
    )


def take_head(pair: Pair, held: Mapping[str, Any] | None = None) -> None:
    """Compare with another head, or with its layer."""
    against = session.settings().against or "head"
    changes = {"against": against, "against_head": (pair,), "passage": asked.text()}
    session.change("models", **changes, **(held or {}))


def swap(against: Against) -> None:
    """Put each side in the other's place."""
    if against.other_pair is None:
        return
    (layer, head), (other_layer, other_head) = against.pair, against.other_pair
    changes = {
        "passage": against.other.text,
        "heads_shown": ((other_layer, max(other_head, 0)),),
        "query": Settings().query,
        "key": None,
        "window": 0,
        "against": "head" if against.whole else against.kind,
    }
    if against.kind == "text":
        changes["against_text"] = against.one.text
    else:
        changes["against_head"] = ((layer, max(head, 0)),)
    if against.kind == "model":
        changes |= {"model": against.other.model, "against_model": against.one.model}
    session.change("models", **changes)
