"""Models, opened by Streamlit's own test runner: what it shows of a real model."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.settings import COLOURS, MIXINGS, UNITS
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import GROUPS, asked, head

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "attnviz" / "ui" / "main.py"
TEXT = "The king met the queen and she smiled."
T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model: what is shown while it works is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=180)
    app.query_params.update(link)
    app.switch_page(str(ROOT / "pages" / "models.py"))
    app.run()
    assert not app.exception, app.exception
    return app


def drawn(app: AppTest) -> list[tuple[dict, list[bytes]]]:
    """Read what the pictures are made of: their data, and the raw bytes of their arrays."""
    found = []
    for part in app.get("bidi_component"):
        framed = part.proto.bytes
        if framed.startswith(b"{"):  # a part of the frame, without arrays
            continue
        length = int.from_bytes(framed[:4], "little")
        data, body = json.loads(framed[4 : 4 + length]), framed[4 + length :]
        found.append((data, [body[start : start + size] for start, size in data["arrays"]]))
    return found


def weights_of(data: dict, arrays: list[bytes]) -> np.ndarray:
    tops = np.frombuffer(arrays[0], np.float32)
    cells = np.frombuffer(arrays[1], np.uint16).reshape(len(tops), -1)
    return cells / 65_535 * tops[:, None]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_on_an_example_in_every_language(language):
    app = opened(lang=language)
    t = words(language)
    grid, lines = (data for data, _ in drawn(app))
    assert len(grid["counts"]) >= 2
    assert lines["heads"][0]["name"]
    assert lines["words"]["hint"] == t("models.lines.hint")
    assert not app.error
    assert app.text_area(key="control.passage").value


def test_the_map_is_the_models_own_head_to_sixteen_bits():
    chosen = (1, 3) if asked.catalogue()["default"].installed else (1, 0)
    app = opened(t=TEXT, lh="{}.{}".format(*chosen), panel="map")
    wanted = cached_models.Asked(model=app.selectbox(key="control.model").value, text=TEXT)
    capture = cached_models.capture_job(wanted).result()
    data, arrays = drawn(app)[0]
    exact = capture.weights(*chosen)
    shown = weights_of(data, arrays)
    assert shown.shape == exact.shape
    assert (np.abs(shown - exact) <= exact.max(axis=1, keepdims=True) / 130_000 + 1e-9).all()
    assert data["queries"] == [token.label for token in capture.tokens]


@pytest.mark.parametrize(("unit", "mixing", "colours"), list(product(UNITS, MIXINGS, COLOURS)))
def test_every_way_to_look_opens_from_a_link(unit, mixing, colours):
    app = opened(t=TEXT, lh="0.0,1.1", unit=unit, mix=mixing, colours=colours, panel="map")
    assert not app.warning
    (heat, _), (lines, _) = drawn(app)
    assert len(lines["heads"]) == (2 if mixing == "each" else 1)
    assert heat["mode"] == colours


def test_a_link_holds_text_and_heads():
    app = opened(t="two words", lh="1.1")
    assert app.text_area(key="control.passage").value == "two words"
    assert drawn(app)[0][0]["chosen"] == [[1, 1]]


def test_another_text_is_read_and_stands_in_the_link():
    app = opened(panel="map")
    app.text_area(key="control.passage").set_value("I saw a saw").run()
    assert app.query_params["t"] == "I saw a saw"
    assert any("saw" in label for label in drawn(app)[0][0]["queries"])


def test_an_empty_text_is_refused_and_the_picture_stays():
    app = opened(t=TEXT)
    app.text_area(key="control.passage").set_value("  ").run()
    assert T("error.models.no_tokens") in app.error[0].value.replace("\\", "")
    assert len(drawn(app)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "<b>bold</b> </script>",
        "$x$ ![x](http://y)",
        "saw saw saw saw",
        "👩‍👩‍👧 3.5",
        "2026-11-29",
        "學而時習之",
    ],
    ids=["one", "markup", "formula", "repeated", "emoji", "date", "chinese"],
)
def test_any_text_can_be_read(text):
    app = opened(t=text)
    assert not app.error
    assert len(drawn(app)) == 2


def test_a_model_that_is_not_here_gets_a_sentence_and_the_text_stays():
    app = opened(model="no_such_model", t="kept")
    assert app.error
    assert app.text_area(key="control.passage").value == "kept"
    assert [button for button in app.button if button.label == T("models.again")]


def test_special_tokens_can_be_left_out():
    everything, plain = opened(t=TEXT), opened(t=TEXT, special="0")
    shown = drawn(everything)[1][0]["queries"], drawn(plain)[1][0]["queries"]
    assert len(shown[1]) <= len(shown[0])
    assert not [label for label in shown[1] if label.startswith("[")]


def test_presenting_shows_one_picture_at_a_time():
    app = opened(present="1", panel="map", t=TEXT)
    shown = [data for data, _ in drawn(app)]
    assert not app.exception
    assert shown


def test_questions_stand_in_groups_and_each_group_keeps_its_own():
    app = opened(t=TEXT, panel="map")
    group, panel = (app.button_group(key=f"control.{name}") for name in ("group", "panel"))
    assert group.options == [T(f"group.{g}") for g in GROUPS]
    assert T("panel.map") in panel.options
    group.set_value("ask").run()
    assert app.query_params["panel"] == "why"
    app.button_group(key="control.panel").set_value("hidden").run()
    app.button_group(key="control.group").set_value("look").run()
    assert app.query_params["panel"] == "map"
    app.button_group(key="control.group").set_value("ask").run()
    assert app.query_params["panel"] == "hidden"


def test_what_does_not_apply_is_not_offered():
    app = opened(t=TEXT, panel="patches")
    assert T("panel.patches") not in app.button_group(key="control.panel").options
    assert drawn(app)[0][0]["counts"]  # the first question instead


def test_the_head_in_hand_is_chosen_in_a_list():
    app = opened(t=TEXT, lh="1.0", panel="map")
    app.selectbox(key="control.head_in_hand").select_index(1).run()
    assert app.query_params["lh"] == "0.1"


def test_what_is_held_is_let_go_where_tokens_are_counted_anew():
    app = opened(t=TEXT, q="4", key="2", panel="map")
    app.button_group(key="control.unit").set_value("words").run()
    assert not {"q", "key"} & set(app.query_params)
