"""A captured picture as one page that opens with no network: its patches coloured by weights."""

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from attnviz.exports.looks import Look
from attnviz.exports.model_pages import capture_page
from attnviz.models.load import load_model
from attnviz.models.results import Capture
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words

PIXELS = np.random.default_rng(2).integers(0, 256, (16, 16, 3)).astype(np.uint8)


@pytest.fixture(scope="module")
def capture(tmp_path_factory) -> Capture:
    place = tmp_path_factory.mktemp("tiny") / "vit"
    save_tiny("vit", place)
    return load_model(str(place)).capture(PIXELS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_patches_are_coloured_with_no_network(browser: Browser, tmp_path, capture, language):
    t, wrong, page = words(language), [], browser.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    path = tmp_path / "page.html"
    path.write_bytes(capture_page(capture, Look(language), layer=1, head=2))
    page.goto(path.as_uri())
    over = page.locator(".patches .over")
    over.focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        over.press(key)
    over.press("ArrowDown")
    expect(page.locator(".read")).to_have_text(t("model_page.picture", rows=4, columns=4))
    weights = capture.weights(1, 2)
    pair = page.locator(".patches .pair")
    expect(pair).to_contain_text(t("patches.patch", place="2,1"))
    asks, asked = (1 + 4 * (row - 1) for row in (2, 3))  # patches 2,1 and 3,1 after [CLS]
    assert float(pair.inner_text().rsplit("= ")[1]) == pytest.approx(weights[asks, asked], abs=6e-5)
    expect(page.locator(".patches .token .number")).to_have_text(f"{weights[asks, 0]:.3f}")
    assert page.locator(".lines").count() == 0
    page.close()
    assert not wrong


def test_a_text_has_no_patches(tmp_path):
    save_tiny("bert", tmp_path / "bert")
    made = capture_page(load_model(str(tmp_path / "bert")).capture("a cat"))
    assert b'id="picture"' not in made
    assert b'"picture":null' in made
