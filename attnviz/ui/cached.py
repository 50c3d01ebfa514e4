"""Every cache of the app but those of models. What is cached is frozen: one copy serves all."""

import hashlib

import numpy as np
import streamlit as st

from attnviz.attention.arrays import read_only
from attnviz.comparisons.convolution import drawn_picture, errors
from attnviz.comparisons.fields import SHAPES
from attnviz.comparisons.learned_field import Learned, learn
from attnviz.comparisons.measured import Measured, measure_apart
from attnviz.comparisons.recurrence import Survival
from attnviz.comparisons.speech import overview
from attnviz.errors import InputError
from attnviz.exports.bundles import read_record
from attnviz.exports.records import Record
from attnviz.lessons.drawings import drawing
from attnviz.lessons.files import Contents, read_table
from attnviz.lessons.scaling import WIDTHS, Study, study
from attnviz.models.images import read_picture
from attnviz.models.induction.replayed import Replay
from attnviz.models.induction.replayed import replay as replayed
from attnviz.models.training.trainer import Trainings
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


@st.cache_resource(max_entries=64, show_spinner=False)
def replay(step: int, text: str) -> Replay:
    """Give what the package's own model does with a text at a moment of its training.

    Raises:
        InputError: if it cannot read the text.
    """
    return replayed(step, text)


@st.cache_resource(show_spinner=False, on_release=Trainings.close)
def trainings() -> Trainings:
    """Give the trainings: those of everybody, of which a few run at once."""
    return Trainings()


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
