"""A trace or a captured model in a notebook: what is drawn needs no network.

Plotly and the exports are imported when something is drawn, so that `import attnviz` stays light.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Protocol, overload, runtime_checkable

from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.models.results import Capture

MOST_TABLES = 60
"""Tables that a notebook gets; a saved page has them all."""

MOST_NOTEBOOK = 32 * 10**6
"""Bytes of the largest page that is put into a notebook."""

_TALL = 760  # pixels


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


@dataclass(frozen=True, eq=False)
class ShownCapture:
    """A captured model as a page: every head, and the weights, lines and map of the opened one."""

    capture: Capture
    layer: int
    head: int
    language: str
    digits: int

    def _repr_html_(self) -> str:
        """Put the page into a frame of its own, which neither reads nor changes the notebook."""
        page = self.page()
        if len(page) > MOST_NOTEBOOK:
            from attnviz.text import words

            size = round(len(page) / 1e6)
            return f"<p>{escape(words(self.language)('model_page.notebook', size=size))}</p>"
        return (
            f'<iframe title="attnviz" sandbox="allow-scripts" width="100%" height="{_TALL}" '
            f'style="border: 0" srcdoc="{escape(page.decode())}"></iframe>'
        )

    def page(self) -> bytes:
        """Give the page, which any browser opens without a network."""
        return self._page

    def save(self, path: str | Path) -> None:
        """Write that page to a file."""
        Path(path).write_bytes(self.page())

    @cached_property
    def _page(self) -> bytes:
        from attnviz.exports.looks import Look
        from attnviz.exports.model_pages import capture_page

        look = Look(self.language, self.digits)
        return capture_page(self.capture, look, layer=self.layer, head=self.head)


@overload
def show(
    trace: Capture, *, layer: int = 0, head: int = 0, language: str = "en", digits: int = 2
) -> ShownCapture: ...
@overload
def show(
    trace: HasTrace | MultiHeadTrace | HeadTrace,
    tokens: Sequence[str] | None = None,
    *,
    language: str = "en",
    digits: int = 2,
) -> Shown: ...
def show(
    trace: Capture | HasTrace | MultiHeadTrace | HeadTrace,
    tokens: Sequence[str] | None = None,
    *,
    layer: int = 0,
    head: int = 0,
    language: str = "en",
    digits: int = 2,
) -> Shown | ShownCapture:
    """Show one head, one layer, a scene or a captured model.

    `tokens` name the rows of a trace; a scene and a capture have names of their own. A capture
    opens with one of its heads; layers and heads count from 0.

    Raises:
        ValueError: if there is not one token for each query.
        InputError: if a capture has no such layer or head.
    """
    if isinstance(trace, Capture):
        from attnviz.exports.captures import check_head

        check_head(trace, layer, head)
        return ShownCapture(trace, layer, head, language, digits)
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
