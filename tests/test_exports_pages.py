"""The page that opens with no network, and the tables in it."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from attnviz.exports.looks import Look
from attnviz.exports.markup import MOST_SHOWN, Matrix, matrix_table
from attnviz.exports.pages import page, page_of
from attnviz.exports.panels import equations_of, matrices_of, panels_of
from attnviz.figures.notation import COLUMN
from attnviz.figures.steps import step_names
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES

WICKED = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"&<b>',
    "好",
    "שלום",
)


class Cells(HTMLParser):
    """Read the rows of a table as text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def table(array, kind="values", look=Look(), rows=None, columns=None) -> str:  # noqa: B008
    named = {"row_tokens": rows, "column_tokens": columns}
    return matrix_table(Matrix(title="A", array=np.array(array), kind=kind, **named), look)


# --- Tables


def test_a_table_holds_tokens_digits_and_the_sums_of_weights():
    weights = scene_of(Settings()).trace.weights[0]
    tokens = ("I", "saw", "a", "saw")
    rows = Cells(table(weights, "weights", rows=tokens, columns=tokens)).rows
    assert rows[0] == ["", "I₁", "saw₂", "a₃", "saw₄", "Σ"]
    assert rows[2] == ["saw₂", "0.03", "0.21", "0.56", "0.21", "1.00"]


def test_where_a_token_is_a_column_the_table_is_transposed():
    weights = scene_of(Settings()).trace.weights[0]
    tokens = ("I", "saw", "a", "saw")
    rows = Cells(table(weights, "weights", Look(notation=COLUMN), tokens, tokens)).rows
    assert [row[2] for row in rows] == ["saw₂", "0.03", "0.21", "0.56", "0.21", "1.00"]
    assert [row[0] for row in rows][-1] == "Σ"


def test_a_table_says_that_it_shows_a_part():
    html = table(np.zeros((64, 30)))
    assert len(Cells(html).rows) == 1 + MOST_SHOWN
    assert "64\u00a0×\u00a030" in html
    assert f"the first {MOST_SHOWN} rows and {MOST_SHOWN} columns" in html


def test_a_score_that_the_mask_hides_is_no_colour():
    html = table([[-np.inf, 0.0], [1.0, -2.0]], "scores")
    assert html.count("class=hidden") == 1
    assert Cells(html).rows[1:] == [["1", "−∞", "0"], ["2", "1", "−2"]]


# --- The whole page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "choices", [Settings(), Settings(n_heads=3, mask="causal", positions="shaw")]
)
def test_a_page_has_every_step_every_matrix_and_the_equations(language, choices):
    scene, look = scene_of(choices, language), Look.of(choices, language)
    html = page_of(scene, look, code="print(1)").decode()
    assert f'<html lang="{language}">' in html
    for panel in panels_of(scene, look):
        assert f'id="{panel.name}"' in html
    for step in step_names(scene.trace):
        assert re.search(rf'id="step-\d\d-{step}"', html)
    matrices = matrices_of(scene.trace, scene.tokens, look)
    assert html.count("<table>") == len(matrices)
    assert html.count("<li>") == sum(map(len, equations_of(scene, look)))
    assert "<pre><code>print(1)</code></pre>" in html


def test_plotly_is_inside_once_and_nothing_is_asked_of_the_network():
    choices = Settings()
    html = page_of(scene_of(choices), Look(), link="https://example.org/?q=2").decode()
    assert html.count("<script>") == 2
    assert html.count("plotly.js v") == 1
    assert "default-src 'none'" in html
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", html)


def test_a_link_is_only_a_link_to_a_page():
    assert (
        'href="https://example.org/?a=1&amp;b=2"'
        in page("x", Look(), link="https://example.org/?a=1&b=2").decode()
    )
    assert "href" not in page("x", Look(), link="javascript:alert(1)").decode()


def test_a_page_without_figures_has_no_script():
    html = page("x", Look(), equations=[["1 < 2"]]).decode()
    assert "<script" not in html
    assert "script-src 'none'" in html
    assert "<li>1 &lt; 2</li>" in html


# --- In a browser


@pytest.mark.parametrize(
    ("scheme", "ink"), [("light", "rgb(31, 35, 40)"), ("dark", "rgb(236, 234, 228)")]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_draws_its_figures_with_no_network_and_no_error(
    browser, tmp_path, language, scheme, ink
):
    choices = Settings(n_heads=2, mask="causal", query=2)
    scene, look = scene_of(choices, language), Look.of(choices, language)
    file = tmp_path / "page.html"
    file.write_bytes(page_of(scene, look, code="print('<b>')"))
    tab = browser.new_page(
        color_scheme=scheme, offline=True, viewport={"width": 390, "height": 800}
    )
    asked, wrong = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text))
    tab.goto(file.as_uri())
    n_panels = len(panels_of(scene, look))
    tab.wait_for_function(f"document.querySelectorAll('.js-plotly-plot').length === {n_panels}")
    assert tab.locator("#weights .main-svg").first.is_visible()
    assert tab.locator("body").evaluate("body => getComputedStyle(body).color") == ink
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert (asked, wrong) == ([file.as_uri()], [])
    tab.close()


def test_what_a_person_typed_is_shown_and_never_run(browser, tmp_path):
    choices = Settings(pieces=WICKED)
    file = tmp_path / "page.html"
    file.write_bytes(page_of(scene_of(choices), Look(), code=WICKED[0], link=WICKED[0]))
    tab = browser.new_page(offline=True)
    wrong = []
    tab.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
    tab.on("console", lambda said: wrong.append(said.text))
    tab.goto(file.as_uri())
    tab.wait_for_function("document.querySelectorAll('.js-plotly-plot').length > 0")
    shown = tab.locator("table bdi").all_inner_texts()
    assert set(shown) == set(WICKED)
    assert tab.locator("h1").inner_text().endswith(" ".join(WICKED))
    assert (tab.locator("img").count(), wrong) == (0, [])
    tab.close()
