"""What every page shares, through Streamlit's own test runner: switches, files, guesses, undo."""

import io
import json
import pickle
import re
import subprocess
import sys
import zipfile
from contextlib import redirect_stdout
from decimal import Decimal
from functools import partial
from html import unescape

import numpy as np
import openpyxl
import pytest
import segno
from numpy.testing import assert_array_equal
from streamlit.testing.v1 import AppTest

from attnviz.exports.arrays import to_npz
from attnviz.exports.bundles import bundle
from attnviz.exports.documents import to_json
from attnviz.exports.records import record_of
from attnviz.figures import spoken
from attnviz.figures.notation import NOTATIONS
from attnviz.lessons.predictions import prediction
from attnviz.scene import scene_of
from attnviz.settings import Settings, from_query
from attnviz.text import LANGUAGES, words
from attnviz.text.numbers import number, table
from attnviz.ui.share import LONGEST_LINK, embed_snippet, qr_code
from tests.pages import reading
from tests.pages.reading import ROOT, plain

opened = partial(reading.opened, lang="en")
EN = words("en")
HERO = [["1", "0", "2"], ["0", "1", "1"], ["1", "1", "0"], ["0", "1", "1"]]


def matrices(app: AppTest) -> dict[str, dict]:
    """Give what the matrices of the page are drawn from, by title."""
    sent = [json.loads(part.proto.bytes) for part in app.get("bidi_component")]
    return {spec["title"]: spec for part in sent for spec in part.get("tables", ())}


def inputs(app: AppTest, language: str = "en") -> list[list[str]]:
    return matrices(app)[words(language)("see.inputs_title")]["cells"]


def of_link(app: AppTest) -> dict[str, str]:
    """Give what the address of the page says."""
    return {key: app.query_params[key] for key in app.query_params}


def badges(app: AppTest) -> dict[str, str]:
    """Give the badges: what they say and what they explain."""
    found = [mark for mark in app.markdown if "-badge[" in mark.value]
    return {mark.value: mark.proto.help for mark in found}


def spoken_on(app: AppTest) -> list[str]:
    """Give the sentences that read the panels aloud."""
    mark = ":material/volume_up: "
    said = [plain(caption.value) for caption in app.caption if caption.value.startswith(mark)]
    return [sentence.removeprefix(mark) for sentence in said]


