"""A lesson in one ZIP: the settings and their link, the matrices, the figures and the code."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping

from attnviz.errors import InputError
from attnviz.exports.arrays import read_npz, to_npz
from attnviz.exports.documents import check_size, read_json, settings_document
from attnviz.exports.looks import Look
from attnviz.exports.pages import page_of
from attnviz.exports.panels import panels_of
from attnviz.exports.pictures import pictures
from attnviz.exports.records import MATRICES, Record, link_of, record_of
from attnviz.exports.tables import side_by_side, to_csv, to_grid
from attnviz.scene import Scene
from attnviz.settings import Settings

_TRACE = "trace.npz"
_SAME_DATE = (1980, 1, 1, 0, 0, 0)  # the same lesson is the same file, whenever it is made
_WRONG = (ValueError, KeyError, OSError, EOFError, NotImplementedError, RuntimeError)


def bundle(
    scene: Scene,
    settings: Settings,
    language: str,
    *,
    link: str = "",
    code: str = "",
    with_pictures: bool = True,
) -> bytes:
    """Pack a lesson. `link` opens the view; `code` is Python that gives its numbers.

    Pictures need a browser on this machine and a few seconds; without one they are left out, and
    the README of the lesson says so.
    """
    look, link = Look.of(settings, language), link or link_of(settings)
    record = record_of(scene, settings, language)
    files = {
        "settings.json": _json(settings_document(settings) | {"link": link, "language": language}),
        _TRACE: to_npz(record),
        "trace.csv": to_csv(record),
        **_grids(record),
        "figures.html": page_of(scene, look, link=link, code=code),
    }
    if code:
        files["recompute.py"] = code.encode()
    drawn = _svgs(scene, look) if with_pictures else {}
    readme = _readme(scene, look, link, [*files, *drawn])
    return _zip({"README.txt": readme} | files | drawn)


def read_bundle(data: bytes) -> Record:
    """Read back what a bundle was made of: its arrays, tokens and settings.

    Raises:
        InputError: if it is something else, damaged, or larger than any bundle.
    """
    check_size(len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            check_size(packed.getinfo(_TRACE).file_size)
            trace = packed.read(_TRACE)
    except (*_WRONG, zipfile.BadZipFile, zlib.error) as wrong:
        raise InputError("export.unreadable") from wrong
    return read_npz(trace)


def read_record(data: bytes) -> Record:
    """Read back any of the files that hold a record: a lesson, an NPZ or a JSON file.

    Raises:
        InputError: if it is something else, damaged, or larger than any of them.
    """
    if not data.startswith(b"PK"):
        return read_json(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            is_bundle = _TRACE in packed.namelist()
    except zipfile.BadZipFile as wrong:
        raise InputError("export.unreadable") from wrong
    return read_bundle(data) if is_bundle else read_npz(data)


def _grids(record: Record) -> dict[str, bytes]:
    """Give what can be typed, the vectors and the matrices, as tables that attnviz reads again."""
    kept = [step for step in record.arrays if step.name in ("inputs", *MATRICES)]
    return {f"matrices/{step.name}.csv": to_grid(side_by_side(step.array)) for step in kept}


def _svgs(scene: Scene, look: Look) -> dict[str, bytes]:
    panels = panels_of(scene, look)
    try:
        drawn = pictures([panel.light for panel in panels], "svg")
    except InputError:
        return {}
    return {f"figures/{panel.name}.svg": svg for panel, svg in zip(panels, drawn, strict=True)}


def _readme(scene: Scene, look: Look, link: str, names: list[str]) -> bytes:
    """Say in the person's language what each file is; only what is there is listed."""
    t = look.t
    known = {
        "settings.json": "settings",
        _TRACE: "npz",
        "trace.csv": "csv",
        "matrices/inputs.csv": "grids",
        "figures.html": "html",
        "recompute.py": "code",
    }
    said = [f"{name}: {t(f'export.readme.{key}')}" for name, key in known.items() if name in names]
    has_pictures = any(name.endswith(".svg") for name in names)
    lines = [
        t("export.title", sentence=" ".join(scene.tokens)),
        f"{t('export.link')} {link or t('export.no_link')}",
        *said,
        t("export.readme.svg") if has_pictures else t("export.readme.no_svg"),
    ]
    return ("\r\n\r\n".join(lines) + "\r\n").encode("utf-8-sig")


def _json(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


def _zip(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _SAME_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()
