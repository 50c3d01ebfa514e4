"""One step of writing: the text before it, where the heads looked, and what could have come."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attnviz.components.head_grid import Chosen, head_grid
from attnviz.components.written_text import WrittenWords, written_text
from attnviz.figures.code_predict import next_with_numpy, next_with_package
from attnviz.figures.predicted import next_bars, next_bars_alt
from attnviz.models.results import Capture, Token
from attnviz.models.written import Written
from attnviz.settings import Edit
from attnviz.text.numbers import decimals, number
from attnviz.ui import refusals, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.models import asked

Wanted = tuple[str, str, int, int, tuple[Edit, ...]]
"""A model, its text, how many tokens it writes, the seed of chance, and its edits."""
_STRIPES = 48
_TALLEST, _FLAT = 170, 0.6


def draw(
    capture: Capture,
    found: Written,
    wanted: Wanted,
    left: DeltaGenerator,
    right: DeltaGenerator,
    untouched: Written | None = None,
) -> None:
    """Draw the step in hand: the text on the left, what could have come on the right.

    `untouched` is what the model writes without the edits that are in force.
    """
    t, digits = session.t(), session.settings().digits
    number_of = min(session.settings().generated, len(found.steps) - 1)
    step, pair = found.steps[number_of], asked.heads(capture)[0]
    with left:
        _text(found, number_of, pair)
        _without(found, untouched)
        _player(found, number_of)
        _heads(capture, found, number_of)
        tools.say(_said(found, number_of, pair))
    with right:
        st.markdown(_title(found, number_of))
        plot(
            next_bars(step, t, session.theme(), digits=digits),
            next_bars_alt(step, t, digits=digits),
            "next",
        )
        _code(found, wanted, number_of, pair)


def _title(found: Written, number_of: int) -> str:
    t, step = session.t(), found.steps[number_of]
    last = refusals.escape(found.tokens[found.n_read + number_of - 1].label)
    if step.written is None:
        return t("predict_next.next", token=last)
    return t("predict_next.after", token=last, written=refusals.escape(step.written_text))


def _text(found: Written, number_of: int, pair: tuple[int, int]) -> None:
    t, settings = session.t(), session.settings()
    row = found.row(number_of, *pair)
    written_text(
        pieces(found.tokens),
        row.tolist(),
        [decimals(weight, settings.digits) for weight in row],
        key="written_text",
        label=t("predict_next.text_label", head=_name(pair)),
        words=WrittenWords(
            hint=t(
                "predict_next.hint" if found.n_written else "predict_next.hint_read",
                head=_name(pair),
            ),
            cell=t("predict_next.cell", **_slots("token", "place", "value")),
            later=t("predict_next.later", **_slots("token", "place")),
            step=t("predict_next.step", **_slots("token", "place")),
            next=t("predict_next.unknown"),
        ),
        n_read=found.n_read,
        n_steps=len(found.steps),
        chosen=number_of,
        theme=session.theme(),
        on_step=lambda step: session.change("models", generated=step),
        limit=max(1.0, float(row.max(initial=0.0))),
        size=session.size(),
    )
    if found.ended:
        st.caption(t("predict_next.ended"))


def _without(found: Written, untouched: Written | None) -> None:
    """Say what comes without the edits, beside what comes with them."""
    if untouched is None:
        return
    t = session.t()
    if not found.n_written:
        step = untouched.steps[0]
        share = number(float(step.probabilities[0]), session.settings().digits)
        said = t("predict_next.untouched_next", token=step.texts[0], share=share)
        st.caption(refusals.escape(said))
        return
    own, other = (_written(each) for each in (found, untouched))
    same = "same" if own == other else "other"
    st.caption(refusals.escape(t(f"predict_next.untouched_{same}", text=other)))


def _written(found: Written) -> str:
    parts = pieces(found.tokens)[found.n_read :]
    return "".join(f" {text}" if apart else text for text, apart in parts).strip()


def pieces(tokens: tuple[Token, ...]) -> list[tuple[str, bool]]:
    """Write tokens as a text is read: each, and whether a blank stands before it."""
    return [
        (token.text, place > 0 and _apart(token, tokens[place - 1]))
        for place, token in enumerate(tokens)
    ]


def _apart(token: Token, before: Token) -> bool:
    """Tell whether a blank stands between two tokens; a special one stands by itself."""
    return token.space or token.special or before.special


def _player(found: Written, number_of: int) -> None:
    """Draw the buttons that walk through the steps."""
    if len(found.steps) == 1:
        return
    t, last = session.t(), len(found.steps) - 1
    with st.container(key="walked", horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, to in (
            ("previous", ":material/chevron_left:", number_of - 1),
            ("next", ":material/chevron_right:", number_of + 1),
        ):
            st.button(
                t(f"steps.{name}"),
                icon=icon,
                key=f"write.{name}",
                disabled=not 0 <= to <= last,
                on_click=session.change,
                args=("models",),
                kwargs={"generated": max(0, min(last, to))},
            )
        st.caption(t("predict_next.place", i=number_of + 1, n=len(found.steps)))


def _heads(capture: Capture, found: Written, number_of: int) -> None:
    """Draw the row of every head at this step, each as a strip of stripes."""
    t = session.t()
    rows = [found.row_of_heads(number_of, layer) for layer in range(capture.n_layers)]
    shown = [stripes(each) for each in rows]
    head_grid(
        [each.tobytes() for each in shown],
        [(1, each.shape[1]) for each in shown],
        [str(layer) for layer in range(capture.n_layers)],
        [len(each) for each in shown],
        key="step_grid",
        label=t("predict_next.grid_label", n=sum(map(len, shown))),
        title=t("predict_next.grid_title"),
        hint=t("predict_next.grid_hint"),
        notes=[
            _note(found, (layer, head), row)
            for layer, each in enumerate(rows)
            for head, row in enumerate(each)
        ],
        chosen=asked.heads(capture)[:1],
        theme=session.theme(),
        on_head=_open,
        largest=40,
        tallest=_TALLEST,
        flat=_FLAT,
        size=session.size(),
    )


def stripes(rows: np.ndarray) -> np.ndarray:
    """Shade the rows of a layer's heads: uint8 (head, stripe), the root of each largest weight."""
    n = rows.shape[1]
    edges = np.linspace(0, n, min(n, _STRIPES) + 1).round().astype(int)
    pooled = np.maximum.reduceat(rows, edges[:-1], axis=1)
    return np.rint(np.sqrt(np.clip(pooled, 0, 1)) * 255).astype(np.uint8)


