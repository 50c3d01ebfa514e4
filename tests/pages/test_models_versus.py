"""Comparing heads on the page Models, and readings on one scale, by Streamlit's test runner."""

from itertools import product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.models.comparing.aligned import compared, side_of
from attnviz.models.comparing.heads_apart import changed, from_head
from attnviz.models.comparing.minimal_pairs import partner
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import decimals
from attnviz.ui import cached_models
from attnviz.ui.rooms.models import folds, head, versus, versus_choice, versus_maps
from tests.pages.test_models import drawn, opened, weights_of

MODEL = "induction"
TEXT = "the cat sat. the cat"
T = words("en")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for the model and for the work: what is shown while it runs is another test's."""
    for room in (head, folds, versus):
        monkeypatch.setattr(room, "_SOON", 120.0)


def compare(**link: str) -> AppTest:
    return opened(**({"model": MODEL, "t": TEXT, "lh": "1.0", "panel": "versus"} | link))


def capture_of(text: str = TEXT, model: str = MODEL):
    return cached_models.capture_job(cached_models.Asked(model=model, text=text)).result()


def maps(app: AppTest) -> tuple[dict, np.ndarray, np.ndarray]:
    data, arrays = next(each for each in drawn(app) if "reach" in each[0])
    shape = len(data["rows"]), len(data["columns"])
    one, other = (np.frombuffer(array, np.uint16).reshape(shape) for array in arrays[:2])
    return data, one, other


def squares(app: AppTest) -> dict:
    return next(data for data, _ in drawn(app) if "counts" in data)


def headline(app: AppTest) -> str:
    bold = [each.value for each in app.markdown if each.value.startswith("**")]
    return bold[0].strip("*").replace("\\", "")


def weights(cells: np.ndarray, limit: float = 1.0) -> np.ndarray:
    return np.where(cells == 65_535, np.nan, np.where(cells == 65_534, 0, cells / 65_533 * limit))


@pytest.mark.parametrize(("kind", "language"), list(product(("text", "head", "model"), LANGUAGES)))
def test_each_comparison_opens_on_something_in_every_language(kind, language):
    app = compare(vs=kind, lang=language)
    assert not app.error
    assert not app.warning
    t = words(language)
    assert t("fold.versus") in [each.value for each in app.subheader]
    assert headline(app) not in (t("versus.nothing"), "")
    data, one, other = maps(app)
    assert data["words"]["difference"] == t("versus.difference")
    assert not np.array_equal(one, other)
    app = compare(vs=kind, lang=language, present="1", notation="column", hide="0")
    assert not app.error
    assert maps(app)[0]["turned"]


def test_the_maps_are_the_two_heads_to_sixteen_bits():
    data, one, other = maps(compare(vs="text"))
    sides = [capture_of(), capture_of(partner(TEXT))]
    found = compared(*(side_of(each, (1, 0)) for each in sides))
    np.testing.assert_allclose(weights(one), found.one, atol=1e-5)
    np.testing.assert_allclose(weights(other), found.other, atol=1e-5)
    assert data["reach"] >= found.largest > data["reach"] * 0.85
    hidden = np.triu(np.ones(one.shape, bool), 1)
    assert (one[hidden] == 65_534).all()
    assert not (one[~hidden] >= 65_534).any()


def test_the_sentence_is_made_of_the_numbers():
    app = compare(vs="text", q="17", digits="3")
    found = compared(*(side_of(each, (1, 0)) for each in (capture_of(), capture_of(partner(TEXT)))))
    row, farthest = 17, found.farthest
    one, other = found.peak(row, 0), found.peak(row, 1)
    said = headline(app)
    assert decimals(found.one[row, one], 3) in said
    assert decimals(found.other[row, other], 3) in said
    values = found.apart["total_variation"]
    assert decimals(values[row], 3) in said
    assert decimals(values[farthest], 3) in said
    assert decimals(np.nanmean(values), 3) in said
    measured = next(
        each.value for each in app.caption if "Jensen" in each.value.replace("\\", "")
    ).replace("\\", "")
    for name in ("jensen_shannon", "kl", "cosine"):
        assert decimals(np.nanmean(found.apart[name]), 3) in measured


