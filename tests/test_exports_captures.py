"""A captured model as files: one page that opens with no network, tables, arrays and pictures."""

import csv
import io
import json
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.components.matrix import SCALES
from attnviz.errors import InputError
from attnviz.exports import model_pages, payloads
from attnviz.exports.captures import (
    head_figure,
    head_table,
    head_to_csv,
    head_to_npz,
    head_to_picture,
    strongest,
)
from attnviz.exports.looks import Look
from attnviz.exports.model_pages import capture_page, palette
from attnviz.exports.payloads import payload
from attnviz.figures.notation import COLUMN
from attnviz.figures.theme import THEMES
from attnviz.models.layers import Layer
from attnviz.models.load import load_model
from attnviz.models.results import Capture, Token
from attnviz.models.tiny import save_tiny
from attnviz.models.visible import Bias, Visible
from attnviz.text import LANGUAGES, words

ROOT = Path(__file__).parent.parent
few = settings(max_examples=20, deadline=None)

WICKED = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"&<b>',
    "好",
    "=1+1",
)
N_QUERY, N_KEY, N_HEADS = 5, 7, 3


def layer_of(seed: int = 0, **fields) -> Layer:
    """Give a layer of three heads of which the first two share keys; five ask, seven are asked."""
    rng = np.random.default_rng(seed)
    shape = {"query": (N_HEADS, N_QUERY, 6), "key": (1, N_KEY, 6), "value": (1, N_KEY, 2)}
    made = {name: rng.normal(size=size).astype(np.float32) for name, size in shape.items()}
    visible = fields.pop("visible", Visible(n_query=N_QUERY, n_key=N_KEY))
    return Layer(name="cross.0", kind="cross", visible=visible, scale=0.6, **(made | fields))


def by_distance() -> Bias:
    numbers = np.random.default_rng(2).normal(size=(N_HEADS, N_QUERY + N_KEY - 1))
    return Bias(by_distance=numbers.astype(np.float32), n_query=N_QUERY)


def table() -> np.ndarray:
    allowed = np.random.default_rng(3).random((N_HEADS, N_QUERY, N_KEY)) > 0.4
    allowed[0, 1] = False
    allowed[:, :, 0] |= np.arange(N_QUERY) != 1
    return allowed


LAYERS = {
    "plain": layer_of(),
    "half": layer_of(query=np.random.default_rng(5).normal(size=(3, N_QUERY, 6)).astype("f2")),
    "causal": layer_of(visible=Visible(n_query=N_QUERY, n_key=N_KEY, ahead=0)),
    "window": layer_of(visible=Visible(n_query=N_QUERY, n_key=N_KEY, back=1, ahead=1)),
    "capped": layer_of(soft_cap=2.0),
    "sinks": layer_of(sinks=np.array([0.5, -1.0, 2.0], np.float32)),
    "distances": layer_of(bias=by_distance()),
    "table": layer_of(visible=Visible(n_query=N_QUERY, n_key=N_KEY, table=table())),
    "added": layer_of(bias=Bias(table=np.random.default_rng(4).normal(size=(1, N_QUERY, N_KEY)))),
}
TEXTS = ("un", "happy", "<b>", "學", "=1", ".", "the")


def captured(*layers: Layer) -> Capture:
    tokens = tuple(
        Token(text=text, piece=text, word=max(place - 1, 0)) for place, text in enumerate(TEXTS)
    )
    return Capture(
        tokens=tokens, target_tokens=tokens[:N_QUERY], layers=layers, kind="encoder_decoder"
    )


CAPTURE = captured(*LAYERS.values())


def given_weights(n: int = 4, n_heads: int = 2, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(n), (n_heads, n)).astype(np.float32)


# --- What a page holds


def test_the_colours_are_those_of_the_app():
    for theme in ("light", "dark"):
        assert SCALES["weights"][theme] == THEMES[theme].weights.stops
        assert len(palette(theme)["colours"]) == 256


