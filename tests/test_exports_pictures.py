"""SVG and PNG by a browser on this machine, and the lesson that holds them."""

import importlib.util
import io
import json
import threading
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from attnviz.errors import InputError
from attnviz.exports import bundles, pictures
from attnviz.exports.bundles import bundle, read_bundle, read_record
from attnviz.exports.looks import Look
from attnviz.exports.panels import head_panels
from attnviz.lessons.typed import parse_table
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES

CHINESE = scene_of(Settings(), "zh-Hant")


def weights_map():
    return next(
        panel.light for panel in head_panels(CHINESE, Look("zh-Hant")) if panel.name == "weights"
    )


@pytest.fixture
def chromium(browser_type_launch_args, monkeypatch):
    monkeypatch.setenv("CHROMIUM", browser_type_launch_args["executable_path"])


# --- Pictures


def test_an_svg_keeps_chinese_as_text_in_the_figures_own_size(chromium):
    svg = pictures.picture(weights_map(), "svg").decode()
    own = weights_map().layout
    assert svg.startswith("<svg")
    assert f'width="{own.width}"' in svg
    assert "會₂" in svg
    assert "列(row)" in svg


def test_a_png_is_as_large_as_asked_and_on_white_paper(chromium):
    png = Image.open(io.BytesIO(pictures.picture(weights_map(), "png", 300, 200, 2)))
    assert png.size == (600, 400)
    assert png.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


def test_a_machine_without_a_browser_says_what_to_do(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(InputError) as refused:
        pictures.picture(weights_map(), "svg")
    assert refused.value.code == "export.no_browser"


def test_a_machine_without_kaleido_says_what_to_do(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError) as refused:
        pictures.picture(weights_map(), "svg")
    assert refused.value.code == "export.no_kaleido"


def test_who_waits_too_long_for_others_is_told(monkeypatch):
    monkeypatch.setattr(pictures, "LONGEST_WAIT", 0)
    monkeypatch.setattr(pictures, "_drawn", lambda asked: [])
    release = threading.Event()
    blocked = pictures._ONE_AT_A_TIME.submit(lambda: release.wait(10))
    with pytest.raises(InputError) as refused:
        pictures.picture(weights_map(), "svg")
    release.set()
    blocked.result()
    assert refused.value.code == "export.slow"


# --- Lessons


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lesson_holds_settings_matrices_figures_and_code(language):
    choices = Settings(n_heads=2, mask="causal", language=language)
    scene = scene_of(choices, language)
    link = "https://example.org/?mask=causal"
    files = opened(
        bundle(scene, choices, language, link=link, code="print(1)", with_pictures=False)
    )
    assert json.loads(files["settings.json"])["link"] == link
    assert files["recompute.py"] == b"print(1)"
    assert_array_equal(parse_table(files["matrices/inputs.csv"].decode()), scene.inputs)
    assert parse_table(files["matrices/w_q.csv"].decode())[0] == tuple(
        np.concatenate(list(scene.trace.projections.w_q), axis=1)[0]
    )
    readme = files["README.txt"].decode("utf-8-sig")
    assert link in readme
    assert "Chrome" in readme
    for name in ("settings.json", "trace.npz", "trace.csv", "figures.html", "recompute.py"):
        assert name in files
        assert name in readme


def test_a_lesson_has_its_figures_as_svg_where_a_browser_is(chromium):
    files = opened(bundle(CHINESE, Settings(), "zh-Hant"))
    drawn = {name for name in files if name.endswith(".svg")}
    assert {"figures/weights.svg", "figures/step-04-weights.svg"} <= drawn
    assert "會₂" in files["figures/weights.svg"].decode()
    assert "Chrome" not in files["README.txt"].decode("utf-8-sig")


def test_without_a_browser_a_lesson_is_still_packed(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    files = opened(bundle(CHINESE, Settings(), "zh-Hant"))
    assert not any(name.endswith(".svg") for name in files)
    assert "Chrome" in files["README.txt"].decode("utf-8-sig")


def test_the_same_lesson_is_the_same_file():
    one, other = (bundle(CHINESE, Settings(), "zh-Hant", with_pictures=False) for _ in range(2))
    assert one == other


def test_a_lesson_reads_back_the_same():
    choices = Settings(vectors=((0.1, 2.0), (3.0, -0.0)), scale="sqrt_d_k")
    scene = scene_of(choices)
    back = read_bundle(bundle(scene, choices, "en", with_pictures=False))
    assert back.settings == choices
    assert_array_equal(back.array("weights"), scene.trace.weights)
    assert_array_equal(back.scene().trace.output, scene.trace.output)


@pytest.mark.parametrize(
    "data", [b"", b"x", bundles._zip({"a": b"1"}), bundles._zip({"trace.npz": b""})]
)
def test_what_is_no_lesson_is_refused_with_a_sentence(data):
    for read in (read_bundle, read_record):
        with pytest.raises(InputError) as refused:
            read(data)
        assert refused.value.code == "export.unreadable"