def test_insertions_are_left_blank_and_said():
    app = compare(vs="text", vt="the big cat sat. the cat")
    data, one, other = maps(app)
    inserted = [at for at, line in enumerate(data["rows"]) if line[0] is None]
    assert len(inserted) == len("big ")
    assert (one[inserted] == 65_535).all()
    assert (one[:, inserted] == 65_535).all()
    assert not (other == 65_535).any()
    assert data["rows"][inserted[0]][2] is None
    notes = " ".join(each.value for each in app.caption)
    assert T("versus.left_out", one=0, other=4, share="0%", other_share="@").split("@")[0][:40] in (
        notes.replace("\\", "")
    )


def test_the_same_text_differs_nowhere():
    app = compare(vs="text", vt=TEXT)
    assert headline(app) == T("versus.same", n=len(TEXT))
    assert maps(app)[0]["reach"] == 1
    shades = next(arrays for data, arrays in drawn(app) if "counts" in data)
    assert not any(np.frombuffer(each, np.uint8).any() for each in shades)


def test_another_text_is_typed_and_stands_in_the_link():
    app = compare(vs="text")
    assert app.text_area(key="control.against_text").value == partner(TEXT)
    app.text_area(key="control.against_text").set_value("a cat").run()
    assert (app.query_params["vt"], app.query_params["vs"]) == ("a cat", "text")
    again = opened(**app.query_params)
    assert headline(again) == headline(app)


def test_an_empty_text_is_refused_and_the_comparison_stays():
    app = compare(vs="text", vt="a cat")
    before = headline(app)
    app.text_area(key="control.against_text").set_value("  ").run()
    assert T("error.models.no_tokens") in app.error[0].value.replace("\\", "")
    assert headline(app) == before


def test_the_squares_are_how_far_each_head_is_from_itself():
    app = compare(vs="text")
    found = changed(capture_of(), capture_of(partner(TEXT)))
    data, arrays = next(each for each in drawn(app) if "counts" in each[0])
    shades = np.concatenate([np.frombuffer(array, np.uint8) for array in arrays])
    expected = np.rint(found.distances / found.largest * 255)
    np.testing.assert_array_equal(shades, expected)
    assert data["chosen"] == [[1, 0]]


def test_another_head_begins_with_the_nearest_and_is_chosen():
    app = compare(vs="head")
    nearest = from_head(capture_of(), (1, 0), capture_of()).nearest(but=(1, 0))
    assert app.selectbox(key="control.against_head").value == nearest
    other = (0, 1) if nearest != (0, 1) else (0, 2)
    app.selectbox(key="control.against_head").set_value(other).run()
    assert app.query_params["vh"] == "{}.{}".format(*other)
    assert squares(app)["chosen"] == [list(other)]
    np.testing.assert_allclose(weights(maps(app)[2]), capture_of().weights(*other), atol=1e-5)


def test_layers_are_compared_by_the_means_of_their_heads():
    app = compare(vs="head")
    app.segmented_control(key="control.against").set_value("layer").run()
    assert (app.query_params["vs"], app.query_params["amount"]) == ("head", "1")
    assert app.selectbox(key="control.against_layer").value == 0
    capture = capture_of()
    mean = np.mean([capture.weights(1, each) for each in range(capture.layers[1].n_heads)], axis=0)
    np.testing.assert_allclose(weights(maps(app)[1]), mean, atol=1e-5)
    assert squares(app)["counts"] == [1] * capture.n_layers
    again = opened(**app.query_params)
    assert headline(again) == headline(app)


@pytest.mark.parametrize("vh", ["1.0", "1.99", "63.0"])
@pytest.mark.parametrize("amount", ["0", "1"])
def test_a_link_to_itself_or_to_nobody_compares_with_another(vh, amount):
    app = compare(vs="head", vh=vh, amount=amount)
    assert not app.error
    _, one, other = maps(app)
    assert not np.array_equal(one, other)


def test_edits_of_heads_hold_for_both_texts_and_those_of_tokens_for_one():
    app = compare(vs="text", edit="off.0.1;mask.3")
    assert not app.exception
    assert not app.error
    cleaned = cached_models.Asked(model=MODEL, text=partner(TEXT), edits=(("off", 0, 1),))
    wanted = side_of(cached_models.capture_job(cleaned).result(), (1, 0)).view.weights
    np.testing.assert_allclose(weights(maps(app)[2]), wanted, atol=1e-5)


