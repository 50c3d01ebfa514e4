"""Every cache of the app. What is cached is frozen, so one copy serves everybody."""

import hashlib

import streamlit as st

from attnviz.exports.bundles import read_record
from attnviz.exports.records import Record
from attnviz.lessons.files import Contents, read_table
from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings


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
