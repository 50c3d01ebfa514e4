"""One person's tab: the settings, what was refused and why, and the link; all state is here."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attnviz.errors import InputError
from attnviz.figures.theme import ThemeName
from attnviz.scene import Scene
from attnviz.settings import Settings, from_query
from attnviz.text import LANGUAGES, Words, language_of, words
from attnviz.ui import cached

_SETTINGS, _LINK, _REFUSALS, _DRAFTS, _DAMAGE = "settings", "link", "refusals", "drafts", "damage"
_PAGE = "page"


def begin() -> None:
    """Read the link when a tab opens or another link is followed; the menu keeps the settings."""
    state = st.session_state
    came = st.query_params.to_dict()
    if _SETTINGS in state and came in ({}, state[_LINK]):
        return
    state[_REFUSALS], state[_DRAFTS] = {}, {}
    state[_SETTINGS], state[_DAMAGE] = _read(came)


def _read(came: dict[str, str]) -> tuple[Settings, tuple[str, ...]]:
    settings, unreadable = from_query(came)
    try:
        cached.scene(settings, _language(settings))
    except InputError:
        return Settings(language=settings.language), tuple(came)
    return settings, unreadable


def turn_to(page: str) -> None:
    """Remember which page is shown, by its name in a link."""
    st.session_state[_PAGE] = page


def write_link() -> None:
    """Put the settings into the address of the page, so that it can be shared and restored."""
    link = settings().to_query()
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
    st.session_state[_LINK] = link


def settings() -> Settings:
    """Give the settings in force; attention can always be computed with them."""
    return st.session_state[_SETTINGS]


def scene() -> Scene:
    """Give what the settings put on the screen."""
    return cached.scene(settings(), language())


def language() -> str:
    """Give the chosen language, or else the browser's."""
    return _language(settings())


def _language(settings: Settings) -> str:
    chosen = settings.language
    return chosen if chosen in LANGUAGES else language_of(st.context.locale)


def t() -> Words:
    """Give the words of the language in force."""
    return words(language())


def theme() -> ThemeName:
    """Give the theme that the browser shows: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def change(place: str, draft: str | None = None, **fields: Any) -> None:
    """Take a change over if attention can be computed with it; else say why at `place`.

    `draft` is what the person typed: it stays in its control when it is refused.
    """
    candidate = replace(settings(), **fields)
    try:
        cached.scene(candidate, _language(candidate))
    except InputError as error:
        refuse(place, error, draft)
    else:
        accept(place)
        st.session_state[_SETTINGS] = candidate


def start_over(fresh: Settings) -> None:
    """Show other settings; what was refused before is forgotten."""
    st.session_state[_REFUSALS], st.session_state[_DRAFTS] = {}, {}
    st.session_state[_SETTINGS] = fresh


def refuse(
    place: str,
    error: InputError,
    draft: str | None = None,
    cell: tuple[int, int, str] | None = None,
) -> None:
    """Remember why the input at `place` cannot be used, and what was typed (in which cell)."""
    st.session_state[_REFUSALS][place] = error
    st.session_state[_DRAFTS][place] = draft if cell is None else cell


def accept(place: str) -> None:
    """Forget what was refused at `place`."""
    st.session_state[_REFUSALS].pop(place, None)
    st.session_state[_DRAFTS].pop(place, None)


def refusal(place: str) -> InputError | None:
    """Give why the last input at `place` was refused, if it was."""
    return st.session_state[_REFUSALS].get(place)


def draft(place: str, otherwise: str) -> str:
    """Give the refused text that still stands in the control at `place`."""
    kept = st.session_state[_DRAFTS].get(place)
    return kept if isinstance(kept, str) else otherwise


def draft_cell(place: str) -> tuple[int, int, str] | None:
    """Give the row, column and text of a refused number in the matrix at `place`."""
    kept = st.session_state[_DRAFTS].get(place)
    return kept if isinstance(kept, tuple) else None


def damage() -> tuple[str, ...]:
    """Give the keys of the link that could not be read; they have their defaults."""
    return st.session_state[_DAMAGE]


def link() -> str:
    """Give the whole address of this view: this page with all settings."""
    page = st.session_state[_PAGE]
    return f"{(st.context.url or '').rstrip('/')}/{page}?{urlencode(settings().to_query())}"


def put(control: str, value: Any) -> None:
    """Set what a control shows, before it is drawn."""
    st.session_state[control] = value


def got(control: str) -> Any:
    """Give what a control holds."""
    return st.session_state[control]


def flag(name: str) -> bool:
    """Tell whether a part of the page is open in this tab."""
    return st.session_state.get(f"flag.{name}", False)


def set_flag(name: str, value: bool) -> None:
    """Open or close a part of the page in this tab."""
    st.session_state[f"flag.{name}"] = value
