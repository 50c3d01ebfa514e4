"""Arrows that are dragged: the numbers follow in the browser, and the server settles them."""

import re

from playwright.sync_api import Locator, Page, expect

from attnviz.lessons.importance import importance
from attnviz.scene import scene_of
from attnviz.settings import Settings, from_query
from attnviz.text import words
from attnviz.text.numbers import decimals, table, vector

t = words("en")
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
COUNT = """(arrow) => {
    window.redraws = 0;
    new MutationObserver(() => window.redraws++).observe(arrow, { attributes: true });
}"""


def board(page: Page, name: str) -> Locator:
    found = page.locator(f".st-key-plane-{name}")
    expect(found.locator(".board")).to_be_visible()
    return found


def grip(plane: Locator, arrow: str) -> Locator:
    return plane.locator(f"[id={arrow}] .grip")


def hold(page: Page, handle: Locator) -> tuple[float, float]:
    """Take hold of a tip with the mouse; give where it is."""
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    return middle


def column(plane: Locator, key: str) -> list[str]:
    return plane.locator(f"td[id^={key}] span").all_inner_texts()


def head_of(page: Page):
    """Compute in Python what the link of the page says."""
    query = dict(part.split("=", 1) for part in page.url.partition("?")[2].split("&"))
    settings, unreadable = from_query(
        {
            key: text.replace("%3A", ":").replace("%2C", ",").replace("%3B", ";")
            for key, text in query.items()
        }
    )
    assert unreadable == ()
    assert settings.moves
    return scene_of(settings).dragged(settings.moves, 0)


def test_scores_weights_and_b_follow_a_dragged_key_and_settle_with_the_servers_numbers(visit):
    tab = visit("/steps", link={"step": "scores"})
    page, plane = tab.page, board(tab.page, "scores")
    assert column(plane, "scores") == ["−2", "0", "1", "0"]
    assert column(plane, "weights") == ["0.03", "0.21", "0.56", "0.21"]
    before = len(tab.frames)
    x, y = hold(page, grip(plane, "k0"))
    page.mouse.move(x - 40, y - 25, steps=4)
    page.mouse.move(x - 90, y - 60, steps=4)
    expect(plane.locator("[id=weights0] span")).not_to_have_text("0.03")
    expect(plane.locator(".readout")).to_contain_text("k₁ = ")
    assert len(tab.frames) == before
    live = {key: column(plane, key) for key in ("scores", "weights")}
    b = plane.locator(".readout").inner_text().rpartition("b₂ = ")[2]
    page.mouse.up()
    expect(page).to_have_url(re.compile("move=k0"))
    expect(page.get_by_role("button", name=t("plane.put_back")).nth(0)).to_be_enabled()
    tab.settle()
    trace = head_of(page)
    assert live["scores"] == table([trace.scores[1]], 2)[0]
    assert live["weights"] == table([trace.weights[1]], 2)[0]
    assert b == vector(trace.output[1], 2)
    for key, texts in live.items():
        assert column(plane, key) == texts
    assert tab.wrong == []


def test_every_move_of_the_pointer_is_drawn_without_asking_the_server(visit):
    tab = visit("/lab", link={"panel": "importance"})
    page, plane = tab.page, board(tab.page, "importance")
    x, y = hold(page, grip(plane, "v0"))
    plane.locator("[id=b] .head").evaluate(COUNT)
    before, moves = len(tab.frames), 60
    for step in range(moves):
        page.mouse.move(x - step, y + step / 2)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    drawn = page.evaluate("window.redraws")
    assert drawn >= moves / 2
    assert len(tab.frames) == before
    page.mouse.up()
    expect(page).to_have_url(re.compile("move=v0"))
    assert tab.wrong == []


