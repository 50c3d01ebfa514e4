"""Every cache of the app. What is cached is frozen, so one copy serves everybody."""

import streamlit as st

from attnviz.scene import Scene, scene_of
from attnviz.settings import Settings


def scene(settings: Settings, language: str) -> Scene:
    """Give what the settings put on the screen, with its trace computed once.

    Raises:
        InputError: if attention cannot be computed with these settings.
    """
    return _scene(settings.computation, language, settings).at(settings)


@st.cache_resource(max_entries=512, show_spinner=False)
def _scene(computation: str, language: str, _settings: Settings) -> Scene:
    made = scene_of(_settings, language)
    _ = made.trace
    return made
