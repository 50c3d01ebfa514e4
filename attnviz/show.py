"""A trace in a notebook: tables with their colours, which need no network.

Plotly and the exports are imported when something is drawn, so that `import attnviz` stays light.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from attnviz.attention.trace import HeadTrace, MultiHeadTrace

MOST_TABLES = 60
"""Tables that a notebook gets; a saved page has them all."""


@runtime_checkable
class HasTrace(Protocol):
    """What a scene has: the tokens of a layer, and its trace."""

    @property
    def tokens(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def trace(self) -> MultiHeadTrace: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Shown:
    """What a notebook draws when it is the last thing in a cell."""

    trace: HasTrace | MultiHeadTrace | HeadTrace
    tokens: tuple[str, ...] | None
    language: str
    digits: int

    def _repr_html_(self) -> str:
        from attnviz.exports.looks import Look
        from attnviz.exports.markup import fragment
        from attnviz.exports.panels import matrices_of

        look = Look(self.language, self.digits)
        matrices = matrices_of(_arrays(self.trace), self.tokens, look)
        return fragment(matrices[:MOST_TABLES], look, len(matrices))

    def page(self) -> bytes:
        """Give a page with figures and tables, which any browser opens without a network."""
        from attnviz.exports.looks import Look
        from attnviz.exports.pages import page, page_of
        from attnviz.exports.panels import maps_of, matrices_of
        from attnviz.scene import Scene

        look, arrays = Look(self.language, self.digits), _arrays(self.trace)
        if isinstance(self.trace, Scene):
            return page_of(self.trace, look)
        return page(
            look.t("export.title", sentence=" ".join(self.tokens or ("QKᵀ",))),
            look,
            panels=maps_of(arrays, self.tokens, look),
            matrices=matrices_of(arrays, self.tokens, look),
        )

    def save(self, path: str | Path) -> None:
        """Write that page to a file."""
        Path(path).write_bytes(self.page())


def show(
    trace: HasTrace | MultiHeadTrace | HeadTrace,
    tokens: Sequence[str] | None = None,
    *,
    language: str = "en",
    digits: int = 2,
) -> Shown:
    """Show one head, one layer, or a scene; `tokens` name its rows, a scene has names of its own.

    Raises:
        ValueError: if there is not one token for each query.
    """
    names = trace.tokens if tokens is None and isinstance(trace, HasTrace) else tokens
    n_query = _arrays(trace).n_query
    if names is not None and len(names) != n_query:
        raise ValueError(
            f"tokens must be one for each of the {n_query} queries, got {len(names)}; "
            "leave them out to count the rows"
        )
    return Shown(trace, None if names is None else tuple(names), language, digits)


def _arrays(trace: HasTrace | MultiHeadTrace | HeadTrace) -> MultiHeadTrace | HeadTrace:
    return trace.trace if isinstance(trace, HasTrace) else trace
