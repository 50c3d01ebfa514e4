"""Every cache of the app. What is cached is frozen, so one copy serves everybody."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from attnviz.attention.arrays import read_only
from attnviz.attention.readings import HeadReading
from attnviz.comparisons.convolution import drawn_picture, errors
from attnviz.comparisons.fields import SHAPES
from attnviz.comparisons.learned_field import Learned, learn
from attnviz.comparisons.measured import Measured, measure_apart
from attnviz.comparisons.recurrence import Survival
from attnviz.comparisons.speech import overview
from attnviz.errors import InputError
from attnviz.exports.bundles import read_record
from attnviz.exports.records import Record
from attnviz.lessons.drawings import DRAWINGS, drawing
from attnviz.lessons.files import Contents, read_table
from attnviz.lessons.scaling import WIDTHS, Study, study
from attnviz.models.aligned import Pair
from attnviz.models.cards import Answer, answer, cards
from attnviz.models.changes import Changes
from attnviz.models.changes import changes as changes_of
from attnviz.models.corpus import Averaged, over, sentences_for
from attnviz.models.heads_apart import HeadsApart, changed, from_head
from attnviz.models.images import read_picture, reads_pictures
from attnviz.models.listed import Similar, listed, similar
from attnviz.models.outputs import OutputMatrix
from attnviz.models.overview import RowCheck
from attnviz.models.read_otherwise import NEEDS_MATRIX, Reading, reading_of
from attnviz.models.replayed import Replay
from attnviz.models.replayed import replay as replayed
from attnviz.models.results import Capture
from attnviz.models.trainer import Trainings
from attnviz.models.uploads import read_weights
from attnviz.models.views import Thumbnails, Unit, View
from attnviz.models.views import thumbnails as thumbnails_of
from attnviz.models.views import view as view_of
from attnviz.models.worker import Worker
from attnviz.models.worth import Worth
from attnviz.models.written import Written
from attnviz.scene import Scene, scene_of
from attnviz.settings import Edit, Settings
from attnviz.ui.jobs import Job


def scene(settings: Settings, language: str) -> Scene:
    """Give what the settings put on the screen, with its trace computed once.

    Raises:
        InputError: if attention cannot be computed with these settings.
    """
    return _scene(settings.computation, language, settings).at(settings)


def contents(data: bytes, name: str) -> Contents:
    """Give what a file of numbers holds, read once while it lies in the chooser.

    Raises:
        InputError: if it holds no table.
    """
    return _contents(_digest(data), name, data)


def record(data: bytes) -> Record:
    """Give what a file that attnviz saved holds, read once.

    Raises:
        InputError: if attnviz did not save it.
    """
    return _record(_digest(data), data)


@st.cache_resource(max_entries=64, show_spinner=False)
def width_study(seed: int, widths: tuple[int, ...] = WIDTHS) -> Study:
    """Give how random scores behave as vectors grow wider, drawn once for each seed."""
    return study(seed, widths)


@st.cache_resource(max_entries=64, show_spinner=False)
def convolution_errors(seed: int, sharpnesses: tuple[float | int, ...], ring: int) -> np.ndarray:
    """Give how far attention is from a convolution, inside and at the border, by sharpness."""
    return read_only(errors(*drawn_picture(seed), sharpnesses, ring=ring))


@st.cache_resource(max_entries=16, show_spinner=False)
def learned_field(grid: tuple[int, int], shape: str) -> tuple[Learned, ...]:
    """Give a head while it learns to read what a field of this shape reads."""
    return learn(grid, SHAPES[shape])


@st.cache_resource(max_entries=64, show_spinner=False)
def speech_overview(n: int, radius: int) -> np.ndarray:
    """Give the share of scores that a truncated window leaves in each block of frames."""
    return read_only(overview(n, radius))


@st.cache_resource(max_entries=64, show_spinner=False)
def survival(n: int, radius: float | int, seed: int) -> Survival:
    """Give what is left of the first of n inputs, in an RNN and in self-attention."""
    return Survival.of(n, radius, seed)


@st.cache_resource(max_entries=16, show_spinner=False)
def measured(names: tuple[str, ...], width: int, kernel: int, neighbours: int) -> Job[Measured]:
    """Give the work of measuring layers on this machine; one after the other is measured."""
    return Job.started(lambda tell: measure_apart(names, width, kernel, neighbours, tell=tell))


def forget_measured(names: tuple[str, ...], width: int, kernel: int, neighbours: int) -> None:
    """Forget what was measured, so that it is measured again."""
    measured.clear(names, width, kernel, neighbours)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@st.cache_resource(max_entries=16, show_spinner=False)
def _contents(digest: str, name: str, _data: bytes) -> Contents:
    return read_table(_data, name)


@st.cache_resource(max_entries=16, show_spinner=False)
def _record(digest: str, _data: bytes) -> Record:
    return read_record(_data)


@st.cache_resource(max_entries=512, show_spinner=False)
def _scene(computation: str, language: str, _settings: Settings) -> Scene:
    made = scene_of(_settings, language)
    _ = made.trace
    return made


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


@st.cache_resource(max_entries=64, show_spinner=False)
def replay(step: int, text: str) -> Replay:
    """Give what the package's own model does with a text at a moment of its training.

    Raises:
        InputError: if it cannot read the text.
    """
    return replayed(step, text)


@st.cache_resource(show_spinner=False)
def models() -> Worker:
    """Give the process in which models run: one for everybody."""
    return Worker()


@st.cache_resource(show_spinner=False)
def trainings() -> Trainings:
    """Give the trainings: those of everybody, of which a few run at once."""
    return Trainings()


def capture_job(asked: Asked) -> Job[Capture]:
    """Give the work of capturing a model on a text: begun once, and shared by all who ask."""
    return _given_job(asked.given, "", b"") if asked.given else _capture_job(asked)


def given_job(digest: str, data: bytes, name: str, nan_rows: str = "refuse") -> Job[Capture]:
    """Give the weights of a file as the finished work of a capture."""
    return _given_job(digest, name, data, nan_rows)


OWN_PICTURE = "own:"
"""Before the digest of a picture that a person opened; ours have a key alone."""


def picture(name: str) -> np.ndarray:
    """Give the points of a picture: one of ours, or one that was opened.

    Raises:
        InputError: if the one that was opened is no longer kept.
    """
    if name.startswith(OWN_PICTURE):
        return _own_picture(name.removeprefix(OWN_PICTURE), "", b"")
    return drawing(name).pixels


def keep_picture(digest: str, data: bytes, name: str) -> None:
    """Open a picture of a person's own, and keep it as long as there is room.

    Raises:
        InputError: if it cannot be opened.
    """
    _own_picture(digest, name, data)


@st.cache_resource(max_entries=24, show_spinner=False)
def _own_picture(digest: str, _name: str, _data: bytes) -> np.ndarray:
    if not _data:
        raise InputError("models.picture_gone")
    return read_picture(_data, _name)


def _read_by(asked: Asked) -> tuple[str | np.ndarray, str | None, str | None]:
    """Give what the model reads: a text, a pair, a target; or a picture alone."""
    if asked.picture:
        return picture(asked.picture), None, None
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
