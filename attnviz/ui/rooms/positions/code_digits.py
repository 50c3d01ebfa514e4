"""The numbers behind the pictures of a position code: places, distances, slopes or buckets."""

from dataclasses import replace
from typing import Any

import numpy as np

from attnviz.attention.choices import HeadChoices
from attnviz.attention.position_codes import alibi_slopes
from attnviz.attention.positions import POSITIONS, PositionSizes
from attnviz.components import Text
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.lessons.portraits import Bucket, Portrait, buckets, portrait
from attnviz.scene import Scene
from attnviz.text.numbers import significant
from attnviz.ui import session
from attnviz.ui.rooms.positions import tables

_FIRST_ROWS = 8


def arguments(choices: HeadChoices, name: str) -> dict[str, Any]:
    """Give the parameters of a code as they were chosen."""
    return choices.arguments("position", POSITIONS[name])


def code_digits(name: str, drawn: Portrait, scene: Scene) -> None:
    """Draw digits: the first rows of the table, the slope of each head, or each bucket."""
    t = session.t()
    makers = {"alibi": _slopes, "t5": _buckets}
    spec = makers[name](scene) if name in makers else _rows(drawn)
    matrix(
        [spec],
        key="codes.digits",
        label=t("codes.digits"),
        default_readout=t("codes.readout"),
        size=session.size(),
    )


def _rows(drawn: Portrait) -> MatrixSpec:
    """Give the first places of a table, or the distances around 0."""
    t, middle = session.t(), 0
    if drawn.kind == "distances":
        middle = len(drawn.table) // 2
        near = slice(max(0, middle - 4), middle + 5)
        rows: list[Text] = [str(int(place)).replace("-", "−") for place in drawn.places[near]]
        table, name, title = drawn.table[near], "aᴷ", t("codes.by_distance")
    else:
        table, name, title = drawn.table[:_FIRST_ROWS], "e", t("codes.first_places")
        rows = [str(place + 1) for place in range(len(table))]
        if drawn.kind == "turns":
            name, title = "u", t("codes.turned_vector")
    return tables.labelled(
        table,
        tables.symbol(name),
        title,
        rows,
        tables.features(table.shape[1]),
        kind="scores",
        limit=float(np.abs(drawn.table).max()) or 1.0,
    )


def _slopes(scene: Scene) -> MatrixSpec:
    t, slopes = session.t(), alibi_slopes(scene.projections.n_heads)
    heads: list[Text] = [t("figure.head", head=head + 1) for head in range(len(slopes))]
    spec = tables.labelled(slopes[:, None], tables.symbol("s"), t("codes.slopes"), heads, [""])
    exact = [[significant(slope, 4)] for slope in slopes]
    cells = [list(row) for row in zip(*exact, strict=True)] if session.notation().columns else exact
    return replace(spec, cells=cells)


def _buckets(scene: Scene) -> MatrixSpec:
    """Say which distances share a bucket, and what each head adds there."""
    t, settings = session.t(), session.settings()
    found = buckets(settings.n_buckets, settings.max_distance, settings.bidirectional)
    sizes = scene.projections
    reach = settings.max_distance + 1
    room = PositionSizes(reach + 1, reach + 1, sizes.d_model, sizes.d_k, sizes.d_v, sizes.n_heads)
    by_distance = portrait("t5", room, arguments(scene.choices, "t5")).table  # from −reach to reach
    rows = [by_distance[bucket.nearest + reach] for bucket in found]
    names: list[Text] = [f"{bucket.number}: {_range(bucket)}" for bucket in found]
    heads: list[Text] = [t("figure.head", head=head + 1) for head in range(sizes.n_heads)]
    return tables.labelled(
        np.array(rows),
        tables.symbol("bias"),
        t("codes.buckets"),
        names,
        heads,
        kind="scores",
        limit=float(np.abs(by_distance).max()) or 1.0,
    )


def _range(bucket: Bucket) -> str:
    """Write the distances of a bucket: 3, or 4…7, or 8 and all beyond."""
    t = session.t()
    near, far = bucket.nearest, bucket.farthest
    if near == 0 and far is None:
        return t("codes.and_ahead")
    side = t("codes.ahead" if near > 0 else "codes.back" if near < 0 else "codes.itself")
    written = (
        str(abs(near)) if far == near else f"{abs(near)}–{abs(far)}" if far is not None else ""
    )
    return f"{written or t('codes.and_beyond', near=abs(near))} {side}".strip()
