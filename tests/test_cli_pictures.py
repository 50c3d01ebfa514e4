"""`python -m attnviz capture --picture`: a vision model without a browser."""

from functools import partial

import numpy as np
import pytest
from PIL import Image

from attnviz.models.load import load_model
from attnviz.models.tiny import save_tiny
from attnviz.text import words

T = words("en")
PIXELS = np.random.default_rng(1).integers(0, 256, (20, 30, 3)).astype(np.uint8)


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def said(command_line):
    return partial(command_line, "capture")


@pytest.fixture(scope="module")
def eye(tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("tiny") / "vit"
    save_tiny("vit", place)
    return str(place)


@pytest.fixture
def photo(tmp_path) -> str:
    Image.fromarray(PIXELS).save(tmp_path / "photo.png")
    return str(tmp_path / "photo.png")


def test_the_strongest_links_of_a_picture_are_between_patches(said, eye, photo):
    status, out, _ = said("--model", eye, "--picture", photo, "--layer", "1", "--head", "2")
    assert status == 0
    weights = load_model(eye).capture(PIXELS).weights(1, 2)
    row, column = np.unravel_index(weights.argmax(), weights.shape)
    names = ["[CLS]", *(f"{r},{c}" for r in range(1, 5) for c in range(1, 5))]
    assert out.splitlines()[2].split() == [f"{weights.max():.4f}", names[row], names[column]]


def test_one_of_our_pictures_is_read_where_none_is_given(said, eye):
    status, out, _ = said("--model", eye)
    assert status == 0
    assert len(out.splitlines()) == 22


@pytest.mark.parametrize("ending", ["csv", "npz", "html"])
def test_a_picture_is_captured_to_a_file(said, eye, photo, tmp_path, ending):
    path = tmp_path / f"head.{ending}"
    status, out, _ = said("--model", eye, "--picture", photo, "--out", str(path))
    assert status == 0
    assert str(path) in out
    data = path.read_bytes()
    if ending == "csv":
        assert data.decode("utf-8-sig").splitlines()[0].startswith(',[CLS],"1,1"')
    elif ending == "html":
        assert T("model_page.picture", rows=4, columns=4).encode() in data


def test_what_does_not_go_with_a_model_gets_a_sentence(said, eye, photo, tmp_path):
    status, _, err = said("--model", eye, "--text", "hello")
    assert (status, err.strip()) == (2, T("error.cli.no_text", name=eye, option="--text"))
    status, _, err = said("--model", "default", "--picture", photo)
    assert status == 2
    assert err.strip() == T("error.models.needs_text", name="all-MiniLM-L6-v2")
    missing = str(tmp_path / "none.png")
    status, _, err = said("--model", eye, "--picture", missing)
    assert (status, err.strip()) == (2, T("error.cli.cannot_read", path=missing))
    (tmp_path / "note.txt").write_text("no picture")
    status, _, err = said("--model", eye, "--picture", str(tmp_path / "note.txt"))
    assert (status, err.strip()) == (2, T("error.models.picture_file", name="note.txt"))
