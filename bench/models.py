"""Measure what a real model costs: its capture beside its plain pass, and its heads on the page."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from playwright.sync_api import Page, sync_playwright

from bench.see import APP, FLOOR, LAUNCH, Figure, machine
from tests.conftest import CHROMIUM, serving

SENTENCE = "The animal didn't cross the street because it was too tired. "
LENGTHS = (16, 128, 512)
PASSES = {
    "plain": "model.network(**inputs)",
    "capture": "model.capture(text)",
    "attentions": "model.network(**inputs, output_attentions=True)",
}
PROGRAM = """
import json, os, resource, sys, time
import torch
torch.set_num_threads(1)
from attnviz.models.load import load_model
what, n, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = load_model("default")
words = {sentence!r}.split() * 60
text = words[0]
while len(model.tokenizer(text + " " + words[0])["input_ids"]) <= n:
    text += " " + words[len(text.split()) % len(words)]
inputs = {{"input_ids": torch.tensor([model.tokenizer(text)["input_ids"]])}}
if what == "attentions":
    model.network.set_attn_implementation("eager")
elif what == "plain":
    model.network.set_attn_implementation("sdpa")
def run():
    with torch.inference_mode():
        return {calls}[what]()
run()
kept = run()
times = []
for _ in range(rounds):
    start = time.process_time()
    kept = run()
    times.append((time.process_time() - start) * 1000)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{"ms": times, "peak": peak, "n": inputs["input_ids"].shape[1]}}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="passes of each kind; clicks")
    rounds = parser.parse_args().rounds
    with sync_playwright() as play:
        print(machine(play), end="\n\n")
    print("| figure | attnviz | beside it | target | met |", "|---" * 5 + "|", sep="\n")
    for length in LENGTHS:
        for figure in captures(length, rounds):
            print(figure, flush=True)
    for figure in page(rounds):
        print(figure, flush=True)
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def captures(n_tokens: int, rounds: int) -> list[Figure]:
    """Compare a capture with the plain pass of the fast kernel, each in a process of its own."""
    found = {what: passed(what, n_tokens, rounds) for what in PASSES}
    plain, own, eager = (found[what] for what in ("plain", "capture", "attentions"))
    ratio = statistics.median(own["ms"]) / statistics.median(plain["ms"])
    memory = own["peak"] / plain["peak"]
    return [
        Figure(
            f"capture of {own['n']} tokens, CPU",
            f"{statistics.median(own['ms']):.0f} ms",
            f"plain pass {statistics.median(plain['ms']):.0f} ms, "
            f"eager with attentions {statistics.median(eager['ms']):.0f} ms",
        ),
        Figure("· over the plain pass", f"{ratio:.2f} ×", "1", "≤ 1.15 ×", ratio <= 1.15),
        Figure(
            "· peak memory of the process",
            f"{own['peak'] / 1024:.0f} MB",
            f"plain {plain['peak'] / 1024:.0f} MB, with attentions {eager['peak'] / 1024:.0f} MB",
        ),
        Figure("· over the plain pass", f"{memory:.2f} ×", "1", "≤ 1.2 ×", memory <= 1.2),
    ]


def passed(what: str, n_tokens: int, rounds: int) -> dict:
    """Run one kind of pass in a fresh process."""
    calls = "{" + ", ".join(f"{name!r}: lambda: {call}" for name, call in PASSES.items()) + "}"
    program = PROGRAM.format(sentence=SENTENCE, calls=calls)
    arguments = [what, str(n_tokens), str(rounds)]
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout.splitlines()[-1])


def page(rounds: int) -> list[Figure]:
    """Open the page beside one line of text, then open other heads of a text of 500 tokens."""
    text = (SENTENCE * 40)[: 12 * 180]
    with sync_playwright() as play, serving(APP) as ours, serving(FLOOR) as floor:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(LAUNCH))
        first = browser.new_page()
        first.goto(f"{ours}/models")
        first.locator(".lines .token.query").first.wait_for(timeout=120_000)
        first.close()
        opened, whole = (
            [timed(browser.new_page, f"{ours}/models", part) for _ in range(rounds)]
            for part in (".heads .over", ".lines .token.query")
        )
        line = [
            timed(browser.new_page, floor, "[data-testid=stMarkdownContainer]")
            for _ in range(rounds)
        ]
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(f"{ours}/models")
        tab.locator(".lines .token.query").first.wait_for(timeout=120_000)
        tab.locator("textarea").first.fill(text)
        tab.locator(".st-key-models\\.read button, .st-key-models-read button").first.click()
        tab.wait_for_timeout(4_000)
        count = tab.locator(".lines .token.query").count()
        switches = [switched(tab) for _ in range(rounds)]
        moves = pointed(tab)
        browser.close()
    ratio = statistics.median(opened) / statistics.median(line)
    return [
        Figure(
            "Models opened on its example: all heads, warm server",
            f"{statistics.median(opened):.0f} ms",
            f"{statistics.median(line):.0f} ms",
        ),
        Figure("· as a ratio", f"{ratio:.2f} ×", "1", "≤ 1.75 ×", ratio <= 1.75),
        Figure("· the lines of one head too", f"{statistics.median(whole):.0f} ms"),
        Figure(
            f"another head of {count} tokens: click to its lines",
            f"{statistics.median(switches):.0f} ms ({min(switches):.0f}–{max(switches):.0f})",
        ),
        Figure("point at a token: its sentence", f"{moves:.0f} ms", "", "≤ 33 ms", moves <= 33),
    ]


def timed(new_page: Callable[[], Page], address: str, selector: str) -> float:
    """Open an address with an empty cache, and wait for a part of it."""
    tab = new_page()
    start = time.perf_counter()
    tab.goto(address)
    tab.locator(selector).first.wait_for(timeout=120_000)
    took = (time.perf_counter() - start) * 1000
    tab.close()
    return took


CLICK = """
() => new Promise((done) => {
  const host = "[data-testid=stBidiComponentIsolated]";
  const root = (key) => document.querySelector(`.st-key-${key} ${host}`).shadowRoot;
  const over = root("head_grid").querySelector(".over");
  const names = root("token_lines").querySelector(".names");
  const start = performance.now();
  new MutationObserver((_, watch) => {
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
  }).observe(names, { childList: true, subtree: true, characterData: true });
  over.focus();
  over.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  over.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
})
"""
POINT = """
() => new Promise((done) => {
  const key = ".st-key-token_lines [data-testid=stBidiComponentIsolated]";
  const root = document.querySelector(key).shadowRoot;
  const tokens = [...root.querySelectorAll(".token.query")].slice(0, 40);
  const took = [];
  const next = () => {
    const token = tokens.shift();
    if (!token) return done(took.sort((a, b) => a - b)[took.length >> 1]);
    const start = performance.now();
    token.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
    requestAnimationFrame(() => { took.push(performance.now() - start); setTimeout(next, 20); });
  };
  next();
})
"""


def switched(tab: Page) -> float:
    """Open the next head by the keyboard: until two frames after its name is there."""
    took = tab.evaluate(CLICK)
    tab.wait_for_timeout(700)
    return took


def pointed(tab: Page) -> float:
    """Point at tokens: until the next frame."""
    return tab.evaluate(POINT)


if __name__ == "__main__":
    main()
