"""From a scene to a table on the screen, or to a file."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attnviz.cli.options import ENDINGS, OUT
from attnviz.errors import InputError
from attnviz.exports.arrays import to_npz
from attnviz.exports.bundles import bundle
from attnviz.exports.documents import to_json
from attnviz.exports.looks import Look
from attnviz.exports.pages import page_of
from attnviz.exports.panels import Panel, head_panels, step_panels
from attnviz.exports.pictures import PictureKind, picture
from attnviz.exports.records import Record, link_of, record_of
from attnviz.exports.tables import to_csv
from attnviz.exports.terminal import text_table
from attnviz.figures.code import numpy_code
from attnviz.scene import Scene
from attnviz.settings import Settings

_SHARP = 2  # pixels of a PNG for each of the figure's


@dataclass(frozen=True, eq=False)
class Output:
    """One scene as all that can be written of it."""

    scene: Scene
    settings: Settings
    language: str

    @cached_property
    def look(self) -> Look:
        """How it is to be read."""
        return Look.of(self.settings, self.language)

    @property
    def record(self) -> Record:
        """What is kept of it."""
        return record_of(self.scene, self.settings, self.language)

    @property
    def code(self) -> str:
        """The lines of Python that give its numbers."""
        return numpy_code(self.scene, "see", self.look.t)

    @property
    def panel(self) -> Panel:
        """The picture that stands for it: of the chosen step, or else of the weights."""
        steps = step_panels(self.scene, self.look) if self.settings.step else ()
        asked = [panel for panel in steps if panel.name.endswith(f"-{self.settings.step}")]
        maps = head_panels(self.scene, self.look)
        return (asked or [panel for panel in maps if panel.name == "weights"])[0]

    def weights(self) -> str:
        """Write the weights of every head as lines of text."""
        tokens, digits = self.scene.tokens, self.look.digits
        return "\n\n".join(
            f"{self.look.t('cli.weights', head=head)}\n{text_table(table, tokens, tokens, digits)}"
            for head, table in enumerate(self.scene.trace.weights, 1)
        )

    def page(self) -> bytes:
        """Give the page that opens with no network."""
        return page_of(self.scene, self.look, link=link_of(self.settings), code=self.code)

    def drawn(self, kind: PictureKind) -> bytes:
        """Draw the picture that stands for it."""
        return picture(self.panel.light, kind, scale=_SHARP if kind == "png" else 1)

    def packed(self) -> bytes:
        """Give the lesson as a ZIP."""
        return bundle(self.scene, self.settings, self.language, code=self.code)


WRITERS: dict[str, Callable[[Output], bytes]] = {
    "json": lambda output: to_json(output.record),
    "npz": lambda output: to_npz(output.record),
    "csv": lambda output: to_csv(output.record),
    "html": Output.page,
    "svg": lambda output: output.drawn("svg"),
    "png": lambda output: output.drawn("png"),
    "zip": Output.packed,
}


def ending_of(path: str) -> str:
    """Tell what to write from the ending of a file's name.

    Raises:
        InputError: with the endings that there are.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in WRITERS:
        raise InputError("cli.ending", option=OUT.flag, known=", ".join(ENDINGS), got=path)
    return ending


def write(output: Output, path: str) -> int:
    """Write a file, and give its size in bytes.

    Raises:
        InputError: if it cannot be drawn or written here.
    """
    return save(WRITERS[ending_of(path)](output), path)


def check_writable(path: str) -> None:
    """See before long work whether its file can be written at all.

    Raises:
        InputError: if there is no such folder, or it or the file may not be written.
    """
    file = Path(path)
    there = file if file.exists() else file.parent
    if file.is_dir() or not file.parent.is_dir() or not os.access(there, os.W_OK):
        raise InputError("cli.cannot_write", path=path)


def save(data: bytes, path: str) -> int:
    """Write bytes to a file, and give how many they are.

    Raises:
        InputError: if the file cannot be written.
    """
    try:
        return Path(path).write_bytes(data)
    except OSError as wrong:
        raise InputError("cli.cannot_write", path=path) from wrong
