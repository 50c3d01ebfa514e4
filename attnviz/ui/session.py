"""One person's tab: the settings, what was refused and why, and the link; all state is here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

from attnviz.components import NOTES
from attnviz.errors import InputError
from attnviz.figures.notation import NOTATIONS, Notation
from attnviz.figures.theme import ThemeName
from attnviz.scene import Scene
from attnviz.settings import VIEW_FIELDS, Settings, from_query
from attnviz.text import LANGUAGES, Words, language_of, words
from attnviz.ui import cached

_SETTINGS, _SCENE, _PAGE, _LINK = "state.settings", "state.scene", "state.page", "state.link"
_DAMAGE, _REFUSALS, _DRAFTS = "state.damage", "state.refusals", "state.drafts"
_UNDO, _GUESSES = "state.undo", "state.guesses"
_WHERE = "state.where"
_ACTED, _OVERTAKEN = "state.acted", "state.overtaken"
_FOUND = "state.found"
_MOST_UNDONE = 20

Found = TypeVar("Found")


@dataclass(frozen=True)
class Damage:
    """What of a link has its default instead: the keys, and why where they did not fit."""

    keys: tuple[str, ...] = ()
    reason: InputError | None = None


def begin() -> None:
    """Read the link when a tab opens or another link is followed; the menu keeps the settings.

    An empty link on the same page is the browser's way back to where everything had its default.
    A person who acts before the last link has reached the browser brings the one before it along:
    what was done counts, not that link.
    """
    state = st.session_state
    state[_FOUND] = {}
    came, where = st.query_params.to_dict(), st.context.url
    state.pop(NOTES, None)
    acted = state.pop(_ACTED, False)
    state[_OVERTAKEN] = acted and came != state.get(_LINK)
    known = acted or came == state.get(_LINK) or (not came and where != state.get(_WHERE))
    if _SETTINGS in state and known:
        state[_WHERE] = where
        return
    state[_WHERE] = where
    state[_REFUSALS], state[_DRAFTS], state[_UNDO], state[_GUESSES] = {}, {}, [], {}
    state[_SETTINGS], state[_DAMAGE] = _read(came)


def _read(came: dict[str, str]) -> tuple[Settings, Damage]:
    """Read a link; where its parts do not fit together, leave out the one that does not fit."""
    read, unreadable = from_query(came)
    try:
        cached.scene(read, _language(read))
    except InputError as error:
        keys = read.to_query()
        misfit = next((key for key in reversed(keys) if _fits(came, {key})), None)
        left_out = {misfit} if misfit is not None else set(keys) - {"lang"}
        kept, _ = from_query({key: text for key, text in came.items() if key not in left_out})
        return kept, Damage((*unreadable, *sorted(left_out)), error)
    return read, Damage(unreadable)


def _fits(came: dict[str, str], left_out: set[str]) -> bool:
    rest, _ = from_query({key: text for key, text in came.items() if key not in left_out})
    try:
        cached.scene(rest, _language(rest))
    except InputError:
        return False
    return True


def listen() -> dict[str, Any]:
    """Have noted by its key what is drawn from now on, until the page runs again."""
    st.session_state[NOTES] = notes = {}
    return notes


def turn_to(page: str) -> None:
    """Remember which page is shown, by its name in a link."""
    st.session_state[_PAGE] = page


def write_link() -> None:
    """Put the settings into the address of the page, so that it can be shared and restored."""
    link = settings().to_query()
    if st.session_state[_OVERTAKEN] or st.query_params.to_dict() != link:
        st.query_params.from_dict(link)
    st.session_state[_LINK] = link


def settings() -> Settings:
    """Give the settings in force; attention can always be computed with them."""
    return st.session_state[_SETTINGS]


def scene() -> Scene:
    """Give what the settings put on the screen; the same object as long as they are the same."""
    state, now = st.session_state, (settings(), language())
    if _SCENE not in state or state[_SCENE][0] != now:
        state[_SCENE] = (now, cached.scene(*now))
    return state[_SCENE][1]


def language() -> str:
    """Give the chosen language, or else the browser's."""
    return _language(settings())


