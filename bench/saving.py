"""Measure a real model saved as one page, beside what else makes a page of the same weights."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.see import LAUNCH, Figure, machine
from tests.conftest import CHROMIUM

N_TOKENS = 512
LENGTHS = (1_024, 2_048)
MOST_SECONDS = 10

# What makes the page, and the part of it that is there when all is drawn.
WAYS = {
    "attnviz": ".heads .over",
    "plotly": ".main-svg >> nth=-1",
    "canvas": "canvas.done",
    "bertviz": "",  # its scripts come from another host
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="pages of each kind")
    rounds = parser.parse_args().rounds
    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        print(machine(play), end="\n\n")
        print("| figure | attnviz | beside it | target | met |", "|---" * 5 + "|", sep="\n")
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(LAUNCH))
        for figure in [*beside(browser, rounds, Path(folder)), *longer(browser, Path(folder))]:
            print(figure, flush=True)
        browser.close()
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def beside(browser: Browser, rounds: int, folder: Path) -> list[Figure]:
    """Make and open pages of the same weights, each way in turn."""
    found = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            file = folder / f"{way}.html"
            made = written(way, N_TOKENS, file)
            if made is not None:
                painted = WAYS[way] and drawn(browser, file, WAYS[way])
                found[way].append(made | {"painted": painted or 0.0})
    middle = {
        way: {part: statistics.median(each[part] for each in all_) for part in all_[0]}
        for way, all_ in found.items()
        if all_
    }
    own, plotly, canvas = (middle[way] for way in ("attnviz", "plotly", "canvas"))
    bertviz = middle.get("bertviz")
    other = f", bertviz {bertviz['ms']:.0f} ms" if bertviz else ", bertviz is not installed"
    size = f", bertviz {bertviz['bytes'] / 1e6:.1f} MB" if bertviz else ""
    built, a_weight = own["ms"] / plotly["ms"], own["bytes"] / own["weights"]
    paint = own["painted"] / canvas["painted"]
    return [
        Figure(
            f"all heads of {N_TOKENS} tokens saved as a page, CPU",
            f"{own['ms']:.0f} ms",
            f"Plotly {plotly['ms']:.0f} ms{other}",
        ),
        Figure("· over Plotly", f"{built:.2f} ×", "1", "≤ 0.1 ×", built <= 0.1),
        Figure(
            "· size of the page",
            f"{own['bytes'] / 1e6:.1f} MB",
            f"Plotly {plotly['bytes'] / 1e6:.1f} MB{size}",
        ),
        Figure("· bytes a weight", f"{a_weight:.2f}", "", "≤ 2.1", a_weight <= 2.1),
        Figure(
            "· opened: all heads drawn",
            f"{own['painted']:.0f} ms",
            f"Plotly {plotly['painted']:.0f} ms, one canvas {canvas['painted']:.0f} ms",
        ),
        Figure("· over one canvas", f"{paint:.2f} ×", "1", "≤ 2 ×", paint <= 2),
    ]


def longer(browser: Browser, folder: Path) -> list[Figure]:
    """Make and open pages of longer texts."""
    figures = []
    for n_tokens in LENGTHS:
        file = folder / "longer.html"
        made = written("attnviz", n_tokens, file)
        if made is None:
            raise RuntimeError("attnviz must be installed to be measured; install it")
        seconds = (made["ms"] + drawn(browser, file, WAYS["attnviz"])) / 1000
        named = f"{n_tokens} tokens: saved and opened"
        short = seconds <= MOST_SECONDS
        figures.append(Figure(named, f"{seconds:.1f} s", "", f"≤ {MOST_SECONDS} s", short))
    return figures


def written(way: str, n_tokens: int, file: Path) -> dict | None:
    """Make one page in a process of its own; None where what makes it is not installed."""
    program = [sys.executable, "-m", "bench.pages_made", way, str(n_tokens), str(file)]
    run = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def drawn(browser: Browser, file: Path, selector: str) -> float:
    """Open a page until the frame with its last part is on the screen, in ms."""
    tab = browser.new_page()
    tab.set_default_timeout(120_000)
    start = time.perf_counter()
    tab.goto(file.as_uri(), wait_until="commit")
    tab.locator(selector).first.wait_for()
    tab.screenshot()
    took = (time.perf_counter() - start) * 1000
    tab.close()
    return took


if __name__ == "__main__":
    main()