def _open(chosen: Chosen) -> None:
    asked.open_head(chosen.layer, chosen.head, more=False)


def _note(found: Written, pair: tuple[int, int], row: np.ndarray) -> str:
    best = int(row.argmax())
    return session.t()(
        "predict_next.head_note",
        head=_name(pair),
        token=found.tokens[best].label,
        i=best + 1,
        value=decimals(row[best], session.settings().digits),
    )


def _name(pair: tuple[int, int]) -> str:
    return session.t()("models.head_name", layer=pair[0], head=pair[1])


def _slots(*names: str) -> dict[str, str]:
    """Leave the placeholders as they are: the browser fills them in."""
    return {name: f"{{{name}}}" for name in names}


def _said(found: Written, number_of: int, pair: tuple[int, int]) -> str:
    """Read the step aloud: what came or would come, how likely, and where the head looked."""
    t, digits = session.t(), session.settings().digits
    step, row = found.steps[number_of], found.row(number_of, *pair)
    best = int(row.argmax())
    share = step.written_probability
    kind = "said_next" if share is None else "said"
    if ("off", *pair) in asked.asked().edits:
        kind = "said_off"
    return t(
        f"predict_next.{kind}",
        token=step.texts[0] if share is None else step.written_text,
        share=number(step.probabilities[0] if share is None else share, digits),
        head=_name(pair),
        key=found.tokens[best].label,
        j=best + 1,
        weight=number(float(row[best]), digits),
    )


def _code(found: Written, wanted: Wanted, number_of: int, pair: tuple[int, int]) -> None:
    t, (model, text, n_tokens, seed, edits) = session.t(), wanted
    tools.lines(
        "predict",
        lambda: next_with_numpy(found.steps[number_of], t),
        lambda: next_with_package(
            model,
            text,
            n_tokens=n_tokens,
            seed=seed,
            edits=edits,
            step=number_of,
            head=pair,
            t=t,
        ),
    )