def test_the_scripts_of_the_app_are_read_without_streamlit_and_torch():
    code = "import sys; from attnviz.exports.model_pages import _script; _script();"
    code += "print({'streamlit', 'torch', 'attnviz.components'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "set()", run.stderr


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_travels_as_queries_and_keys_unless_it_needs_a_table(name):
    names = {each[0] for each in payload(LAYERS[name]).places}
    assert ("query" in names) == (name not in ("table", "added"))
    assert ("ranges" in names) == (name == "table")


def test_each_array_begins_where_any_type_may_and_reads_back():
    made = payload(LAYERS["half"])
    for _, _, start, length in made.places:
        assert start % 8 == 0
        assert start + length <= len(made.data)
    _, kind, start, length = made.places[0]
    back = np.frombuffer(made.data[start : start + length], kind)
    np.testing.assert_array_equal(back, LAYERS["half"].query.ravel())


def test_a_page_of_a_long_text_takes_less_than_a_byte_a_weight():
    n, n_heads = 512, 12
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, n_heads, n, 32)).astype(np.float32)
    layer = Layer(name="a", visible=Visible(n_query=n, n_key=n), query=query, key=key)
    capture = Capture(tokens=tuple(Token(text="a") for _ in range(n)), layers=(layer,))
    assert len(capture_page(capture)) < n_heads * n * n


def test_many_given_weights_are_rounded_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr(payloads, "_FULL", 10)
    capture = Capture.from_attentions([given_weights(64)], ["a"] * 64)
    page = capture_page(capture).decode()
    assert words("en")("model_page.rounded") in page
    made = payload(capture.layers[0])
    parts = {name: made.data[start : start + length] for name, _, start, length in made.places}
    tops = np.frombuffer(parts["tops"], np.float32)[:, None]
    high = np.frombuffer(zlib.decompress(parts["high"]), np.uint8).reshape(-1, 64)
    low = np.frombuffer(parts["low"], np.uint8).reshape(-1, 64)
    weights = (256 * high.astype(float) + low) / 65_535 * tops
    wanted = capture.layers[0].given.reshape(-1, 64)
    assert (np.abs(weights - wanted) <= tops / 131_070 * 1.01).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_in_the_language_and_asks_nothing_of_the_network(language):
    page = capture_page(CAPTURE, Look(language), layer=1, head=2).decode()
    assert f'<html lang="{language}">' in page
    assert words(language)("models.grid_title") in page
    assert "default-src 'none'" in page
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", page)
    assert "eval(" not in page


def test_the_licence_of_a_known_model_is_named():
    capture = Capture(
        tokens=CAPTURE.tokens[:4],
        layers=Capture.from_attentions([given_weights()], list("abcd")).layers,
        model="all-MiniLM-L6-v2",
    )
    page = capture_page(capture).decode()
    assert "Apache-2.0" in page
    assert words("en")("model_page.title", model="all-MiniLM-L6-v2") in page


def test_a_part_of_a_longer_text_is_said_to_be_one():
    said = words("en")("model_page.stretch", first=8, last=14, n=99)
    assert said in capture_page(replace(CAPTURE, stretch=(8, 14, 99))).decode()
    assert said not in capture_page(CAPTURE).decode()


def test_there_must_be_such_a_head_and_room_for_it(monkeypatch):
    for layer, head, code in ((9, 0, "no_layer"), (0, 3, "no_head"), (-1, 0, "no_layer")):
        with pytest.raises(InputError) as refused:
            capture_page(CAPTURE, layer=layer, head=head)
        assert refused.value.code == f"models.{code}"
    monkeypatch.setattr(model_pages, "LARGEST", 10)
    with pytest.raises(InputError, check=lambda error: "capture_too_large" in error.code):
        capture_page(CAPTURE)