def click(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception, app.exception
    return app


def with_popover(app: AppTest, key: str) -> AppTest:
    app.session_state[key] = True
    app.run()
    assert not app.exception, app.exception
    return app


def with_settings(app: AppTest) -> AppTest:
    """Open the drawer at the settings of the attention."""
    click(app, EN("bar.own"))
    app.session_state["drawer.tabs"] = EN("drawer.attention")
    return app.run()


# --- Notation and digits


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("link", [{}, {"heads": "2", "mask": "causal", "ex": "raschka_journey"}])
def test_in_columns_every_matrix_is_transposed_and_no_number_changes(language, link):
    rows = matrices(opened(lang=language, **link))
    columns = matrices(opened(lang=language, notation="column", **link))
    assert len(rows) >= 7
    assert rows.keys() == columns.keys()
    for title, spec in rows.items():
        turned = columns[title]
        assert turned["cells"] == [list(row) for row in zip(*spec["cells"], strict=True)], title
        assert (turned["rows"], turned["columns"]) == (spec["columns"], spec["rows"])
        assert turned["shape"] == f"({len(turned['cells'])} × {len(turned['cells'][0])})"


@pytest.mark.parametrize(
    ("language", "asks", "asked"),
    [
        ("en", "column = who asks", "row = who is asked"),
        ("zh-Hant", "行(column)：誰在問", "列(row)：被問的是誰"),
    ],
)
def test_in_columns_the_titles_say_that_a_column_asks(language, asks, asked):
    app = opened(lang=language, notation="column")
    weights = matrices(app)[words(language)("see.weights_title")]
    assert (weights["columnTitle"], weights["rowTitle"]) == (asks, asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_badge_of_the_same_numbers_is_there_in_columns_only(language):
    same = words(language)("notation.same")
    app = opened(lang=language)
    assert not any(same in badge for badge in badges(app))
    app.segmented_control(key="control.notation").set_value("column").run()
    assert app.query_params["notation"] == "column"
    assert [badge for badge in badges(app) if same in badge] == [
        f":gray-badge[:material/check: {same}]"
    ]
    app.segmented_control(key="control.notation").set_value("row").run()
    assert "notation" not in app.query_params


def test_the_formulas_are_transposed_too():
    row = " ".join(latex.value for latex in opened("steps.py").latex)
    column = " ".join(latex.value for latex in opened("steps.py", notation="column").latex)
    for in_rows, in_columns in [
        ("a_{2} W^q", "W^q a^{2}"),
        ("I W^k", "W^k I"),
        (r"Q K^{\top}", r"K^{\top} Q"),
    ]:
        assert in_rows in row
        assert in_rows not in column
        assert in_columns in column
        assert in_columns not in row


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("digits", [2, 3, 4])
@pytest.mark.parametrize("query", range(4))
def test_rounded_digits_that_do_not_add_up_say_why(language, digits, query):
    app = opened(lang=language, digits=str(digits), q=str(query))
    weights = matrices(app)[words(language)("see.weights_title")]
    shown = weights["cells"][query]
    assert all(len(cell.partition(".")[2]) == digits for cell in shown)
    assert [tail[0][1] for tail in weights["tails"][1:]] == ["1"] * 4  # Σ, in full precision
    total = sum(map(Decimal, shown))
    [said] = spoken_on(app)
    reason = words(language)("say.rounding.few", numbers="#", shown=str(total), exact="1")
    about, why = reason.split("#")
    assert (about in said and why in said) == (total != 1)


@pytest.mark.parametrize(("digits", "shown"), [(2, "0.21"), (3, "0.206"), (4, "0.2060")])
def test_the_slider_of_the_drawer_sets_the_decimals(digits, shown):
    app = with_settings(opened(digits="3" if digits == 2 else "2"))
    app.slider(key="control.digits").set_value(digits).run()
    assert matrices(app)[EN("see.weights_title")]["cells"][1][1] == shown
    assert from_query(of_link(app))[0].digits == digits


# --- Code and speech


def run_code(text: str) -> dict:
    names: dict = {}
    with redirect_stdout(io.StringIO()):
        exec(compile(text, "shown", "exec"), names)
    return names


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"notation": "column", "lang": "zh-Hant"},
        {"mask": "causal", "norm": "sparsemax", "temp": "2"},
        {"text": "the cat sat on the mat", "pos": "rotary", "dk": "4", "heads": "2", "head": "1"},
    ],
)
def test_the_code_that_is_shown_gives_the_weights_that_are_shown(link):
    app = with_popover(opened(**link), "code.see")
    shown = matrices(app)[words(link.get("lang", "en"))("see.weights_title")]["cells"]
    if link.get("notation") == "column":
        shown = [list(row) for row in zip(*shown, strict=True)]
    scene = scene_of(from_query(link)[0], link.get("lang", "en"))
    numpy_lines, package_lines = (code.value for code in app.code)
    for lines in (numpy_lines, package_lines):
        weights = np.array(run_code(lines)["weights"])
        np.testing.assert_allclose(weights, scene.trace.head(scene.head).weights, atol=1e-12)
        assert [list(row) for row in table(weights, 2)] == shown
    assert "attnviz" not in numpy_lines
    assert "numpy" not in package_lines


@pytest.mark.parametrize(
    ("panel", "name"),
    [("scores", "scores"), ("heads", "output"), ("nudge", "distance_moved")],
)
def test_the_other_panels_have_code_that_runs_too(panel, name):
    app = with_popover(opened(heads="2", ex="two_heads", pos="example"), f"code.{panel}")
    numpy_lines, package_lines = (code.value for code in app.code)
    first, second = run_code(numpy_lines)[name], run_code(package_lines)[name]
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_each_step_has_code_that_runs():
    app = opened("steps.py")
    for name in ("query", "weights", "head_outputs", "together"):
        app.session_state[f"code.{name}"] = True
    app.run()
    shown = [code.value for code in app.code if code.value.startswith("import")]
    assert len(shown) == 8
    for lines in shown:
        run_code(lines)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "link", [{}, {"mask": "causal", "norm": "sigmoid"}, {"notation": "column"}]
)
def test_the_sentence_says_what_the_asking_token_sees(language, link):
    said = set()
    for query in range(4):
        app = opened(lang=language, q=str(query), **link)
        settings, _ = from_query(link | {"q": str(query)})
        t = NOTATIONS[settings.notation].words(words(language))
        [sentence] = spoken_on(app)
        assert sentence.startswith(plain(spoken.say_scene(scene_of(settings, language), t, 2)))
        said.add(sentence)
    assert len(said) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chosen_cell_is_said_too(language):
    app = opened(lang=language, key="2")
    scene = scene_of(Settings(key=2), language)
    assert plain(spoken.say_cell(scene, 1, 2, words(language), 2)) in spoken_on(app)


