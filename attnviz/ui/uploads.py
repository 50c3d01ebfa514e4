"""The choosers of files: one that is too large is refused in the person's language, and not kept.

The server takes somewhat more than any chooser does (`maxUploadSize`), so that it can say so.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from attnviz.errors import InputError
from attnviz.models.images import MOST_BYTES
from attnviz.text.numbers import decimals
from attnviz.ui import session

MOST = MOST_BYTES
"""How many bytes a page takes of any file."""


def chooser(
    name: str,
    label: str,
    *,
    place: str,
    too_large: str,
    kinds: Sequence[str] | None = None,
    help_: str | None = None,
    take: Callable[[UploadedFile], None] | None = None,
) -> UploadedFile | None:
    """Draw a chooser and give the file in it; `take` gets one that is new.

    What is too large is refused at `place` by the sentence `too_large`, and not kept: the chooser
    is empty again.
    """
    return st.file_uploader(
        label,
        type=kinds,
        key=_key(name),
        help=help_,
        on_change=_chosen,
        args=(name, place, too_large, take),
    )


def empty(name: str) -> None:
    """Empty a chooser: the next one drawn under this name is fresh."""
    session.set_flag(name, not session.flag(name))


def _key(name: str) -> str:
    return f"{name}.{session.flag(name)}"


def _chosen(
    name: str, place: str, too_large: str, take: Callable[[UploadedFile], None] | None
) -> None:
    upload = session.got(_key(name))
    session.accept(place)
    if upload is None:
        return
    if upload.size > MOST:
        sizes = {"got": _megabytes(upload.size), "most": _megabytes(MOST)}
        session.refuse(place, InputError(too_large, name=upload.name, **sizes))
        _forget(upload)
        empty(name)
    elif take is not None:
        take(upload)


def _forget(upload: UploadedFile) -> None:
    """Let the server drop a file at once; it would keep it as long as the tab is open."""
    run = get_script_run_ctx()
    if run is not None and isinstance(run.uploaded_file_mgr, MemoryUploadedFileManager):
        run.uploaded_file_mgr.remove_file(run.session_id, upload.file_id)


def _megabytes(n_bytes: int) -> str:
    """Write a size in MB; what is larger than a limit never looks equal to it."""
    return decimals(-(-n_bytes // 100_000) / 10, 1).removesuffix(".0")
