"""What a vision model saw is kept, and what is said of its heads is so in our pictures.

Where the package with the weights is not installed, the model says so instead; that is tested then.
"""

import io
from functools import cache

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.lessons.drawings import DRAWINGS, drawing
from attnviz.models import wire
from attnviz.models.catalogue import HeadNote, catalogue
from attnviz.models.load import load_model
from attnviz.models.model import Model

ENTRY = catalogue()["vit"]
NEIGHBOURS = {
    "patch_left": (0, -1),
    "patch_right": (0, 1),
    "patch_above": (-1, 0),
    "patch_below": (1, 0),
}


# --- What is kept


def test_the_picture_is_kept_as_the_model_sees_it(tiny):
    """Of 16 points and patches of 4: a picture of that size stays as it is, in whole numbers."""
    pixels = np.random.default_rng(0).integers(0, 256, (16, 16, 3)).astype(np.uint8)
    capture = tiny("vit").capture(pixels)
    np.testing.assert_array_equal(capture.picture, pixels)
    assert not capture.picture.flags.writeable
    red = tiny("vit").eye.see(pixels)[0, 0]
    np.testing.assert_allclose(red, pixels[..., 0] / 127.5 - 1, atol=1e-5)


def test_another_size_is_squeezed_to_what_the_model_sees(tiny):
    pixels = np.zeros((32, 64, 3), np.uint8)
    pixels[:, 32:] = 200
    seen = tiny("vit").capture(pixels).picture
    assert seen.shape == (16, 16, 3)
    assert (seen[:, :7] == 0).all()
    assert (seen[:, 9:] == 200).all()


def test_a_text_has_no_picture(tiny):
    assert tiny("bert").capture("a cat").picture is None


def test_the_picture_comes_over_the_wire(tiny):
    capture = tiny("vit").capture(drawing("cat").pixels)
    stream = io.BytesIO()
    wire.write(stream, {"done": capture})
    stream.seek(0)
    came = (wire.read(stream) or {})["done"]
    np.testing.assert_array_equal(came.picture, capture.picture)
    assert came.grid == capture.grid


# --- What is said of heads


@cache
def model() -> Model | None:
    if ENTRY.installed:
        return load_model("vit")
    with pytest.raises(InputError) as refusal:
        load_model("vit")
    assert refusal.value.code == "models.not_installed"
    return None


@cache
def between_patches(eye: Model, key: str, layer: int, head: int) -> np.ndarray:
    return eye.capture(drawing(key).pixels).weights(layer, head)[1:, 1:]


def neighbour_share(weights: np.ndarray, step: tuple[int, int]) -> float:
    """Average the weight on the patch one step away, over the patches that have one."""
    rows, columns = np.divmod(np.arange(256), 16)
    there = rows + step[0], columns + step[1]
    inside = (np.minimum(*there) >= 0) & (np.maximum(*there) < 16)
    asked = there[0] * 16 + there[1]
    return float(weights[inside, asked[inside]].mean())


def same_share(weights: np.ndarray, key: str) -> float:
    """Average over the things of a picture: what its whole patches give to patches that show it."""
    shares = []
    for name in drawing(key).names:
        there = drawing(key).share(name, 16, 16).ravel()
        asks, asked = there > 0.9, there > 0.5
        if asks.sum() >= 3:
            rows = weights[asks].sum(axis=1).mean()
            shares.append(weights[asks][:, asked].sum(axis=1).mean() / rows)
    return float(np.mean(shares))


def measured(eye: Model, note: HeadNote, key: str) -> float:
    weights = between_patches(eye, key, note.layer, note.head)
    step = NEIGHBOURS.get(note.pattern)
    return same_share(weights, key) if step is None else neighbour_share(weights, step)


@pytest.mark.parametrize("note", ENTRY.heads, ids=lambda note: note.pattern)
def test_a_head_does_what_is_noted_in_our_pictures(note: HeadNote):
    if (eye := model()) is None:
        return
    mean = np.mean([measured(eye, note, key) for key in DRAWINGS])
    assert mean == pytest.approx(note.mean, abs=0.01)
    assert measured(eye, note, note.picture) > 0.4


@pytest.mark.parametrize("note", ENTRY.heads, ids=lambda note: note.pattern)
def test_the_patch_that_an_example_is_about_shows_it(note: HeadNote):
    assert note.picture in DRAWINGS
    row, column = (int(part) - 1 for part in note.asks.split(","))
    if (eye := model()) is None:
        return
    weights = between_patches(eye, note.picture, note.layer, note.head)
    best = divmod(int(weights[16 * row + column].argmax()), 16)
    step = NEIGHBOURS.get(note.pattern)
    if step is not None:
        assert best == (row + step[0], column + step[1])
        assert weights[16 * row + column].max() > 0.8


def test_a_patch_of_one_apple_looks_at_the_other_and_not_at_the_lemon():
    note = next(note for note in ENTRY.heads if note.pattern == "same_thing")
    if (eye := model()) is None:
        return
    weights = between_patches(eye, "apples", note.layer, note.head)
    shares = {name: drawing("apples").share(name, 16, 16).ravel() for name in ("apple", "twin")}
    lemon = drawing("apples").share("lemon", 16, 16).ravel() > 0.5
    asks = weights[shares["apple"] > 0.9]
    assert asks[:, shares["twin"] > 0.5].sum(axis=1).mean() > 0.5
    assert asks[:, lemon].sum(axis=1).mean() < 0.02
