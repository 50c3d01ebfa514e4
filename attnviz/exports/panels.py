"""What a scene has to show: its figures in both colour schemes, its matrices, its equations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from attnviz.attention.ancestry import ancestry
from attnviz.attention.trace import HeadTrace, MultiHeadTrace, Step
from attnviz.exports.looks import Look
from attnviz.exports.markup import Matrix
from attnviz.exports.records import arrays_of
from attnviz.figures import formulas, heatmaps, steps
from attnviz.figures.cells import Kind
from attnviz.figures.theme import ThemeName
from attnviz.scene import Scene

_KINDS: dict[str, Kind] = {
    "scores": "scores",
    "scaled_scores": "scores",
    "masked_scores": "scores",
    "weights": "weights",
}
_OF_TOKENS = frozenset({"query", "key"})


@dataclass(frozen=True, eq=False)
class Panel:
    """One figure with its name in a file, its title and what it shows in words.

    `dark` is the same figure for a dark page, None where there is none.
    """

    name: str
    title: str
    alt: str
    light: go.Figure
    dark: go.Figure | None = None


def panels_of(scene: Scene, look: Look) -> list[Panel]:
    """Draw the maps of scores and weights, and every step of the query that is looked at."""
    return [*head_panels(scene, look), *step_panels(scene, look)]


def head_panels(scene: Scene, look: Look) -> Iterator[Panel]:
    """Draw the scores and weights of the head that is looked at, and all heads if there are more.

    A layer too large for one figure of all heads goes without it.
    """
    trace, tokens = scene.trace, scene.tokens
    yield from map_panels(trace.head(scene.head), tokens, look, scene.query)
    fits = trace.n_heads <= heatmaps.MOST_HEADS and len(tokens) <= heatmaps.MOST_TOKENS
    if trace.n_heads > 1 and fits:
        yield _all_heads(trace, tokens, look, scene.head)


def map_panels(
    head: HeadTrace, tokens: Sequence[str] | None, look: Look, query: int | None = None
) -> Iterator[Panel]:
    """Draw the scores and the weights of one head."""
    for name, array in (("scores", head.scores), ("weights", head.weights)):
        title = look.t(f"export.arrays.{name}")
        yield _panel(
            name,
            title,
            heatmaps.heatmap_alt(
                array, tokens, tokens, look.t, title=title, mask=head.mask, **look.shown
            ),
            lambda theme, name=name, array=array: heatmaps.heatmap(
                array,
                _KINDS[name],
                tokens,
                tokens,
                look.t,
                theme,
                **look.shown,
                row=query,
                mask=head.mask,
            ),
        )


def maps_of(
    trace: MultiHeadTrace | HeadTrace, tokens: Sequence[str] | None, look: Look
) -> list[Panel]:
    """Draw the maps of a trace alone: its one head, or all heads side by side.

    What is too large for a figure is left to the tables.
    """
    n_heads = trace.scores.size // (trace.n_query * trace.n_key)
    if max(trace.n_query, trace.n_key) > heatmaps.MOST_TOKENS or n_heads > heatmaps.MOST_HEADS:
        return []
    if isinstance(trace, MultiHeadTrace) and n_heads > 1:
        return [_all_heads(trace, tokens or ("",) * trace.n_query, look)]
    head = trace.head(0) if isinstance(trace, MultiHeadTrace) else trace
    return list(map_panels(head, tokens, look)) if head.scores.ndim == 2 else []


def step_panels(scene: Scene, look: Look) -> Iterator[Panel]:
    """Draw every step from the inputs to the output of the query that is looked at."""
    trace, query, tokens = scene.trace, scene.query, scene.tokens
    counts = {"place": query + 1, "n_query": trace.n_query, "n_heads": trace.n_heads}
    for place, step in enumerate(steps.step_names(trace), 1):
        yield _panel(
            f"step-{place:02d}-{step}",
            f"{place}. {look.t(f'steps.{step}.title', **counts)}",
            steps.step_alt(trace, step, query, tokens, look.t, head=scene.head, **look.shown),
            lambda theme, step=step: steps.step_figure(
                trace, step, query, tokens, look.t, theme, head=scene.head, **look.shown
            ),
        )


def matrices_of(
    trace: MultiHeadTrace | HeadTrace, tokens: Sequence[str] | None, look: Look
) -> list[Matrix]:
    """Give every array of a trace as matrices, a head each; in self-attention tokens name both."""
    arrays = arrays_of(trace) if isinstance(trace, MultiHeadTrace) else trace.steps()
    own = tokens if trace.n_query == trace.n_key else None
    return [
        matrix
        for step in arrays
        if step.array.dtype != bool
        for matrix in _matrices(step, own or None, look)
    ]


def equations_of(scene: Scene, look: Look) -> list[list[str]]:
    """Write every output as its sum; then, together, where each weight of one query comes from.

    The query is the one that is looked at. With many tokens its own sum is all.
    """
    head, query = scene.trace.head(scene.head), scene.query
    if not scene.digits_fit:
        return [[formulas.row_equation(head, query, look.digits)]]
    sums = [formulas.row_equation(head, row, look.digits) for row in range(head.n_query)]
    relative = head.relative_key is not None
    cells = [
        formulas.cell_lines(
            ancestry(head, query, key), head.choices, look.t, relative=relative, **look.shown
        )
        for key in range(head.n_key)
    ]
    return [sums, *cells]


def _all_heads(trace: MultiHeadTrace, tokens: Sequence[str], look: Look, head: int = 0) -> Panel:
    return _panel(
        "heads",
        look.t("see.head_maps"),
        heatmaps.head_maps_alt(trace, "weights", tokens, look.t, head=head, **look.shown),
        lambda theme: heatmaps.head_maps(
            trace, "weights", tokens, look.t, theme, head=head, notation=look.notation
        ),
    )


def _panel(name: str, title: str, alt: str, draw: Callable[[ThemeName], go.Figure]) -> Panel:
    return Panel(name, title, alt, draw("light"), draw("dark"))


def _matrices(step: Step, tokens: Sequence[str] | None, look: Look) -> Iterator[Matrix]:
    """Cut an array into one matrix for each head."""
    *leading, down, across = step.axes
    blocks = step.array.reshape(-1, *step.array.shape[-2:])
    for place, block in enumerate(blocks, 1):
        title = look.t(f"export.arrays.{step.name}")
        if leading and len(blocks) > 1:
            title += f" · {look.t('figure.head', head=place)}"
        yield Matrix(
            title=title,
            array=block,
            kind=_KINDS.get(step.name, "values"),
            row_tokens=tokens if down in _OF_TOKENS else None,
            column_tokens=tokens if across in _OF_TOKENS else None,
        )
