"""A capture as one HTML file that opens with no network: every head, its lines and its map.

The pictures are those of the app: their scripts are read as text from `components`, which this
floor does not import. The file holds queries and keys, and makes a head's weights when it is
opened; see `payloads.py`. No script runs but its own, no request leaves, all text is escaped.
"""

import base64
import json
import re
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.exports.captures import check_head
from attnviz.exports.looks import Look
from attnviz.exports.pages import policy
from attnviz.exports.payloads import (
    UNITS,
    Payload,
    described,
    payload,
    rounded,
    side,
    size_of,
)
from attnviz.figures.theme import THEMES, ThemeName, luminance
from attnviz.models.catalogue import Entry, catalogue
from attnviz.models.editing.edits import EVERY_HEAD, Edit
from attnviz.models.results import Capture
from attnviz.models.views import BLOCKS, MOST_EXACT, Thumbnails, Unit, thumbnails
from attnviz.text import Words
from attnviz.text.numbers import number

LARGEST = 384 * 2**20
"""Bytes of the largest page: a browser's longest text is not much longer."""

MOST_LINES = 512
"""Tokens of the longest text that is drawn with lines."""

_COMPONENTS = ("head_grid", "token_lines", "heat_canvas", "patch_picture")
_PATCHES = (
    "hint",
    "looks",
    "looked",
    "looks_most",
    "looked_most",
    "patch",
    "share",
    "join",
    "pair",
    "beside",
    "scale",
    "plain",
    "way",
    "label",
)
_LONGEST_TITLE = 80
_PALE = 0.179  # the luminance on which black and white read equally well

