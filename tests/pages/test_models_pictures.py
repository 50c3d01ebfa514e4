"""Vision models on the page Models, opened by Streamlit's own test runner."""

import io

import numpy as np
import pytest
import streamlit as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz.figures.code_models import Shown, package_map
from attnviz.lessons.drawings import DRAWINGS, drawing
from attnviz.models.catalogue import catalogue
from attnviz.models.corpus import averaged
from attnviz.models.images import MOST_BYTES
from attnviz.models.listed import listed
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import PANELS, folds, head
from attnviz.ui.rooms.models.head_list import MEASURES
from tests.pages.test_models import drawn, opened, weights_of
from tests.pages.test_models_questions import picture

T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work: what is shown while it runs is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


@pytest.fixture(scope="module")
def eye(tmp_path_factory):
    """Let the vision model of the catalogue be a small one, of 4 × 4 patches."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNVIZ_CACHE", str(cache))
        save_tiny("vit", catalogue()["vit"].folder)
        forget()
        yield "vit"
    forget()


def forget():
    """End the process of the models, and what it captured: another one is to be read."""
    cached_models.models().cancel()
    st.cache_resource.clear()


def patches(app: AppTest) -> tuple[dict, list[bytes]]:
    return next((data, arrays) for data, arrays in drawn(app) if "pixels" in data)


def photo(pixels: np.ndarray, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, kind)
    return stream.getvalue()


def upload(app: AppTest, data: bytes, name: str = "mine.png") -> AppTest:
    chooser = app.get("file_uploader")[0]
    return chooser.set_value((name, data, "image/png")).run()


def test_the_model_of_the_catalogue_opens_on_two_apples():
    entry = catalogue()["vit"]
    app = opened(model="vit", panel="patches")
    if not entry.installed:
        assert app.error
        return
    data, arrays = patches(app)
    note = entry.heads[0]
    assert data["queries"][data["locked"]["at"]] == note.asks
    assert arrays[2] == drawing(note.picture).pixels.tobytes()
    assert T(f"pattern.{note.pattern}.claim") in [each.value for each in app.caption]
    for other in entry.heads[1:]:
        app.selectbox(key="control.pattern").set_value(other.pattern).run()
        data, _ = patches(app)
        assert data["queries"][data["locked"]["at"]] == other.asks


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_vision_model_opens_on_a_picture_with_its_patches(eye, language):
    app = opened(model=eye, lang=language, panel="patches", pic="house")
    t = words(language)
    assert not app.error
    data, arrays = patches(app)
    assert (data["grid"], data["before"], data["pixels"]) == ([4, 4], 1, [16, 16])
    assert data["words"]["looks"] == t("patches.looks")
    assert [data["queries"][place] for place in (0, 1, 16)] == ["[CLS]", "1,1", "4,4"]
    assert not [area for area in app.text_area if area.key == "control.passage"]
    capture = cached_models.capture_job(
        cached_models.Asked(model=eye, text="", picture="house")
    ).result()
    exact = capture.weights(0, 0)
    assert (np.abs(weights_of(data, arrays) - exact) <= exact.max() / 130_000 + 1e-9).all()
    assert arrays[2] == capture.picture.tobytes()


def test_a_link_names_the_picture_the_head_and_the_patch(eye):
    app = opened(model=eye, pic="boat", lh="1.2", q="7", panel="patches")
    data, arrays = patches(app)
    assert data["locked"] == {"side": "query", "at": 7, "other": None}
    capture = cached_models.capture_job(
        cached_models.Asked(model=eye, text="", picture="boat")
    ).result()
    np.testing.assert_allclose(weights_of(data, arrays), capture.weights(1, 2), atol=1e-5)
    assert app.segmented_control(key="control.picture").value == "boat"


def test_equal_pictures_share_one_capture(eye):
    one = opened(model=eye, pic="cat", t="a text that nobody reads", long="windows", win="3")
    other = opened(model=eye, pic="cat")
    assert patches(one)[1] == patches(other)[1]
    job = cached_models.capture_job(cached_models.Asked(model=eye, text="", picture="cat"))
    assert job.done


def test_an_unknown_picture_gives_way_to_one_of_ours(eye):
    app = opened(model=eye, pic="nobody", panel="patches")
    assert not app.error
    assert patches(app)


def test_while_no_patch_is_chosen_the_middle_one_is_looked_at(eye):
    data, _ = patches(opened(model=eye, panel="patches"))
    assert data["queries"][data["locked"]["at"]] == "2,2"


def test_every_question_can_be_asked_of_a_picture(eye):
    for name in PANELS:
        app = opened(model=eye, panel=name, pic="cat", lh="1.1")
        assert not app.error, name
        assert not app.warning, name


def test_words_left_over_from_a_text_do_not_hide_the_scores(eye):
    app = opened(model=eye, panel="why", unit="words")
    assert T("why.pieces") not in [each.value for each in app.info]


def test_lines_are_for_texts_and_patches_for_pictures(eye):
    app = opened(model=eye, panel="lines")
    assert not [data for data, _ in drawn(app) if "strip" in data]
    text = opened(t="two words")
    assert [data for data, _ in drawn(text) if "strip" in data]
    assert not [data for data, _ in drawn(text) if "pixels" in data and "grid" in data]


def test_ones_own_picture_is_read_and_stays_beside_ours(eye):
    app = opened(model=eye, panel="patches", lh="1.1")
    pixels = np.zeros((16, 16, 3), np.uint8)
    pixels[:8] = (250, 120, 10)
    upload(app, photo(pixels))
    assert not app.error
    _, arrays = patches(app)
    assert arrays[2] == pixels.tobytes()
    assert app.query_params["lh"] == "1.1"
    app.segmented_control(key="control.picture").set_value("cat").run()
    assert patches(app)[1][2] != pixels.tobytes()
    app.segmented_control(key="control.picture").set_value("own").run()
    assert patches(app)[1][2] == pixels.tobytes()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"no picture", "picture_file"),
        (photo(np.zeros((4000, 4000), np.uint8)), "picture_points"),
        (b"\x89PNG" + bytes(MOST_BYTES), "picture_bytes"),
    ],
    ids=["text", "points", "bytes"],
)
def test_a_file_that_cannot_be_read_gets_a_sentence_and_the_picture_stays(eye, data, code):
    app = opened(model=eye, pic="boat", panel="patches")
    before = patches(app)[1]
    upload(app, data, "<b>mine</b>.png")
    said = app.error[0].value.replace("\\", "")
    assert said.startswith(T(f"error.models.{code}", name="<b>mine</b>.png", **_most(code)))
    assert patches(app)[1] == before
    app.segmented_control(key="control.picture").set_value("cat").run()
    assert not app.error


def _most(code: str) -> dict[str, str]:
    return {
        "picture_file": {},
        "picture_points": {"most": "12.5", "size": "4000 × 4000"},
        "picture_bytes": {"most": "5", "got": "5.1"},
    }[code]


def test_a_model_of_texts_gets_its_text_back(eye):
    app = opened(model=eye, t="my own sentence")
    models = app.selectbox(key="control.model")
    other = next(key for key in models.options if "induction" in key)
    models.set_value("induction").run()
    assert other
    assert app.text_area(key="control.passage").value == "my own sentence"


def test_the_code_of_a_picture_runs_as_it_stands(eye):
    capture = cached_models.capture_job(
        cached_models.Asked(model=eye, text="", picture="boat")
    ).result()
    every = tuple(range(17))
    what = Shown(
        model=eye, capture=capture, heads=((1, 2),), rows=every, columns=every, picture="boat"
    )
    found: dict = {}
    exec(package_map(what, T), found)
    arrays = [each for each in found.values() if getattr(each, "shape", None) == (17, 17)]
    assert arrays
    np.testing.assert_allclose(arrays[-1], capture.weights(1, 2), atol=1e-6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_our_pictures_has_means_over_all_of_them(eye, language, monkeypatch):
    monkeypatch.setattr(
        cached_models, "DRAWINGS", {name: DRAWINGS[name] for name in list(DRAWINGS)[:2]}
    )
    app = opened(model=eye, panel="head_table", exp="sentences", lang=language)
    t = words(language)
    assert not app.error
    table = picture(app, "sorting")
    captures = [
        cached_models.models().capture(drawing(name).pixels, name=eye)
        for name in cached_models.DRAWINGS
    ]
    expected = averaged([listed(capture) for capture in captures])
    at = MEASURES.index("self_share")
    for row, found in zip(table["rows"], expected, strict=True):
        assert row["values"][at] == pytest.approx(found.mean.self_share)
    assert t("head_table.note_pictures", n=2) in [each.value for each in app.caption]


def test_means_say_that_edits_are_not_part_of_them(eye):
    app = opened(model=eye, panel="head_table", exp="sentences", edit="off.0.0")
    assert T("head_table.on.untouched") in [each.value for each in app.caption]
