"""Nine heads reproduce a 3 × 3 convolution; how sharply they look decides how well."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from attnviz.comparisons.convolution import SEED, Likeness, drawn_picture, likeness
from attnviz.components.pixels import PixelsSpec, pixels
from attnviz.figures import code_compare
from attnviz.figures import convolution as figures
from attnviz.text.numbers import magnitude, significant, vector
from attnviz.ui import cached, session, tools
from attnviz.ui.plots import plot
from attnviz.ui.rooms.compare import shown

SHARPNESSES = (0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
USUAL = 10
ARROWS = "↖↑↗←•→↙↓↘"
_HEADS = range(1, len(ARROWS) + 1)
_FIRST = 1
_CLOSE = 0.01  # of how much the convolution itself varies
_HIGHEST = 20.0  # where the colours of errors end


def convolution() -> None:
    """Draw the picture, where one head looks, and how far attention is from the convolution."""
    t, settings = session.t(), session.settings()
    sharpness, ring = shown.amount_among(SHARPNESSES, USUAL), int(settings.target == "ring")
    seed = SEED + settings.draw
    content, kernel = drawn_picture(seed)
    found = likeness(content, kernel, sharpness=sharpness, ring=ring)
    inside, border = found.interior_error(), found.border_error()
    values = {"inside": magnitude(inside), "border": magnitude(border)}
    tools.ask(t("convolution.question"))
    shown.answer(t(f"convolution.{_verdict(found, inside, bool(ring))}", **values))
    shown.arranged(lambda: _controls(sharpness, bool(ring)), lambda: _pictures(content, found))
    tools.say(t("convolution.say", sharpness=significant(sharpness), **values))
    curves = cached.convolution_errors(seed, SHARPNESSES, ring)
    theme = session.theme()
    curve, words = st.columns([3, 2], gap="large")
    with curve:
        plot(
            figures.error_curves(SHARPNESSES, curves, sharpness, t, theme),
            figures.error_curves_alt(SHARPNESSES, curves, t),
            "errors",
        )
    with words:
        st.markdown(t("convolution.how"))
        st.caption(t("convolution.note", seed=seed))
        tools.lines(
            "convolution",
            lambda: code_compare.convolution_numpy(seed, sharpness, ring, t),
            lambda: code_compare.convolution_package(seed, sharpness, ring, t),
        )


def _verdict(found: Likeness, inside: float, ring: bool) -> str:
    """Tell whether the heads look sharply enough, and whether the border has neighbours."""
    if inside > _CLOSE * float(found.exact.std()):
        return "answer_blunt"
    return "answer_ring" if ring else "answer"


def head_in_hand() -> int:
    """Give the head looked at, from 1."""
    return shown.number_of("head_", _HEADS, _FIRST)


def _controls(sharpness: float | int, ring: bool) -> None:
    t = session.t()
    change = partial(session.change, "convolution")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shown.slide(
            "convolution.sharpness",
            t("convolution.sharpness"),
            SHARPNESSES,
            sharpness,
            lambda value: change(amount=value),
            name=significant,
            width=320,
        )
        shown.choose(
            "convolution.head",
            t("convolution.head"),
            _HEADS,
            head_in_hand(),
            lambda head: ARROWS[head - 1],
            lambda head: change(rung=f"head_{head}"),
        )
        session.put("convolution.ring", ring)
        st.toggle(
            t("convolution.ring"),
            key="convolution.ring",
            on_change=lambda: change(target="ring" if session.got("convolution.ring") else ""),
        )


def _pictures(content: np.ndarray, found: Likeness) -> None:
    t, (rows, columns) = session.t(), found.grid
    pixel, head = shown.pixel_in_hand((rows, columns)), head_in_hand() - 1
    asking = t("convolution.readout", pixel=shown.place_name(pixel, (rows, columns)))
    pixels(
        [
            _picture(content, found, pixel),
            _looks(found, head, pixel),
            _errors(found, pixel),
        ],
        key="convolution_pictures",
        default_readout=f"{asking} {t('convolution.aims', way=t(f'convolution.way_{head + 1}'))}",
        on_pixel=shown.ask_pixel,
        side=30,
        size=session.size(),
    )


def _tokens(found: Likeness) -> list[int | None]:
    """Give the pixel that each token is, ring and all; None for one of the ring."""
    inside = np.arange(found.error.size).reshape(found.grid)
    padded = np.pad(inside, found.ring, constant_values=-1).ravel().tolist()
    return [place if place >= 0 else None for place in padded]


def _names(found: Likeness) -> list[str]:
    rows, columns = found.grid
    return [
        session.t()("convolution.ring_token")
        if place is None
        else shown.place_name(place, (rows, columns))
        for place in _tokens(found)
    ]


def _common(found: Likeness, pixel: int) -> dict[str, Any]:
    """Give what the pictures with the ring share."""
    tokens = _tokens(found)
    return {
        "columns": found.grid[1] + 2 * found.ring,
        "chosen": tokens.index(pixel),
        "quiet": [at for at, place in enumerate(tokens) if place is None],
        "pick": tokens,
    }


def _picture(content: np.ndarray, found: Likeness, pixel: int) -> PixelsSpec:
    title, ring = session.t()("convolution.picture"), found.ring
    padded = np.pad(content, ((ring, ring), (ring, ring), (0, 0)))
    numbers = padded.reshape(-1, padded.shape[-1])
    return PixelsSpec(
        label=title,
        title=title,
        colours=shown.hexes(255 * np.clip(0.5 + padded / 5, 0, 1)),
        exact=numbers,
        readouts=[
            f"{name}: {vector(each)}" for name, each in zip(_names(found), numbers, strict=True)
        ],
        **_common(found, pixel),
    )


def _looks(found: Likeness, head: int, pixel: int) -> PixelsSpec:
    t, (rows, columns) = session.t(), found.grid
    title = t("convolution.looks", head=head + 1, arrow=ARROWS[head])
    looks = found.looks(head, shown.at(pixel, (rows, columns)))
    return PixelsSpec(
        label=title,
        title=title,
        colours=shown.weight_colours(looks),
        exact=looks.ravel(),
        readouts=[
            t("convolution.weight", pixel=name, weight=magnitude(weight))
            for name, weight in zip(_names(found), looks.ravel().tolist(), strict=True)
        ],
        legend=shown.weight_legend(1.0),
        **_common(found, pixel),
    )


def _errors(found: Likeness, pixel: int) -> PixelsSpec:
    t, (rows, columns) = session.t(), found.grid
    return PixelsSpec(
        label=t("convolution.errors"),
        title=t("convolution.errors"),
        columns=columns,
        colours=shown.error_colours(found.error, _HIGHEST),
        exact=found.error.ravel(),
        readouts=[
            t(
                "convolution.error",
                pixel=shown.place_name(place, (rows, columns)),
                error=magnitude(error),
            )
            for place, error in enumerate(found.error.ravel().tolist())
        ],
        chosen=pixel,
        pick=list(range(rows * columns)),
        legend=(
            magnitude(10.0**shown.LOWEST),
            significant(_HIGHEST),
            shown.weight_colours(np.linspace(0, 1, 7)),
        ),
    )