_HEAD = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1><bdi>{heading}</bdi></h1>
<ul class="chips">{chips}</ul>
<p class="read"><bdi>{text}</bdi></p>
<noscript><p>{no_script}</p></noscript>
<div class="ways">
<span><label for="layer">{layer}</label> <select id="layer"></select></span>
<span><label for="head">{head}</label> <select id="head"></select></span>
<span id="units"><label for="unit">{unit}</label> <select id="unit"></select></span>
</div>
<div id="pictures">
<section><div id="head_grid"></div>
<h2 id="map-title"></h2><div id="heat_canvas"></div><p id="said" aria-live="polite"></p></section>
<section><div id="token_lines"></div><div id="patch_picture"></div></section>
</div>
<p id="no-lines" class="quiet" hidden>{no_lines}</p>
<p class="quiet">{offline}</p>
</main>
"""


def capture_page(
    capture: Capture,
    look: Look | None = None,
    *,
    layer: int = 0,
    head: int = 0,
    unit: Unit = "pieces",
) -> bytes:
    """Write a capture as one HTML file that opens with this head; layers and heads count from 0.

    Raises:
        InputError: if there is no such head, or more is captured than one file can hold.
    """
    check_head(capture, layer, head)
    if size_of(capture) * 4 // 3 > LARGEST:
        got = size_of(capture) * 4 // 3 // 2**20
        raise InputError("export.capture_too_large", most=LARGEST // 2**20, got=got)
    look = look or Look()
    maps = [thumbnails(capture, place) for place in range(capture.n_layers)]
    made = [payload(each) for each in capture.layers]
    opened = {"layer": layer, "head": head, "unit": unit, "digits": look.digits}
    page = _json(_description(capture, look, maps, made) | opened)
    blocks = [_block(f"layer-{place}", part.data) for place, part in enumerate(made)]
    first = [page, _block("maps", b"".join(each.shades for each in maps)), blocks[layer]]
    if capture.picture is not None:
        first.append(_block("picture", zlib.compress(capture.picture.tobytes())))
    later = [block for place, block in enumerate(blocks) if place != layer]
    run = [b"<script>", _script().encode(), b"</script>\n"]
    return b"".join([_head(capture, look), *first, *run, *later, b"</body>\n</html>\n"])


def _description(
    capture: Capture, look: Look, maps: Sequence[Thumbnails], made: Sequence[Payload]
) -> dict[str, Any]:
    """Give all that is no array, as the script of the page reads it."""
    t = look.t
    return {
        "layers": [
            described(layer, part, small.shape) | _named(capture, place, t)
            for place, (layer, part, small) in enumerate(
                zip(capture.layers, made, maps, strict=True)
            )
        ],
        "sides": _texts(capture),
        "notes": [
            _note(capture, layer, head, largest, t)
            for layer, small in enumerate(maps)
            for head, largest in enumerate(small.largest)
        ],
        "palettes": {theme: palette(theme) for theme in ("light", "dark")},
        "words": _words(capture, t),
        "turned": look.notation.columns,
        "exact": MOST_EXACT,
        "blocks": BLOCKS,
        "lines": MOST_LINES,
        "picture": _picture(capture),
    }


def _head(capture: Capture, look: Look) -> bytes:
    t, text = look.t, _read(capture, look.t)
    return _HEAD.format(
        language=escape(look.language),
        policy=policy([_script()]),
        title=escape(f"{_heading(capture, t)}: {_short(text)}"),
        style=_style(),
        heading=escape(_heading(capture, t)),
        chips="".join(f"<li>{escape(chip)}</li>" for chip in _chips(capture, t)),
        text=escape(text),
        no_script=escape(t("model_page.no_script")),
        layer=escape(t("model_page.layer")),
        head=escape(t("model_page.head")),
        unit=escape(t("models.unit.choose")),
        no_lines=escape(t("model_page.no_lines", most=MOST_LINES)),
        offline=escape(_offline(capture, t)),
    ).encode()


@cache
def palette(theme: ThemeName) -> dict[str, Any]:
    """Give the colours of weights, ready for a canvas, and which ink reads on each (1 = white)."""
    paint = THEMES[theme]
    colours = np.rint(paint.weights.colours(np.linspace(0, 1, 256))).astype(int)
    inks = [int(luminance(colour) <= _PALE) for colour in colours]
    return {"theme": theme, "colours": colours.tolist(), "inks": inks, "accent": paint.accent}


def _named(capture: Capture, place: int, t: Words) -> dict[str, Any]:
    """Name a layer, and tell which text asks in it and which is asked."""
    layer, own = capture.layers[place], capture.tokens
    name = str(layer.number)
    if layer.kind != "self" and capture.target_tokens:
        name = t(f"models.short.{layer.kind}", number=name)
    queries, keys = capture.query_tokens(place) is not own, capture.key_tokens(place) is not own
    return {"place": place, "name": name, "queries": int(queries), "keys": int(keys)}


def _texts(capture: Capture) -> list[dict[str, Any]]:
    texts = [capture.tokens, *([capture.target_tokens] if capture.target_tokens else [])]
    alone = max(map(len, texts)) > MOST_EXACT
    return [side(tokens, alone=alone) for tokens in texts]


def _read(capture: Capture, t: Words) -> str:
    """Give the text that was read, or say that it was a picture."""
    if capture.grid is not None:
        return t("model_page.picture", rows=capture.grid[0], columns=capture.grid[1])
    return " ".join(capture.texts) or " ".join(token.text for token in capture.tokens)


def _picture(capture: Capture) -> dict[str, Any] | None:
    """Say how large the picture is, and which tokens are its patches."""
    if capture.grid is None or capture.picture is None:
        return None
    rows, columns = capture.grid
    before = len(capture.tokens) - rows * columns
    return {"grid": [rows, columns], "before": before, "pixels": list(capture.picture.shape[:2])}


def _heading(capture: Capture, t: Words) -> str:
    if not capture.model:
        return t("model_page.given")
    return t("model_page.title", model=capture.model)


def _chips(capture: Capture, t: Words) -> list[str]:
    found = _entry(capture)
    chips = [t("models.chip", name=capture.model)] if capture.model else []
    if found is not None:
        chips.append(t("model_page.licence", licence=found.licence, source=found.source))
    chips.append(t(f"models.tier.{capture.tier}"))
    if capture.stretch is None:
        chips.append(t("model_page.n_tokens", n=len(capture.tokens)))
    else:
        first, last, n = capture.stretch
        chips.append(t("model_page.stretch", first=first, last=last, n=n))
    return [*chips, *(_edited(capture, edit, t) for edit in capture.edits)]


def _edited(capture: Capture, edit: Edit, t: Words) -> str:
    """Name one change that was made while the model read, with the tokens that it is about."""
    layer, head = edit.layer or 0, edit.head
    if edit.kind == "off":
        return t("model_page.ablated", layer=layer, head=head)
    if edit.kind == "even":
        return t("model_page.even", layer=layer, head=head)
    if edit.kind == "mask":
        return t("model_page.masked", token=capture.tokens[edit.token or 0].label)
    queries, keys = capture.query_tokens(layer), capture.key_tokens(layer)
    pair = {"query": queries[edit.query or 0].label, "key": keys[edit.key or 0].label}
    every = head == EVERY_HEAD
    return t("model_page.cut_all" if every else "model_page.cut", layer=layer, head=head, **pair)


def _entry(capture: Capture) -> Entry | None:
    """Find the model in the catalogue by the name that it was loaded under."""
    return next((each for each in catalogue().values() if each.title == capture.model), None)


def _offline(capture: Capture, t: Words) -> str:
    said = t("model_page.offline", n_layers=capture.n_layers, n_heads=capture.most_heads)
    return f"{said} {t('model_page.rounded')}" if rounded(capture) else said


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else text[: _LONGEST_TITLE - 1] + "…"


def _note(capture: Capture, layer: int, head: int, largest: float, t: Words) -> str:
    kind = t(f"models.kind.{capture.layers[layer].kind}")
    place = {"kind": kind, "layer": layer, "head": head}
    said = t("models.head_note", **place, largest=number(largest, 2))
    found = _entry(capture)
    known = [n for n in (found.heads if found else ()) if (n.layer, n.head) == (layer, head)]
    if not known:
        return said
    return f"{said} {t('models.known_for', pattern=t(f'pattern.{known[0].pattern}.title'))}"


def _words(capture: Capture, t: Words) -> dict[str, Any]:
    """Give the words that the page's script fills in itself."""
    sizes = {"n_layers": capture.n_layers, "n_heads": capture.most_heads}
    heat = ("hint", "cell", "block", "hidden", "asks", "asked", "scale", "linear", "log")
    lines = ("hint", "query", "key", "attends", "attended", "nothing", "share", "join")
    return {
        "heat": {name: t(f"models.heat.{name}") for name in heat}
        | {
            "rank": [t("models.heat.least"), t("models.heat.most")],
            "byRank": t("models.heat.rank"),
        },
        "lines": {name: t(f"models.lines.{name}") for name in lines}
        | {"label": t("models.lines_label")},
        "map": {"label": t("models.map_label"), "title": t("models.map_title")},
        "grid": {
            "label": t("models.grid_label", **sizes),
            "title": t("models.grid_title"),
            "hint": t("model_page.grid_hint"),
        },
        "kinds": {each.kind: t(f"models.kind.{each.kind}") for each in capture.layers},
        "units": {name: t(f"models.unit.{name}") for name in UNITS},
        "patches": {name: t(f"patches.{name}") for name in _PATCHES},
        "head": t("models.head_name"),
        "said": t("models.said"),
    }


