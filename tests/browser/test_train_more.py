"""Five seeds, data size and the film as a person uses them."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.models.induction.film import moments
from attnviz.text import words

t, zh = words("en"), words("zh-Hant")
LONG = 120_000  # milliseconds until torch has been read on a busy machine
PANELS = ("seeds", "data_size", "film")

# Which moments of the film can be seen, and at which of them the curves have their mark.
MOMENT = """() => {
  const parts = [...document.querySelectorAll("[class*=st-key-film-]")]
    .filter((part) => /st-key-film-\\d/.test(part.className))
    .filter((part) => part.checkVisibility({ visibilityProperty: true }));
  const steps = parts.map((part) => Number(/st-key-film-(\\d+)/.exec(part.className)[1]));
  return [steps, Number(getComputedStyle(document.documentElement).getPropertyValue("--at-film"))];
}"""


def open_train(visit, panel: str, **how):
    link = {"panel": panel, **how.pop("link", {})}
    patience = {"before": lambda page: page.set_default_timeout(LONG)}
    ready = {"ready": ".js-plotly-plot"} if panel == "film" else {}
    return visit("/train", link=link, **patience, **ready, **how)


def sideways(page: Page) -> int:
    return page.evaluate(
        "() => document.querySelector('.stMain').scrollWidth - document.documentElement.clientWidth"
    )


def test_five_seeds_train_by_themselves_and_one_is_opened(visit):
    tab = open_train(visit, "seeds", link={"lang": "en"})
    page = tab.page
    done = t("seeds.done", n=5, solved=5)
    expect(page.get_by_text(done)).to_be_visible(timeout=LONG)
    expect(page.get_by_text(t("seeds.right", share="100 %"))).to_have_count(5)
    page.locator(".st-key-seeds-open-1 button").first.click()
    expect(page).to_have_url(re.compile(r"draw=1"))
    expect(page.locator(".st-key-train-status")).to_contain_text("100 %")
    assert not tab.wrong
    assert not tab.outside


def test_on_a_projector_the_row_that_asks_is_seen_of_every_seed(visit):
    tab = open_train(visit, "seeds", link={"lang": "zh-Hant", "present": "1", "amount": "10"})
    expect(tab.page.get_by_text(zh("seeds.seed", seed=4))).to_be_visible(timeout=LONG)
    maps = tab.page.locator("[class*=st-key-seeds_] table")
    expect(maps).to_have_count(5)
    expect(tab.page.locator(".st-key-seeds-progress").get_by_role("progressbar")).to_have_count(
        0, timeout=LONG
    )
    size = tab.page.viewport_size
    for each in maps.all():
        box = each.bounding_box()
        assert box["y"] + box["height"] <= size["height"]
        assert box["x"] + box["width"] <= size["width"]
    assert not tab.wrong


def test_a_point_is_trained_while_one_watches_and_can_be_stopped(visit):
    link = {"lang": "zh-Hant", "amount": "60", "draw": "8"}
    tab = open_train(visit, "data_size", scheme="dark", link=link)
    page = tab.page
    make, stop = zh("data_size.make"), zh("seeds.stop")
    page.get_by_role("button", name=make).click()
    bar = page.locator(".st-key-data-size-progress").get_by_role("progressbar")
    expect(bar).to_be_visible()
    page.get_by_role("button", name=stop).click()
    expect(bar).to_have_count(0)
    page.get_by_role("button", name=make).click()
    star = zh("data_size.own_star", network=zh("data_size.attention"))
    expect(page.get_by_text(star, exact=True)).to_be_visible(timeout=LONG)
    assert not tab.wrong


def test_the_film_goes_by_keys_asks_nothing_meanwhile_and_opens_in_models(visit):
    tab = open_train(visit, "film", locale="zh-TW")
    page, steps = tab.page, [each.step for each in moments()]
    page.locator(".deck .place").wait_for()
    tab.settle()
    before = len(tab.frames)
    seen = tab.pressed(["ArrowLeft", "Home", "ArrowRight", "ArrowRight"], MOMENT)
    assert len(tab.frames) == before
    assert seen == [[[steps[place]], place] for place in (8, 0, 1, 2)]
    expect(page).to_have_url(re.compile(rf"amount={steps[2]}(&|$)"))
    tab.settle()
    page.get_by_role("button", name=zh("film.open")).click()
    expect(page).to_have_url(re.compile(rf"/models\?.*model=induction-{steps[2]}"))
    expect(page.get_by_text(zh("panel.all_heads"), exact=True).first).to_be_visible(timeout=LONG)
    assert not tab.wrong


def test_the_film_plays_and_only_where_it_rests_is_in_the_link(visit):
    tab = open_train(visit, "film", scheme="dark", link={"lang": "en", "amount": "600"})
    page, last = tab.page, moments()[-1].step
    place = page.locator(".deck .place")
    expect(place).to_have_text("9 / 10")
    tab.settle()
    before = len(tab.frames)
    page.keyboard.press(" ")
    expect(place).to_have_text("10 / 10")
    assert len(tab.frames) == before
    expect(page.get_by_role("button", name=t("steps.play"))).to_be_visible()
    expect(page).to_have_url(re.compile(rf"amount={last}(&|$)"))
    assert page.evaluate(MOMENT) == [[last], 9]
    assert not tab.wrong


def test_keys_within_the_film_move_it_where_keys_move_the_panels(visit):
    tab = open_train(visit, "film", link={"lang": "en", "present": "1"})
    panels, film = (
        tab.page.locator(f".st-key-{key} .deck .place") for key in ("panels", "film_deck")
    )
    expect(film).to_have_text("10 / 10")
    tab.settle()
    tab.page.locator(".st-key-film_deck .deck .previous").click()
    tab.page.keyboard.press("Home")
    expect(film).to_have_text("1 / 10")
    expect(panels).to_have_text("4 / 4")
    tab.page.locator(".st-key-panels .deck .previous").click()
    expect(panels).to_have_text("3 / 4")
    assert not tab.wrong


@pytest.mark.parametrize("panel", PANELS)
def test_it_fits_a_phone(visit, panel):
    tab = open_train(visit, panel, phone=True, locale="zh-TW")
    expect(tab.page.get_by_text(zh(f"{panel}.question"))).to_be_visible()
    assert sideways(tab.page) <= 0
    assert not tab.wrong
