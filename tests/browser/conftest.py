"""Opening the app as a person would, and writing down what the browser did meanwhile."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

Visitor = Callable[..., "Visit"]

LAPTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Mobile Safari/537.36",
}
PATIENCE = 15_000  # milliseconds; a machine that is busy with other things is not a failure
expect.set_options(timeout=PATIENCE)
DRAWN = """() => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(
  ({ shadowRoot }) => shadowRoot?.querySelector("div *")
)"""
QUIET = 100  # milliseconds
SETTLED = ".stApp[data-test-script-state=notRunning][data-test-connection-state=CONNECTED]"


@dataclass
class Visit:
    """One open tab: the page, the frames it sent, what it asked for, and what went wrong."""

    page: Page
    address: str
    frames: list[object] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def outside(self) -> list[str]:
        """Give the requests that left for another host."""
        own = urlsplit(self.address).netloc
        reached = [urlsplit(address) for address in self.asked]
        there = [to for to in reached if to.scheme not in ("data", "blob", "about")]
        return [to.geturl() for to in there if to.netloc != own]

    def settle(self) -> None:
        """Wait until the server's answer has been drawn, by each component too."""
        self.page.locator(SETTLED).wait_for()
        self.page.wait_for_function(DRAWN)
        self.page.wait_for_timeout(QUIET)  # a part that was put in last is drawn a moment later
        self.page.wait_for_function(DRAWN)

    def pressed(self, keys: list[str], look: str) -> list[object]:
        """Press keys, all before a moment can pass, and give what a script sees after each."""
        return self.page.evaluate(
            f"""(keys) => keys.map((key) => {{
              window.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
              return ({look})();
            }})""",
            keys,
        )

    def grid(self, title: str) -> Locator:
        """Find a matrix by a word of its name."""
        return self.page.get_by_role("grid", name=title)

    def cells(self, title: str) -> Locator:
        """Find the numbers of a matrix, row by row."""
        return self.grid(title).locator(".cell")

    def numbers(self) -> list[list[str]]:
        """Read the numbers of every matrix on the page."""
        return [
            grid.locator(".cell").all_inner_texts() for grid in self.page.get_by_role("grid").all()
        ]

    def readout(self) -> Locator:
        """Find the line beneath the first matrices."""
        return self.page.locator(".readout").first

    def drawer(self) -> Locator:
        """Open the drawer, if it is closed, and find it."""
        drawer = self.page.get_by_test_id("stSidebar")
        if self.page.locator(".st-key-control-sentence").count() == 0:
            self.page.locator(".st-key-bar .stButton button").first.click()
        expect(drawer.locator(".st-key-control-sentence")).to_be_visible()
        self.settle()
        return drawer


@pytest.fixture
def visit(app: str, browser: Browser) -> Iterator[Visitor]:
    """Open a page of the app in a browser of its own, with nothing kept from before."""
    tabs: list[Page] = []

    def opened(
        path: str = "/",
        *,
        link: dict[str, str] | None = None,
        address: str = app,
        locale: str = "en-US",
        scheme: str = "light",
        phone: bool = False,
        before: Callable[[Page], None] | None = None,
        ready: str = ".readout, .js-plotly-plot",
    ) -> Visit:
        page = browser.new_page(
            **(PHONE if phone else LAPTOP),
            locale=locale,
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        tabs.append(page)
        page.set_default_timeout(PATIENCE)
        tab = Visit(page, address)
        page.on("request", lambda request: tab.asked.append(request.url))
        page.on("websocket", lambda wire: wire.on("framesent", lambda it: tab.frames.append(it)))
        page.on("pageerror", lambda error: tab.wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and tab.wrong.append(said.text))
        page.on("dialog", lambda dialog: tab.wrong.append(dialog.message) or dialog.dismiss())
        if before is not None:
            before(page)
        query = urlencode(link or {}, quote_via=quote)
        page.goto(f"{address}{path}" + (f"?{query}" if query else ""))
        page.locator(ready).first.wait_for()
        tab.settle()
        return tab

    yield opened
    for page in tabs:
        page.close()
