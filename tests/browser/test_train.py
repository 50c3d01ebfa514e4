"""Train as a person uses it: play, reach every sentence, open what was learned in Steps."""

import re

import pytest
from playwright.sync_api import Page, expect

from attnviz.text import words

t, zh = words("en"), words("zh-Hant")
LONG = 120_000  # milliseconds until torch has been read on a busy machine


def open_train(visit, **how):
    return visit("/train", before=lambda page: page.set_default_timeout(LONG), **how)


def status(page: Page):
    return page.locator(".st-key-train-status")


def sideways(page: Page) -> int:
    return page.evaluate(
        "() => document.querySelector('.stMain').scrollWidth - document.documentElement.clientWidth"
    )


def test_a_person_plays_a_training_and_opens_it_in_steps(visit):
    tab = open_train(visit, link={"lang": "en", "tp": "1"})
    page = tab.page
    weights = page.locator(".st-key-train_weights .cell").first
    before = weights.inner_text()
    page.get_by_text(t("train.speed_full"), exact=True).click()
    page.get_by_role("button", name=t("train.play")).click()
    expect(page).to_have_url(re.compile(r"snap=300"), timeout=LONG)
    expect(status(page)).to_contain_text(f"{t('task.two_saws.same')} 100 %")
    expect(weights).not_to_have_text(before)
    page.get_by_role("button", name=t("train.steps")).first.click()
    expect(page).to_have_url(re.compile(r"/steps\?.*w=trained"))
    expect(page.get_by_text(t("chip.trained"), exact=False).first).to_be_visible()
    assert not tab.wrong
    assert not tab.outside


def test_by_keyboard_it_plays_and_pauses_and_the_link_keeps_the_step(visit):
    tab = open_train(visit, locale="zh-TW", scheme="dark")
    page = tab.page
    page.get_by_text(zh("train.speed_slow"), exact=True).click()
    tab.settle()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name=zh("train.pause"))).to_be_visible()
    first = zh("train.at", step="0", steps="300")
    expect(status(page)).not_to_contain_text(first, timeout=LONG)
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"snap=\d+"), timeout=LONG)
    expect(page.get_by_role("button", name=zh("train.play"))).to_be_visible()
    said = status(page).inner_text()
    page.reload()
    expect(status(page)).to_have_text(said, timeout=LONG)
    assert not tab.wrong


def test_a_switch_with_the_focus_leaves_the_shortcut_to_the_page_and_a_text_does_not(visit):
    tab = open_train(visit, link={"lang": "en"})
    page = tab.page
    page.get_by_role("combobox", name=t("train.sentence")).press("p")
    tab.settle()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=t("train.play"))).to_be_visible()
    page.get_by_role("switch").press("p")
    expect(page.get_by_role("button", name=t("train.pause"))).to_be_visible()
    assert not tab.wrong


def test_of_many_heads_a_click_takes_one_in_hand_and_its_numbers_fit_a_phone(visit):
    tab = open_train(visit, phone=True, link={"lang": "zh-Hant", "th": "8"})
    page = tab.page
    name = page.locator(".st-key-train_weights caption")
    expect(name).to_contain_text(zh("head.number", number=1))
    over = page.locator(".st-key-train_heads .over")
    over.focus()
    over.press("ArrowRight")
    over.press("Enter")
    expect(name).to_contain_text(zh("head.number", number=2))
    expect(page).to_have_url(re.compile(r"lh=0\.1"))
    assert sideways(page) <= 0
    assert not tab.wrong


def test_a_sentence_of_other_words_is_refused_and_stays(visit):
    tab = open_train(visit, link={"lang": "en"})
    box = tab.page.locator(".st-key-control-looked input")
    box.fill("I saw the elephant")
    box.press("Enter")
    said = t("error.training.word", got="elephant").split(";")[0]
    expect(tab.page.get_by_text(said)).to_be_visible()
    expect(box).to_have_value("I saw the elephant")


def test_a_rate_beyond_all_numbers_has_its_sentence_and_stays_until_one_plays(visit):
    tab = open_train(visit, locale="zh-TW", scheme="dark")
    page = tab.page
    page.get_by_role("button", name=zh("train.choices")).click()
    box = page.locator(".st-key-control-train-learning_rate input")
    box.fill("1e400")
    box.press("Enter")
    said = page.get_by_text(zh("error.training.rate", got="1e400", most="10"), exact=False)
    expect(said).to_be_visible()
    expect(box).to_have_value("1e400")
    tab.settle()
    page.keyboard.press("Escape")
    page.get_by_role("button", name=zh("train.play")).click()
    expect(said).to_have_count(0)
    assert not tab.wrong


@pytest.mark.parametrize("language", ["en-US", "zh-TW"])
def test_it_fits_a_phone(visit, language):
    tab = open_train(visit, phone=True, locale=language)
    assert sideways(tab.page) <= 0
    assert not tab.wrong