@pytest.mark.parametrize("kind", ["text", "head", "layer"])
def test_exchanging_the_sides_exchanges_the_maps_and_goes_back(kind):
    app = compare(
        vs="head" if kind == "layer" else kind, **({"amount": "1"} if kind == "layer" else {})
    )
    before = maps(app)
    app.button(key="versus.swap").click().run()
    after = maps(app)
    np.testing.assert_array_equal(before[1], after[2])
    np.testing.assert_array_equal(before[2], after[1])
    app.button(key="versus.swap").click().run()
    np.testing.assert_array_equal(maps(app)[1], before[1])


def test_another_model_is_compared_by_words():
    app = compare(vs="model", vm="default")
    if not versus_choice.catalogue()["default"].installed:
        assert app.error
        return
    data, one, _ = maps(app)
    names = {line[0] for line in data["rows"]}
    assert {"the", "cat", "sat"} <= names
    assert one.shape[0] < len(TEXT)
    assert T("versus.words") in [each.value.replace("\\", "") for each in app.caption]
    held = app.selectbox(key="control.against_head").value
    found = from_head(capture_of(), (1, 0), capture_of(model="default"), "words")
    assert held == found.nearest()
    app.button(key="versus.swap").click().run()
    assert app.query_params["vm"] == MODEL
    assert app.query_params.get("model", "default") == "default"
    assert headline(app)


def test_a_model_that_is_not_here_gets_a_sentence_and_the_choice_stays():
    app = compare(vs="model", vm="no_such_model")
    assert app.error
    assert app.selectbox(key="control.against_model").value == "no_such_model"
    assert [button for button in app.button if button.key == "versus.again"]


@pytest.mark.parametrize("text", ["x", "<b>$x$</b>", "👩‍👩‍👧", "學而時習之"])
def test_any_text_can_be_compared(text):
    app = compare(vs="text", t=text)
    assert not app.error
    assert len(maps(app)[1])


def test_where_nothing_is_on_both_sides_that_is_said():
    app = compare(vs="text", t="ab", vt="xyz")
    assert T("versus.nothing") in [each.value for each in (*app.info, *app.markdown)] or (
        headline(app) == T("versus.nothing")
    )


def test_a_row_is_held_in_the_other_pictures_of_the_page_too():
    data, *_ = maps(compare(vs="text", q="5"))
    assert data["locked"]["at"] == 5
    assert data["rows"][5][2] == 5


def test_the_scale_of_differences_ends_at_a_short_number():
    for largest in (0.61, 0.0432, 0.999, 1.0, 0.3):
        end = versus_maps.reach(largest)
        assert largest <= end + 1e-9
        assert len(f"{end:g}".lstrip("0.")) <= 2
    assert versus_maps.reach(0.0) == 1


KINDS = ("weight", "value", "norm", "rollout", "flow", "flow_all")


@pytest.mark.parametrize("kind", KINDS)
def test_every_reading_is_drawn_on_one_scale_from_0_to_1(kind):
    link = {"model": MODEL, "t": TEXT, "lh": "1.0", "q": "7", "panel": "readings", "reading": kind}
    shared, own = opened(**link), opened(**link, amount="1")
    (data, arrays), (own_data, own_arrays) = drawn(shared)[0], drawn(own)[0]
    assert data["limit"] == 1
    numbers, whole = weights_of(data, arrays), weights_of(own_data, own_arrays)
    sums = whole.sum(axis=1, keepdims=True)
    full = sums[:, 0] > 0
    assert full.any()
    np.testing.assert_allclose(numbers[full], whole[full] / sums[full], atol=2e-4)
    np.testing.assert_allclose(numbers[full].sum(axis=1), 1, atol=2e-3)
    captions = [each.value.replace("\\", "") for each in shared.caption]
    assert T("readings.shares") in captions
    assert T("readings.shares") not in [each.value for each in own.caption]


def test_the_scale_is_chosen_and_stands_in_the_link():
    app = opened(model=MODEL, t=TEXT, panel="readings", reading="flow")
    app.segmented_control(key="control.reading_scale").set_value("own").run()
    assert app.query_params["amount"] == "1"
    app.segmented_control(key="control.reading_scale").set_value("shares").run()
    assert "amount" not in app.query_params