# --- In a browser


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page from its file with the network off; what went wrong must stay empty."""
    tabs, wrong = [], []

    def open_page(page: bytes, *, scheme: str = "light", address: str = "", phone: bool = False):
        file = tmp_path / "capture.html"
        file.write_bytes(page)
        size = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 720}
        tab = browser.new_page(offline=True, color_scheme=scheme, viewport=size)
        tabs.append(tab)
        tab.on(
            "request",
            lambda request: (
                wrong.append(request.url) if "capture.html" not in request.url else None
            ),
        )
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("console", lambda said: wrong.append(said.text))
        tab.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
        tab.goto(file.as_uri() + address)
        tab.locator("#said:not(:empty)").wait_for()
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
    assert wrong == []


def open_now(tab, name: str) -> None:
    """Wait until this head is drawn."""
    tab.locator("#map-title", has_text=name).wait_for()


def read_cell(tab, row: int, column: int) -> str:
    """Walk to a cell by the keyboard, and read it."""
    stage = tab.locator("#heat_canvas .over")
    stage.focus()
    for key, times in (
        ("ArrowUp", 9),
        ("ArrowLeft", 9),
        ("ArrowDown", row),
        ("ArrowRight", column),
    ):
        for _ in range(times):
            stage.press(key)
    return tab.locator("#heat_canvas .readout").inner_text()


@pytest.mark.parametrize("name", LAYERS)
def test_the_page_reads_the_weights_of_every_kind_of_layer(opened, name):
    place = list(LAYERS).index(name)
    tab = opened(capture_page(CAPTURE, layer=place, head=2))
    weights = CAPTURE.weights(place, 2)
    seen = LAYERS[name].visible.allowed(2)
    for row, column in ((0, 0), (3, 5), (4, 6)):
        said = read_cell(tab, row, column)
        between = np.flatnonzero(seen[row])
        if len(between) and between[0] <= column <= between[-1]:
            assert f"= {weights[row, column]:.4f}" in said
        else:
            assert "may not see" in said


@pytest.mark.parametrize("family", ["bert", "gemma", "gpt_oss", "t5", "vit"])
def test_the_page_reads_the_weights_of_a_model(opened, tmp_path, family):
    save_tiny(family, tmp_path / family)
    read = "I saw a saw, she said." if family != "vit" else np.zeros((16, 16, 3))
    target = "a saw said I" if family == "t5" else None
    capture = load_model(str(tmp_path / family)).capture(read, target=target)
    layer = capture.n_layers - 1
    tab = opened(capture_page(capture, layer=layer, head=1))
    for row, column in ((0, 0), (3, 2)):
        wanted = capture.weights(layer, 1)[row, column]
        value = float(read_cell(tab, row, column).rpartition("= ")[2].rstrip("."))
        assert value == pytest.approx(float(wanted), abs=0.000051)


def test_another_head_is_opened_by_a_click_by_the_keyboard_and_by_its_name(opened):
    tab = opened(capture_page(CAPTURE))
    grid = tab.locator("#head_grid .over")
    box = grid.bounding_box()
    tab.mouse.click(box["x"] + box["width"] - 10, box["y"] + box["height"] - 10)
    open_now(tab, "layer 8, head 2")
    assert f"= {CAPTURE.weights(8, 2)[4, 3]:.4f}" in read_cell(tab, 4, 3)
    grid.focus()
    for key in ("ArrowUp", "ArrowLeft", "Enter"):
        grid.press(key)
    open_now(tab, "layer 7, head 1")
    assert tab.evaluate("location.hash") == "#layer=7&head=1"
    tab.get_by_label("Layer", exact=True).select_option("5")
    open_now(tab, "layer 5, head 1")
    tab.get_by_label("Head", exact=True).select_option("0")
    open_now(tab, "layer 5, head 0")
    assert f"= {CAPTURE.weights(5, 0)[2, 6]:.4f}" in read_cell(tab, 2, 6)


def test_an_address_names_a_head(opened):
    tab = opened(capture_page(CAPTURE), address="#layer=4&head=1")
    assert "layer 4, head 1" in tab.locator("#map-title").inner_text()


def test_words_stand_for_their_pieces(opened):
    tab = opened(capture_page(CAPTURE, unit="words"))
    table = head_table(CAPTURE, 0, 0, "words")
    assert table.queries[0] == "unhappy"
    said = read_cell(tab, 0, 0)
    assert "unhappy" in said
    assert f"= {table.weights[0, 0]:.4f}" in said
    tab.get_by_label("Unit").select_option("pieces")
    tab.locator("#token_lines .token", has_text="happy").first.wait_for()
    assert f"= {CAPTURE.weights(0, 0)[1, 1]:.4f}" in read_cell(tab, 1, 1)


def test_rounded_weights_are_within_their_sixteen_bits(opened, monkeypatch):
    monkeypatch.setattr(payloads, "_FULL", 10)
    weights = given_weights(6)
    tab = opened(capture_page(Capture.from_attentions([weights], list("abcdef")), head=1))
    value = float(read_cell(tab, 2, 3).rpartition("= ")[2])
    assert value == pytest.approx(weights[1, 2, 3], abs=0.0001)


def test_a_long_text_is_drawn_in_blocks_and_read_exactly(opened):
    n = 1100
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 1, n, 4)).astype(np.float32)
    layer = Layer(name="a", visible=Visible(n_query=n, n_key=n, ahead=0), query=query, key=key)
    capture = Capture(tokens=tuple(Token(text=f"t{i}") for i in range(n)), layers=(layer,))
    tab = opened(capture_page(capture))
    stage = tab.locator("#heat_canvas .over")
    box = stage.bounding_box()
    stage.click(position={"x": box["width"] - 10, "y": box["height"] - 10})
    said = tab.locator("#said")
    said.get_by_text(re.compile(r"“t10\d\d” \(token")).wait_for()
    row = int(re.search(r"“t(\d+)”", said.inner_text())[1])
    weights = capture.weights(0, 0, row)
    assert f"“t{weights.argmax()}”" in said.inner_text()
    assert f"{weights.max():.4f}" in said.inner_text()
    assert tab.locator("#no-lines").is_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_fits_a_phone_at_night(opened, language):
    tab = opened(capture_page(CAPTURE, Look(language)), scheme="dark", phone=True)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    ink = tab.locator("body").evaluate("body => getComputedStyle(body).color")
    assert ink == "rgb(236, 234, 228)"
    assert (
        words(language)("models.head_name", layer=0, head=0)
        in tab.locator("#map-title").inner_text()
    )


def test_what_a_person_typed_is_shown_and_never_run(opened):
    tokens = [Token(text=text, piece=text) for text in WICKED]
    capture = Capture.from_attentions([given_weights(5)], tokens)
    tab = opened(capture_page(capture))
    tab.locator("#token_lines .token").first.wait_for()
    assert tab.locator("#token_lines .left .word").all_inner_texts() == list(WICKED)
    assert tab.locator("img").count() == 0


# --- In a notebook


def test_show_of_a_capture_is_a_page_in_a_frame():
    shown = attnviz.show(CAPTURE, layer=2, head=1, language="zh-Hant")
    html = shown._repr_html_()
    assert html.startswith('<iframe title="attnviz" sandbox="allow-scripts"')
    assert "<script" not in html
    assert "lang=&quot;zh-Hant&quot;" in html


def test_the_frame_draws_the_capture(opened):
    cell = attnviz.show(CAPTURE, layer=2)._repr_html_()
    tab = opened(f"<!doctype html><meta charset=utf-8><p id=said>notebook</p>{cell}".encode())
    inside = tab.frame_locator("iframe")
    inside.locator("#map-title", has_text="layer 2, head 0").wait_for()
    inside.get_by_label("Head", exact=True).select_option("2")
    inside.locator("#map-title", has_text="layer 2, head 2").wait_for()


def test_saving_writes_the_page(tmp_path):
    shown = attnviz.show(CAPTURE)
    shown.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == shown.page() == capture_page(CAPTURE)


def test_a_notebook_is_not_flooded(monkeypatch):
    monkeypatch.setattr(sys.modules["attnviz.show"], "MOST_NOTEBOOK", 10)
    assert ".save(&quot;page.html&quot;)" in attnviz.show(CAPTURE)._repr_html_()


def test_show_refuses_a_head_that_is_not_there_and_still_shows_traces():
    with pytest.raises(InputError, check=lambda error: "no_layer" in error.code):
        attnviz.show(CAPTURE, layer=99)
    query = np.eye(2)
    assert "<table>" in attnviz.show(attnviz.attend(query, query, query))._repr_html_()


# --- One head


def test_a_table_reads_back_the_weights():
    rows = list(csv.reader(io.StringIO(head_to_csv(CAPTURE, 0, 1).decode("utf-8-sig"))))
    assert rows[0] == ["", *(text if text != "=1" else "'=1" for text in TEXTS)]
    weights = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_array_equal(weights.astype(np.float32), CAPTURE.weights(0, 1))


def test_arrays_hold_what_the_weights_come_from():
    with np.load(io.BytesIO(head_to_npz(CAPTURE, 0, 2))) as found:
        scores = found["query"] @ found["key"].T * found["scale"]
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found["weights"], weights, rtol=1e-5)
        assert tuple(found["key_tokens"]) == TEXTS
    with np.load(io.BytesIO(head_to_npz(CAPTURE, 0, 2, "words"))) as found:
        assert found["weights"].shape == (4, 6)
        assert "query" not in found


def test_rows_of_words_still_add_up():
    table = head_table(CAPTURE, 0, 0, "words")
    np.testing.assert_allclose(table.weights.sum(axis=1), 1, rtol=1e-6)


@few
@given(st.integers(1, 12), st.integers(0, 9))
def test_the_strongest_links_are_the_largest_weights_in_order(n, seed):
    weights = given_weights(n, 1, seed)
    table = head_table(Capture.from_attentions([weights], [f"t{i}" for i in range(n)]), 0, 0)
    links = strongest(table, 5)
    np.testing.assert_array_equal(
        [link.weight for link in links], np.sort(weights.ravel())[::-1][: len(links)]
    )
    assert all(weights[0, link.row, link.column] == link.weight for link in links)
    assert all(link.query == f"t{link.row}" for link in links)


def test_a_short_head_is_drawn_with_its_digits_and_a_long_one_as_an_image():
    short = head_figure(CAPTURE, 2, 0)
    np.testing.assert_allclose(
        short.data[0].z,
        np.where(LAYERS["causal"].visible.allowed(0), CAPTURE.weights(2, 0), np.nan),
    )
    n = 70
    capture = Capture.from_attentions([given_weights(n, 1)], [f"t{i}" for i in range(n)])
    long = head_figure(capture, 0, 0, Look(notation=COLUMN))
    assert len(long.layout.images) == 1
    assert long.layout.xaxis.title.text == COLUMN.words(words("en"))("figure.rows")
    assert json.loads(long.to_json())["layout"]["images"][0]["sizex"] == n


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_head_is_drawn_as_a_picture(kind, monkeypatch, browser_type_launch_args):
    monkeypatch.setenv("CHROMIUM", browser_type_launch_args["executable_path"])
    drawn = head_to_picture(CAPTURE, 0, 0, kind)
    assert drawn.startswith(b"<svg" if kind == "svg" else b"\x89PNG")


def test_without_a_browser_a_sentence_says_so(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(InputError) as refused:
        head_to_picture(CAPTURE, 0, 0, "svg")
    assert refused.value.code.startswith("export.")
