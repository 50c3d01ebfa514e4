"""Measure the two first pages beside a Streamlit page with one line of text, all in one run."""

import argparse
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from attnviz.attention import NORMALIZERS
from attnviz.text import words
from tests.conftest import CHROMIUM, ROOT, serving

LANGUAGE = "en"
LAUNCH = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
FLOOR = Path(__file__).parent / "one_line.py"
APP = ROOT / "app.py"

# Where to look for what is waited for: the key of a component, and a selector inside it.
NOTHING = ("", "")
ONE_LINE = ("", "[data-testid=stMarkdownContainer]")
HERO = ("first_screen", ".tables")
READOUT = ("first_screen", ".readout")
STEP = ("deck", ".place")

# Runs in the page before its own scripts. Each frame that changes the page gets a small dot, and
# Chromium's element timing tells when the frame with that dot was presented. The changes that a
# person waits for are in the same frame as the dot that was put in with them.
WATCH = """
(() => {
  const presented = new Map();
  const dots = document.createElement("div");
  dots.style.cssText = "position:fixed;left:0;top:0;font:8px monospace;pointer-events:none";
  dots.style.zIndex = 1e6;
  let act, serial = 0, pending = 0;

  const read = ([key, selector]) => {
    const host = `.st-key-${key} [data-testid=stBidiComponentIsolated]`;
    const root = key ? document.querySelector(host)?.shadowRoot : document;
    return (selector && root?.querySelector(selector)?.textContent) ?? "";
  };
  const begin = (probe, event = null) => {
    act = { probe, event, before: read(probe), start: event ? null : 0, sent: [], got: [] };
    act.begun = act.last = performance.now();
  };

  const mark = () => {
    if (!dots.isConnected) document.body.append(dots);
    const dot = document.createElement("div");
    dot.textContent = ".";
    dot.id = pending = ++serial;
    dot.setAttribute("elementtiming", serial);
    dots.append(dot);
    requestAnimationFrame(() => (pending = 0));
  };
  // Popovers and what is read aloud come and go beside the app, some of them seconds later.
  const inside = ({ target }) =>
    target.getRootNode() instanceof ShadowRoot || document.getElementById("root")?.contains(target);
  const changed = (records) => {
    if (!records.some(inside)) return;
    act.last = performance.now();
    if (!pending) mark();
    act.latest = pending;
    if (!act.wanted && read(act.probe) !== act.before) act.wanted = pending;
  };
  const watch = (root) => {
    const what = { childList: true, characterData: true, subtree: true };
    new MutationObserver(changed).observe(root, what);
    return root;
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { return watch(attach.call(this, how)); };
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    presented.set(Number(entry.identifier), entry.renderTime);
    document.getElementById(entry.identifier)?.remove();
  })).observe({ type: "element", buffered: true });

  for (const name of ["pointerup", "pointermove", "keydown"]) {
    const started = (event) => { if (name === act.event) act.start ??= event.timeStamp; };
    window.addEventListener(name, started, { capture: true });
  }

  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    act.sent.push(performance.now());
    send.call(this, data);
  };
  window.WebSocket = class extends WebSocket {
    constructor(...wire) {
      super(...wire);
      this.addEventListener("message", ({ data }) => {
        act.last = performance.now();
        act.got.push([act.last, data.byteLength ?? data.size ?? data.length]);
      });
    }
  };

  const settled = (quiet) => new Promise((done, fail) => {
    const look = setInterval(() => {
      const now = performance.now();
      const there = act.probe[1] ? presented.has(act.wanted) : act.got.length;
      const painted = !act.latest || presented.has(act.latest);
      if (there && painted && now - act.last > quiet) {
        clearInterval(look);
        const [wanted, latest] = [act.wanted, act.latest].map((dot) => presented.get(dot) ?? NaN);
        const { start, sent, got } = act;
        done({ origin: performance.timeOrigin, start, wanted, latest, sent, got });
      } else if (now - act.begun > 30000) {
        clearInterval(look);
        fail(new Error(`nothing was presented in 30 s: ${JSON.stringify(act)}`));
      }
    }, 50);
  });
  watch(document);
  begin(PROBE);
  window.bench = { begin, settled };
})();
"""


