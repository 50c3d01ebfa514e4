"""Language and links: the same view, elsewhere, in another language."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from attnviz.figures.formulas import row_equation
from attnviz.scene import scene_of
from attnviz.settings import from_query
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import table
from tests.conftest import ROOT, serving

en, zh = words("en"), words("zh-Hant")

LINK = {
    "text": "the cat sat on the mat",
    "in": "1,0,2;0,-1.5,1;1,1,0;0,1,1;2,0.25,-3;1,1,1",
    "q": "4",
    "step": "weights",
    "digits": "3",
    "temp": "2",
    "norm": "sparsemax",
    "mask": "causal",
    "pos": "sinusoidal",
    "heads": "2",
    "head": "1",
}


def test_the_language_is_switched_in_place_and_no_number_changes(visit):
    tab = visit(link={"text": "the cat sat on the mat", "key": "2"})
    page = tab.page
    numbers = tab.numbers()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("radio", name=LANGUAGES["zh-Hant"]).click()
    expect(page.get_by_role("heading", name=zh("see.where"))).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    expect(page).to_have_title(zh("app.name"))
    expect(page.get_by_role("link", name=zh("nav.steps"))).to_be_visible()
    expect(page.locator(".st-key-ancestry")).to_contain_text(zh("ancestry.title", row=2, column=3))
    expect(page.get_by_text(en("see.where"))).to_have_count(0)
    assert tab.numbers() == numbers
    expect(page).to_have_url(re.compile("lang=zh-Hant"))
    page.get_by_role("link", name=zh("nav.steps")).click()
    expect(page.get_by_text(zh("steps.keys"))).to_be_visible()
    expect(page.get_by_role("heading", name=zh("steps.query.title", place=2))).to_be_visible()


def test_share_gives_the_address_of_what_is_on_the_screen(visit):
    tab = visit()
    box = tab.drawer().get_by_role("textbox", name=en("drawer.sentence"), exact=True)
    box.fill("the cat sat on the mat")
    box.press("Enter")
    cell = tab.page.get_by_role("textbox", name=en("grid.cell", row="cat2", column=1), exact=True)
    cell.fill("2.5")
    cell.press("Enter")
    expect(tab.cells(en("see.inputs_title")).nth(3)).to_have_text("2.50")
    tab.settle()
    tab.page.get_by_role("button", name=en("bar.share")).click()
    shared = tab.page.get_by_test_id("stPopoverBody").locator("code").first
    expect(shared).to_be_visible()
    there = urlsplit(shared.inner_text().strip())
    address = parse_qs(urlsplit(tab.page.url).query)
    assert parse_qs(there.query) == {"lang": ["en"]} | address
    again = visit(link={key: value for key, [value] in parse_qs(there.query).items()})
    assert again.numbers() == tab.numbers()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_opens_as_the_very_first_request_of_a_fresh_server(visit, language):
    t, link = words(language), LINK | {"lang": language}
    scene = scene_of(from_query(LINK)[0])
    head = scene.trace.head(scene.head)
    with serving(ROOT / "app.py") as address:
        steps = visit("/steps", link=link, address=address)
        page = steps.page
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.get_by_role("link", name=t("nav.see"), exact=True)).to_be_visible()
        expect(page.get_by_role("heading", name=t("steps.weights.title"))).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(steps.readout()).to_have_text(row_equation(head, scene.query, 3))
        see = visit(link=link, address=address)
        expect(see.page.get_by_role("heading", name=t("see.where"))).to_be_visible()
        for title, array in [
            ("see.inputs_title", scene.trace.inputs),
            ("see.weights_title", head.weights),
            ("see.scores_title", head.scores),
            ("see.output_title", scene.trace.output),
        ]:
            numbers = [number for row in table(array, 3) for number in row]
            expect(see.cells(t(title)).last).to_have_text(numbers[-1])
            assert see.cells(t(title)).all_inner_texts()[-len(numbers) :] == numbers
        assert steps.wrong + see.wrong == []
        steps.page.close()
        see.page.close()
