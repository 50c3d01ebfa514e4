"""Five seeds, data size and the film as a person uses them."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.models.induction.film import moments
from attnviz.text import words

t, zh = words("en"), words("zh-Hant")
LONG = 120_000  # milliseconds until torch has been read on a busy machine
PANELS = ("seeds", "data_size", "film")


def open_train(visit, panel: str, **how):
    link = {"panel": panel, **how.pop("link", {})}
    return visit("/train", link=link, before=lambda page: page.set_default_timeout(LONG), **how)


def sideways(page: Page) -> int:
    return page.evaluate(
        "() => document.querySelector('.stMain').scrollWidth - document.documentElement.clientWidth"
    )


def test_five_seeds_train_by_themselves_and_one_is_opened(visit):
    tab = open_train(visit, "seeds", link={"lang": "en"})
    page = tab.page
    done = t("seeds.done", n=5).split(": ", 1)[1]
    expect(page.get_by_text(done)).to_be_visible(timeout=LONG)
    expect(page.get_by_text(t("seeds.right", share="100 %"))).to_have_count(5)
    page.locator(".st-key-seeds-open-1 button").first.click()
    expect(page).to_have_url(re.compile(r"draw=1"))
    expect(page.locator(".st-key-train-status")).to_contain_text("100 %")
    assert not tab.wrong
    assert not tab.outside


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


def test_the_film_is_seen_by_keyboard_and_opens_in_models(visit):
    tab = open_train(visit, "film", locale="zh-TW")
    page, film = tab.page, moments()
    status = page.locator(".st-key-film-status")
    last = zh("train.at", step=str(film[-1].step), steps=str(film[-1].step))
    expect(status).to_contain_text(last)
    page.keyboard.press("b")
    expect(page).to_have_url(re.compile(rf"amount={film[-2].step}(&|$)"))
    tab.settle()
    thumb = page.get_by_role("slider")
    thumb.focus()
    thumb.press("ArrowLeft")
    expect(page).to_have_url(re.compile(rf"amount={film[-3].step}(&|$)"))
    tab.settle()
    page.get_by_role("button", name=zh("film.open")).click()
    expect(page).to_have_url(re.compile(rf"/models\?.*model=induction-{film[-3].step}"))
    expect(page.get_by_text(zh("panel.all_heads"), exact=True).first).to_be_visible(timeout=LONG)
    assert not tab.wrong


@pytest.mark.parametrize("panel", PANELS)
def test_it_fits_a_phone(visit, panel):
    tab = open_train(visit, panel, phone=True, locale="zh-TW")
    expect(tab.page.get_by_text(zh(f"{panel}.question"))).to_be_visible()
    assert sideways(tab.page) <= 0
    assert not tab.wrong
