"""Which picture a vision model reads: one of ours, or the person's own, kept in this tab."""

import hashlib
from collections.abc import Sequence

from attnviz.errors import InputError
from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.catalogue import HeadNote
from attnviz.settings import Settings
from attnviz.ui import cached, session

PLACE = "models.picture"
_OWN = "models.own_picture"


def own() -> str:
    """Give the digest of the picture that was opened in this tab, "" where there is none."""
    return session.held(_OWN)


def of_ones_own() -> bool:
    """Tell whether it is the picture that is read."""
    return bool(own()) and session.flag(_OWN)


def in_hand(note: HeadNote | None) -> str:
    """Name the picture that is read, as `cached.picture` finds it."""
    if of_ones_own():
        return f"{cached.OWN_PICTURE}{own()}"
    chosen = session.settings().picture
    if chosen in DRAWINGS:
        return chosen
    return note.picture if note is not None and note.picture else next(iter(DRAWINGS))


def example(known: Sequence[HeadNote]) -> HeadNote | None:
    """Give the example on the screen: its picture and its head are the ones in hand."""
    settings = session.settings()
    if of_ones_own():
        return None
    here = [n for n in known if settings.picture in ("", n.picture)]
    if settings.heads_shown:
        return next((n for n in here if ((n.layer, n.head),) == settings.heads_shown), None)
    return here[0] if here else None


def first_patch(queries: Sequence[str]) -> int | None:
    """Give the patch in the middle of a picture, which is looked at while none is chosen."""
    rows, _, columns = queries[-1].partition(",")
    if not (rows.isdecimal() and columns.isdecimal()):
        return None
    middle = f"{(int(rows) + 1) // 2},{(int(columns) + 1) // 2}"
    return queries.index(middle) if middle in queries else None


def show(note: HeadNote) -> dict[str, str]:
    """Give the settings that show the picture of an example."""
    session.set_flag(_OWN, False)
    return {"picture": note.picture}


def choose(key: str, heads: tuple[tuple[int, int], ...]) -> None:
    """Read one of our pictures; the heads that are looked at stay."""
    session.accept(PLACE)
    session.set_flag(_OWN, False)
    session.change(PLACE, picture=key, heads_shown=heads, query=Settings().query, key=None)


def choose_own(heads: tuple[tuple[int, int], ...]) -> None:
    """Read the person's own picture again."""
    session.set_flag(_OWN, True)
    session.change(PLACE, heads_shown=heads, query=Settings().query, key=None)


def take(data: bytes, name: str, heads: tuple[tuple[int, int], ...]) -> None:
    """Read a picture of the person's own; where that fails, the one in hand stays."""
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    try:
        cached.keep_picture(digest, data, name)
    except InputError as error:
        session.refuse(PLACE, error)
        return
    session.hold(_OWN, digest)
    session.accept(PLACE)
    choose_own(heads)
