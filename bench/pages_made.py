"""Make one page of a real model's weights in one of several ways, and print what it cost.

    python -m bench.pages_made WAY N_TOKENS FILE

A text longer than the model reads is the queries, keys and values of a shorter one, repeated.
"""

import base64
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import attnviz
from attnviz.models.load import load_model
from attnviz.models.results import Capture
from attnviz.models.visible import Visible
from bench.models import SENTENCE

CANVAS = """<!doctype html><canvas width=1280 height=640></canvas><script>
const bytes = Uint8Array.from(atob("PIXELS"), (c) => c.charCodeAt(0)), n = TOKENS;
const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const map = new OffscreenCanvas(n, n), ink = map.getContext("2d");
for (let head = 0; head < bytes.length / (n * n); head++) {
  const picture = new ImageData(n, n);
  for (let at = 0; at < n * n; at++) picture.data[4 * at + 3] = bytes[head * n * n + at];
  ink.putImageData(picture, 0, 0);
  pen.clearRect(106 * (head % 12), 106 * Math.floor(head / 12), 104, 104);
  pen.drawImage(map, 106 * (head % 12), 106 * Math.floor(head / 12), 104, 104);
}
canvas.className = "done";
</script>"""


def ours(capture: Capture, weights: list[np.ndarray], file: Path) -> None:
    attnviz.show(capture).save(file)


def plotly(capture: Capture, weights: list[np.ndarray], file: Path) -> None:
    """Make one chart with a heat map for each head, as the documentation of Plotly does."""
    from plotly.subplots import make_subplots

    maps = make_subplots(len(weights), len(weights[0]))
    for number, heads in enumerate(weights, 1):
        for head, one in enumerate(heads, 1):
            maps.add_heatmap(z=one, showscale=False, row=number, col=head)
    file.write_text(maps.to_html(include_plotlyjs=True), "utf-8")


def canvas(capture: Capture, weights: list[np.ndarray], file: Path) -> None:
    """Make the least that shows every weight: one byte each, on one canvas."""
    pixels = base64.b64encode((np.concatenate(weights) * 255).astype(np.uint8).tobytes()).decode()
    n_tokens = str(len(capture.tokens))
    file.write_text(CANVAS.replace("PIXELS", pixels).replace("TOKENS", n_tokens), "utf-8")


def bertviz(capture: Capture, weights: list[np.ndarray], file: Path) -> None:
    import torch
    from bertviz import head_view  # pyright: ignore[reportMissingImports]

    tensors = [torch.from_numpy(heads)[None] for heads in weights]
    names = [token.text for token in capture.tokens]
    made = head_view(tensors, names, html_action="return")
    file.write_text("" if made is None else made.data, "utf-8")


MAKERS: dict[str, Callable[[Capture, list[np.ndarray], Path], None]] = {
    "attnviz": ours,
    "plotly": plotly,
    "canvas": canvas,
    "bertviz": bertviz,
}


def captured(n_tokens: int) -> Capture:
    """Capture the default model, and cut or repeat its tokens."""
    found = load_model("default").capture(SENTENCE * 60, window=0)
    places = np.arange(n_tokens) % len(found.tokens)

    def fitted(part: np.ndarray | None) -> np.ndarray | None:
        return None if part is None else part[:, places]

    layers = tuple(
        replace(
            layer,
            visible=Visible(n_query=n_tokens, n_key=n_tokens),
            query=fitted(layer.query),
            key=fitted(layer.key),
            value=fitted(layer.value),
            witness=None,
        )
        for layer in found.layers
    )
    tokens = tuple(found.tokens[place] for place in places)
    return replace(found, tokens=tokens, layers=layers, hidden=None)


def weights_of(capture: Capture) -> list[np.ndarray]:
    """Make the weights of every head, which is what the other ways need."""
    return [
        np.stack([layer.weights(head) for head in range(layer.n_heads)]) for layer in capture.layers
    ]


def main() -> None:
    way, n_tokens, file = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    if way == "bertviz" and importlib.util.find_spec(way) is None:
        print("null")
        return
    capture = captured(n_tokens)
    n_weights = sum(layer.n_heads for layer in capture.layers) * n_tokens**2
    weights = [] if way == "attnviz" else weights_of(capture)
    MAKERS[way](captured(2), [heads[:, :2, :2] for heads in weights], file)  # imports, first use
    start = time.process_time()
    MAKERS[way](capture, weights, file)
    took = (time.process_time() - start) * 1000
    print(json.dumps({"ms": took, "bytes": file.stat().st_size, "weights": n_weights}))


if __name__ == "__main__":
    main()
