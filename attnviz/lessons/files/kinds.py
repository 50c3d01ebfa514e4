"""What a file is, told by its first bytes rather than by its name."""

import re

from attnviz.errors import InputError

# Beginnings, and the sentence that says what the file looks like and what to do.
_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF87a", "picture"),
    (b"GIF89a", "picture"),
    (b"\x00\x00\x01\x00", "picture"),
    (b"%PDF-", "pdf"),
    (b"\x7fELF", "program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"\x1f\x8b", "packed"),
    (b"BZh", "packed"),
    (b"7z\xbc\xaf\x27\x1c", "packed"),
    (b"Rar!\x1a", "packed"),
    (b"\xfd7zXZ\x00", "packed"),
    (b"\x28\xb5\x2f\xfd", "packed"),
    (b"\x89HDF\r\n", "data"),
    (b"SQLite format 3\x00", "data"),
    (b"MATLAB 5.0 MAT-file", "data"),
    (b"\x1aE\xdf\xa3", "sound"),
    (b"\xff\xfb", "sound"),
    (b"{\\rtf", "document"),
    *((bytes((0x80, protocol)), "pickled") for protocol in (2, 3, 4, 5)),
)
# Beginnings that a text may have as well: they count in a file that no text can be.
_SIGNS_OF_BYTES: tuple[tuple[bytes, str], ...] = (
    (b"MZ", "program"),
    (b"BM", "picture"),
    (b"II*\x00", "picture"),
    (b"MM\x00*", "picture"),
    (b"ID3", "sound"),
    (b"OggS", "sound"),
    (b"fLaC", "sound"),
    (b"PAR1", "data"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURE_BRANDS = {b"heic", b"heix", b"mif1", b"avif", b"msf1"}
_WEB_PAGE = re.compile(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_DRAWING = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*|<!doctype svg[^>]*>\s*)*<svg\b", re.S | re.I
)


def refuse_other_kinds(data: bytes) -> None:
    """Refuse what is plainly something else than a table.

    Raises:
        InputError: that says what the file looks like.
    """
    for sign, kind in _SIGNS:
        if data.startswith(sign):
            raise InputError(f"file.{kind}")
    if data.startswith(_OLE):
        raise InputError("file.locked" if _names(data, "EncryptedPackage") else "file.old_excel")
    if b"\0" in data[:4096]:
        for sign, kind in _SIGNS_OF_BYTES:
            if data.startswith(sign):
                raise InputError(f"file.{kind}")
        _refuse_boxes(data)


def _names(data: bytes, name: str) -> bool:
    return name.encode("utf-16-le") in data


def _refuse_boxes(data: bytes) -> None:
    """Tell the kinds that name themselves a few bytes into the file."""
    if data[4:8] == b"ftyp":
        raise InputError("file.picture" if data[8:12] in _PICTURE_BRANDS else "file.sound")
    if data.startswith(b"RIFF"):
        raise InputError("file.picture" if data[8:12] == b"WEBP" else "file.sound")
    if data[8:10] == b'{"' and int.from_bytes(data[:8], "little") < len(data):
        raise InputError("file.data")


def kind_of_archive(names: list[str]) -> str:
    """Tell "xlsx" from "npz" by the parts of a ZIP archive.

    Raises:
        InputError: if it is neither.
    """
    if "xl/workbook.xml" in names:
        return "xlsx"
    if any(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("data.pkl") for name in names):
        raise InputError("file.pickled")
    if "xl/workbook.bin" in names or "content.xml" in names or "Index/Document.iwa" in names:
        raise InputError("file.other_spreadsheet")
    if "word/document.xml" in names or "ppt/presentation.xml" in names:
        raise InputError("file.document")
    raise InputError("file.packed")


def refuse_markup(text: str) -> None:
    """Refuse the texts that are a page or a drawing.

    Raises:
        InputError: that says what the file looks like.
    """
    start = text[:2000]
    if _WEB_PAGE.match(start):
        raise InputError("file.web_page")
    if _DRAWING.match(start):
        raise InputError("file.picture")
    if start.lstrip().startswith("<?xml"):
        raise InputError("file.document")
