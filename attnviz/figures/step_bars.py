"""Pictures of the steps that change every score of a row: the scale, and the normalizer."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.attention.normalizers import normalizer_parts
from attnviz.figures.bars import bar_axes, bar_trace, reach_of, shades
from attnviz.figures.laws import DIVIDED, SUMMED, Law
from attnviz.figures.theme import FONT, Number, Theme, drawn, faded, layout
from attnviz.figures.view import View
from attnviz.figures.writing import PLAIN
from attnviz.text.numbers import number

_HIGH = 300
_BETWEEN = 140
_BAR = 96
_LETTER = 7  # pixels of a 13 px letter
_FEW = 8


def scaled_scores(view: View) -> go.Figure:
    """Draw the scores before (pale) and after (strong) they are scaled."""
    trace, i, paint = view.trace, view.query, view.paint
    before, after = trace.scores[i], trace.scaled_scores[i]
    data = [
        bar_trace(before, faded(paint.muted, 0.28), view.digits, ink=paint.muted)
        | {"offset": -0.39, "width": 0.38},
        bar_trace(after, paint.accent, view.digits, ink=paint.accent)
        | {"offset": 0.01, "width": 0.38},
    ]
    factor = f"× {PLAIN.constant(trace.scale)}"
    if trace.choices.scale == "sqrt_d_k":
        factor = f"/ √{trace.query.shape[-1]}"
    wide = min(max(90 + 84 * trace.n_key, 300), 760)
    drawing = layout(paint, width=wide, height=_HIGH, margin=(56, 12, 44, 34))
    drawing |= bar_axes(view.key_labels, reach_of(before, after), paint)
    title = f"α  <span style='color:{paint.accent}'><b>→  α {factor}</b></span>"
    drawing |= {"barmode": "overlay", "annotations": [_note(title, 0, 1, paint, "left")]}
    return drawn(data, drawing)


def weights(view: View) -> go.Figure:
    """Draw what the normalizer makes of each score, the total of the row, and the shares."""
    trace, i, paint = view.trace, view.query, view.paint
    choices = trace.choices
    parts = normalizer_parts(
        choices.normalizer,
        trace.masked_scores[i : i + 1],
        temperature=choices.temperature,
        **choices.arguments("normalizer"),
    )
    threshold = None if parts.threshold is None else float(parts.threshold[0])
    law = Law.of(PLAIN, choices, trace.n_key, threshold)
    numerators, total, shift = parts.numerators[0], float(parts.totals[0]), float(parts.shift[0])

    wide = min(max(90 + (_BAR if trace.n_key <= _FEW else 64) * trace.n_key, 300), 560)
    whole = 2 * wide + _BETWEEN
    drawing = layout(paint, width=whole, height=_HIGH + 20, margin=(50, 12, 40, 56))
    inner = whole - 62
    first, second = (0, (wide - 31) / inner), (1 - (wide - 31) / inner, 1)
    if threshold is None:
        left = [bar_trace(numerators, faded(paint.accent, 0.55), view.digits, ink=paint.text)]
        reach, labels = reach_of(numerators), _labels(view, law, numerators, shift)
        above = ""
    else:
        left, reach, line = _above_threshold(view, law, numerators, threshold)
        drawing["shapes"], labels = [line], view.key_labels
        above = f"<b>τ = {number(threshold, view.digits)}</b>"
    right = bar_trace(
        trace.weights[i],
        shades(trace.weights[i], paint.weights),
        view.digits,
        axes="2",
        ink=paint.text,
    )
    top = max(1.0, float(trace.weights.max()))
    drawing |= bar_axes(labels, reach, paint, domain=first)
    drawing |= bar_axes(view.key_labels, (0.0, top), paint, axes="2", domain=second)
    if law.name in SUMMED:
        one = f"{number(law.one(shift), view.digits)} + " if law.name == "softmax1" else ""
        above = f"{one}Σ = <b>{number(total, view.digits)}</b>"
    divided = f"÷ {number(total, view.digits)}" if law.name in DIVIDED and total else ""
    summed = number(trace.weights[i].sum(), view.digits)
    middle = (first[1] + second[0]) / 2 - 10 / inner
    drawing["annotations"] = [
        _note(above, first[1] / 2, 1, paint),
        _note(f"α′<sub>{i + 1},j</sub>   Σ = <b>{summed}</b>", (second[0] + 1) / 2, 1, paint),
        _note(f"<b>{divided}</b><br>→", middle, 0.5, paint),
    ]
    return drawn([*left, right], drawing | {"barmode": "overlay"})


def _labels(
    view: View, law: Law, numerators: Float[np.ndarray, " key"], shift: Number
) -> Sequence[str]:
    """Write each bar's formula under its token, exp(−2), where there is room for it."""
    labels = view.key_labels
    if len(labels) > _FEW:
        return labels
    scores = view.trace.masked_scores[view.query].tolist()
    written = [
        law.numerator(law.kept(score, shift, numerator), shift, None, view.digits)
        for score, numerator in zip(scores, numerators.tolist(), strict=True)
    ]
    if max(len(text) for text in written) * _LETTER > _BAR:
        return labels
    return [
        f"{label}<br><span style='font-size:13px'>{text}</span>"
        for label, text in zip(labels, written, strict=True)
    ]


def _above_threshold(
    view: View, law: Law, numerators: Float[np.ndarray, " key"], threshold: Number
) -> tuple[list[dict], tuple[Number, Number], dict]:
    """Draw the scores as bars, what reaches above the threshold τ in full colour, and τ itself."""
    paint, scores = view.paint, view.trace.masked_scores[view.query]
    levels = law.slope * scores / law.temperature
    above = np.where(numerators > 0, levels, threshold)
    bars = bar_trace(levels, faded(paint.muted, 0.3), view.digits, ink=paint.text)
    gain = bar_trace(above, faded(paint.accent, 0.75), view.digits, base=threshold)
    line = {
        "type": "line",
        "x0": -0.6,
        "x1": len(levels) - 0.4,
        "y0": threshold,
        "y1": threshold,
        "line": {"color": paint.accent, "width": 2, "dash": "dash"},
    }
    return [bars, gain], reach_of(levels, np.array([threshold])), line


def _note(text: str, x: Number, y: Number, paint: Theme, anchor: str = "center") -> dict:
    return {
        "text": text,
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": anchor,
        "yanchor": "middle",
        "yshift": 22 if y == 1 else 0,
        "showarrow": False,
        "font": {"family": FONT, "size": 17, "color": paint.text},
    }