class Seen(NamedTuple):
    """What a page saw of one act: moments in ms after `origin`, which is in ms of the epoch."""

    origin: float
    start: float  # the event that began it, or the navigation
    wanted: float  # what was waited for is presented
    latest: float  # the last change of the page is presented
    sent: list[float]  # frames to the server
    got: list[tuple[float, int]]  # frames from the server, and their bytes

    @property
    def asked(self) -> float:
        """When the first frame went to the server."""
        return self.sent[0]

    @property
    def answered(self) -> float:
        """When the last frame came back."""
        return self.got[-1][0]

    def bytes_until(self, moment: float) -> int:
        """Add up what had come through the websocket."""
        return sum(n_bytes for came, n_bytes in self.got if came <= moment)


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    ours: str
    floor: str = ""
    target: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        """Write it as a row of a Markdown table."""
        met = "" if self.met is None else "yes" if self.met else "**no**"
        return f"| {self.what} | {self.ours} | {self.floor} | {self.target} | {met} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="openings of each page; acts: twice")
    rounds = parser.parse_args().rounds
    with sync_playwright() as play:
        print(machine(play), end="\n\n")
        print("| figure | attnviz | one line | target | met |", "|---" * 5 + "|", sep="\n")
        for figure in chain(cold_starts(play, rounds), warm(play, rounds)):
            print(figure, flush=True)
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def machine(play: Playwright) -> str:
    """Describe what was measured on, in one line."""
    with launched(play) as browser:
        version = browser.version
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{date.today()}: {os.cpu_count()} cores ({(names or [platform.machine()])[0]}), "
        f"{memory:.0f} GiB, Chromium {version} headless with software rendering, "
        f"load {os.getloadavg()[0]:.1f} before the run."
    )


# Opening a page


@contextmanager
def launched(play: Playwright) -> Iterator[Browser]:
    """Start a browser of its own."""
    browser = play.chromium.launch(executable_path=CHROMIUM, args=list(LAUNCH))
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def fresh_page(browser: Browser, probe: tuple) -> Iterator[Page]:
    """Give a page with an empty cache that watches for what the probe finds."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, locale=LANGUAGE, color_scheme="light"
    )
    page = context.new_page()
    page.add_init_script(WATCH.replace("PROBE", json.dumps(probe)))
    try:
        yield page
    finally:
        context.close()


def opened(page: Page, address: str) -> Seen:
    """Open the address, and wait until what is watched for is presented and the page is quiet."""
    page.goto(address, wait_until="commit")
    return settled(page, 600)


def settled(page: Page, quiet: int) -> Seen:
    """Wait until nothing has changed for so many milliseconds."""
    return Seen(**page.evaluate("quiet => bench.settled(quiet)", quiet))


def cold_starts(play: Playwright, rounds: int) -> Iterator[Figure]:
    """Time from starting the server to the page, each time with a new browser."""
    healthy, presented = ({APP: [], FLOOR: []} for _ in range(2))
    for script, probe in islice(cycle(((APP, HERO), (FLOOR, ONE_LINE))), 2 * rounds):
        with launched(play) as browser, fresh_page(browser, probe) as page:
            start = time.time()
            with serving(script) as address:
                healthy[script].append(1000 * (time.time() - start))
                seen = opened(page, address)
                presented[script].append(seen.origin + seen.wanted - 1000 * start)
    yield Figure("cold start: server answers", ms(healthy[APP]), ms(healthy[FLOOR]))
    yield Figure("cold start: first matrix presented", ms(presented[APP]), ms(presented[FLOOR]))


def cold_pages(browser: Browser, addresses: dict[Path, str], rounds: int) -> Iterator[Figure]:
    """Time from navigation to the page, the server warm and the browser's cache empty."""
    first, whole = ({APP: [], FLOOR: []} for _ in range(2))
    for script, probe in islice(cycle(((APP, HERO), (FLOOR, ONE_LINE))), 2 * rounds):
        with fresh_page(browser, probe) as page:
            seen = opened(page, addresses[script])
            first[script].append(seen.wanted)
            whole[script].append(seen.latest)
    ratio = statistics.median(a / b for a, b in zip(first[APP], first[FLOOR], strict=True))
    yield Figure("cold page: first matrix presented", ms(first[APP]), ms(first[FLOOR]))
    yield Figure("· as a ratio, pair by pair", f"{ratio:.2f} ×", "1", "≤ 1.5 ×", ratio <= 1.5)
    yield Figure("· last change of the page presented", ms(whole[APP]), ms(whole[FLOOR]))


def weights(browser: Browser, addresses: dict[Path, str]) -> Iterator[Figure]:
    """Add up the bytes that had arrived when the page was presented."""
    ours = weigh(browser, addresses[APP], HERO)
    floor = weigh(browser, addresses[FLOOR], ONE_LINE)
    yield Figure("· MB over the wire until then", f"{ours.total:.2f}", f"{floor.total:.2f}")
    light = ours.total - ours.plotly
    yield Figure("· of it without Plotly's chunk", f"{light:.2f}", "", "≤ 3.5", light <= 3.5)
    yield Figure("· of it through the websocket", f"{ours.wire:.3f}", f"{floor.wire:.3f}")


