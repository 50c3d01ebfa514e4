"""How well two kinds of network do as the strings to learn from become more, as a picture."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attnviz.figures.labels import escape
from attnviz.figures.theme import FONT, THEMES, Theme, ThemeName, drawn, faded, layout
from attnviz.models.training.data_size import NETWORKS, Curves, Point
from attnviz.text import Words
from attnviz.text.numbers import decimals, number

_LOOKS = {"convolution": ("query", "solid", "circle"), "attention": ("key", "dash", "diamond")}


def size_curves(
    curves: Curves,
    pool: str,
    what: str,
    own: Sequence[Point],
    t: Words,
    theme: ThemeName = "light",
    *,
    height: int = 330,
) -> go.Figure:
    """Draw the mean over the seeds for each network, from the worst seed to the best in a band.

    The sizes are on a logarithmic scale. `own` are points made a moment ago, drawn as stars.
    """
    paint = THEMES[theme]
    drawing = layout(paint, width=None, height=height, margin=(58, 16, 42, 50))
    sizes = np.log10(curves.sizes)
    data = []
    for network in NETWORKS:
        shares = curves.shares(network, pool, what)
        data += [_band(sizes, shares, network, paint), _line(sizes, shares, network, t, paint)]
    data += [_star(point, what, t, paint) for point in own]
    drawing |= {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1.03, "yanchor": "bottom"},
        "hovermode": "closest",
        "xaxis": _axis(paint)
        | {
            "range": [sizes[0] - 0.12, sizes[-1] + 0.12],
            "tickvals": sizes.tolist(),
            "ticktext": [number(size) for size in curves.sizes],
            "title": {"text": t("data_size.axis_n"), "font": {"size": 14}},
        },
        "yaxis": _axis(paint)
        | {
            "range": [0.44, 1.03],
            "tickvals": [0.5, 0.6, 0.7, 0.8, 0.9, 1],
            "tickformat": ".0%",
            "title": {"text": t("data_size.axis_right"), "font": {"size": 14}},
        },
    }
    return drawn(data, drawing)


def size_curves_alt(curves: Curves, pool: str, what: str, own: Sequence[Point], t: Words) -> str:
    """Say in words what each network gets right at each size."""
    said = [
        t(
            "data_size.alt_network",
            network=t(f"data_size.{network}"),
            values=t("figure.alt_join").join(
                f"{number(size)}: {decimals(share * 100, 1)} %"
                for size, share in zip(
                    curves.sizes, curves.shares(network, pool, what).mean(axis=1), strict=True
                )
            ),
        )
        for network in NETWORKS
    ]
    said += [
        t(
            "data_size.own_point",
            network=t(f"data_size.{point.network}"),
            n=number(point.n),
            seed=point.seed,
            share=decimals(getattr(point, what) * 100, 1),
        )
        for point in own
    ]
    return t("data_size.alt", values=" ".join(said))


def _line(sizes: np.ndarray, shares: np.ndarray, network: str, t: Words, paint: Theme) -> dict:
    role, dash, symbol = _LOOKS[network]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": sizes,
        "y": shares.mean(axis=1),
        "name": escape(t(f"data_size.{network}")),
        "line": {"color": paint.colours[role], "width": 3, "dash": dash},
        "marker": {"symbol": symbol, "size": 9, "color": paint.colours[role]},
        "customdata": [
            f"{decimals(row.mean() * 100, 1)} % ({decimals(row.min() * 100, 1)}–"
            f"{decimals(row.max() * 100, 1)} %)"
            for row in shares
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def _band(sizes: np.ndarray, shares: np.ndarray, network: str, paint: Theme) -> dict:
    """Fill what lies between the worst seed and the best."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.concatenate([sizes, sizes[::-1]]),
        "y": np.concatenate([shares.max(axis=1), shares.min(axis=1)[::-1]]),
        "fill": "toself",
        "fillcolor": faded(paint.colours[_LOOKS[network][0]], 0.22),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _star(point: Point, what: str, t: Words, paint: Theme) -> dict:
    """Draw one network that has learned just now."""
    share = getattr(point, what)
    said = t(
        "data_size.own_point",
        network=t(f"data_size.{point.network}"),
        n=number(point.n),
        seed=point.seed,
        share=decimals(share * 100, 1),
    )
    ink = paint.inks[_LOOKS[point.network][0]]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [float(np.log10(point.n))],
        "y": [share],
        "name": escape(t("data_size.own_star", network=t(f"data_size.{point.network}"))),
        "marker": {
            "symbol": "star",
            "size": 17,
            "color": ink,
            "line": {"color": paint.page, "width": 1.5},
        },
        "hovertext": [escape(said)],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _axis(paint: Theme) -> dict:
    return {
        "gridcolor": paint.grid,
        "zeroline": False,
        "fixedrange": True,
        "tickfont": {"family": FONT, "size": 13, "color": paint.muted},
    }
