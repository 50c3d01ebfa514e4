"""Files in and out: chosen, looked at, taken, taken back; and downloads that read back."""

import io
import re
import zipfile

import numpy as np
import openpyxl
from numpy.testing import assert_array_equal
from playwright.sync_api import Page, expect

from attnviz.exports.arrays import read_npz
from attnviz.exports.bundles import read_bundle
from attnviz.exports.documents import read_json
from attnviz.exports.tables import read_csv
from attnviz.scene import scene_of
from attnviz.settings import from_query
from attnviz.text import words
from attnviz.text.numbers import table

t = words("en")

HERO = ["1", "0", "2", "0", "1", "1", "1", "1", "0", "0", "1", "1"]
TAKEN = ["1.00", "0.50", "0.25", "−1.00"]
ARRAY = np.array([[1, 0.5], [0.25, -1]])


def spreadsheet() -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in [["token", "x", "y"], ["cat", 1, 0.5], ["mat", 0.25, -1]]:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, vectors=ARRAY)
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return file.getvalue()


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", bytes(64 * 2**20))
    return file.getvalue()


def choose(page: Page, name: str, data: bytes) -> None:
    with page.expect_file_chooser() as choosing:
        page.get_by_test_id("stFileUploader").locator("section button").last.click()
    choosing.value.set_files({"name": name, "mimeType": "", "buffer": data})


def test_a_chosen_file_is_shown_taken_and_taken_back(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    tab.drawer()
    for name, data in [
        ("cats.csv", b"1;0,5\n0,25;-1\n"),
        ("cats.npz", npz()),
        ("cats.xlsx", spreadsheet()),
    ]:
        choose(page, name, data)
        take = page.get_by_role("button", name=t("file.take"))
        expect(take).to_be_visible()
        expect(page.get_by_test_id("stSidebar").locator("code").first).to_contain_text("0.2500")
        expect(tab.cells(t("see.inputs_title"))).to_have_text(HERO)
        assert "in=" not in page.url
        take.click()
        expect(tab.cells(t("see.inputs_title"))).to_have_text(TAKEN)
        expect(take).to_have_count(0)
        expect(page).to_have_url(re.compile("in="))
        if name == "cats.xlsx":
            rows = tab.grid(t("see.weights_title")).locator("th.row")
            expect(rows).to_have_text(["cat1", "mat2"])
        page.locator(".st-key-undo button:visible").click()
        expect(tab.cells(t("see.inputs_title"))).to_have_text(HERO)
        expect(page).not_to_have_url(re.compile("in="))
    assert tab.wrong == []


def test_what_is_no_table_is_a_sentence_each_and_nothing_is_lost(visit):
    tab = visit(link={"lang": "en"})
    page = tab.page
    tab.drawer()
    for name, data, said in [
        ("pickled.npy", pickled(), t("error.file.pickled")),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(40), t("error.file.picture")),
        ("empty.csv", b"", t("error.file.empty")),
        ("ragged.csv", b"1,2\n3,4\n5\n", t("error.file.ragged", row=3, got=1, expected=2)),
        ("bomb.npz", bomb(), t("error.file.too_large_inside", got="64", most="10")),
    ]:
        choose(page, name, data)
        expect(page.get_by_test_id("stSidebar").get_by_role("alert")).to_contain_text(said)
        expect(page.get_by_role("button", name=t("file.take"))).to_have_count(0)
        expect(tab.cells(t("see.inputs_title"))).to_have_text(HERO)
    assert tab.wrong == []


LINK = {"lang": "en", "text": "the cat sat", "mask": "causal", "heads": "2", "q": "2"}


def test_everything_can_be_downloaded_and_reads_back(visit, browser, tmp_path):
    scene = scene_of(from_query(LINK)[0])
    tab = visit(link=LINK)
    page = tab.page
    shown = tab.cells(t("see.weights_title")).all_inner_texts()
    page.get_by_role("button", name=t("bar.download"), exact=True).click()
    saved = {}
    for kind in ("json", "npz", "csv", "html", "zip"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=t(f"download.{kind}"), exact=True).click()
        assert waiting.value.suggested_filename == f"attnviz.{kind}"
        waiting.value.save_as(tmp_path / f"attnviz.{kind}")
        saved[kind] = (tmp_path / f"attnviz.{kind}").read_bytes()
    readers = {"json": read_json, "npz": read_npz, "csv": read_csv, "zip": read_bundle}
    for kind, read in readers.items():
        record = read(saved[kind])
        assert record.tokens == scene.tokens
        for name in ("inputs", "scores", "weights", "output"):
            assert_array_equal(record.array(name), getattr(scene.trace, name), err_msg=kind)
        assert [cell for row in table(record.array("weights")[0], 2) for cell in row] == shown
        if kind != "csv":
            assert record.settings == from_query(LINK)[0]
    opens = browser.new_page(offline=True)
    asked: list[str] = []
    opens.on("request", lambda request: asked.append(request.url))
    file = tmp_path / "attnviz.html"
    opens.goto(file.as_uri())
    expect(opens.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert asked == [file.as_uri()]
    opens.close()
    assert tab.wrong == []


def test_a_figure_is_drawn_and_saved_as_a_picture(visit, tmp_path):
    tab = visit(link={"lang": "zh-Hant"})
    page, zh = tab.page, words("zh-Hant")
    page.get_by_role("button", name=zh("bar.download"), exact=True).click()
    for kind in ("PNG", "SVG"):
        page.get_by_role("button", name=zh("download.draw", kind=kind)).click()
        save = page.get_by_role("button", name=zh("download.save", kind=kind))
        expect(save).to_be_visible(timeout=60_000)
        with page.expect_download() as waiting:
            save.click()
        waiting.value.save_as(tmp_path / f"figure.{kind}")
    assert (tmp_path / "figure.PNG").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    svg = (tmp_path / "figure.SVG").read_text("utf-8")
    assert svg.startswith("<svg")
    assert "會" in svg
