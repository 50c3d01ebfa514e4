"""`python -m attnviz capture`: one head of a real model on the screen, or a capture as a file."""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from attnviz.cli.options import HEAD, LAYER, NAN_ROWS, OUT_CAPTURE, UNIT, WEIGHTS, WINDOW, Option
from attnviz.cli.outputs import check_writable, save
from attnviz.errors import InputError
from attnviz.exports.captures import (
    check_head,
    head_name,
    head_table,
    head_to_csv,
    head_to_npz,
    head_to_picture,
    links_text,
    strongest,
)
from attnviz.exports.looks import Look
from attnviz.exports.model_pages import capture_page
from attnviz.lessons.drawings import DRAWINGS, drawing
from attnviz.models.catalogue import catalogue
from attnviz.models.images import MOST_BYTES, read_picture, reads_pictures
from attnviz.models.results import Capture
from attnviz.models.uploads import read_weights
from attnviz.models.views import Unit
from attnviz.text import words

_MOST_LINKS = 20


def run(given: Mapping[str, str], language: str) -> int:
    """Capture what is asked for; write a file, or the strongest links of one head.

    Raises:
        InputError: if an option cannot be read, or the model cannot be had.
    """
    path, look = given.get("out", ""), Look(language)
    ending = _ending(path) if path else ""
    layer, head, unit = _number(given, LAYER), _number(given, HEAD), _unit(given)
    if path:
        check_writable(path)
    capture = given_weights(given) if WEIGHTS.name in given else _captured(given, language)
    check_head(capture, layer, head)
    if path:
        data = _written(ending, capture, layer, head, look, unit)
        size = max(1, round(save(data, path) / 1000))
        sys.stdout.write(look.t("cli.written", path=path, size=size) + "\n")
    else:
        sys.stdout.write(_links(capture, layer, head, look, unit) + "\n")
    if capture.stretch is not None:
        first, last, n_tokens = capture.stretch
        sizes = {"first": first, "last": last, "n_tokens": n_tokens, "most": len(capture.tokens)}
        sys.stdout.write(look.t("models.cut", **sizes) + "\n")
    if capture.tier in ("hooked", "values", "weights"):
        sys.stdout.write(look.t(f"models.tier_help.{capture.tier}") + "\n")
    sys.stdout.flush()
    return 0


def _written(ending: str, capture: Capture, layer: int, head: int, look: Look, unit: Unit) -> bytes:
    if ending == "html":
        return capture_page(capture, look, layer=layer, head=head, unit=unit)
    if ending == "csv":
        return head_to_csv(capture, layer, head, unit)
    if ending == "npz":
        return head_to_npz(capture, layer, head, unit)
    return head_to_picture(capture, layer, head, "svg" if ending == "svg" else "png", look, unit)


def _links(capture: Capture, layer: int, head: int, look: Look, unit: Unit) -> str:
    table = head_table(capture, layer, head, unit)
    links = strongest(table, _MOST_LINKS)
    name = head_name(capture, layer, head, look)
    title = look.t("cli.links", name=name, n=len(links), n_all=table.weights.size)
    return f"{title}\n{links_text(links, look, numbered=capture.grid is None)}"


def _ending(path: str) -> str:
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in OUT_CAPTURE.known:
        known = ", ".join(OUT_CAPTURE.known)
        raise InputError("cli.ending", option=OUT_CAPTURE.flag, known=known, got=path)
    return ending


def _number(given: Mapping[str, str], option: Option) -> int:
    """Read a layer or a head, from 0; whether the model has it is seen later."""
    text = given.get(option.name, "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise InputError("cli.place", option=option.flag, got=text)
    return int(text)


def window_of(given: Mapping[str, str]) -> int | None:
    """Read which part of a long text is meant, from 0; None where no part is.

    Raises:
        InputError: if it is no number.
    """
    return _number(given, WINDOW) if WINDOW.name in given else None


def _unit(given: Mapping[str, str]) -> Unit:
    unit = given.get("unit", "pieces")
    if unit not in UNIT.known:
        raise InputError("cli.choice", option=UNIT.flag, known=", ".join(UNIT.known), got=unit)
    return cast(Unit, unit)


def _captured(given: Mapping[str, str], language: str) -> Capture:
    """Load the model and let it read; what it is doing is said on the way."""
    name, window, tell = given.get("model", "default"), window_of(given), _Progress(language)
    # Of a model that there is not, its text is not what is wrong: it is asked for first.
    model = None if name in catalogue() or Path(name).is_dir() else loaded(name, tell)
    read = _picture(given, name) if reads_pictures(name, folders=True) else _texts(given, name)
    model = model or loaded(name, tell)
    tell("capture", 0.0)
    return model.capture(*read, window=window)


def loaded(name: str, tell: Callable[[str, float], object] | None = None) -> Any:
    """Load a model; torch comes with it, and only these commands wait for that.

    Raises:
        InputError: if there is no such model here.
    """
    if tell is not None:
        tell("load", 0.0)
    return importlib.import_module("attnviz.models.load").load_model(name, progress=tell)


def _texts(given: Mapping[str, str], name: str) -> tuple[str, str | None, str | None]:
    """Give what a model of texts reads: the text, a second one, and what it is to write."""
    entry = catalogue().get(name)
    if "picture" in given:
        raise InputError("models.needs_text", name=entry.title if entry else name)
    text = given.get("text", entry.sentences[0] if entry and entry.sentences else "")
    if not text.strip():
        raise InputError("models.no_tokens")
    return text, given.get("pair"), given.get("target")


def _picture(given: Mapping[str, str], name: str) -> tuple[np.ndarray]:
    """Give what a vision model reads: a file, or the picture of its first example."""
    entry = catalogue().get(name)
    text = next((option for option in ("text", "pair", "target") if option in given), None)
    if text is not None:
        raise InputError("cli.no_text", name=entry.title if entry else name, option=f"--{text}")
    if "picture" in given:
        path = Path(given["picture"])
        return (read_picture(_contents(path, MOST_BYTES + 1), path.name),)
    shown = next((note.picture for note in (entry.heads if entry else ())), None)
    return (drawing(shown or next(iter(DRAWINGS))).pixels,)


def _contents(path: Path, most: int = -1) -> bytes:
    """Read a file, or its first bytes."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as wrong:
        raise InputError("cli.cannot_read", path=path) from wrong


class _Progress:
    """Says each stage once, on a line of its own."""

    def __init__(self, language: str) -> None:
        self._t, self._stage = words(language), ""

    def __call__(self, stage: str, _share: float) -> None:
        if stage != self._stage:
            self._stage = stage
            sys.stderr.write(self._t(f"models.stage.{stage}") + "\n")
            sys.stderr.flush()


def given_weights(given: Mapping[str, str]) -> Capture:
    """Open the weights that another program saved, as NPZ or JSON.

    Raises:
        InputError: if there is no such file, or it holds no weights.
    """
    path, nan_rows = Path(given[WEIGHTS.name]), given.get("nan_rows", "refuse")
    if nan_rows not in NAN_ROWS.known:
        known = ", ".join(NAN_ROWS.known)
        raise InputError("cli.choice", option=NAN_ROWS.flag, known=known, got=nan_rows)
    return read_weights(
        _contents(path),
        path.name,
        tokens=given.get("tokens", "").split(),
        key_tokens=given.get("key_tokens", "").split(),
        nan_rows=nan_rows,
        most=None,
    )
