"""A vision model as a person meets it: point at patches, hold one, open a picture of one's own."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from attnviz.models.catalogue import catalogue
from attnviz.models.tiny import save_tiny
from attnviz.text import words
from tests.browser.conftest import Visit, Visitor
from tests.conftest import ROOT, serving

LONG = 120_000  # milliseconds until a model has been loaded on a busy machine
T = words("en")


@pytest.fixture(scope="module")
def eyes(tmp_path_factory) -> Iterator[str]:
    """Give an app of its own, whose vision model is a small one of 4 × 4 patches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_CACHE", str(tmp_path_factory.mktemp("cache")))
        save_tiny("vit", catalogue()["vit"].folder)
        with serving(ROOT / "app.py") as address:
            yield address


def see(visit: Visitor, address: str, **how) -> Visit:
    """Open a picture, and wait until the model has seen it."""
    link = {"model": "vit", "pic": "boat", "lh": "1.2", "panel": "patches", **how.pop("link", {})}

    def patient(page: Page) -> None:
        page.set_default_timeout(LONG)

    tab = visit("/models", link=link, address=address, before=patient, ready=".patches", **how)
    tab.page.locator(".patches .over").wait_for()
    tab.settle()
    return tab


def middle_of(tab: Visit, row: int, column: int) -> dict[str, float]:
    """Give the middle of a patch, from 1, on the canvas of the picture."""
    box = tab.page.locator(".patches .over").bounding_box()
    assert box is not None
    edge = 21  # before the patches stand the numbers of rows and columns
    cell = (box["width"] - edge - 2) / 4
    return {"x": edge + (column - 0.5) * cell, "y": edge + (row - 0.5) * cell}


def point(tab: Visit, row: int, column: int) -> None:
    tab.page.locator(".patches .over").hover(position=middle_of(tab, row, column))


def click(tab: Visit, row: int, column: int) -> None:
    tab.page.locator(".patches .over").click(position=middle_of(tab, row, column))


def text_of(tab: Visit, name: str) -> str:
    return tab.page.locator(f".patches .{name}").inner_text()


def test_pointing_and_choosing_ask_the_server_nothing(visit, eyes):
    tab = see(visit, eyes)
    said, before = tab.page.locator(".patches .readout"), len(tab.frames)
    expect(said).to_contain_text(T("patches.patch", place="2,2"))
    click(tab, 3, 1)
    expect(said).to_contain_text(T("patches.patch", place="3,1"))
    point(tab, 1, 4)
    expect(tab.page.locator(".patches .pair")).to_contain_text(
        re.compile(re.escape(T("patches.patch", place="3,1")) + ".*1,4.*= 0\\.\\d{4}$")
    )
    looks = said.inner_text()
    tab.page.get_by_role("button", name=T("patches.looked")).click()
    expect(said).not_to_have_text(looks)
    expect(said).to_contain_text(T("patches.patch", place="3,1"))
    tab.page.locator(".patches .mode").nth(2).click()
    expect(tab.page.locator(".patches .mode").nth(2)).to_have_attribute("aria-pressed", "true")
    assert len(tab.frames) == before
    assert not tab.wrong
    assert not tab.outside


def test_each_patch_has_the_colour_of_its_weight(visit, eyes):
    """With the deepest colour where the weight is the largest, whatever the picture shows there."""
    tab = see(visit, eyes)
    click(tab, 2, 3)
    tab.page.mouse.move(5, 5)
    best = re.findall(r"(\d),(\d)", text_of(tab, "readout"))[1]
    shades = tab.page.evaluate(
        """() => {
          const root = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
            .map((each) => each.shadowRoot).find((each) => each?.querySelector('.patches'));
          const canvas = root.querySelector('canvas');
          const ratio = canvas.width / canvas.offsetWidth;
          const [edge, pen] = [21, canvas.getContext('2d')];
          const cell = (canvas.offsetWidth - edge - 2) / 4;
          return [0, 1, 2, 3].flatMap((r) => [0, 1, 2, 3].map((c) => {
            const [x, y] = [edge + (c + 0.2) * cell, edge + (r + 0.2) * cell];
            return [...pen.getImageData(x * ratio, y * ratio, 1, 1).data.subarray(0, 3)];
          }));
        }"""
    )
    plain = see(visit, eyes, link={"pic": "boat", "lh": "1.2"})
    assert len(shades) == 16
    deepest = 4 * (int(best[0]) - 1) + int(best[1]) - 1
    veil = np.array(shades).sum(axis=1)
    assert veil[deepest] <= np.median(veil)
    assert not plain.wrong


def test_the_keyboard_points_and_chooses(visit, eyes):
    tab = see(visit, eyes)
    over = tab.page.locator(".patches .over")
    over.focus()
    over.press("ArrowRight")
    expect(tab.page.locator(".patches .pair")).to_contain_text("2,3")
    over.press("ArrowDown")
    over.press("Enter")
    expect(tab.page.locator(".patches .readout")).to_contain_text(T("patches.patch", place="3,3"))
    over.press("Escape")
    expect(tab.page.locator(".patches .readout")).to_have_text(T("patches.hint"))
    assert not tab.wrong


def test_what_is_chosen_is_in_the_address_and_in_the_map(visit, eyes):
    tab = see(visit, eyes, link={"panel": "map"})
    click(tab, 4, 2)  # token 15, after [CLS] and three rows of four
    expect(tab.page).to_have_url(re.compile(r"[?&]q=14\b"))
    expect(tab.page.locator(".heat .readout")).to_contain_text("4,2")
    tab.page.reload()
    tab.page.locator(".patches .over").wait_for()
    expect(tab.page.locator(".patches .readout")).to_contain_text(T("patches.patch", place="4,2"))


def test_ones_own_picture_is_opened_and_a_wrong_file_is_refused(visit, eyes, tmp_path):
    tab = see(visit, eyes)
    Image.fromarray(np.full((40, 60, 3), (10, 200, 30), np.uint8)).save(tmp_path / "mine.jpg")
    (tmp_path / "wrong.png").write_bytes(b"no picture")
    tab.page.get_by_role("button", name=T("pictures.open")).click()
    chooser = tab.page.get_by_test_id("stFileUploaderDropzoneInput").first
    chooser.set_input_files(tmp_path / "wrong.png")
    expect(tab.page.get_by_text("wrong.png” is none")).to_be_visible()
    chooser.set_input_files(tmp_path / "mine.jpg")
    expect(tab.page.get_by_role("radio", name=T("pictures.own"))).to_be_checked()
    expect(tab.page.get_by_text("wrong.png” is none")).to_have_count(0)
    assert not tab.wrong


@pytest.mark.parametrize(("scheme", "phone"), [("dark", False), ("light", True)])
def test_the_patches_in_chinese_fit_their_screen(visit, eyes, scheme, phone):
    tab = see(visit, eyes, locale="zh-TW", scheme=scheme, phone=phone)
    t = words("zh-Hant")
    expect(tab.page.locator(".patches .mode").first).to_have_text(t("patches.looks"))
    width = tab.page.evaluate("document.querySelector('.stMain').scrollWidth")
    assert width <= (390 if phone else 1280)
    assert not tab.wrong
    assert not tab.outside
