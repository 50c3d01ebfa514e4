"""The page Compare by Streamlit's own test runner: every question, its controls and its limits."""

import io
from functools import partial
from itertools import product

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from attnviz.comparisons.convolution import SEED, drawn_picture, likeness
from attnviz.lessons.drawings import DRAWINGS
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import magnitude
from attnviz.ui.rooms.compare import PANELS
from attnviz.ui.rooms.compare.picture import looks
from tests.pages.reading import asked, linked, opened, parts, plain, said, tables

PAGE = "compare.py"
OWN = ("convolution", "receptive", "picture", "window_fc", "speech", "labelling")
t = words("en")
shown = partial(asked, PAGE)


def drawn_pictures(app: AppTest) -> list[dict]:
    return next(part["pictures"] for part in parts(app) if "pictures" in part)


def test_every_question_of_ours_is_there():
    assert set(OWN) <= set(PANELS)


@pytest.mark.parametrize(("panel", "language"), list(product(OWN, LANGUAGES)))
def test_every_question_opens_in_every_language_and_notation(panel, language):
    for notation in ("row", "column"):
        app = shown(panel, lang=language, notation=notation)
        assert words(language)(f"{panel}.question") in said(app)
        assert app.get("bidi_component")


@pytest.mark.parametrize("panel", OWN)
@pytest.mark.parametrize(
    "link",
    [
        {"present": "1"},
        {"key": "49", "amount": "7", "rung": "k7", "target": "dilated"},
        {"key": "999", "amount": "-3", "rung": "head_9", "target": "ring"},
        {"amount": "11", "rung": "20", "target": "whole"},
        {"amount": "1", "rung": "500", "target": "frames", "draw": "9999"},
        {"text": "saw"},
        {"text": " ".join(["saw", "the", "xyzzy"] * 10), "target": "words"},
        {"pic": "cat", "rung": "s16", "target": "both", "q": "30"},
        {"pic": "none_of_ours", "rung": "head_", "target": "place", "exp": "everywhere"},
    ],
    ids=str,
)
def test_every_question_makes_sense_of_any_link(panel, link):
    shown(panel, **link)


def test_the_questions_follow_the_lecture():
    assert list(PANELS) == [
        *("labelling", "window_fc", "convolution", "receptive", "recurrence"),
        *("speech", "picture", "graph", "linear", "costs"),
    ]
    assert t("labelling.question") in said(opened(PAGE, lang="en", panel="maps"))


# --- Convolution ---


def test_the_errors_of_the_lectures_picture_are_said():
    app = shown("convolution", amount="20")
    same = likeness(*drawn_picture(SEED), sharpness=20)
    inside, border = magnitude(same.interior_error()), magnitude(same.border_error())
    assert t("convolution.answer", inside=inside, border=border) in said(app)
    assert inside == "1.5×10⁻⁷"


def test_blunt_heads_are_not_called_a_convolution():
    assert "12.6" in said(shown("convolution", amount="1"))
    for ring in ("", "ring"):
        text = said(shown("convolution", amount="1", target=ring or "none"))
        assert "Not yet" in text
        assert "Yes" not in text


def test_a_ring_is_put_around_and_taken_away():
    app = shown("convolution")
    assert [len(picture["colours"]) for picture in drawn_pictures(app)] == [50, 50, 50]
    app.toggle(key="convolution.ring").set_value(True).run()
    assert linked(app, "target") == "ring"
    picture, looks, errors = drawn_pictures(app)
    assert [len(each["colours"]) for each in (picture, looks, errors)] == [84, 84, 50]
    assert len(looks["quiet"]) == 34
    assert [looks["pick"][place] for place in looks["quiet"]] == [None] * 34
    assert picture["chosen"] == 3 * 12 + 5  # the middle, one row and one column further in
    assert "Yes, everywhere" in said(app)
    app.toggle(key="convolution.ring").set_value(False).run()
    assert linked(app, "target", "gone") in ("", "gone")


def test_a_head_and_a_sharpness_are_chosen_and_kept():
    app = shown("convolution")
    app.segmented_control(key="convolution.head").set_value(6).run()
    app.select_slider(key="convolution.sharpness").set_value(20).run()
    assert linked(app, "rung") == "head_6"
    assert linked(app, "amount") == "20"
    looks = drawn_pictures(app)[1]
    brightest = [place for place, said_ in enumerate(looks["readouts"]) if said_.endswith(" 1")]
    assert brightest == [looks["chosen"] + 1]


# --- Receptive field ---


def test_the_middle_sees_9_25_and_35():
    for kernel, seen in ((3, 9), (5, 25), (7, 35)):
        assert f"**{seen} of 50**" in said(shown("receptive", rung=f"k{kernel}"))


def test_layers_that_link_the_ends():
    links = tables(shown("receptive"))[0]
    assert links["cells"] == [["3", "15", "63"], ["3", "15", "63"], ["2", "3", "4"], ["1"] * 3]


