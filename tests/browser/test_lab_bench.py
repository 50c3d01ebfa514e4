"""The bench: two settings side by side, experiments, links, keys, a phone and a dark page."""

import re
from contextlib import suppress

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as TooLate

from attnviz.text import words
from tests.browser.test_shell_present import SIDEWAYS

t, zh = words("en"), words("zh-Hant")


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("combobox", name=name)


def choose(page: Page, name: str, option: str) -> None:
    choice = page.get_by_role("option", name=option, exact=True)
    for _ in range(5):  # a choice that was drawn anew meanwhile is closed again
        box(page, name).click()
        with suppress(TooLate):
            choice.click(timeout=3_000)
            return
        page.keyboard.press("Escape")
    raise AssertionError(f"{option} could not be chosen as {name}")


def row(grid: Locator, place: int, width: int = 4) -> list[str]:
    """Read one row of numbers, once they are drawn."""
    grid.locator(".cell").nth((place + 1) * width - 1).wait_for()
    return grid.locator(".cell").all_inner_texts()[place * width : (place + 1) * width]


def test_softmax_beside_sparsemax_with_their_difference_and_a_sentence(visit):
    tab = visit("/lab", link={"lang": "en"})
    page = tab.page
    choose(page, t("bench.field"), t("drawer.normalizer"))
    choose(page, t("bench.value"), t("normalizer.sparsemax"))
    expect(page).to_have_url(re.compile("b=norm%3Dsparsemax"))
    expect(tab.grid("α′ side B").locator(".cell").nth(6)).to_have_text("1.00")
    assert row(tab.grid("α′ side A"), 1) == ["0.03", "0.21", "0.56", "0.21"]
    assert row(tab.grid("Δα′"), 1) == ["−0.03", "−0.21", "0.44", "−0.21"]
    expect(page.get_by_text("The entropy of token 2 goes from 1.08 to 0 nats")).to_be_visible()
    tab.grid("Δα′").locator(".cell").nth(6).hover()
    expect(tab.readout()).to_have_text(
        t("bench.cell", pair="₂,₃", before="0.56", after="1", change="0.44")
    )
    page.get_by_role("button", name="Normalizer: softmax → sparsemax").click()
    expect(page.get_by_text(t("bench.same"))).to_be_visible()
    assert tab.wrong == []


def test_an_experiment_is_one_click_and_its_link_brings_it_back(visit):
    tab = visit("/lab", link={"lang": "en"})
    choose(tab.page, t("bench.question"), t("experiment.zero_query.claim"))
    finding = "Every weight of token 2 that may be is 0.25"
    expect(tab.page.get_by_text(finding)).to_be_visible()
    expect(tab.page).to_have_url(re.compile("exp=zero_query"))
    expect(tab.page).not_to_have_url(re.compile(r"[?&]b="))
    again = visit("/lab", link={"lang": "en", "exp": "zero_query"})
    expect(again.page.get_by_text(finding)).to_be_visible()
    assert row(again.grid("α′ side B"), 1) == ["0.25"] * 4
    again.page.get_by_role("button", name=t("bench.swap")).click()
    expect(again.page).to_have_url(re.compile("w=typed"))
    expect(again.grid("α′ side A").locator(".cell").first).to_have_text("0.25")
    assert again.wrong == []


def test_an_experiment_is_chosen_and_side_b_kept_by_keys_alone(visit):
    tab = visit("/lab", link={"lang": "en"})
    page = tab.page
    box(page, t("bench.question")).focus()
    page.keyboard.type("dictionary")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("exp=hardmax"))
    tab.settle()
    page.get_by_role("button", name=t("bench.take")).focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("norm=hardmax"))
    expect(page).not_to_have_url(re.compile("exp="))
    page.locator(".chip, .token").nth(2).focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=2"))
    assert tab.wrong == []


def test_the_bench_in_chinese_on_a_dark_page(visit):
    tab = visit("/lab", link={"exp": "tied"}, locale="zh-TW", scheme="dark")
    page = tab.page
    expect(page.get_by_text("α₂,₁ = −2，但 α₁,₂ = −1")).to_be_visible()
    expect(page.get_by_text(zh("bench.differs"))).to_be_visible()
    assert row(tab.grid("α′ 乙邊"), 1) == ["0.15", "0.40", "0.05", "0.40"]
    tops = [tab.grid(name).bounding_box()["y"] for name in ("α′ 甲邊", "α′ 乙邊", "Δα′ 乙 − 甲")]
    assert max(tops) - min(tops) < 1  # side by side, in Chinese too
    assert tab.wrong == []


def test_no_question_scrolls_sideways_on_a_phone(visit):
    for panel in ("bench", "normalizers", "score_functions"):
        tab = visit("/lab", link={"panel": panel}, locale="zh-TW", phone=True)
        assert tab.page.evaluate(SIDEWAYS) == [0, 0], panel
        assert tab.wrong == []
        tab.page.close()


def test_a_click_on_a_name_uses_that_normalizer_and_that_score_everywhere(visit):
    tab = visit("/lab", link={"lang": "en", "panel": "normalizers"})
    page = tab.page
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    tab.grid("α′₂").locator(".row.pick", has_text="sigmoid").click()
    expect(page).to_have_url(re.compile("norm=sigmoid"))
    page.get_by_text(t("panel.score_functions"), exact=True).click()
    tab.grid("α₂").locator(".row.pick", has_text=t("scorings.scaled")).click()
    expect(page).to_have_url(re.compile("scale=sqrt_d_k"))
    tab.grid("α₂").locator(".cell").nth(2).hover()
    expect(page.get_by_text("α₂,₃ = (−1)(1) + (1)(2) = 1", exact=True)).to_be_visible()
    assert tab.wrong == []


def test_a_projector_shows_the_question_and_both_sides(visit):
    tab = visit("/lab", link={"lang": "en", "exp": "causal", "present": "1"})
    expect(tab.page.get_by_role("button", name=t("bench.swap"))).to_have_count(0)
    expect(tab.page.get_by_text("Token 2 sees 2 of 4 keys.")).to_be_visible()
    expect(tab.grid("α′ side B")).to_be_visible()
    assert tab.wrong == []
