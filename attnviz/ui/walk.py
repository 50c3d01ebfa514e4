"""The panels of the page Step by step."""

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.components.deck import DeckStep, DeckWords
from attnviz.components.deck import deck as player
from attnviz.components.matrix import matrix
from attnviz.figures import formulas, steps
from attnviz.figures.labels import subscript
from attnviz.text.numbers import number, vector
from attnviz.ui import matrices, refusals, session
from attnviz.ui.plots import plot


def asking_token() -> None:
    """Choose whose output is walked through."""
    t, scene = session.t(), session.scene()
    matrix(
        [],
        key="asking_token",
        label=t("tokens.asks"),
        default_readout=formulas.row_equation(
            scene.trace.head(scene.head), scene.query, session.settings().digits
        ),
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        on_query=lambda query: session.change("query", query=query, key=None),
    )


def deck() -> None:
    """Draw every step at once; the player shows one at a time, without asking the server."""
    t, settings = session.t(), session.settings()
    names = steps.step_names(session.scene().trace)
    player(
        [DeckStep(name, t(f"steps.{name}.name")) for name in names],
        key="deck",
        prefix="step",
        current=settings.step if settings.step in names else names[0],
        label=t("steps.deck"),
        words=DeckWords(
            previous=t("steps.previous"),
            play=t("steps.play"),
            pause=t("steps.pause"),
            next=t("steps.next"),
            place=t("steps.place", i="{i}", n="{n}"),
        ),
        on_step=lambda name: session.change("step", step=name),
    )
    st.caption(t("steps.keys"))
    with st.container(key="step"):
        for name in names:
            with st.container(key=f"step-{name}"):
                _step(name)


def _step(name: str) -> None:
    t, scene, settings = session.t(), session.scene(), session.settings()
    values = _values(name)
    st.subheader(t(f"steps.{name}.title", **values), anchor=False)
    head, digits = scene.head, settings.digits
    figure = steps.step_figure(
        scene.trace, name, scene.query, scene.tokens, t, session.theme(), head=head, digits=digits
    )
    alt = steps.step_alt(scene.trace, name, scene.query, scene.tokens, t, head=head, digits=digits)
    latex = formulas.step_latex(scene.trace, name, scene.query, head=head, digits=digits)
    picture, explanation = st.columns([5, 4], gap="medium")
    with picture:
        plot(figure, alt, f"step-{name}", natural=True)
    with explanation:
        st.write(_sentence(name, values))
        st.latex(latex)
        with st.popover(t("steps.latex"), icon=":material/content_copy:", type="tertiary"):
            st.code(latex, language="latex", wrap_lines=True)


def _sentence(name: str, values: dict[str, object]) -> str:
    t, scene = session.t(), session.scene()
    head = scene.trace.head(scene.head)
    if name == "weights" and head.empty_rows[scene.query]:
        return t("steps.weights.empty", **values)
    said = [t(f"steps.{name}.sentence", **values)]
    if name == "masked_scores":
        said = said if head.mask is not None else []
        said += [t("steps.masked_scores.bias")] if head.bias is not None else []
    return " ".join(said)


def _values(name: str) -> dict[str, object]:
    """Fill the sentence of a step with what the trace says."""
    t, scene, settings = session.t(), session.scene(), session.settings()
    trace, i, digits = scene.trace, scene.query, settings.digits
    head = trace.head(scene.head)
    best = _best(head, name, i)
    says = {
        "encoded_inputs": trace.encoded_inputs[i],
        "query": head.query[i],
        "head_outputs": head.output[i],
        "output": trace.output[i],
    }
    rows = {"scores": head.scores, "weights": head.weights}
    return {
        "place": i + 1,
        "i": subscript(i),
        "token": refusals.escape(scene.tokens[i if name in ("encoded_inputs", "query") else best]),
        "best": best + 1,
        "vector": vector(says[name], digits) if name in says else "",
        "value": number(rows[name][i, best], digits) if name in rows else "",
        "sum": number(round(float(head.weights[i].sum()), 9), digits),
        "normalizer": t(f"normalizer.{settings.normalizer}"),
        "scale": number(trace.scale, digits),
        "d_k": head.key.shape[1],
        "n_key": trace.n_key,
        "n_query": trace.n_query,
        "n_heads": trace.n_heads,
        "allowed": int(np.isfinite(head.masked_scores[i]).sum()),
    }


def _best(head: HeadTrace, name: str, i: int) -> int:
    if name == "head_outputs":
        return int(np.linalg.norm(head.weights[i][:, None] * head.value, axis=1).argmax())
    return int((head.scores if name == "scores" else head.weights)[i].argmax())
