"""Step by step: the player, by keyboard, and the link that remembers the step."""

import re

from playwright.sync_api import expect

from attnviz.text import words

t = words("en")

STEPS = ["query", "key", "scores", "weights", "value", "head_outputs", "together"]


# The steps that can be seen.
SHOWN = """() => [...document.querySelectorAll("[class*=st-key-step-]")]
  .filter((step) => step.checkVisibility({ visibilityProperty: true }))
  .map((step) => /st-key-step-(\\w+)/.exec(step.className)[1])"""


def test_every_step_is_reached_by_keyboard_without_asking_the_server(visit):
    tab = visit("/steps")
    page = tab.page
    expect(page.locator(".js-plotly-plot")).to_have_count(len(STEPS))
    page.keyboard.press("Home")
    before = len(tab.frames)
    seen = tab.pressed(["ArrowRight"] * (len(STEPS) - 1) + ["Home", "End", "ArrowLeft"], SHOWN)
    assert len(tab.frames) == before
    assert seen == [[name] for name in (*STEPS[1:], STEPS[0], STEPS[-1], STEPS[-2])]


def test_each_step_shows_its_title_picture_and_formula(visit):
    tab = visit("/steps")
    page = tab.page
    expect(page.locator(".js-plotly-plot")).to_have_count(len(STEPS))
    for name in STEPS:
        step = page.locator(f".st-key-step-{name}")
        expect(step.get_by_role("heading")).to_be_visible()
        expect(step.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(step.locator(".katex-display")).to_be_visible()
        page.keyboard.press("ArrowRight")


def test_a_step_answers_clicks_while_it_is_shown(visit):
    tab = visit("/steps")
    page = tab.page
    for name in STEPS[:2]:
        page.locator(f".st-key-step-{name}").get_by_role("button", name=t("steps.latex")).click()
        expect(page.get_by_test_id("stPopoverBody").locator("code")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name=t("steps.next")).click()


def test_space_plays_and_pauses(visit):
    tab = visit("/steps")
    page = tab.page
    place = page.locator(".deck .place")
    expect(place).to_have_text(t("steps.place", i=1, n=7))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name=t("steps.pause"))).to_be_visible()
    expect(place).to_have_text(t("steps.place", i=2, n=7))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name=t("steps.play"))).to_be_visible()


def test_the_link_remembers_the_step_once_a_person_stays_on_it(visit):
    tab = visit("/steps")
    for _ in range(3):
        tab.page.keyboard.press("ArrowRight")
    expect(tab.page).to_have_url(re.compile("step=weights"))


def test_the_asking_token_is_changed_without_leaving_the_step(visit):
    tab = visit("/steps", link={"step": "head_outputs"})
    title = tab.page.locator(".st-key-step-head_outputs")
    expect(title).to_contain_text("(−0.38, 1.44)")
    tab.page.get_by_role("button", name="a3").click()
    expect(title).to_contain_text("(0.45, 1.78)")
    assert tab.page.evaluate(SHOWN) == ["head_outputs"]
