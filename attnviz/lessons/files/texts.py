"""The text of a file whose encoding nobody states."""

import codecs
import re

from attnviz.errors import InputError

# The longer marks first: that of UTF-16 begins that of UTF-32.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_PAIR = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]")
_CHINESE_PAIR = re.compile(rb"[\xa1-\xbf][\x40-\x7e\xa1-\xfe]|[\xc0-\xc6][\xa1-\xfe]")


def decode(data: bytes) -> tuple[str, str]:
    """Read bytes as text and name the encoding.

    In this order: the mark at the beginning; zero bytes at every other place are UTF-16; UTF-8
    where all of it is; Big5 where most of its double bytes are common Chinese characters; else
    Western (cp1252).

    Raises:
        InputError: if it is no text in any of these.
    """
    try:
        text, name = _decoded(data)
    except UnicodeDecodeError as error:
        raise InputError("file.not_text") from error
    text = text.removesuffix("\x1a")
    if _CONTROL.search(text):
        raise InputError("file.not_text")
    return text, name


def _decoded(data: bytes) -> tuple[str, str]:
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec), name
    if b"\0" in data:
        big_endian = data[::2].count(0) > data[1::2].count(0)
        return data.decode("utf-16-be" if big_endian else "utf-16-le"), "UTF-16"
    for codec, name in (("utf-8", "UTF-8"), ("cp950", "Big5")):
        try:
            if codec == "utf-8" or _looks_chinese(data):
                return data.decode(codec), name
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252"), "Windows-1252"


def _looks_chinese(data: bytes) -> bool:
    """Tell Big5 from Western letters with accents, which stand beside plain letters."""
    pairs = _PAIR.findall(data)
    return 2 * sum(1 for pair in pairs if _CHINESE_PAIR.fullmatch(pair)) >= len(pairs) > 0
