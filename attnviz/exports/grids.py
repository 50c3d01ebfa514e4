"""A table as it stands on the page: as HTML, and as a figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from attnviz.figures.grids import grid_figure, ink_on
from attnviz.figures.theme import Number, ThemeName

_THEMES: tuple[ThemeName, ...] = ("light", "dark")
Numbers = Sequence[Sequence[Number | Sequence[Number] | None]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Grid:
    """A table of texts, with their colours in each theme and their numbers in full.

    A colour is `#rrggbb`, or "" for none. A cell may hold several numbers, such as the vector of a
    pixel; `numbers` is None where the cells hold none. `squares` have their colour alone on the
    page, and their text reads them.
    """

    name: str
    title: str
    alt: str
    cells: Sequence[Sequence[str]]
    rows: Sequence[str]
    columns: Sequence[str]
    row_title: str = ""
    column_title: str = ""
    colours: Mapping[ThemeName, Sequence[Sequence[str]]] | None = None
    numbers: Numbers | None = None
    squares: bool = False

    def figure(self, theme: ThemeName, *, titled: bool = True) -> go.Figure:
        """Draw it, with its title or beneath one."""
        return grid_figure(
            self.cells,
            self.rows,
            self.columns,
            self.title if titled else "",
            theme,
            colours=self.colours[theme] if self.colours else None,
            axes=" · ".join(filter(None, (self.row_title, self.column_title))),
            squares=self.squares,
        )

    def table(self) -> str:
        """Write it as HTML: every text a cell that can be read, copied and heard."""
        across = "".join(f"<th scope=col><bdi>{escape(label)}</bdi></th>" for label in self.columns)
        body = "".join(self._row(place) for place in range(len(self.cells)))
        notes = filter(None, (self.row_title, self.column_title))
        small = "".join(f"<small>{escape(note)}</small>" for note in notes)
        caption = f"<caption><b>{escape(self.title)}</b>{small}</caption>"
        head = f"<thead><tr><td></td>{across}</tr></thead>"
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>"

    def _row(self, place: int) -> str:
        texts = self.cells[place]
        none = [""] * len(texts)
        day, night = (self.colours[theme][place] if self.colours else none for theme in _THEMES)
        cells = "".join(map(_cell, texts, day, night))
        return f"<tr><th scope=row><bdi>{escape(self.rows[place])}</bdi></th>{cells}</tr>"


def _cell(text: str, day: str, night: str) -> str:
    if not day:
        return f"<td>{escape(text)}</td>"
    style = f"--l:{day};--li:{ink_on(day)};--d:{night};--di:{ink_on(night)}"
    return f'<td style="{style}">{escape(text)}</td>'
