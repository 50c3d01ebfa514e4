"""Norm-based readings, and every head on the built-in sentences, on the page Models."""

import csv
import io
import threading

import numpy as np
import pytest
import streamlit as st

from attnviz.errors import InputError
from attnviz.models.catalogue import catalogue
from attnviz.models.corpus import averaged, sentences_for
from attnviz.models.listed import listed
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals, number
from attnviz.ui import cached_models
from attnviz.ui.jobs import Job
from attnviz.ui.rooms.models import folds, head, opening
from attnviz.ui.rooms.models.head_list import MEASURES
from tests.pages.test_models import drawn, opened, weights_of
from tests.pages.test_models_questions import TEXT, cached_model, captions, capture_of, picture

T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work."""
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


# --- Readings


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_norm_based_reading_multiplies_by_what_w_o_makes_of_the_value(language):
    app = opened(t=TEXT, lh="1.0", panel="readings", reading="norm", amount="1", lang=language)
    assert not app.error
    assert words(language)("readings.claim.norm") in captions(app)
    capture, asked = capture_of(app), cached_models.Asked(model=cached_model(app), text=TEXT)
    matrix = cached_models._output_matrix(asked, 1)
    lengths = np.linalg.norm(matrix.carried(capture.layers[1], 0), axis=1)
    shown = next(part for part in reversed(drawn(app)) if "limit" in part[0])
    expected = capture.weights(1, 0) * lengths
    np.testing.assert_allclose(weights_of(*shown), expected, atol=2e-3 * lengths.max())
    assert shown[0]["limit"] == pytest.approx(lengths.max(), rel=1e-2)


@pytest.mark.skipif(not catalogue()["default"].installed, reason="its weights are a package")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_layer_says_how_much_came_from_other_tokens(language):
    page = {"t": TEXT, "lh": "1.0", "q": "2", "panel": "readings", "reading": "layer"}
    app = opened(**page, lang=language)
    assert not app.error
    t, asked = words(language), cached_models.Asked(model="default", text=TEXT)
    found = cached_models.reading(asked, 1, 0, "layer", None).result()
    label = capture_of(app).tokens[2].label
    said = t("readings.mixed", query=label, share=number(found.mixed[2], 2))
    assert said in [each.value.replace("\\", "") for each in app.markdown]
    assert (np.diag(found.numbers) > 0).all()


def test_a_model_that_does_not_normalize_after_the_sum_says_so():
    app = opened(model="induction", t="the cat sat. the cat", panel="readings", reading="layer")
    assert not app.error
    said = T("error.models.no_layer_norm", name=catalogue()["induction"].title)
    assert said in [each.value.replace("\\", "") for each in app.info]


# --- The built-in sentences


@pytest.fixture
def few(monkeypatch) -> tuple[str, ...]:
    """Three sentences instead of all."""
    texts = sentences_for("default")[:3]
    monkeypatch.setattr(cached_models, "sentences_for", lambda model: texts)
    cached_models.heads_averaged.clear()
    yield texts
    cached_models.heads_averaged.clear()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_the_sentences_has_means_and_how_far_they_spread(few, language):
    app = opened(t=TEXT, panel="head_table", exp="sentences", lang=language, digits="2")
    t, table = words(language), picture(app, "sorting")
    assert not app.error
    captures = [capture_of(app, text) for text in few]
    expected = averaged([listed(capture) for capture in captures])
    at = MEASURES.index("self_share")
    for row, found in zip(table["rows"], expected, strict=True):
        assert row["values"][at] == pytest.approx(found.mean.self_share)
        spread = decimals(found.spread("self_share"), 2)
        assert row["cells"][at] == f"{decimals(found.mean.self_share, 2)} ±{spread}"
        assert row["types"] == list(found.mean.types)
    assert t("head_table.note_sentences", n=3) in captions(app)
    assert t("head_table.rules_mean") in captions(app)
    listing = next(each.value for each in app.markdown if each.value.startswith("1. "))
    assert few[0] in listing.replace("\\", "")


def test_a_mean_over_fewer_sentences_says_over_how_many(few):
    app = opened(t=TEXT, panel="head_table", exp="sentences")
    at = MEASURES.index("induction_score")
    cells = {row["cells"][at] for row in picture(app, "sorting")["rows"]}
    assert all(cell == T("head_table.none") or cell.endswith(")") for cell in cells)


@pytest.mark.parametrize("exp", ["text", "sentences"])
def test_the_table_can_be_taken_away(few, exp, monkeypatch):
    kept = []
    monkeypatch.setattr(st, "download_button", lambda label, **how: kept.append((label, how)))
    app = opened(t=TEXT, panel="head_table", exp=exp)
    assert not app.exception
    how = next(how for label, how in kept if label == T("head_table.save"))
    rows = list(csv.DictReader(io.StringIO(how["data"]().decode("utf-8-sig"))))
    assert len(rows) == len(picture(app, "sorting")["rows"])
    assert ("self_share_sd" in rows[0]) == (exp == "sentences")


def test_the_switch_is_in_the_link_and_back(few):
    app = opened(t=TEXT, panel="head_table")
    assert T("head_table.note") in captions(app)
    app.segmented_control(key="control.experiment").set_value("sentences").run()
    assert app.query_params["exp"] == "sentences"
    assert T("head_table.note_sentences", n=3) in captions(app)
    app.segmented_control(key="control.experiment").set_value("text").run()
    assert T("head_table.note") in captions(app)


def test_work_that_was_stopped_can_begin_once_more(monkeypatch):
    stopped = threading.Event()
    stopped.set()

    def refused(tell):
        raise InputError("models.cancelled")

    job = cached_models.Averaging(Job.started(refused), 3, stopped)
    asked = []

    def averages(model):
        asked.append(model)
        return job

    averages.clear = lambda model: asked.append("again")
    monkeypatch.setattr(cached_models, "heads_averaged", averages)
    app = opened(t=TEXT, panel="head_table", exp="sentences")
    assert any(T("error.models.cancelled")[:20] in each.value for each in app.info)
    next(each for each in app.button if each.label == T("head_table.on.again")).click().run()
    assert "again" in asked


def test_a_stop_is_heard_between_two_sentences(monkeypatch):
    begun, go, asked = threading.Event(), threading.Event(), []

    class Models:
        def capture(self, text, name):
            asked.append(text)
            begun.set()
            go.wait(30)
            from attnviz.models.results import Capture

            return Capture.from_attentions([np.full((1, 2, 2), 0.5)], list("ab"))

    monkeypatch.setattr(cached_models, "models", Models)
    cached_models.heads_averaged.clear()
    job = cached_models.heads_averaged("default")
    begun.wait(30)
    job.stop.set()
    go.set()
    with pytest.raises(InputError, check=lambda error: "cancelled" in error.code):
        job.work.result()
    assert len(asked) == 1
    cached_models.heads_averaged.clear()


def test_weights_of_a_file_have_no_sentences(monkeypatch):
    stream = io.BytesIO()
    np.savez(stream, layer_0=np.full((1, 2, 2), 0.5), tokens=["a", "b"])
    cached_models.given_job("d", stream.getvalue(), "w.npz")
    monkeypatch.setattr(opening, "given", lambda: "d")
    app = opened(panel="head_table", exp="sentences")
    assert T("head_table.note") in captions(app)
    assert "control.experiment" not in app.session_state
