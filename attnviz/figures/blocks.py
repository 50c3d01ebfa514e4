"""A block of BERT as a diagram: where self-attention stands in a real model."""

import plotly.graph_objects as go

from attnviz.figures.theme import THEMES, ThemeName, drawn, layout
from attnviz.text import Words

# Bottom to top, as such diagrams are read; the third is what attnviz computes.
_BOXES = ("words", "embeddings", "attention", "add_norm", "feed_forward", "add_norm", "next")
_ATTENTION = 2
_BLOCK = (2, 5)


def bert_block(t: Words, theme: ThemeName = "light") -> go.Figure:
    """Draw one block of BERT from the tokens up, self-attention marked."""
    paint = THEMES[theme]
    drawing = layout(paint, height=420, width=560, margin=(8, 8, 8, 8))
    bare = {"visible": False, "fixedrange": True}
    drawing["xaxis"] = bare | {"range": [0, 10]}
    drawing["yaxis"] = bare | {"range": [-0.6, len(_BOXES) - 0.2]}
    around = {"type": "rect", "x0": 1, "x1": 9, "y0": _BLOCK[0] - 0.5, "y1": _BLOCK[1] + 0.5}
    shapes = [around | {"line": {"color": paint.muted, "dash": "dot", "width": 1}}]
    notes = [
        _note(t("bert.block"), 8.9, _BLOCK[1] + 0.66, paint.muted, size=13)
        | {"xanchor": "right", "bgcolor": paint.page}
    ]
    for place, box in enumerate(_BOXES):
        marked = place == _ATTENTION
        shapes.append(
            {
                "type": "rect",
                "x0": 2,
                "x1": 8,
                "y0": place - 0.3,
                "y1": place + 0.3,
                "line": {
                    "color": paint.accent if marked else paint.muted,
                    "width": 3 if marked else 1,
                },
            }
        )
        text = f"<b>{t(f'bert.{box}')}</b>" if marked else t(f"bert.{box}")
        notes.append(_note(text, 5, place, paint.accent if marked else paint.text))
        if place:
            notes.append(_arrow(place, paint.muted))
    drawing |= {"shapes": shapes, "annotations": notes}
    return drawn([], drawing)


def _note(text: str, x: float, y: float, colour: str, size: int = 15) -> dict:
    font = {"size": size, "color": colour}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font}


def _arrow(place: int, colour: str) -> dict:
    return {
        "x": 5,
        "y": place - 0.3,
        "ax": 5,
        "ay": place - 0.7,
        "xref": "x",
        "yref": "y",
        "axref": "x",
        "ayref": "y",
        "showarrow": True,
        "arrowhead": 2,
        "arrowwidth": 1.2,
        "arrowcolor": colour,
        "text": "",
    }
