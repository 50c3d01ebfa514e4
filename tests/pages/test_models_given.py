"""Weights of another program on the page Models: whatever the file holds, it is read or refused."""

import io
import json
from collections.abc import Iterable

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import AlertBase

from attnviz.text import LANGUAGES, words
from attnviz.ui.rooms.models import folds, head
from tests.pages.test_models import opened

T = words("en")
SINGLE = np.random.default_rng(0).dirichlet(np.full(40, 0.3), (2, 3, 40)).astype(np.float32)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the work: what is shown while it runs is another test's."""
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


def npz(layers: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **{f"layer_{place}": layer for place, layer in enumerate(layers)})
    return stream.getvalue()


def as_json(layers: np.ndarray) -> bytes:
    return json.dumps({"attentions": layers.tolist()}).encode()


def uploaded(data: bytes, name: str, *, nan: bool = False, **link: str) -> AppTest:
    app = opened(**link)
    if nan:
        app.checkbox(key="models.nan_rows").check().run()
    app.file_uploader(key="models.file.False").set_value((name, data, "application/octet-stream"))
    app.run()
    assert not app.exception, app.exception
    return app


def said(found: Iterable[AlertBase]) -> str:
    return "\n".join(each.value.replace("\\", "") for each in found)


def captions(app: AppTest) -> str:
    return "\n".join(each.value.replace("\\", "") for each in app.caption)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (npz(SINGLE.astype(float)), "double.npz"),
        (as_json(SINGLE), "double.json"),
        (npz(SINGLE.astype(np.float16)), "half.npz"),
    ],
    ids=["float64", "JSON", "float16"],
)
def test_weights_of_another_program_have_all_numbers_and_a_map(data, name):
    app = uploaded(data, name, panel="similar")
    assert not app.error
    assert app.get("plotly_chart")
    assert T("similar.left_out", heads="#", n="#").split("#")[0] not in captions(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("total", [0.9995, np.nan, 0.5])
def test_heads_without_a_distance_are_left_out_and_named(language, total):
    layers = SINGLE.astype(float)
    layers[1, 2, 4] *= total
    app = uploaded(npz(layers), "w.npz", nan=True, panel="similar", lang=language)
    assert not app.error
    assert words(language)("similar.left_out", heads="1.2", n=1) in captions(app)


def test_where_no_two_heads_can_be_compared_that_is_said():
    app = uploaded(npz(SINGLE * 0.9), "w.npz", panel="similar")
    assert T("error.models.not_comparable") in said(app.info)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("data", "code", "values"),
    [
        (
            b'{"attentions": [[[[1, 0], [NaN, 0.5]]]]}',
            "models.nan",
            {"layer": "layer 0", "head": 0, "row": 2},
        ),
        (b'{"attentions": [[[[1, 0], [1]]]]}', "models.not_numbers", {}),
        (npz(np.full((1, 2, 1, 3, 3), 1 / 3)), "models.batch", {"n": 2}),
    ],
    ids=["a NaN", "ragged", "a batch"],
)
def test_what_cannot_be_read_is_refused_in_the_words_of_the_page(language, data, code, values):
    name = "w.json" if data.startswith(b"{") else "w.npz"
    app = uploaded(data, name, panel="similar", lang=language)
    sentence = words(language)(f"said.page.{code}", **values)
    assert sentence in said(app.error)
    for word in ("nan_rows", "key_tokens=", "batch="):
        assert word not in said(app.error)
