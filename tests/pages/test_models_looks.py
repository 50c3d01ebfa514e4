"""Models of other makes on the page Models: two stacks, shared keys, layers unlike each other."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from attnviz.models.load import load_model
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import folds, head
from tests.pages.test_models import drawn, opened, weights_of

T = words("en")
SOURCE, TARGET = "The black cat sat.", "O gato preto."
PANELS = ("all_heads", "lines", "map", "why", "hidden", "readings", "head_table", "similar")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return cache(lambda family: save(tmp_path_factory.mktemp("tiny") / family, family))


def save(place, family: str):
    save_tiny(family, place)
    return load_model(str(place))


@pytest.fixture(autouse=True)
def here(monkeypatch, folder):
    """Run small models in this process, by the name of their family."""

    def capture(text, pair, target, *, window, name, progress=None, **more):
        asked = {key: value for key, value in more.items() if key == "edits" and value}
        return folder(name).capture(text, pair, target, window=window, **asked)

    def load(name):
        return SimpleNamespace(difference=folder(name).difference)

    monkeypatch.setattr(
        cached_models, "models", lambda: SimpleNamespace(capture=capture, load=load)
    )
    monkeypatch.setattr(head, "_SOON", 120.0)
    monkeypatch.setattr(folds, "_SOON", 120.0)


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("layer", [0, 2, 3])
def test_every_question_opens_on_both_stacks_and_between_them(panel, layer):
    app = opened(model="marian", t=SOURCE, t3=TARGET, lh=f"{layer}.1", panel=panel)
    assert not app.error
    assert not app.warning


@pytest.mark.parametrize("language", LANGUAGES)
def test_cross_attention_has_the_target_down_and_the_source_across(language, folder):
    app = opened(model="marian", t=SOURCE, t3=TARGET, lh="3.1", panel="map", lang=language)
    capture = folder("marian").capture(SOURCE, target=TARGET)
    assert [layer.kind for layer in capture.layers][3] == "cross"
    (data, arrays), (lines, _) = drawn(app)
    assert data["queries"] == [token.label for token in capture.target_tokens]
    assert data["keys"] == lines["keys"] == [token.label for token in capture.tokens]
    np.testing.assert_allclose(weights_of(data, arrays), capture.weights(3, 1), atol=1e-4)
    own = words(language)("models.short.cross", number=capture.layers[3].number)
    name = words(language)("models.head_name_of", layer=3, own=own, head=1)
    assert lines["heads"][0]["name"] == name
    assert name in app.selectbox(key="control.head_in_hand").options
    assert app.text_area(key="control.passage_target").value == TARGET


def test_layers_of_two_stacks_are_named_by_number_and_place():
    app = opened(model="marian", t=SOURCE, t3=TARGET)
    named = drawn(app)[0][0]["layers"]
    assert named[0] == f"0: {T('models.short.encoder', number=0)}"
    assert named[3] == f"3: {T('models.short.cross', number=0)}"


@pytest.mark.parametrize("panel", PANELS)
def test_every_question_opens_where_heads_share_keys(panel):
    app = opened(model="llama", t=SOURCE, lh="1.1", panel=panel)
    assert not app.error
    assert not app.warning


@pytest.mark.parametrize("panel", ["map", "why"])
def test_heads_that_share_their_keys_say_so(panel, folder):
    layer = folder("llama").capture(SOURCE).layers[1]
    size = layer.n_heads // layer.n_kv_heads
    assert size > 1
    app = opened(model="llama", t=SOURCE, lh="1.1", panel=panel)
    others = ", ".join(str(each) for each in range(size) if each != 1)
    said = T("models.shared", heads=others)
    assert any(said in each.value for each in app.markdown)
    app = opened(model="bert", t=SOURCE, lh="1.1", panel=panel)
    assert not any(T("models.shared", heads="0") in each.value for each in app.markdown)


def test_what_a_causal_model_may_not_see_is_not_a_zero():
    app = opened(model="llama", t=SOURCE, lh="0.0", panel="map")
    data, arrays = drawn(app)[0]
    ranges = np.frombuffer(arrays[2], np.int32).reshape(-1, 2)
    np.testing.assert_array_equal(ranges[:, 1], np.arange(len(data["queries"])))


@pytest.mark.parametrize(
    "text", ["القطة جلست على السجادة", "👩‍👩‍👧 👍🏽 e\u0301"], ids=["arabic", "emoji"]
)
def test_other_scripts_are_drawn_as_they_are(text):
    app = opened(model="gpt2", t=text, panel="lines", unit="characters")
    assert not app.error
    assert drawn(app)[0][0]["queries"]


def test_layers_unlike_each_other_come_from_a_file_with_rows_of_nan():
    def opened_file() -> None:
        cached_models.given_job("file.empty", data, "w.npz", "empty")

    import io

    rng = np.random.default_rng(0)
    first, second = rng.dirichlet(np.ones(4), (2, 4)), rng.dirichlet(np.ones(4), (3, 4))
    second[1, 2] = np.nan
    stream = io.BytesIO()
    np.savez(stream, layer_0=first, layer_1=second, tokens=np.array(list("abcd")))
    data = stream.getvalue()
    opened_file()
    for panel in ("all_heads", "map", "head_table", "similar"):
        app = opened(model="bert", t=SOURCE)
        app.session_state["held.models.given"] = "file.empty"
        app.session_state["state.settings"] = app.session_state["state.settings"].__class__(
            panel=panel, heads_shown=((1, 1),)
        )
        app.run()
        assert not app.exception, app.exception
        assert not app.error
    app.run()
    assert T("panel.edit") not in app.button_group(key="control.panel").options


EDITS = "off.0.1;cut.0.0.3.2;mask.4;even.0.0"


def test_edits_of_tokens_end_with_the_text_that_they_are_of():
    app = opened(model="bert", t=SOURCE, t2="It slept.", panel="edit", edit=EDITS)
    app.text_area(key="control.passage_pair").set_value("They slept.").run()
    assert app.query_params["t2"] == "They slept."
    assert app.query_params["edit"] == "off.0.1;even.0.0"

    app = opened(model="bert", t=SOURCE, t2="It slept.", panel="edit", edit=EDITS)
    press(app, T("models.one_text"))
    assert app.query_params["edit"] == "off.0.1;even.0.0"

    app = opened(model="bert", t="a b c " * 60, panel="edit", edit=EDITS, long="windows")
    press(app, T("models.window_after"))
    assert app.query_params["edit"] == "off.0.1;even.0.0"


def test_what_is_masked_in_a_text_stays_when_another_target_is_written():
    app = opened(
        model="marian", t=SOURCE, t3=TARGET, panel="edit", edit="off.3.1;cut.3.0.1.2;mask.4"
    )
    app.text_area(key="control.passage_target").set_value("O gato dorme.").run()
    assert not app.exception
    assert app.query_params["edit"] == "off.3.1;mask.4"


def press(app, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", PANELS)
def test_a_part_that_the_text_does_not_have_is_told(panel, language):
    app = opened(model="bert", t=SOURCE, part="ba", panel=panel, lang=language)
    told = words(language)("error.models.nothing_left")
    whole = panel in ("head_table", "similar")
    assert whole or told in "\n".join(each.value.replace("\\", "") for each in app.error)