def test_a_big_weight_that_matters_nothing(visit):
    tab = visit("/lab", link={"panel": "importance"})
    page, plane = tab.page, board(tab.page, "importance")
    found = importance(scene_of(Settings()).trace.head(0), 1)
    assert column(plane, "effects") == [decimals(effect, 2) for effect in found.effects]
    page.get_by_role("button", name=t("importance.put", name="v₃")).click()
    expect(plane.locator("[id=effects2] span")).to_have_text("0.00")
    assert column(plane, "weights")[2] == "0.56"
    page.get_by_role("button", name=t("plane.put_back")).click()
    expect(plane.locator("[id=effects2] span")).to_have_text(decimals(found.effects[2], 2))
    expect(page).not_to_have_url(re.compile("move="))


def test_arrows_are_moved_with_the_keys_and_the_step_stays(visit):
    tab = visit("/steps", link={"step": "scores"})
    page, plane = tab.page, board(tab.page, "scores")
    before = len(tab.frames)
    plane.get_by_role("slider", name=t("plane.q", name="q₂", token="saw", place=2)).focus()
    page.keyboard.press("Shift+ArrowLeft")
    for key in ("ArrowRight", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    line = plane.locator(".readout")
    expect(line).to_contain_text("q₂ = (−1.90, 1.20)")
    assert line.get_attribute("aria-live") == "polite"
    assert len(tab.frames) == before
    expect(page).to_have_url(re.compile("move=q1"))
    tab.settle()
    assert column(plane, "scores") == table([head_of(page).scores[1]], 2)[0]
    expect(page.locator(".deck .place")).to_have_text(t("steps.place", i=3, n=7))
    focused = "document.querySelector('.st-key-plane-scores').matches(':focus-within')"
    assert page.evaluate(focused)


def test_a_link_opens_with_its_arrows_where_they_were_in_the_dark(visit):
    tab = visit("/lab", link={"panel": "importance", "move": "v2:1.5,.5"}, scheme="dark")
    plane = board(tab.page, "importance")
    tip = grip(plane, "v2")
    expect(tip).to_have_attribute("aria-valuetext", "(1.50, 0.50)")
    expect(tab.page.get_by_text(t("plane.moved", names="v₃"))).to_be_visible()
    trace = head_of(tab.page)
    expect(plane.locator(".readout")).to_contain_text(vector(trace.output[1], 2))
    assert tab.wrong == []


def test_a_finger_drags_on_a_phone_and_the_page_does_not_scroll_sideways(visit):
    tab = visit("/lab", link={"panel": "importance"}, phone=True, locale="zh-TW")
    page, plane = tab.page, board(tab.page, "importance")
    expect(page.get_by_text(words("zh-Hant")("importance.title"))).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    handle = grip(plane, "v0")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": px, "y": py} for px, py in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    scrolled = page.evaluate("document.querySelector('.stMain').scrollTop")
    before = len(tab.frames)
    touch("touchStart", (x, y))
    for step in range(1, 9):
        touch("touchMove", (x - 5 * step, y + 6 * step))
    expect(handle).not_to_have_attribute("aria-valuetext", "(1, 2)")
    assert len(tab.frames) == before
    touch("touchEnd")
    expect(page).to_have_url(re.compile("move=v0"))
    assert page.evaluate("document.querySelector('.stMain').scrollTop") == scrolled
    assert tab.wrong == []


def test_what_only_the_server_computes_is_said_and_shown_once_the_arrow_is_let_go(visit):
    tab = visit("/steps", link={"step": "scores", "score": "additive"})
    page, plane = tab.page, board(tab.page, "scores")
    x, y = hold(page, grip(plane, "q1"))
    page.mouse.move(x + 30, y + 50, steps=3)
    expect(plane.locator(".readout")).to_contain_text(t("plane.unknown"))
    assert column(plane, "scores") == ["…"] * 4
    page.mouse.up()
    expect(plane.locator("[id=scores0] span")).not_to_have_text("…")
    assert column(plane, "scores") == table([head_of(page).scores[1]], 2)[0]
