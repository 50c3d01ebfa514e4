"""A picture in a file is read as it is seen, or refused with a sentence."""

import io
import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from attnviz.errors import InputError
from attnviz.models.images import KEPT, MOST_BYTES, read_picture, reads_pictures

COLOURS = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3) * 2


def saved(pixels: np.ndarray, kind: str = "PNG", **more) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind, **more)
    return stream.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + check


def header_of(wide: int, high: int) -> bytes:
    """A PNG of this size that holds no points: small as a file, large once it is drawn."""
    sizes = wide.to_bytes(4, "big") + high.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    data = zlib.compress(bytes(1000))
    parts = chunk(b"IHDR", sizes), chunk(b"IDAT", data), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def test_a_png_is_read_point_by_point():
    found = read_picture(saved(COLOURS), "mine.png")
    np.testing.assert_array_equal(found, COLOURS)
    assert not found.flags.writeable


def test_a_jpeg_is_read():
    even = np.full((40, 30, 3), (200, 40, 90), np.uint8)
    found = read_picture(saved(even, "JPEG", quality=95), "mine.jpg")
    assert found.shape == (40, 30, 3)
    np.testing.assert_allclose(found, even, atol=4)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_large_picture_is_kept_smaller(kind):
    found = read_picture(saved(np.full((1500, 3000, 3), 77, np.uint8), kind), "large")
    assert found.shape == (KEPT // 2, KEPT, 3)
    assert (found == 77).all()


def test_grey_deep_and_clear_pictures_are_seen_in_colours_on_white():
    grey = np.array([[0, 128, 255]], np.uint8)
    np.testing.assert_array_equal(read_picture(saved(grey), "grey")[..., 1], grey)
    deep = grey.astype(np.uint16) * 257
    np.testing.assert_array_equal(read_picture(saved(deep), "deep")[..., 2], grey)
    clear = np.array([[[9, 9, 9, 0], [9, 9, 9, 255]]], np.uint8)
    np.testing.assert_array_equal(read_picture(saved(clear), "clear")[0, :, 0], [255, 9])


def test_a_picture_is_turned_as_its_camera_says():
    turned = Image.Exif()
    turned[0x0112] = 6  # the camera stood on its side
    data = saved(COLOURS, exif=turned)
    np.testing.assert_array_equal(read_picture(data, "turned"), np.rot90(COLOURS, -1))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "models.picture_file"),
        (b"not a picture", "models.picture_file"),
        (b"GIF89a" + bytes(40), "models.picture_file"),
        (saved(COLOURS)[:50], "models.picture_file"),
        (saved(np.zeros((64, 64, 3), np.uint8), "JPEG")[:300], "models.picture_file"),
        (saved(COLOURS).replace(b"IDAT", b"IDAX"), "models.picture_file"),
        (header_of(30, 20), "models.picture_file"),
        (header_of(4000, 4000), "models.picture_points"),
        (header_of(10_000, 10_000), "models.picture_bomb"),
        (header_of(60_000, 60_000), "models.picture_bomb"),
        (bytes(MOST_BYTES + 1), "models.picture_bytes"),
    ],
)
def test_what_is_no_small_picture_is_refused(data, code):
    with pytest.raises(InputError) as refused:
        read_picture(data, "mine")
    assert refused.value.code == code
    assert refused.value.values["name"] == "mine"


@given(st.integers(0, 400), st.binary(min_size=1, max_size=8))
def test_a_damaged_picture_is_read_or_refused(at, damage):
    data = bytearray(saved(COLOURS, "JPEG"))
    data[at : at + len(damage)] = damage
    try:
        found = read_picture(bytes(data), "mine").shape
    except InputError as error:
        found = error.code
    assert found[-1] == 3 or str(found).startswith("models.picture_")


def test_a_model_of_patches_is_known_by_its_configuration(tmp_path, monkeypatch):
    eye, reader, broken = (tmp_path / name for name in ("eye", "reader", "broken"))
    for folder in (eye, reader, broken):
        folder.mkdir()
    (eye / "config.json").write_text(json.dumps({"image_size": 16, "patch_size": 4}))
    (reader / "config.json").write_text(json.dumps({"vocab_size": 9}))
    (broken / "config.json").write_text("{")
    monkeypatch.setenv("ATTNVIZ_MODELS", f"{eye},{reader},{broken}")
    assert reads_pictures(str(eye))
    assert not reads_pictures(str(reader))
    assert not reads_pictures(str(broken))
    assert not reads_pictures(str(tmp_path))  # a folder that is not allowed is not opened
    assert reads_pictures("vit")
    assert not reads_pictures("default")
