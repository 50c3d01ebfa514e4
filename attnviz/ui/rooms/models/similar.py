"""The map of heads: those that attend alike stand together."""

from functools import partial

import streamlit as st

from attnviz.figures.head_map import head_label, head_scatter, head_scatter_alt
from attnviz.models.listed import Similar
from attnviz.models.results import Capture
from attnviz.text.numbers import number
from attnviz.ui import cached_models, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.models import asked, coded, folds

_MOST_NAMED = 12


def panel() -> None:
    """Draw the map of the heads that read the same tokens as the one in hand."""
    capture = asked.captured()
    if capture is None:
        return
    box = folds.fold("similar")
    if box is not None:
        with box:
            _draw(capture)


def _draw(capture: Capture) -> None:
    t, digits = session.t(), session.settings().digits
    heads = asked.heads(capture)
    wanted = asked.asked(), _first_alike(capture, heads[0][0])
    found = folds.waited(
        cached_models.heads_compared(*wanted),
        again=partial(cached_models.heads_compared.clear, *wanted),
    )
    if found is None:
        return
    st.caption(t("similar.note"))
    plot(
        head_scatter(found, t, session.theme(), chosen=heads, digits=digits),
        head_scatter_alt(found, t, pair=heads[0], digits=digits),
        "similar",
    )
    st.caption(" ".join(_limits(found)))
    coded.of_similar(capture, _first_alike(capture, heads[0][0]), found)
    near = found.nearest(heads[0])
    if near is not None:
        tools.say(
            t(
                "similar.said",
                head=head_label(heads[0]),
                other=head_label(near[0]),
                distance=number(near[1], digits),
            )
        )


def _first_alike(capture: Capture, layer: int) -> int:
    """Give the first layer that reads the same tokens, so that all of them share one map."""
    kinds = [(id(capture.query_tokens(at)), id(capture.key_tokens(at))) for at in range(layer + 1)]
    return kinds.index(kinds[layer])


def _limits(found: Similar) -> list[str]:
    t = session.t()
    said = [] if found.share is None else [t("similar.share", share=f"{found.share:.0%}")]
    if found.step > 1:
        said.append(t("similar.step", step=found.step))
    if found.left_out:
        named = [head_label(pair) for pair in found.left_out[:_MOST_NAMED]]
        more = ["…"] if len(found.left_out) > len(named) else []
        heads = ", ".join([*named, *more])
        said.append(t("similar.left_out", heads=heads, n=len(found.left_out)))
    return said