def test_layers_gaps_and_shapes_are_chosen():
    app = shown("receptive")
    app.select_slider(key="receptive.layers").set_value(3).run()
    app.segmented_control(key="receptive.laying").set_value("dilated").run()
    app.selectbox(key="receptive.shape").set_value("everywhere").run()
    assert (linked(app, "amount"), linked(app, "target")) == ("3", "dilated")
    assert linked(app, "exp") == "everywhere"
    app.select_slider(key="receptive.steps").set_value(5).run()
    assert linked(app, "snap") == "5"
    assert "after 5 steps of training" in said(app)
    assert "**50 of 50**" in said(app)


# --- Picture ---


def png(width: int, height: int) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (width, height), (200, 40, 40)).save(data, "PNG")
    return data.getvalue()


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    app.get("file_uploader")[0].set_value((name, data, "image/png")).run()
    assert not app.exception
    return app


def test_the_lectures_picture_is_50_vectors():
    assert "**5 × 10 pixels are 50 vectors**" in said(shown("picture"))


@pytest.mark.parametrize("picture", DRAWINGS)
def test_every_picture_of_ours_is_cut_into_256(picture):
    app = shown("picture", pic=picture, rung="s16")
    assert "256 vectors" in said(app)
    assert [len(each["colours"]) for each in drawn_pictures(app)] == [256] * 3


def test_a_wide_picture_keeps_its_proportions():
    app = upload(shown("picture", rung="s16"), "wide.png", png(64, 16))
    assert "**4 × 16 pixels are 64 vectors**" in said(app)


def test_a_small_picture_of_ones_own_is_read_as_it_is():
    app = upload(shown("picture", rung="s16"), "small.png", png(3, 2))
    assert not app.error
    assert "**2 × 3 pixels are 6 vectors**" in said(app)
    assert "smaller" not in said(app)
    assert t("picture.looks_alike", n=6, weight="0.167") in said(app)
    assert linked(app, "pic") == "own"
    app.selectbox(key="compare.picture").set_value("cat").run()
    assert linked(app, "pic") == "cat"
    assert "256 vectors" in said(app)


def test_a_picture_of_one_pixel_looks_at_itself():
    app = upload(shown("picture"), "dot.png", png(1, 1))
    assert "**One pixel is one vector** of 3 colours:" in said(app)
    assert t("picture.looks_alone", weight="1") in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_to_a_picture_of_ones_own_says_that_it_is_gone(language):
    said_ = words(language)("error.models.picture_gone")
    app = opened(PAGE, lang=language, panel="picture", pic="own")
    assert [plain(each.value) for each in app.warning] == [said_]
    assert app.selectbox(key="compare.picture").value is None
    app.selectbox(key="compare.picture").set_value("house").run()
    assert not app.warning
    assert linked(app, "pic") == "house"


@pytest.mark.parametrize(
    ("weights", "pixel", "found"),
    [
        ([1.0], 0, ("alone", 0, 1)),
        ([0.25] * 4, 1, ("alike", 0, 3)),
        ([0.1, 0.6, 0.3], 1, ("most", 2, 1)),
        ([0.2, 0.4, 0.2, 0.2], 1, ("tied", 0, 3)),
        ([0.1, 0.3, 0.3, 0.3], 0, ("tied", 1, 3)),
    ],
)
def test_where_a_pixel_looks(weights, pixel, found):
    assert looks(np.array(weights), pixel) == found


@pytest.mark.parametrize(
    ("name", "data"), [("large.png", png(4_000, 4_000)), ("no.png", b"\x89PNG not a picture")]
)
def test_a_picture_that_cannot_be_read_is_refused_and_the_one_in_hand_stays(name, data):
    app = upload(shown("picture", pic="boat"), name, data)
    assert len(app.error) == 1
    assert name in app.error[0].value.replace("\\", "")
    assert "50 vectors" in said(app)
    assert linked(app, "pic") == "boat"


# --- Window ---


def test_a_window_misses_what_lies_farther():
    app = shown("window_fc", amount="20", rung="3")
    assert "**4 of 20**" in said(app)
    rows = tables(app)[0]
    assert rows["masked"][0] == [1] * 16 + [0] * 4
    assert rows["masked"][1] == [0] * 20


def test_a_layer_over_a_whole_sequence_takes_its_own_length_alone():
    fits = shown("window_fc", target="whole", amount="11")
    assert tables(fits)[0]["masked"][0] == [0] * 11
    refused = shown("window_fc", target="whole", amount="12")
    assert t("error.window_fc.length", n=11, got=12) in said(refused)
    table = tables(refused)[0]
    assert table["masked"] == [[1] * 12, [0] * 12]
    assert table["cells"][0] == ["–"] * 12
    assert set(table["cells"][1]) != {"–"}
    assert table["readouts"]["0,3"] == t("window_fc.nothing", row="whole", n=12, made=11)
    assert "–" not in tables(fits)[0]["cells"][0]