@pytest.mark.parametrize("script", ["see.py", "steps.py"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_says_in_words_what_it_shows(script, language):
    figures = opened(script, lang=language, heads="2").get("plotly_chart")
    assert len(figures) >= 3
    assert all(figure.proto.alt.strip() for figure in figures)


# --- Files in

ARRAY = np.array([[1.0, 0.5, 2.0], [0.25, 1.0, -1.0]])
SHOWN = [["1.00", "0.50", "2.00"], ["0.25", "1.00", "−1.00"]]


def spreadsheet(rows) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def saved(array: np.ndarray, **named: np.ndarray) -> bytes:
    file = io.BytesIO()
    if named:
        np.savez(file, **named)
    else:
        np.save(file, array)
    return file.getvalue()


FILES = {
    "x.csv": b"1,0.5,2\n0.25,1,-1\n",
    "x.tsv": b"1\t0.5\t2\n0.25\t1\t-1\n",
    "semicolons.csv": "1;0,5;2\n0,25;1;−1\n".encode(),
    "utf16.csv": "1,0.5,2\n0.25,1,-1\n".encode("utf-16"),
    "bom.csv": b"\xef\xbb\xbf1,0.5,2\n0.25,1,-1\n",
    "x.json": b"[[1, 0.5, 2], [0.25, 1, -1]]",
    "x.npy": saved(ARRAY),
    "x.npz": saved(ARRAY, vectors=ARRAY),
    "x.xlsx": spreadsheet(ARRAY.tolist()),
}


def chosen(app: AppTest, name: str, data: bytes) -> AppTest:
    if not app.file_uploader:
        click(app, EN("bar.own"))
    app.file_uploader[0].set_value((name, data, "application/octet-stream")).run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_shown_first_then_taken_then_taken_back(name):
    app = chosen(opened(), name, FILES[name])
    matrix = "vectors" if name.endswith("npz") else name.split(".")[0]
    found = [plain(mark.value) for mark in app.markdown]
    if not name.endswith("xlsx"):
        assert EN("file.found", name=matrix, rows=2, columns=3) in found
    assert "1" in app.code[0].value
    assert "0.2500" in app.code[0].value
    assert inputs(app) == HERO  # nothing has changed yet
    assert "in" not in app.query_params
    click(app, EN("file.take"))
    assert inputs(app) == SHOWN
    assert not app.file_uploader[0].value
    app.button(key="undo").click().run()
    assert inputs(app) == HERO
    assert app.button(key="undo").disabled


def test_labels_become_tokens_and_what_is_ignored_is_said():
    data = "token,x,y,z,note\n貓,1,0,0,a\n坐,0,1,0,b\n墊,0,0,1,c\n".encode()
    app = chosen(opened(), "mine.csv", data)
    assert EN("file.labels", labels="貓, 坐, 墊") in [plain(mark.value) for mark in app.markdown]
    said = [plain(caption.value) for caption in app.caption]
    assert EN("file.note.text_column", name="note") in said
    click(app, EN("file.take"))
    assert app.query_params["tok"] == "貓|坐|墊"


def test_one_of_several_matrices_is_chosen_and_its_name_says_where_it_goes():
    data = saved(ARRAY, x=ARRAY, w_q=np.array([[0, 1], [1, 0], [0, 0]]))
    app = chosen(opened(), "two.npz", data)
    place = app.selectbox(key="file.which").options.index("2 w_q")
    app.selectbox(key="file.which").set_value(place).run()
    click(app, EN("file.take"))
    assert not app.error
    assert app.query_params["wq"] == "0,1;1,0;0,0"
    assert app.query_params["w"] == "typed"
    assert matrices(app)[EN("see.query_title")]["cells"] == [
        ["0", "1"], ["1", "0"], ["1", "1"], ["1", "0"],
    ]  # fmt: skip


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", b"\0" * (64 * 2**20))
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return file.getvalue()


BAD = {
    "pickled.npy": (pickled, "file.pickled", {}),
    "bare.pkl": (lambda: pickle.dumps([1]), "file.pickled", {}),
    "picture.csv": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(40), "file.picture", {}),
    "empty.csv": (lambda: b"", "file.empty", {}),
    "blank.csv": (lambda: b" \n\n", "file.empty", {}),
    "ragged.csv": (lambda: b"1,2\n3,4\n5\n", "file.ragged", {"row": 3, "got": 1, "expected": 2}),
    "bomb.npz": (bomb, "file.too_large_inside", {"got": "64", "most": "10"}),
    "large.csv": (lambda: b"1," * (3 * 2**20), "file.too_large", {"got": "6.3", "most": "5"}),
    "page.csv": (lambda: b"<!doctype html><p>1,2", "file.web_page", {}),
    "broken.json": (lambda: b"[[1, 2", None, {}),
    "other.zip": (lambda: bomb().replace(b"x.npy", b"x.txt"), None, {}),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_a_sentence_and_nothing_changes(name, language):
    t, (make, code, values) = words(language), BAD[name]
    app = opened(lang=language)
    click(app, t("bar.own"))
    before = matrices(app), of_link(app)
    app.file_uploader[0].set_value((name, make(), "text/csv")).run()
    assert not app.exception
    [said] = [plain(error.value) for error in app.error]
    if code is not None:
        assert said.startswith(plain(t(f"error.{code}", **values)))
    assert said.endswith(plain(t("check.kept")))
    assert (matrices(app), of_link(app)) == before
    assert t("file.take") not in [button.label for button in app.button]


def test_a_file_that_does_not_fit_is_refused_when_it_is_taken():
    wide = "\n".join([",".join(["1"] * 20)] * 2).encode()
    app = chosen(opened(), "wide.csv", wide)
    before = matrices(app)
    click(app, EN("file.take"))
    [said] = [plain(error.value) for error in app.error]
    assert said.endswith(EN("check.kept"))
    assert matrices(app) == before
    assert app.button(key="undo").disabled


LESSON = Settings(
    pieces=("貓", "=SUM(1)"),
    vectors=((1.0, 0.5), (-0.25, 1.0)),
    n_heads=2,
    mask="causal",
    normalizer="sparsemax",
    query=1,
    notation="column",
)


@pytest.mark.parametrize("kind", ["zip", "json", "npz"])
def test_a_file_that_attnviz_saved_opens_whole(kind):
    scene = scene_of(LESSON)
    record = record_of(scene, LESSON, "en")
    data = {
        "zip": lambda: bundle(scene, LESSON, "en", with_pictures=False),
        "json": lambda: to_json(record),
        "npz": lambda: to_npz(record),
    }[kind]()
    app = chosen(opened(), f"lesson.{kind}", data)
    assert inputs(app) == HERO
    said = [plain(mark.value) for mark in app.markdown]
    assert plain(EN("file.lesson", tokens="貓 =SUM(1)")) in said
    click(app, EN("file.open"))
    assert from_query(of_link(app))[0] == Settings(**{**vars(LESSON), "language": "en"})
    app.button(key="undo").click().run()
    assert "in" not in app.query_params


# --- Undo, checks


def test_several_changes_are_undone_one_after_the_other():
    app = click(opened(), EN("bar.own"))
    assert app.button(key="undo").disabled
    app.text_input(key="control.sentence").set_value("one two").run()
    app.session_state["drawer.tabs"] = EN("drawer.attention")
    app.run()
    app.selectbox(key="control.normalizer").set_value("sparsemax").run()
    app.slider(key="control.digits").set_value(3).run()  # a way of looking is no change
    app.number_input(key="control.temperature").set_value(2.0).run()
    seen = []
    while not app.button(key="undo").disabled:
        app.button(key="undo").click().run()
        assert not app.exception
        seen.append({key: value for key, value in of_link(app).items() if key != "lang"})
    assert seen == [
        {"digits": "3", "text": "one two", "norm": "sparsemax"},
        {"digits": "3", "text": "one two"},
        {"digits": "3"},
    ]
    assert inputs(app) == HERO


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_button_has_a_name_in_the_persons_language(language):
    app = opened(lang=language)
    assert [button.key for button in app.button if not button.label.strip()] == []


@pytest.mark.parametrize("script", ["see.py", "steps.py"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_self_check_says_what_was_checked(script, language):
    t = words(language)
    found = badges(opened(script, lang=language, mask="causal", heads="2"))
    [help_] = [help_ for said, help_ in found.items() if t("check.ok") in said]
    for check in ("rows", "masked", "outputs", "heads"):
        assert t(f"check.{check}", difference="#").split("#")[0] in help_
    assert not any("red-badge" in said for said in found)


def test_the_self_check_turns_red_with_a_reason(monkeypatch):
    monkeypatch.setattr("attnviz.attention.checks.TOLERANCE", -1.0)
    found = badges(opened())
    [help_] = [help_ for said, help_ in found.items() if said.startswith(":red-badge")]
    assert EN("check.rows", difference="#").split("#")[0] in help_


def test_every_source_of_numbers_has_its_chip():
    found = badges(opened(text="I saw zebras", w="random", seed="7"))
    said = " ".join(found)
    assert EN("chip.random", seed=7) in said
    assert EN("chip.mixed", seed=7) in said
    assert any("zebras" in help_ for help_ in found.values())


# --- Predict first


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_is_shown_only_after_a_guess(language):
    t = words(language)
    app = opened("steps.py", lang=language, predict="1")
    steps = ("query", "key", "scores", "weights", "value", "head_outputs", "together")
    assert len(app.get("plotly_chart")) == 0
    assert not app.latex
    trace = scene_of(Settings()).trace
    for shown, step in enumerate(steps, 1):
        asked = prediction(trace, step, 0, 1)
        boxes = app.slider if step == "weights" else app.number_input
        boxes(key=f"guess.{step}.number").set_value(1.0)
        reveal = next(b for b in app.button if b.form_id == f"guess.{step}")
        reveal.click().run()
        assert not app.exception
        assert len(app.latex) == shown
        assert len(app.get("plotly_chart")) == 2 * shown
        said = {"guess": number(1.0, 2), "truth": number(asked.truth, 2)}
        kind = "right" if asked.off(1.0) < 0.005 else "compare"
        compared = t(f"predict.{kind}", **said, off=number(asked.off(1.0), 2))
        assert compared in [mark.value for mark in app.markdown]
    app.button(key="guess.weights.again").click().run()
    assert len(app.latex) == len(steps) - 1
    assert app.slider(key="guess.weights.number").value == 0.5


def test_nothing_on_the_page_tells_the_answer_before_the_guess():
    app = opened("steps.py", predict="1")
    sent = " ".join(part.proto.bytes.decode() for part in app.get("bidi_component"))
    assert "0.56" not in sent  # the largest weight, in the line beneath the tokens
    assert "−0.38" not in sent  # the first number of the output


# --- Share and embed

VIEW = {
    "lang": "zh-Hant",
    "q": "2",
    "key": "1",
    "digits": "3",
    "notation": "column",
    "norm": "topk",
}


@pytest.mark.parametrize(
    ("script", "url", "page"),
    [
        ("see.py", "http://host:1", "http://host:1/"),
        ("see.py", "http://host:1/", "http://host:1/"),
        ("see.py", "http://host:1/app/", "http://host:1/app/"),
        ("steps.py", "http://host:1/steps", "http://host:1/steps"),
        ("steps.py", "http://host:1/steps/", "http://host:1/steps"),
        ("steps.py", "http://host:1/app/steps", "http://host:1/app/steps"),
    ],
)
def test_the_link_and_the_snippet_open_this_page_with_every_setting(script, url, page):
    app = with_popover(opened(script, context={"url": url}, **VIEW), "share")
    link, snippet = [code.value for code in app.code if "host:1" in code.value]
    address, _, query = link.partition("?")
    assert address == page
    assert from_query(dict(pair.split("=") for pair in query.split("&")))[0] == from_query(VIEW)[0]
    src = unescape(re.search('src="([^"]*)"', snippet)[1])
    assert src == f"{link}&embed=true"


def squares(svg: str, size: int, border: int) -> np.ndarray:
    """Paint the dark squares of a QR code from its path."""
    painted, x, y = np.zeros((size, size), int), 0.0, 0.0
    path = re.search(r'class="qrline"[^>]* d="([^"]*)"', svg)[1]
    for command, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?:[ ,]?(-?[\d.]+))?", path):
        if command == "h":
            painted[int(y) - border, int(x) - border : int(x) - border + int(first)] = 1
            x += float(first)
        else:
            start = (x, y) if command == "m" else (0, 0)
            x, y = start[0] + float(first), start[1] + float(second)
    return painted


@pytest.mark.parametrize("link", ["http://host/?q=2", "http://host/?text=" + "%E4%BB%96" * 90])
def test_the_qr_code_is_that_of_the_link(link):
    code = segno.make(link, error="m")
    painted = squares(qr_code(link), len(code.matrix), 3)
    assert_array_equal(painted, np.array([list(row) for row in code.matrix]))


def test_a_link_cannot_break_out_of_the_snippet():
    snippet = embed_snippet('http://host/?text="><script>&embed=true')
    assert snippet.count("<") == 2
    assert "&quot;&gt;&lt;script&gt;&amp;embed=true" in snippet


@pytest.mark.parametrize(
    ("script", "panel", "title"),
    [("see.py", "scores", "see.scores_title"), ("see.py", "weights", "see.weights_title")],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_embedded_view_has_the_panel_asked_for_and_nothing_else(script, panel, title, language):
    app = opened(script, context={"is_embedded": True}, lang=language, panel=panel)
    t = words(language)
    assert t(title) in matrices(app)
    assert len(matrices(app)) == {"scores": 4, "weights": 3}[panel]
    assert t("bar.own") not in [button.label for button in app.button]
    assert not app.segmented_control
    assert len(app.get("plotly_chart")) == 0


def test_an_unknown_panel_is_the_first_one():
    app = opened(context={"is_embedded": True}, panel="no_such")
    assert EN("see.weights_title") in matrices(app)


def long_input() -> str:
    numbers = np.random.default_rng(1).uniform(0, 1, (64, 16)).round(12)
    return ";".join(",".join(f"{number:.12f}" for number in row) for row in numbers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_too_much_for_a_link_says_so_and_offers_the_bundle(language):
    t = words(language)
    app = opened(lang=language, **{"in": long_input()})
    assert not app.warning
    with_popover(app, "share")
    [said] = [warning.value for warning in app.warning]
    link = app.code[0].value
    assert len(link) > LONGEST_LINK
    assert said == t("share.too_long", n_characters=len(link), most=LONGEST_LINK)
    assert t("share.qr_too_long") in [caption.value for caption in app.caption]
    assert not app.get("imgs")
    with_popover(app, "download")
    assert t("download.zip") in [button.label for button in app.get("download_button")]


# --- Presenter


@pytest.mark.parametrize("script", ["see.py", "steps.py"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_presenting_leaves_the_bar_out_and_the_link_says_so(script, language):
    t = words(language)
    app = opened(script, lang=language)
    click(app, t("present.start"))
    assert app.query_params["present"] == "1"
    labels = [button.label for button in app.button]
    assert t("bar.own") not in labels
    assert t("present.start") not in labels
    click(app, t("present.leave"))
    assert "present" not in app.query_params
    assert t("bar.own") in [button.label for button in app.button]


def test_no_panel_that_is_presented_is_empty():
    app = opened(present="1")
    deck = next(
        json.loads(p.proto.bytes) for p in app.get("bidi_component") if b"prefix" in p.proto.bytes
    )
    for step in deck["steps"]:
        container = app.get_by_key(f"panel-{step['name']}")
        assert container is not None, step["name"]
        assert len(container.children), step["name"]


# --- Command line


def attnviz(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "attnviz", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_command_line_prints_what_the_page_shows():
    done = attnviz("trace", "--text", "I saw a saw", "--lang", "en")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    printed = [line[1:5] for line in lines if line and line[0] in ("I₁", "saw₂", "a₃", "saw₄")]
    assert printed[-4:] == matrices(opened())[EN("see.weights_title")]["cells"]


def test_a_wrong_option_is_a_sentence_and_status_2():
    done = attnviz("trace", "--norm", "softmux", "--lang", "en")
    assert done.returncode == 2
    assert done.stdout == ""
    assert EN("error.cli.unknown", got="--norm", command="trace") in done.stderr
    assert "Traceback" not in done.stderr
