"""Every cache of the app. What is cached is frozen, so one copy serves everybody."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from attnviz.attention.readings import HeadReading
from attnviz.exports.bundles import read_record
from attnviz.exports.records import Record
from attnviz.lessons.files import Contents, read_table
from attnviz.lessons.scaling import WIDTHS, Study, study
from attnviz.models.listed import Similar, listed, similar
from attnviz.models.overview import RowCheck
from attnviz.models.read_otherwise import Reading, reading_of
from attnviz.models.results import Capture
from attnviz.models.uploads import read_weights
from attnviz.models.views import Thumbnails, Unit, View
from attnviz.models.views import thumbnails as thumbnails_of
from attnviz.models.views import view as view_of
from attnviz.models.worker import Worker
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings
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


@st.cache_resource(show_spinner=False)
def models() -> Worker:
    """Give the process in which models run: one for everybody."""
    return Worker()


def capture_job(asked: Asked) -> Job[Capture]:
    """Give the work of capturing a model on a text: begun once, and shared by all who ask."""
    return _given_job(asked.given, "", b"") if asked.given else _capture_job(asked)


def given_job(digest: str, data: bytes, name: str) -> Job[Capture]:
    """Give the weights of a file as the finished work of a capture."""
    return _given_job(digest, name, data)


def forget_capture(asked: Asked) -> None:
    """Forget what came of it, so that it is tried again."""
    _capture_job.clear(asked)


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


@st.cache_resource(max_entries=16, show_spinner=False)
def heads_compared(asked: Asked, layer: int) -> Job[Similar]:
    """Give the work of comparing all heads that read what those of this layer do."""
    capture = capture_job(asked).result()
    return Job.started(
        lambda tell: similar(capture, layer, lambda done, total: tell("compare", done / total))
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def reading(asked: Asked, layer: int, head: int, kind: str, row: int | None) -> Job[Reading]:
    """Give the work of reading a finished capture in another way than by its weights."""
    capture = capture_job(asked).result()

    def work(tell: Callable[[str, float], None]) -> Reading:
        def so_far(done: int, total: int) -> None:
            tell("flow", done / total)

        return reading_of(capture, layer, head, kind, row=row, progress=so_far)

    return Job.started(work)


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
        texts = asked.text, asked.pair or None, asked.target or None
        return models().capture(*texts, window=asked.window, name=asked.model, progress=tell)

    return Job.started(work)


@st.cache_resource(max_entries=8, show_spinner=False)
def _given_job(digest: str, _name: str, _data: bytes) -> Job[Capture]:
    return Job.finished(lambda: read_weights(_data, _name))


@st.cache_resource(max_entries=64, show_spinner=False)
def _view(asked: Asked, layer: int, head: int, unit: Unit, part: str, specials: bool) -> View:
    capture = capture_job(asked).result()
    return view_of(capture, layer, head, unit=unit, part=part, specials=specials)
