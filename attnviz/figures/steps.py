"""One picture for each step from the inputs to the output, for the query that a class is following.

`step_names` lists the steps that change something in this layer, `step_figure` draws one of them
and `step_alt` says it in words. Matrices up to 12 × 8 carry their digits; larger ones are colour
alone.
"""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures import step_bars, step_projections, step_scores, step_sums
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.theme import ThemeName
from attnviz.figures.view import MOST_NAMED, View
from attnviz.text import Words
from attnviz.text.numbers import vector

STEPS: dict[str, Callable[[View], go.Figure]] = {
    "encoded_inputs": step_projections.encoded_inputs,
    "query": step_projections.query,
    "key": step_projections.key,
    "scores": step_scores.scores,
    "scaled_scores": step_bars.scaled_scores,
    "masked_scores": step_scores.masked_scores,
    "weights": step_bars.weights,
    "value": step_projections.value,
    "head_outputs": step_sums.head_outputs,
    "together": step_projections.together,
    "output": step_sums.output,
}


def step_names(trace: MultiHeadTrace) -> tuple[str, ...]:
    """List the steps of this layer in order; steps that change nothing are left out."""
    present = {
        "encoded_inputs": trace.encoded_inputs is not trace.inputs,
        "scaled_scores": trace.scale != 1,
        "masked_scores": trace.mask is not None or trace.bias is not None,
        "output": trace.n_heads > 1 or trace.output is not trace.concatenated,
    }
    return tuple(name for name in STEPS if present.get(name, True))


def step_figure(
    trace: MultiHeadTrace,
    step: str,
    query: int,
    tokens: Sequence[str],
    t: Words,
    theme: ThemeName = "light",
    *,
    head: int = 0,
    digits: int = 2,
    key_tokens: Sequence[str] | None = None,
    notation: Notation = ROW,
    planes: bool = True,
) -> go.Figure:
    """Draw one step for one query of one head; `planes` adds vectors with two features as arrows.

    Raises:
        ValueError: if there is no such step.
    """
    _check(step)
    asked, t = key_tokens or tokens, notation.words(t)
    view = View(trace, query, head, tokens, asked, t, theme, digits, notation, planes)
    return STEPS[step](view)


def step_alt(
    trace: MultiHeadTrace,
    step: str,
    query: int,
    tokens: Sequence[str],
    t: Words,
    *,
    head: int = 0,
    digits: int = 2,
    key_tokens: Sequence[str] | None = None,
    notation: Notation = ROW,
) -> str:
    """Say in words what `step_figure` draws, with the numbers of this query.

    Raises:
        ValueError: if there is no such step.
    """
    _check(step)
    t = notation.words(t)
    array = _array(trace, step, head)
    if step in ("key", "value"):
        rows = zip(key_tokens or tokens, array[:MOST_NAMED].tolist(), strict=False)
        numbers = t("figure.alt_join").join(
            f"{token} {place}: {vector(row, digits)}" for place, (token, row) in enumerate(rows, 1)
        )
    else:
        numbers = vector(array[query].tolist(), digits)
    said = {"token": tokens[query], "i": query + 1, "numbers": numbers}
    return t(f"figure.step_{_kind(trace, step)}", **said, **_added(trace, step, t))


def _kind(trace: MultiHeadTrace, step: str) -> str:
    """Choose the sentence of a step by what this layer does in it."""
    choices = trace.choices
    if step in ("scores", "together") and (
        choices.score != "dot" or (step == "together" and trace.relative_key is not None)
    ):
        return f"{step}_compared"
    if step == "masked_scores" and trace.bias is not None:
        return "biased_scores" if trace.mask is None else "masked_and_biased"
    if step == "output" and trace.projections.w_o is None:
        return "joined"
    return step


def _added(trace: MultiHeadTrace, step: str, t: Words) -> dict[str, str]:
    """Say what else takes part in a step: positions, and the vectors b that are added."""
    letter = {"query": "q", "key": "k", "value": "v", "output": "o"}.get(step, "")
    bias = getattr(trace.projections, f"b_{letter}") if letter else None
    relative = trace.relative_key is not None
    return {
        "added": t("figure.alt_added") if trace.position.added is not None else "",
        "bias": "" if bias is None else t("figure.alt_bias", letter=letter.replace("o", "O")),
        "turned": t("figure.alt_turned") if trace.position.turn is not None else "",
        "relative": t("figure.alt_relative") if relative else "",
        "score": t(f"score.{trace.choices.score}"),
    }


def _array(trace: MultiHeadTrace, step: str, head: int):
    if step in ("encoded_inputs", "output"):
        return getattr(trace, step)
    name = "output" if step in ("head_outputs", "together") else step
    return getattr(trace.head(head), name)


def _check(step: str) -> None:
    if step not in STEPS:
        raise ValueError(f"step must be one of {', '.join(STEPS)}, got {step!r}; choose one")
