"""The field of one pixel: fixed by kernel and layers, or learned by a head."""

from functools import partial

import numpy as np
import streamlit as st

from attnviz.attention.metrics import effective_tokens
from attnviz.comparisons import fields
from attnviz.comparisons.learned_field import STEPS, Learned
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.components.pixels import PixelsSpec, pixels
from attnviz.figures import code_compare
from attnviz.text.numbers import magnitude, number, significant
from attnviz.ui import cached, session, tools
from attnviz.ui.rooms.compare import chosen_picture, shown

GRID = (5, 10)
KERNELS, LAYERS = (3, 5, 7), tuple(range(1, 7))
LENGTHS = (4, 16, 64)


def receptive() -> None:
    """Draw what one pixel sees through convolutions, and through a head that learned its field."""
    t = session.t()
    kernel, layers, laying = kernel_in_hand(), layers_in_hand(), laying_in_hand()
    pixel, shape = shown.pixel_in_hand(GRID), shape_in_hand()
    radius = fields.field_radius(kernel, layers, laying)
    lit = fields.field(GRID, shown.at(pixel, GRID), radius)
    learned = learned_in_hand(shape)
    trace = fields.field_by(GRID, learned.centre, learned.m)
    weights = trace.weights[pixel].reshape(GRID)
    total = lit.size
    values = {
        "kernel": kernel,
        "layers": layers,
        "seen": int(lit.sum()),
        "total": total,
        "shape": t(f"receptive.{shape}"),
        "steps": learned.steps,
        "loss": magnitude(learned.loss),
        "effective": significant(float(effective_tokens(trace.weights)[pixel])),
    }
    tools.ask(t("receptive.question"))
    shown.answer(t("receptive.answer", **values))
    shown.arranged(
        lambda: _controls(kernel, layers, laying, shape, learned.steps),
        lambda: _pictures(lit, weights, pixel, values),
    )
    tools.say(t("receptive.say", radius=radius, **values))
    table, words = st.columns([3, 2], gap="large")
    with table:
        _links(kernel)
    with words:
        st.markdown(
            t(
                "receptive.how",
                down=_way(learned.centre[0], "down", "up"),
                right=_way(learned.centre[1], "right", "left"),
            )
        )
        tools.lines(
            "receptive",
            lambda: code_compare.receptive_numpy(GRID, pixel, kernel, layers, laying, learned, t),
            lambda: code_compare.receptive_package(
                GRID, pixel, kernel, layers, laying, shape, learned, t
            ),
        )


def kernel_in_hand() -> int:
    """Give the side of the kernel."""
    return shown.number_of("k", KERNELS, KERNELS[0])


def layers_in_hand() -> int:
    """Give how many layers there are."""
    return int(shown.amount_among(LAYERS, 1))


def laying_in_hand() -> str:
    """Give how the layers are laid: next to next, or with gaps."""
    target = session.settings().target
    return target if target in fields.LAYINGS else fields.LAYINGS[0]


def shape_in_hand() -> str:
    """Give what the head is to read: the field that would read it, by its name."""
    chosen = session.settings().experiment
    return chosen if chosen in fields.SHAPES else "slanted"


def learned_in_hand(shape: str) -> Learned:
    """Give the head after the chosen number of steps, else after the last one."""
    kept = cached.learned_field(GRID, shape)
    chosen = session.settings().snapshot
    return next((each for each in kept if each.steps == chosen), kept[-1])


def _way(by: float, forward: str, back: str) -> str:
    """Say how far, and in which of two opposite ways."""
    written = number(abs(by))
    there = back if by < 0 and written != number(0.0) else forward
    return session.t()(f"receptive.{there}", by=written)


def _controls(kernel: int, layers: int, laying: str, shape: str, steps: int) -> None:
    t, change = session.t(), partial(session.change, "receptive")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        shown.choose(
            "receptive.kernel",
            t("receptive.kernel"),
            KERNELS,
            kernel,
            lambda side: f"{side} × {side}",
            lambda side: change(rung=f"k{side}"),
        )
        shown.slide(
            "receptive.layers",
            t("receptive.layers"),
            LAYERS,
            layers,
            lambda value: change(amount=value),
            width=150,
        )
        shown.choose(
            "receptive.laying",
            t("receptive.laying"),
            fields.LAYINGS,
            laying,
            lambda name: t(f"receptive.{name}"),
            lambda name: change(target=name),
        )
        shown.pick(
            "receptive.shape",
            t("receptive.shape"),
            tuple(fields.SHAPES),
            shape,
            lambda name: t(f"receptive.{name}"),
            lambda name: change(experiment=name),
        )
        shown.slide(
            "receptive.steps",
            t("receptive.steps"),
            STEPS,
            steps,
            lambda value: change(snapshot=value),
            width=170,
        )


def _pictures(lit: np.ndarray, weights: np.ndarray, pixel: int, values: dict) -> None:
    t = session.t()
    picture = 255 * chosen_picture.reduced_to(GRID)
    everyone = list(range(lit.size))
    names = [shown.place_name(place, GRID) for place in everyone]
    largest = float(weights.max())
    titles = (t("receptive.fixed", **values), t("receptive.learned", **values))
    pixels(
        [
            PixelsSpec(
                label=titles[0],
                title=titles[0],
                columns=GRID[1],
                exact=lit.ravel().astype(int),
                colours=shown.hexes(shown.dimmed(picture, lit)),
                readouts=[
                    t("receptive.seen" if inside else "receptive.unseen", pixel=name)
                    for name, inside in zip(names, lit.ravel().tolist(), strict=True)
                ],
                chosen=pixel,
                pick=everyone,
            ),
            PixelsSpec(
                label=titles[1],
                title=titles[1],
                columns=GRID[1],
                exact=weights.ravel(),
                colours=shown.weight_colours(weights / largest),
                readouts=[
                    t("convolution.weight", pixel=name, weight=magnitude(weight))
                    for name, weight in zip(names, weights.ravel().tolist(), strict=True)
                ],
                chosen=pixel,
                pick=everyone,
                legend=shown.weight_legend(largest),
            ),
        ],
        key="receptive_pictures",
        default_readout=t("receptive.point", pixel=shown.place_name(pixel, GRID)),
        on_pixel=shown.ask_pixel,
        side=40,
        size=session.size(),
    )


def _links(kernel: int) -> None:
    """Draw how many layers, or steps, link the two ends of a sequence."""
    t = session.t()
    rows = {
        "rnn": [fields.steps_to_link(n) for n in LENGTHS],
        "stacked_links": [fields.layers_to_link(n, kernel) for n in LENGTHS],
        "dilated_links": [fields.layers_to_link(n, kernel, "dilated") for n in LENGTHS],
        "attention": [1 for _ in LENGTHS],
    }
    matrix(
        [
            MatrixSpec(
                name="",
                label=t("receptive.links", kernel=kernel),
                title=t("receptive.links", kernel=kernel),
                cells=[[number(value) for value in row] for row in rows.values()],
                exact=list(rows.values()),
                row_labels=[t(f"receptive.{name}") for name in rows],
                column_labels=[f"n = {n}" for n in LENGTHS],
                row_in_hand=len(rows) - 1,
            )
        ],
        key="receptive_links",
        label=t("receptive.links", kernel=kernel),
        default_readout=t("receptive.links_say", n=LENGTHS[-1], layers=rows["stacked_links"][-1]),
        size=session.size(),
    )
