"""The caches of real models: what was asked of one, and all that is read from its captures."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention.readings import HeadReading
from attnviz.errors import InputError
from attnviz.lessons.drawings import DRAWINGS, drawing
from attnviz.models.cards import Answer, answer, cards
from attnviz.models.comparing.aligned import Pair
from attnviz.models.comparing.heads_apart import HeadsApart, changed, from_head
from attnviz.models.corpus import Averaged, over, sentences_for
from attnviz.models.editing.changes import Changes
from attnviz.models.editing.changes import changes as changes_of
from attnviz.models.editing.worth import Worth
from attnviz.models.images import reads_pictures
from attnviz.models.listed import Similar, listed, similar
from attnviz.models.outputs import OutputMatrix
from attnviz.models.overview import RowCheck
from attnviz.models.read_otherwise import NEEDS_MATRIX, Reading, reading_of
from attnviz.models.results import Capture
from attnviz.models.uploads import read_weights
from attnviz.models.views import Thumbnails, Unit, View
from attnviz.models.views import thumbnails as thumbnails_of
from attnviz.models.views import view as view_of
from attnviz.models.worker import Worker
from attnviz.models.written import Written
from attnviz.settings import Edit
from attnviz.ui import cached
from attnviz.ui.jobs import Job


@dataclass(frozen=True)
class Asked:
    """A model and what it is to read; equal ones share one capture."""

    model: str
    text: str
    pair: str = ""
    target: str = ""
    window: int = 0
    given: str = ""  # the digest of a file of weights that stands in the model's place
    picture: str = ""  # what a vision model sees instead of a text, as `picture` finds it
    edits: tuple[Edit, ...] = ()  # what is changed while it reads, as settings.edits has it

    @property
    def untouched(self) -> "Asked":
        """The same without edits."""
        return replace(self, edits=())


@st.cache_resource(show_spinner=False, on_release=Worker.close)
def models() -> Worker:
    """Give the process in which models run: one for everybody."""
    return Worker()


def capture_job(asked: Asked) -> Job[Capture]:
    """Give the work of capturing a model on a text: begun once, and shared by all who ask."""
    return _given_job(asked.given, "", b"") if asked.given else _capture_job(asked)


def given_job(digest: str, data: bytes, name: str, nan_rows: str = "refuse") -> Job[Capture]:
    """Give the weights of a file as the finished work of a capture."""
    return _given_job(digest, name, data, nan_rows)


def _read_by(asked: Asked) -> tuple[str | np.ndarray, str | None, str | None]:
    """Give what the model reads: a text, a pair, a target; or a picture alone."""
    if asked.picture:
        return cached.picture(asked.picture), None, None
    return asked.text, asked.pair or None, asked.target or None


def forget_capture(asked: Asked) -> None:
    """Forget what came of it, so that it is tried again."""
    _capture_job.clear(asked)


@st.cache_resource(max_entries=8, show_spinner=False)
def writing(
    model: str, text: str, n_tokens: int, seed: int, edits: tuple[Edit, ...] = ()
) -> Job[Written]:
    """Give the work of letting a model go on with a text."""
    how = {"seed": seed, "edits": edits, "name": model}
    return Job.started(lambda tell: models().write(text, n_tokens, **how, progress=tell))


def forget_writing(
    model: str, text: str, n_tokens: int, seed: int, edits: tuple[Edit, ...] = ()
) -> None:
    """Forget what came of it, so that it is tried again."""
    writing.clear(model, text, n_tokens, seed, edits)


@st.cache_resource(max_entries=16, show_spinner=False)
def card_answer(asked: Asked, key: str) -> Answer | None:
    """Give what every head of a finished capture does of what a card asks."""
    return answer(cards()[key], capture_job(asked).result())


def view(asked: Asked, layer: int, head: int, unit: Unit, part: str, specials: bool) -> View:
    """Give one head of a finished capture as it is looked at.

    Raises:
        InputError: if nothing is left to show.
    """
    return _view(asked, layer, head, unit, part, specials)


@st.cache_resource(max_entries=16, show_spinner=False)
def thumbnails(asked: Asked) -> tuple[Thumbnails, ...]:
    """Give the small maps of all heads of a finished capture."""
    capture = capture_job(asked).result()
    return tuple(thumbnails_of(capture, layer) for layer in range(capture.n_layers))


@st.cache_resource(max_entries=32, show_spinner=False)
def heads_listed(asked: Asked) -> Job[tuple[HeadReading, ...]]:
    """Give the work of reading every head of a finished capture."""
    capture = capture_job(asked).result()
    return Job.started(
        lambda tell: listed(capture, lambda done, total: tell("heads", done / total))
    )


@dataclass(frozen=True, eq=False)
class Averaging:
    """Work on the built-in sentences, one after the other: it can be stopped between two."""

    work: Job[tuple[Averaged, ...]]
    n_texts: int
    stop: threading.Event


@st.cache_resource(max_entries=8, show_spinner=False)
def heads_averaged(model: str) -> Averaging:
    """Give the work of reading every head of a model on the built-in sentences, or pictures."""
    texts, stop = sentences_for(model), threading.Event()
    if reads_pictures(model):
        texts = tuple(drawing(name).pixels for name in DRAWINGS)

    def captures() -> Iterator[Capture]:
        for text in texts:
            if stop.is_set():
                raise InputError("models.cancelled")
            yield models().capture(text, name=model)

    def work(tell: Callable[[str, float], None]) -> tuple[Averaged, ...]:
        tell("sentences", 0.0)
        return over(captures(), len(texts), lambda done, n: tell("sentences", done / n))

    return Averaging(Job.started(work), len(texts), stop)


@st.cache_resource(max_entries=16, show_spinner=False)
def heads_compared(asked: Asked, layer: int) -> Job[Similar]:
    """Give the work of comparing all heads that read what those of this layer do."""
    capture = capture_job(asked).result()
    return Job.started(
        lambda tell: similar(capture, layer, lambda done, total: tell("compare", done / total))
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def heads_apart(
    asked: Asked, pair: Pair | None, other: Asked, unit: Unit, whole: bool, specials: bool
) -> Job[HeadsApart]:
    """Give the work of comparing all heads: with themselves on another text, or with one head."""
    captures = [capture_job(each).result() for each in (asked, other)]

    def work(tell: Callable[[str, float], None]) -> HeadsApart:
        def so_far(done: int, total: int) -> None:
            tell("compare", done / total)

        how: dict[str, Any] = {"whole": whole, "specials": specials, "progress": so_far}
        one, two = captures
        if pair is None:
            return changed(one, two, unit, **how)
        return from_head(one, pair, two, unit, **how)

    return Job.started(work)


@st.cache_resource(max_entries=32, show_spinner=False)
def reading(asked: Asked, layer: int, head: int, kind: str, row: int | None) -> Job[Reading]:
    """Give the work of reading a finished capture in another way than by its weights."""
    capture = capture_job(asked).result()

    def work(tell: Callable[[str, float], None]) -> Reading:
        def so_far(done: int, total: int) -> None:
            tell("flow", done / total)

        matrix = _output_matrix(asked, layer) if kind in NEEDS_MATRIX else None
        return reading_of(capture, layer, head, kind, row=row, output=matrix, progress=so_far)

    return Job.started(work)


@st.cache_resource(max_entries=16, show_spinner=False)
def changes(asked: Asked) -> Job[Changes]:
    """Give the work of comparing an edited run with the untouched one, each of them run once."""
    plain, edited = capture_job(asked.untouched), capture_job(asked)

    def work(tell: Callable[[str, float], None]) -> Changes:
        runs = plain.result(), edited.result()
        return changes_of(*runs, lambda done, total: tell("compare", done / total))

    return Job.started(work)


@st.cache_resource(max_entries=16, show_spinner=False)
def worth(asked: Asked) -> Job[Worth]:
    """Give the work of switching every head off in turn; edits do not count."""

    def work(tell: Callable[[str, float], None]) -> Worth:
        how = {"window": asked.window, "name": asked.model, "progress": tell}
        return models().worth(*_read_by(asked), **how)

    return Job.started(work)


def forget_worth(asked: Asked) -> None:
    """Forget what came of it, so that it is tried again."""
    worth.clear(asked)


@st.cache_resource(max_entries=16, show_spinner=False)
def _output_matrix(asked: Asked, layer: int) -> OutputMatrix:
    texts = _read_by(asked)
    how = {"window": asked.window, "edits": asked.edits, "name": asked.model}
    return models().output_matrix(layer, *texts, **how)


@st.cache_resource(max_entries=256, show_spinner=False)
def row_check(asked: Asked, layer: int, head: int) -> RowCheck:
    """Give how far one head of a finished capture is from what must hold."""
    return capture_job(asked).result().check(layer, head)


def model_difference(asked: Asked) -> float | None:
    """Give how far the model's weights are from its own eager attention, measured at load."""
    return None if asked.given else _model_difference(asked.model)


@st.cache_resource(max_entries=16, show_spinner=False)
def _model_difference(model: str) -> float | None:
    return models().load(model).difference


@st.cache_resource(max_entries=24, show_spinner=False)
def _capture_job(asked: Asked) -> Job[Capture]:
    def work(tell: Callable[[str, float], None]) -> Capture:
        texts = _read_by(asked)
        how = {"window": asked.window, "edits": asked.edits, "name": asked.model}
        return models().capture(*texts, **how, progress=tell)

    return Job.started(work)


@st.cache_resource(max_entries=8, show_spinner=False)
def _given_job(digest: str, _name: str, _data: bytes, _nan_rows: str = "refuse") -> Job[Capture]:
    return Job.finished(lambda: read_weights(_data, _name, nan_rows=_nan_rows))


@st.cache_resource(max_entries=64, show_spinner=False)
def _view(asked: Asked, layer: int, head: int, unit: Unit, part: str, specials: bool) -> View:
    capture = capture_job(asked).result()
    return view_of(capture, layer, head, unit=unit, part=part, specials=specials)
