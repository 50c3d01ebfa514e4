"""The panels of the page Step by step."""

import re

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.components.deck import DeckStep
from attnviz.components.deck import deck as player
from attnviz.components.matrix import matrix
from attnviz.components.plane import Shown
from attnviz.figures import formulas, spoken, steps
from attnviz.figures.labels import subscript
from attnviz.figures.plane import read_values
from attnviz.text.numbers import number, significant, vector
from attnviz.ui import (
    arrows,
    controls,
    frame,
    matrices,
    predicting,
    refusals,
    session,
    style,
    tools,
)
from attnviz.ui.plots import plot

_BESIDE, _SHORT_LINE = 700, 48
"""The widest picture, in pixels, and the longest formula, in letters, that stand side by side."""

_PAGE = 1200  # pixels of a laptop's page


def steps_of_one_output() -> None:
    """Choose who asks, and walk through."""
    asking_token()
    deck()


def asking_token() -> None:
    """Choose whose output is walked through."""
    t, scene = session.t(), session.scene()
    matrix(
        [],
        key="asking_token",
        label=t("tokens.asks"),
        default_readout="" if session.settings().predict else _equation(),
        size=session.size(),
        tokens=matrices.labels(scene.tokens),
        tokens_label=t("tokens.asks"),
        query=scene.query,
        on_query=session.ask,
    )


def _equation() -> str:
    scene = session.scene()
    head = scene.trace.head(scene.head)
    return formulas.row_equation(head, scene.query, session.settings().digits)


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
        words=frame.player_words(),
        on_step=lambda name: session.change("step", step=name),
        size=session.size(),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("steps.keys"), width="stretch")
        controls.switch("predict", t("predict.toggle"), help_=t("predict.toggle_help"))
    with st.container(key="step"):
        for name in names:
            with st.container(key=f"step-{name}"):
                _step(name)


def _step(name: str) -> None:
    t, scene, settings = session.t(), session.scene(), session.settings()
    values = _values(name)
    st.subheader(t(f"steps.{name}.title", **values), anchor=False)
    if not predicting.revealed(name):
        return
    head, digits = scene.head, settings.digits
    n, asked = session.notation(), (scene.trace, name, scene.query)
    figure = steps.step_figure(
        *asked,
        scene.tokens,
        t,
        session.theme(),
        head=head,
        digits=digits,
        notation=n,
        planes=not _has_plane(name),
    )
    alt = spoken.say_step(scene, name, t, digits)
    latex = formulas.step_latex(*asked, head=head, digits=digits, notation=n)
    width = int(figure.to_dict()["layout"]["width"])
    if name != "weights":  # bars may be narrowed, matrices of digits may not
        style.least_width(f"plot-step-{name}", width)
    beside = width <= _BESIDE and _longest_line(latex) <= _SHORT_LINE and not _has_plane(name)
    said, sentence = st.container(), _sentence(name, values)
    picture, formula = st.columns([3, 2], gap="medium") if beside else (said, said)
    with formula:
        st.write(sentence)
    with picture:
        _picture(name, figure, alt, width)
    with formula:
        st.latex(latex)
        with st.container(horizontal=True, gap="small"):
            with st.popover(t("steps.latex"), icon=":material/content_copy:", type="tertiary"):
                st.code(latex, language="latex", wrap_lines=True)
            tools.code(name)
        if name in _PLANES and not (_has_plane(name) or settings.predict):
            arrows.needs_plane(_PLANES[name])


def _picture(name: str, figure: go.Figure, alt: str, width: int) -> None:
    """Draw the picture of a step; where its vectors have two features, arrows stand beside it."""
    if not _has_plane(name):
        plot(figure, alt, f"step-{name}", natural=True)
        return
    below = st.container()
    beside = width <= _PAGE / 2 and not session.settings().present
    picture, plane = st.columns([width, _PAGE - width]) if beside else (below, below)
    with picture:
        plot(figure, alt, f"step-{name}", natural=True)
    with plane:
        _plane(name)


_PLANES = {"scores": "d_k", "head_outputs": "d_v"}


def _has_plane(name: str) -> bool:
    """Tell whether the arrows of a step can be dragged; whoever predicts must not see the end."""
    size = getattr(session.scene().projections, _PLANES.get(name, "d_k"))
    return name in _PLANES and size == 2 and not session.settings().predict


def _plane(name: str) -> None:
    """Let the arrows of a step be dragged."""
    if name == "head_outputs":
        arrows.draw(name, arrows.head(), ["values"], ["weights", "lengths"])
    else:
        both = session.scene().projections.d_v == 2
        planes: list[Shown] = ["scores", "values"] if both else ["scores"]
        arrows.draw(name, arrows.head(), planes, ["scores", "weights"])
    arrows.put_back(name)


def _longest_line(latex: str) -> int:
    """Estimate how many letters wide a formula is set; the rows of a matrix count one by one."""
    return max(len(re.sub(r"\\[a-zA-Z]+|[{}&_^\s\\]", "", line)) for line in latex.split(r"\\"))


def _sentence(name: str, values: dict[str, object]) -> str:
    t, scene = session.t(), session.scene()
    head = scene.trace.head(scene.head)
    if name == "weights" and head.empty_rows[scene.query]:
        return t("steps.weights.empty", **values)
    if name == "weights" and not head.weights[scene.query].any():
        return t("steps.weights.nothing", **values)
    said = [t(f"steps.{name}.sentence", **values)]
    if name in ("query", "key") and scene.trace.position.turn is not None:
        said.append(t("steps.weights.turned"))
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
    encoded, mark = trace.position.added is not None, "^" if session.notation().columns else "_"
    return {
        "place": i + 1,
        "input": f"(a{subscript(i)} + e{subscript(i)})" if encoded else f"a{subscript(i)}",
        "inputs": f"$(a{mark}j + e{mark}j)$" if encoded else f"$a{mark}j$",
        "i": subscript(i),
        "token": refusals.escape(scene.tokens[i if name in ("encoded_inputs", "query") else best]),
        "best": best + 1,
        "vector": vector(says[name], digits) if name in says else "",
        "value": number(rows[name][i, best], digits) if name in rows else "",
        "sum": number(round(float(head.weights[i].sum()), 9), digits),
        "normalizer": t(f"normalizer.{settings.normalizer}"),
        "scale": significant(trace.scale),
        "d_k": head.key.shape[1],
        "n_key": trace.n_key,
        "n_query": trace.n_query,
        "n_heads": trace.n_heads,
        "allowed": int(np.isfinite(head.masked_scores[i]).sum()),
    }


def _best(head: HeadTrace, name: str, i: int) -> int:
    if name == "head_outputs":
        read = head.weights[i][:, None] * read_values(head, i)
        return int(np.linalg.norm(read, axis=1).argmax())
    return int((head.scores if name == "scores" else head.weights)[i].argmax())


PANELS = {"steps": steps_of_one_output}