def _json(page: dict[str, Any]) -> bytes:
    """Hold the description as data; nothing in it can end the script that holds it."""
    text = json.dumps(page, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = text.replace("<", r"\u003c").encode()
    return b'<script type="application/json" id="page">' + safe + b"</script>\n"


def _block(name: str, data: bytes) -> bytes:
    opening = f'<script type="application/octet-stream" id="{name}">'.encode()
    return b"".join([opening, base64.b64encode(data), b"</script>\n"])


@cache
def _script() -> str:
    """Put the scripts together: what all share, each picture in a room of its own, the page."""
    rooms = "".join(f"{name}: (() => {{\n{_component(name)}\n}})(),\n" for name in _COMPONENTS)
    styles = json.dumps({name: _component_style(name) for name in _COMPONENTS})
    shared = _source("common.js") + _source("tokens.js")
    own = Path(__file__).with_name("model_page.js").read_text("utf-8")
    parts = [shared, f"const COMPONENTS = {{\n{rooms}}};", f"const STYLES = {styles};", own]
    return "(() => {\n" + "\n".join(parts) + "\n})();\n"


def _component(name: str) -> str:
    return re.sub(r"export default ", "return ", _source(f"{name}/{name}.js"))


def _component_style(name: str) -> str:
    return _source("common.css") + _source(f"{name}/{name}.css")


def _source(name: str) -> str:
    """Read a file of the components; their package is not imported."""
    return (Path(__file__).parent.parent / "components" / name).read_text("utf-8")


@cache
def _style() -> str:
    return Path(__file__).with_name("model_page.css").read_text("utf-8")