class Weight(NamedTuple):
    """Megabytes that had arrived: all, Plotly's chunk, the websocket's."""

    total: float
    plotly: float
    wire: float


def weigh(browser: Browser, address: str, probe: tuple) -> Weight:
    with fresh_page(browser, probe) as page:
        asked, came = [], []
        network = page.context.new_cdp_session(page)
        network.on("Network.requestWillBeSent", lambda event: asked.append(event))
        network.on("Network.loadingFinished", lambda event: came.append(event))
        network.send("Network.enable")
        seen = opened(page, address)
    urls = {event["requestId"]: event["request"]["url"] for event in asked}
    clock = asked[0]["wallTime"] - asked[0]["timestamp"]
    until = (seen.origin + seen.wanted) / 1000 - clock
    arrived = [event for event in came if event["timestamp"] <= until]
    plotly = [event for event in arrived if "plotly" in urls[event["requestId"]].lower()]
    wire = seen.bytes_until(seen.wanted)
    total = _bytes(arrived) + wire
    return Weight(*(n_bytes / 1e6 for n_bytes in (total, _bytes(plotly), wire)))


def _bytes(events: list[dict]) -> float:
    return sum(event["encodedDataLength"] for event in events)


# Acting on an open page


class Acts(NamedTuple):
    """What was seen of the same act, done several times, and the server's CPU time for each."""

    seen: list[Seen]
    cpu_ms: float

    def times(self, start: str, end: str) -> list[float]:
        """Take the time between two moments of every act."""
        return [getattr(seen, end) - getattr(seen, start) for seen in self.seen]

    @property
    def sent(self) -> int:
        """Count the frames that were sent to the server."""
        return sum(len(seen.sent) for seen in self.seen)

    @property
    def received(self) -> float:
        """Give the median kilobytes that came back."""
        return statistics.median(seen.bytes_until(math.inf) for seen in self.seen) / 1e3


class Act(NamedTuple):
    """One thing that a person does: get ready, then do what is timed from this event on."""

    do: Callable[[], None]
    ready: Callable[[], None] = lambda: None


def acted(
    page: Page, server: psutil.Process, probe: tuple, event: str, acts: list[Act], quiet: int = 300
) -> Acts:
    """Do each act and wait until the page is quiet again; the first one only warms up."""
    seen, before = [], 0.0
    for number, act in enumerate(acts):
        act.ready()
        if number == 1:
            before = cpu_ms(server)
        page.evaluate("([probe, event]) => bench.begin(probe, event)", [probe, event])
        act.do()
        seen.append(settled(page, quiet))
    return Acts(seen[1:], (cpu_ms(server) - before) / (len(acts) - 1))


def cpu_ms(process: psutil.Process) -> float:
    times = process.cpu_times()
    return 1000 * (times.user + times.system)


def chips(page: Page, count: int) -> list[Act]:
    """Click one token after the other."""
    chip = page.locator(".st-key-first_screen .chip")
    places = [_middle(chip.nth(place)) for place in range(chip.count())]
    order = islice(cycle((*places[2:], *places[:2])), count)  # the second token is chosen at first
    return [Act(lambda: _press(page), lambda at=at: page.mouse.move(*at)) for at in order]


def normalizers(page: Page, count: int) -> list[Act]:
    """Choose one normalizer after the other in the open drawer."""
    t = words(LANGUAGE)
    box = page.get_by_role("combobox", name=t("drawer.normalizer"))
    box.scroll_into_view_if_needed()

    def ready(name: str) -> None:
        box.click()
        option = page.get_by_role("option", name=name, exact=True)
        option.scroll_into_view_if_needed()
        page.wait_for_timeout(300)  # until the list has opened
        page.mouse.move(*_middle(option))

    # α-entmax begins as 1.5-entmax, which stands before it: choosing it changes no number.
    names = [name for name in NORMALIZERS if name != "entmax"]
    said = [t(f"normalizer.{name}") for name in islice(cycle((*names[1:], names[0])), count)]
    return [Act(lambda: _press(page), lambda name=name: ready(name)) for name in said]


def cells(page: Page, count: int) -> list[Act]:
    """Point at one weight after the other."""
    cell = page.locator(".st-key-first_screen table.weights .cell")
    places = [_middle(cell.nth(place)) for place in range(cell.count())]
    return [Act(lambda at=at: page.mouse.move(*at)) for at in islice(cycle(places), count)]


