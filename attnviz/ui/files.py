"""Files in: what a file holds is shown first, and taken only when the person says so."""

from dataclasses import replace

import streamlit as st

from attnviz.errors import InputError
from attnviz.lessons.files import Contents, Matrix, field_of
from attnviz.lessons.matrices import GIVEN
from attnviz.settings import Settings
from attnviz.settings.links import Table
from attnviz.text.numbers import table
from attnviz.ui import cached, editing, refusals, session, uploads

_FIELDS = ("vectors", *editing.MATRICES)
_FILE = "file"
_SHOWN = 8
"""Rows and columns of a matrix that the preview shows."""


def draw() -> None:
    """Choose a file, see what would be taken of it and what is ignored, and take it."""
    t = session.t()
    most = uploads.MOST // 1_000_000
    upload = uploads.chooser(
        _FILE,
        t("file.choose"),
        place=_FILE,
        too_large="file.too_large",
        help_=t("file.kinds", most=most),
    )
    if upload is None:
        refusals.show(_FILE)
        return
    data = upload.getvalue()
    if _is_lesson(data):
        return
    try:
        contents = cached.contents(data, upload.name)
    except InputError as error:
        st.error(f"{refusals.escape(refusals.sentence(error))} {t('check.kept')}")
        return
    _preview(contents)
    _notes(contents)
    refusals.show(_FILE)


def _is_lesson(data: bytes) -> bool:
    """Offer to open what attnviz itself saved: everything comes back, not the numbers alone."""
    t = session.t()
    try:
        record = cached.record(data)
    except InputError:
        return False
    if record.settings is None:
        return False
    st.write(t("file.lesson", tokens=refusals.escape(" ".join(record.tokens))[:300]))
    st.button(t("file.open"), type="primary", on_click=_open, args=(record.settings,))
    return True


def _open(settings: Settings) -> None:
    session.start_over(replace(settings, language=session.settings().language))
    uploads.empty(_FILE)


def _preview(contents: Contents) -> None:
    t, matrices = session.t(), contents.matrices
    place = 0
    if len(matrices) > 1:
        session.keep_below("file.which", len(matrices))
        place = st.selectbox(
            t("file.which"),
            range(len(matrices)),
            format_func=lambda place: f"{place + 1} {matrices[place].name}",
            key="file.which",
        )
    matrix = matrices[place or 0]
    rows, columns = matrix.shape
    st.write(t("file.found", name=refusals.escape(matrix.name), rows=rows, columns=columns))
    shown = table([row[:_SHOWN] for row in matrix.values[:_SHOWN]], digits=4)
    st.code("\n".join("  ".join(cell.rjust(8) for cell in row) for row in shown), language=None)
    guessed = field_of(matrix.name) or "vectors"
    field = st.selectbox(
        t("file.use_as", name=matrix.name),
        _FIELDS,
        index=_FIELDS.index(guessed) if guessed in _FIELDS else 0,
        format_func=lambda field: t(f"drawer.{field}"),
        key=f"file.field.{matrix.name}.{place}",
    )
    labels = tuple(matrix.row_labels or contents.tokens)
    if labels:
        st.write(t("file.labels", labels=refusals.escape(", ".join(labels))[:300]))
    st.button(t("file.take"), type="primary", on_click=_take, args=(matrix, field, labels))


def _notes(contents: Contents) -> None:
    t = session.t()
    notes = [*contents.notes, *(note for matrix in contents.matrices for note in matrix.notes)]
    said = [t(note.key, **note.values) for note in notes]
    for part in contents.left_out:
        reason = refusals.sentence(part.reason)
        said.append(t("file.left_out", name=part.name, reason=reason))
    for sentence in said:
        st.caption(refusals.escape(sentence))


def _take(matrix: Matrix, field: str, labels: tuple[str, ...]) -> None:
    values: Table = matrix.values
    if field == "vectors":
        fits = len(labels) == len(values)
        changes = {
            "vectors": values,
            "pieces": labels if fits else (),
            "sentence": "",
            "d_model": 0,
            "key": None,
        }
        kept = session.scene().projections.d_model == len(values[0])
        if not kept and session.settings().w_source in GIVEN:
            changes["w_source"] = "random"  # typed matrices of another width would not fit
    else:
        changes = editing.typed_matrix(session.scene(), field, values)
    session.change(_FILE, **changes)
    if session.refusal(_FILE) is None:
        uploads.empty(_FILE)  # the file is taken
