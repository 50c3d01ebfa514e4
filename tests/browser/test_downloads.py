"""What is on the screen of a room can be taken along, and opens with no network."""

import csv
import io
import json

from playwright.sync_api import expect

from attnviz.comparisons.convolution import SEED, drawn_picture, likeness
from attnviz.text import words


def test_what_compare_shows_is_taken_along_in_chinese(visit, browser, tmp_path):
    t = words("zh-Hant")
    tab = visit("/compare", link={"lang": "zh-Hant", "panel": "convolution"})
    page = tab.page
    page.get_by_role("button", name=t("bar.download"), exact=True).click()
    expect(page.get_by_text(t("download.page", panel=t("panel.convolution")))).to_be_visible()
    saved = {}
    for kind in ("html", "csv", "json"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=t(f"download.{kind}"), exact=True).click()
        assert waiting.value.suggested_filename == f"attnviz-convolution.{kind}"
        saved[kind] = tmp_path / f"attnviz-convolution.{kind}"
        waiting.value.save_as(saved[kind])
    errors = likeness(*drawn_picture(SEED), sharpness=10).error
    read = csv.DictReader(io.StringIO(saved["csv"].read_text("utf-8-sig"), newline=""))
    written = [float(row["value"]) for row in read if row["figure"] == "convolution-pictures-3"]
    assert written == errors.ravel().tolist()
    assert json.loads(saved["json"].read_bytes())["title"] == t("convolution.question")
    opens = browser.new_page(offline=True)
    asked: list[str] = []
    opens.on("request", lambda request: asked.append(request.url))
    opens.goto(saved["html"].as_uri())
    expect(opens.get_by_role("heading", level=1)).to_have_text(t("convolution.question"))
    expect(opens.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(opens.locator("figure > [role=img]")).to_have_count(4)
    assert asked == [saved["html"].as_uri()]
    opens.close()
    assert tab.wrong == []
