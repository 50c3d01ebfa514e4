"""A picture in a file, and which models read one: PNG and JPEG, opened with care."""

import functools
import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import UInt8
from PIL import Image, ImageOps

from attnviz.attention.arrays import read_only
from attnviz.errors import InputError
from attnviz.models.catalogue import allowed, catalogue
from attnviz.models.hub import configuration

MOST_BYTES = 5_000_000
"""How large a file may be; a web page takes no larger one of any kind."""
MOST_POINTS = 12_500_000
"""A telephone's camera takes 12 million points; what is drawn from a small file is bounded too."""
KEPT = 1024
"""Points of the longer side that are kept; a vision model sees a few hundred."""
FORMATS = ("PNG", "JPEG")

_WRONG = (
    OSError,
    ValueError,
    EOFError,
    SyntaxError,
    KeyError,
    IndexError,
    OverflowError,
    struct.error,
    zlib.error,
)
_TOO_MANY = (Image.DecompressionBombError, Image.DecompressionBombWarning)


def read_picture(data: bytes, name: str) -> UInt8[np.ndarray, "row column 3"]:
    """Read a PNG or JPEG as it is seen: turned as its camera says, on white where it is clear.

    Raises:
        InputError: if it is none, or has too many bytes or points.
    """
    if len(data) > MOST_BYTES:
        raise InputError(
            "models.picture_bytes", name=name, got=_millions(len(data)), most=_millions(MOST_BYTES)
        )
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
            wide, high = opened.size
            if wide * high > MOST_POINTS:
                raise InputError(
                    "models.picture_points",
                    name=name,
                    size=f"{wide} × {high}",
                    most=_millions(MOST_POINTS),
                )
            pixels = np.asarray(_plain(opened))
    except _TOO_MANY as reason:
        raise InputError("models.picture_bomb", name=name, most=_millions(MOST_POINTS)) from reason
    except _WRONG as reason:
        raise InputError("models.picture_file", name=name) from reason
    return read_only(pixels.copy())


def reads_pictures(name: str, *, folders: bool = False) -> bool:
    """Tell whether a model of the catalogue, or one that may be opened or fetched, has eyes.

    A folder and a model hub say it in their config.json.
    """
    entry = catalogue().get(name)
    if entry is not None:
        return entry.kind == "vision"
    return allowed(name, folders=folders) and (_has_patches(name) or _sees(configuration(name)))


@functools.lru_cache(maxsize=64)
def _has_patches(name: str) -> bool:
    try:
        config = json.loads((Path(name).expanduser() / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return _sees(config)


def _sees(config: object) -> bool:
    return isinstance(config, dict) and {"image_size", "patch_size"} <= set(config)


def _plain(opened: Image.Image) -> Image.Image:
    """Bring a picture to RGB and to a size that is worth keeping."""
    if opened.mode.startswith(("I", "F")):
        deep = np.asarray(opened, dtype=np.float64)
        opened = Image.fromarray(np.clip(deep / 257, 0, 255).astype(np.uint8))
    opened.draft("RGB", (KEPT, KEPT))  # a JPEG is read no finer than it is kept
    turned = ImageOps.exif_transpose(opened)
    if turned.has_transparency_data:
        clear = turned.convert("RGBA")
        turned = Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)
    plain = turned.convert("RGB")
    plain.thumbnail((KEPT, KEPT))
    return plain


def _millions(number: int) -> str:
    return f"{number / 1e6:.3g}"