def _language(settings: Settings) -> str:
    chosen = settings.language
    return chosen if chosen in LANGUAGES else language_of(st.context.locale)


def t() -> Words:
    """Give the words of the language in force, for the notation in force."""
    return notation().words(words(language()))


def notation() -> Notation:
    """Give the notation in force: tokens as rows, or as columns."""
    return NOTATIONS[settings().notation]


def theme() -> ThemeName:
    """Give the theme that the browser shows: "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def change(place: str, draft: str | None = None, **fields: Any) -> None:
    """Take a change over if attention can be computed with it; else say why at `place`.

    `draft` is what the person typed: it stays in its control when it is refused.
    """
    attempt(place, lambda: fields, draft)


def alone() -> bool:
    """Tell whether panels are shown one by one: on a projector, or inside another page."""
    return settings().present or bool(st.context.is_embedded)


def in_browser() -> bool:
    """Tell whether a browser shows the page, which runs its scripts; a test runner does not."""
    return bool(st.context.url)


def size() -> float:
    """Give how many times larger than usual to draw: a projector is read from the last row."""
    return 1.2 if settings().present else 1.0


def ask(query: int) -> None:
    """Let another token ask."""
    change("query", query=query, key=None)


def attempt(
    place: str,
    changes: Callable[[], dict[str, Any]],
    draft: str | None = None,
    cell: tuple[int, int, str] | None = None,
) -> None:
    """Make changes that may be refused while they are made; `cell` is the row, column and text."""
    try:
        candidate = replace(settings(), **_let_go(changes()))
        cached.scene(candidate, _language(candidate))
    except InputError as error:
        refuse(place, error, draft, cell)
    else:
        accept(place, cell)
        _take(candidate)


def _let_go(changes: dict[str, Any]) -> dict[str, Any]:
    """Hold a token no longer where another one is looked at."""
    return ({"held": ""} if {"query", "key"} & set(changes) else {}) | changes


def now() -> tuple[Settings, Scene]:
    """Give the settings in force and what they put on the screen."""
    return settings(), scene()


def start_over(fresh: Settings) -> None:
    """Show other settings; what was refused before is forgotten."""
    st.session_state[_REFUSALS], st.session_state[_DRAFTS] = {}, {}
    _take(fresh)


def _take(fresh: Settings) -> None:
    """Put settings in force; where they change numbers, those before them can be undone."""
    state, before = st.session_state, settings()
    state[_ACTED] = True
    if fresh.computation != before.computation and fresh.moves == before.moves:
        fresh = replace(fresh, moves=())  # the arrows they moved are no more
    state[_SETTINGS], state[_DAMAGE] = fresh, Damage()
    if fresh.computation != before.computation:
        state[_UNDO] = [*state[_UNDO], before][-_MOST_UNDONE:]
        state[_GUESSES] = {}


def undoable() -> bool:
    """Tell whether a change of the input can be undone."""
    return bool(st.session_state[_UNDO])


def before() -> Settings | None:
    """Give the settings before the last change of numbers, if there was one in this tab."""
    undone = st.session_state[_UNDO]
    return undone[-1] if undone else None


def undo() -> None:
    """Go back to the numbers before the last change; how they are looked at stays."""
    state, now = st.session_state, settings()
    if state[_UNDO]:
        *state[_UNDO], before = state[_UNDO]
        state[_ACTED] = True
        view = {name: getattr(now, name) for name in VIEW_FIELDS}
        state[_SETTINGS] = replace(before, **view)
        state[_REFUSALS], state[_DRAFTS], state[_GUESSES] = {}, {}, {}


def guess(step: str) -> float | None:
    """Give what the person guessed before a step, for the token that asks."""
    return st.session_state[_GUESSES].get((step, settings().query, settings().head))


def set_guess(step: str, number: float | None) -> None:
    """Remember a guess, or forget it."""
    st.session_state[_GUESSES][step, settings().query, settings().head] = number


def refuse(
    place: str,
    error: InputError,
    draft: str | None = None,
    cell: tuple[int, int, str] | None = None,
) -> None:
    """Remember why the input at `place` cannot be used, and all that was typed there."""
    state = st.session_state
    state[_ACTED] = True
    state[_REFUSALS][place] = error
    if cell is None:
        state[_DRAFTS][place] = draft
    else:
        row, column, text = cell
        state[_DRAFTS][place] = draft_cells(place) | {(row, column): (text, error)}


def accept(place: str, cell: tuple[int, int, str] | None = None) -> None:
    """Forget what was refused at `place`; what is still wrong in other cells stays."""
    state = st.session_state
    others = {} if cell is None else dict(draft_cells(place))
    if cell is not None:
        others.pop(cell[:2], None)
    state[_REFUSALS].pop(place, None)
    state[_DRAFTS].pop(place, None)
    if others:
        state[_DRAFTS][place] = others
        state[_REFUSALS][place] = next(reversed(others.values()))[1]


def refusal(place: str) -> InputError | None:
    """Give why the last input at `place` was refused, if it was."""
    return st.session_state[_REFUSALS].get(place)


def draft(place: str, otherwise: str) -> str:
    """Give the refused text that still stands in the control at `place`."""
    kept = st.session_state[_DRAFTS].get(place)
    return kept if isinstance(kept, str) else otherwise


def draft_cells(place: str) -> dict[tuple[int, int], tuple[str, InputError]]:
    """Give the refused numbers of the matrix at `place`: text and reason by row and column."""
    kept = st.session_state[_DRAFTS].get(place)
    return kept if isinstance(kept, dict) else {}


def mend(damage: Damage, **fields: Any) -> None:
    """Put other settings in force where what a link says cannot be, and remember why."""
    _take(replace(settings(), **fields))
    st.session_state[_DAMAGE] = damage


def damage() -> Damage:
    """Give what of the link could not be read."""
    return st.session_state[_DAMAGE]


def page() -> str:
    """Give the name of the page that is shown, as it stands in a link; "" for the first."""
    return st.session_state[_PAGE]


def link(**extra: str) -> str:
    """Give the whole address of this view: this page with all settings, and what is added."""
    query = {"lang": language()} | settings().to_query() | extra
    page = st.session_state[_PAGE]
    base = (st.context.url or "").rstrip("/").removesuffix(f"/{page}") if page else st.context.url
    return f"{(base or '').rstrip('/')}/{page}?{urlencode(query)}".rstrip("?")


def once(name: str, find: Callable[[], Found]) -> Found:
    """Find something once in each run of the page: it may change between runs, and costs."""
    found = st.session_state.setdefault(_FOUND, {})
    if name not in found:
        found[name] = find()
    return found[name]


def put(control: str, value: Any) -> None:
    """Set what a control shows, before it is drawn."""
    st.session_state[control] = value


def keep_below(control: str, most: int) -> None:
    """Start a choice among things afresh where there are fewer of them than before."""
    if st.session_state.get(control, 0) not in range(most):
        st.session_state[control] = 0


def got(control: str) -> Any:
    """Give what a control holds."""
    return st.session_state[control]


def has(control: str) -> bool:
    """Tell whether a control is on the page."""
    return control in st.session_state


def keep(name: str, data: bytes) -> None:
    """Keep a finished file until the page has offered it."""
    st.session_state[f"kept.{name}"] = data


def take_kept(name: str) -> bytes | None:
    """Give a file that was kept, once."""
    return st.session_state.pop(f"kept.{name}", None)


def hold(name: str, value: str) -> None:
    """Remember a word in this tab."""
    st.session_state[f"held.{name}"] = value


def held(name: str) -> str:
    """Give a word that is remembered in this tab, "" if none is."""
    return st.session_state.get(f"held.{name}", "")


def flag(name: str) -> bool:
    """Tell whether a part of the page is open in this tab."""
    return st.session_state.get(f"flag.{name}", False)


def set_flag(name: str, value: bool) -> None:
    """Open or close a part of the page in this tab."""
    st.session_state[f"flag.{name}"] = value