def test_a_window_is_chosen_only_where_there_is_one():
    assert "window_fc.radius" in [each.key for each in shown("window_fc").select_slider]
    whole = shown("window_fc", target="whole")
    assert [each.key for each in whole.select_slider] == ["window_fc.length"]


def test_a_window_that_reaches_all_says_so():
    assert "Here it would do" in said(shown("window_fc", amount="4"))


def test_the_window_and_the_length_are_slid():
    app = shown("window_fc", key="3")
    app.select_slider(key="window_fc.radius").set_value(7).run()
    app.select_slider(key="window_fc.length").set_value(30).run()
    assert (linked(app, "rung"), linked(app, "amount")) == ("7", "30")
    assert "**8 of 30**" in said(app)


# --- Speech ---


def test_the_scores_of_a_minute():
    app = shown("speech", amount="6000")
    text = said(app)
    assert "36\u202f000\u202f000" in text
    assert "**125\u202f890**" in text
    assert "**144 MB**" in text
    counts = [[cell.replace("\u202f", "") for cell in row] for row in tables(app)[0]["cells"]]
    assert [row[1] for row in counts] == ["1990", "10390", "20890", "125890"]


def test_seconds_out_of_range_are_refused_and_kept():
    app = shown("speech", amount="500")
    app.number_input(key="speech.seconds").set_value(61.0).run()
    refused = t("error.speech.seconds", least=0.01, most=60, got="61")
    assert refused in app.error[0].value.replace("\\", "")
    assert app.number_input(key="speech.seconds").value == 61.0
    assert linked(app, "amount") == "500"
    app.number_input(key="speech.seconds").set_value(0.005).run()
    said_ = t("error.speech.seconds", least=0.01, most=60, got="0.005")
    assert said_ in plain(app.error[0].value)
    app.number_input(key="speech.seconds").set_value(60.0).run()
    assert not app.error
    assert linked(app, "amount") == "6000"


# --- Labels ---


def test_words_are_labelled_with_what_stands_before():
    cells = tables(shown("labelling"))[0]["cells"]
    assert cells[0] == ["pronoun", "verb or noun", "determiner", "verb or noun"]
    assert cells[1] == ["pronoun", "?", "determiner", "?"]
    assert cells[2] == ["–", "I", "saw", "a"]
    assert cells[3] == ["pronoun", "verb", "determiner", "noun"]


def test_the_chinese_sentence_is_labelled_too():
    cells = tables(shown("labelling", lang="zh-Hant"))[0]["cells"]
    assert cells[3] == ["代名詞", "助動詞", "動詞", "名詞"]


def test_words_that_are_not_known_are_named():
    text = said(shown("labelling", text="the *xyzzy* saw"))
    assert "xyzzy" in text
    assert "small lexicon" in text


def test_frames_are_drawn_again_and_more_of_them_are_right_in_context():
    app = shown("labelling", target="frames")
    assert t("labelling.answer_frames", n=30, alone=23, right=29) in said(app)
    app.button[-1].click()
    again = next(button for button in app.button if button.label == t("labelling.again"))
    again.click().run()
    assert linked(app, "draw") == "1"


# --- The bar ---


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", PANELS)
def test_an_example_is_chosen_only_where_the_sentence_plays_a_part(panel, language):
    app = opened(PAGE, lang=language, panel=panel, ex="chinese")
    reads = panel in ("labelling", "linear")
    assert [box.key for box in app.selectbox if box.key == "control.example"] == (
        ["control.example"] if reads else []
    )
    assert linked(app, "ex") == "chinese"


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_say_where_their_numbers_come_from(language):
    words_ = words(language)
    for target, source in (("words", "lexicon"), ("frames", "drawn")):
        text = said(opened(PAGE, lang=language, panel="labelling", target=target, draw="7"))
        assert words_(f"compare.{source}", seed=7) in text
        assert words_("chip.matrices") + ": " not in text
        assert words_("check.ok") not in text


def test_an_example_that_was_hidden_is_in_force_again_where_it_plays_a_part():
    app = shown("speech", ex="chinese")
    app.segmented_control(key="control.panel").set_value("linear").run()
    assert app.selectbox(key="control.example").value == "chinese"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_above_the_limit_is_refused_in_words_and_not_kept(language):
    words_ = words(language)
    app = opened(PAGE, lang=language, panel="picture", pic="cat")
    upload(app, "large.png", png(8, 8) + bytes(6_000_000))
    said_ = words_("error.models.picture_bytes", name="large.png", got="6.1", most="5")
    assert [plain(error.value).startswith(said_) for error in app.error] == [True]
    assert not app.get("file_uploader")[0].value
    assert linked(app, "pic") == "cat"
    upload(app, "small.png", png(8, 8))
    assert not app.error