def steps(page: Page, count: int) -> list[Act]:
    """Go to the last step, and back again, with the arrow keys."""
    last = int(page.locator(".st-key-deck input[type=range]").get_attribute("max") or 1)
    keys = cycle(["ArrowRight"] * last + ["ArrowLeft"] * last)
    return [Act(lambda key=key: page.keyboard.press(key)) for key in islice(keys, count)]


def _middle(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _press(page: Page) -> None:
    page.mouse.down()
    page.mouse.up()


def change_figures(what: str, acts: Acts, floor: Acts) -> Iterator[Figure]:
    """Take a changed setting apart: script, server, browser."""
    repaint = acts.times("start", "wanted")
    fast = statistics.median(repaint) <= 150
    yield Figure(f"{what}: matrices repainted", ms(repaint), "", "≤ 150 ms", fast)
    yield Figure("· whole page repainted", ms(acts.times("start", "latest")))
    yield Figure("· event to request", ms(acts.times("start", "asked")))
    answer, plain_answer = (ms(each.times("asked", "answered")) for each in (acts, floor))
    yield Figure("· request to last answer", answer, plain_answer)
    yield Figure("· last answer to whole page", ms(acts.times("answered", "latest")))
    yield Figure("· kB received", f"{acts.received:.1f}", f"{floor.received:.1f}")
    cpu, plain_cpu = (f"{each.cpu_ms:.1f} ms" for each in (acts, floor))
    yield Figure("· server's CPU for a rerun", cpu, plain_cpu, "≤ 10 ms", acts.cpu_ms <= 10)


def browser_figures(what: str, acts: Acts) -> Iterator[Figure]:
    """Say how fast the browser answers on its own."""
    times = acts.times("start", "wanted")
    yield Figure(what, ms(times), "", "≤ 33 ms", statistics.median(times) <= 33)
    yield Figure("· requests to the server", str(acts.sent), "", "0", acts.sent == 0)


def warm(play: Playwright, rounds: int) -> Iterator[Figure]:
    """Measure all that needs the server only once."""
    with running(APP) as (ours, server), running(FLOOR) as (plain, plain_server):
        addresses = {APP: ours, FLOOR: plain}
        with launched(play) as browser:
            for _ in range(2):  # what only the very first visitors wait for is in the cold start
                for script, probe in ((APP, HERO), (FLOOR, ONE_LINE)):
                    with fresh_page(browser, probe) as page:
                        opened(page, addresses[script])
            yield from cold_pages(browser, addresses, rounds)
            yield from weights(browser, addresses)
            floor = reruns(browser, plain, plain_server, 2 * rounds + 1)
            yield from see_figures(browser, ours, server, floor, 2 * rounds + 1)
            yield from step_figures(browser, ours, server, 2 * rounds + 1)


@contextmanager
def running(script: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Serve a script; give its address and its process."""
    before = set(psutil.Process().children())
    with serving(script) as address:
        (server,) = set(psutil.Process().children()) - before
        yield address, server


def reruns(browser: Browser, address: str, server: psutil.Process, count: int) -> Acts:
    """Run the one-line page again and again, with Streamlit's own key for it."""
    with fresh_page(browser, ONE_LINE) as page:
        opened(page, address)
        acts = [Act(lambda: page.keyboard.press("r"))] * count
        return acted(page, server, NOTHING, "keydown", acts)


def see_figures(
    browser: Browser, address: str, server: psutil.Process, floor: Acts, count: int
) -> Iterator[Figure]:
    t = words(LANGUAGE)
    with fresh_page(browser, HERO) as page:
        opened(page, address)
        acts = acted(page, server, HERO, "pointerup", chips(page, count))
        yield from change_figures("See, another token asks", acts, floor)
        acts = acted(page, server, READOUT, "pointermove", cells(page, count))
        yield from browser_figures("See, point at a cell: its line presented", acts)
        page.get_by_role("button", name=t("bar.own")).click()
        page.get_by_role("tab", name=t("drawer.attention")).click()
        page.wait_for_timeout(1000)
        acts = acted(page, server, HERO, "pointerup", normalizers(page, count))
        yield from change_figures("See, another normalizer", acts, floor)


def step_figures(
    browser: Browser, address: str, server: psutil.Process, count: int
) -> Iterator[Figure]:
    with fresh_page(browser, STEP) as page:
        opened(page, f"{address}/steps")
        # A step on which a person stays for more than half a second is told to the server.
        acts = acted(page, server, STEP, "keydown", steps(page, count), quiet=150)
        yield from browser_figures("Step by step, → or ←: the step presented", acts)


def ms(times: list[float]) -> str:
    """Write the median, and the range from best to worst."""
    return f"{statistics.median(times):.0f} ms ({min(times):.0f}–{max(times):.0f})"


if __name__ == "__main__":
    main()
