"""A head written as a few equations: both sides of each are equal, in the picture and in LaTeX."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention.ancestry import ancestry
from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.scores import SCORES
from attnviz.figures.formulas import cell_lines, step_latex
from attnviz.figures.notation import COLUMN, NOTATIONS, ROW
from attnviz.figures.steps import step_alt, step_figure
from attnviz.figures.whole import Whole
from attnviz.figures.writing import PLAIN
from attnviz.lessons.examples import EXAMPLES
from attnviz.scene import WITH_LIMIT, Scene, scene_of, with_example
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words

SOFTMAX = r"\operatorname{softmax}"


def equations(scene: Scene, step: str = "together", **chosen) -> dict[str, list[str]]:
    """Read the lines of a formula: the left side of each, and the equal parts at its right."""
    latex = step_latex(scene.trace, step, scene.query, head=scene.head, **chosen)
    lines = [line.split(" &= ") for line in latex.split("\n")[1:-1]]
    split = [(line[0], line[1].removesuffix(r" \\").split(" = ")) for line in lines if line[1:]]
    return dict(split)


def drawn(scene: Scene, step: str = "together", notation=ROW, language="en") -> list[str]:
    figure = step_figure(
        scene.trace, step, scene.query, scene.tokens, words(language), notation=notation
    )
    texts = [
        text
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "text"
        for text in trace.text
    ]
    return [re.sub("<span.*?</span>", "", text) for text in texts]


def scene(**chosen) -> Scene:
    return scene_of(Settings(**chosen))


CASES = [
    ({"mask": "padding", "padding": 64}, rf"{SOFTMAX}(A + M)", "softmax(A + M)"),
    ({"mask": "causal"}, rf"{SOFTMAX}(A + M)", "softmax(A + M)"),
    ({"temperature": 0}, rf"\lim_{{T \to 0}} {SOFTMAX}(A / T)", "lim<sub>T→0</sub> softmax(A / T)"),
    ({"temperature": 0, "normalizer": "hardmax"}, r"\operatorname{hardmax}(A)", "hardmax(A)"),
    ({"normalizer": "sigmoid", "temperature": 2}, r"\sigma(A / 2 - \ln 4)", "σ(A / 2 − ln 4)"),
    ({"normalizer": "sigmoid", "bias": -0.001}, r"\sigma(A - 0.001)", "σ(A − 0.001)"),
    ({"normalizer": "relu"}, r"\max(A,\, 0)", "max(A, 0)"),
    ({"normalizer": "relu_sum"}, r"\frac{\max(A,\, 0)}{\Sigma}", "max(A, 0) / Σ"),
    ({"normalizer": "relu_length"}, r"\frac{\max(A,\, 0)}{4}", "max(A, 0) / 4"),
    ({"normalizer": "softmax1"}, r"\operatorname{softmax}_{1}(A)", "softmax<sub>1</sub>(A)"),
    (
        {"normalizer": "topk", "k": 3},
        r"\operatorname{softmax}_{\text{top-}3}(A)",
        "softmax<sub>top-3</sub>(A)",
    ),
    (
        {"normalizer": "entmax", "alpha": 1.7},
        r"\operatorname{entmax}_{1.7}(A)",
        "entmax<sub>1.7</sub>(A)",
    ),
    (
        {"scale": 0.00001, "temperature": 0.00105},
        rf"{SOFTMAX}(0.00001 \, A / 0.00105)",
        "softmax(0.00001 A / 0.00105)",
    ),
    (
        {"scale": "sqrt_d_k", "positions": "alibi", "mask": "causal", "temperature": 2},
        rf"{SOFTMAX}((A / \sqrt{{2}} + B + M) / 2)",
        "softmax((A / √2 + B + M) / 2)",
    ),
    ({"positions": "t5"}, rf"{SOFTMAX}(A + B)", "softmax(A + B)"),
]


@pytest.mark.parametrize(("chosen", "latex", "plain"), CASES)
def test_what_is_normalized_is_written_in_full(chosen, latex, plain):
    shown = scene(**chosen)
    assert equations(shown)["A'"][0] == latex
    for notation in NOTATIONS.values():
        assert f"A′ = {plain}" in drawn(shown, notation=notation)


def test_the_typed_scale_of_thinking_machines_is_written():
    shown = scene_of(with_example(Settings(), "thinking_machines"))
    found = equations(shown)
    assert found["A"][-1] == r"\begin{pmatrix} 112 & 96 \\ 96 & 104 \end{pmatrix}"
    assert found["A'"][0] == rf"{SOFTMAX}(0.125 \, A)"
    assert "A′ = softmax(0.125 A)" in drawn(shown)


def test_a_query_that_may_see_nothing_has_weights_0_by_the_mask():
    shown = scene(mask="padding", padding=64)
    hidden = (
        r"M_{i} = (-\infty, -\infty, -\infty, -\infty) \;\Rightarrow\; \alpha'_{i} = (0, 0, 0, 0)"
    )
    assert hidden in step_latex(shown.trace, "together", 1)
    for language in LANGUAGES:
        assert words(language)("figure.nothing_seen") in drawn(shown, language=language)


def test_relative_positions_are_added_to_keys_and_to_values():
    shown = scene(positions="shaw")
    found = equations(shown)
    assert found[r"\alpha_{i,j}"] == [r"q_{i} \cdot (k_{j} + r^{k}_{i,j})"]
    assert found["b_{i}"] == [r"\sum_{j} \alpha'_{i,j} \, (v_{j} + r^{v}_{i,j})"]
    texts = drawn(shown)
    assert "α<sub>i,j</sub> = q<sub>i</sub>·(k<sub>j</sub> + rᵏ<sub>i,j</sub>)" in texts
    assert (
        "b<sub>i</sub> = Σ<sub>j</sub> α′<sub>i,j</sub> (v<sub>j</sub> + rᵛ<sub>i,j</sub>)" in texts
    )
    assert [text for text in texts if text in ("·", "=", ",", "→")] == [",", "→", ",", "→"]
    named = [text for text in drawn(shown, "scores") if "r<sup>k</sup>" in text]
    assert named[0].strip() == "<b>(k<sub>j</sub> + r<sup>k</sup><sub>2,j</sub>)</b>"
    values = [text for text in drawn(shown, "head_outputs") if "r<sup>v</sup>" in text]
    assert values[0].strip() == "<b>v<sub>j</sub> + r<sup>v</sup><sub>2,j</sub></b>"
    assert found.keys().isdisjoint({"B", "M"})
    latex = step_latex(shown.trace, "head_outputs", 1)
    assert r"\sum_{j} \alpha'_{2,j} \, (v_{j} + r^{v}_{2,j})" in latex


@pytest.mark.parametrize(
    ("score", "left", "right"),
    [
        ("dot", "A", r"Q K^{\top}"),
        ("bilinear", "A", r"Q W K^{\top}"),
        ("cosine", r"\alpha_{i,j}", r"\frac{q_{i} \cdot k_{j}}{\lVert q_{i} \rVert"),
        ("additive", r"\alpha_{i,j}", r"v_a \cdot \tanh(q_{i} W_a + k_{j} U_a)"),
    ],
)
def test_only_a_product_of_matrices_is_written_as_one(score, left, right):
    shown = scene(score=score)
    assert equations(shown)[left][0].startswith(right)
    signs = [text for text in drawn(shown) if text in ("·", "W", ",")]
    assert signs[0] == {"dot": "·", "bilinear": "W"}.get(score, ",")


def test_the_masked_row_starts_from_the_scaled_scores():
    shown = scene(mask="causal", positions="alibi", scale="sqrt_d_k")
    (left, right), *_ = equations(shown, "masked_scores").items()
    assert left == r"\alpha_{2} / \sqrt{2} + B_{2} + M_{2}"
    assert right[0].startswith("(-1.41, 0.00, 0.71, 0.00) + ")
    for notation in NOTATIONS.values():
        assert "<b>α / √2</b>" in drawn(shown, "masked_scores", notation)
    typed = scene(mask="causal", scale=-0.25)
    assert next(iter(equations(typed, "masked_scores"))) == r"-0.25 \, \alpha_{2} + M_{2}"
    assert "<b>−0.25 α</b>" in drawn(typed, "masked_scores")


def test_small_constants_keep_their_digits():
    shown = scene(scale=0.00001)
    assert r"0.00001 \, \alpha_{2}" in equations(shown, "scaled_scores")
    written = [PLAIN.constant(value) for value in (0.00105, -0.00001, 1.00001, 0.7 - 0.4, 1 / 7000)]
    assert written == ["0.00105", "−0.00001", "1.00001", "0.3", "0.0001429"]


def test_top_k_in_the_limit_forbids_an_equal_score_it_leaves_out(t):
    shown = scene(normalizer="topk", k=1, temperature=0, query=0)
    head = shown.trace.head(0)
    assert head.scores[0, 1] == head.scores[0, 2]
    assert head.weights[0].tolist() == [0, 1, 0, 0]
    lines = "\n".join(cell_lines(ancestry(head, 0, 2), head.choices, t))
    assert "[−∞ = max] = 0" in lines


@pytest.mark.parametrize(
    ("chosen", "step", "expected"),
    [
        ({}, "query", "The input of saw 2 times W^q is its query: (−1, 1)."),
        (
            {"positions": "sinusoidal"},
            "query",
            "The input of saw 2 (position added) times W^q is its query: ",
        ),
        (
            {"positions": "rotary"},
            "query",
            "The input of saw 2 times W^q (turned by its position) is its query: ",
        ),
        ({"positions": "rotary"}, "value", "Each input times W^v is its value. "),
        ({"positions": "learned"}, "key", "Each input (position added) times W^k is its key. "),
        ({"positions": "shaw"}, "scores", "each key (relative position added), summed, is its"),
        ({"score": "cosine"}, "scores", "compared with each key, cosine, gives its row of scores"),
        ({"positions": "alibi"}, "masked_scores", "saw 2 with what positions add to them: "),
        ({"score": "additive"}, "together", "each query compared with each key, additive, gives A"),
    ],
)
def test_a_step_is_said_as_it_is_computed(chosen, step, expected, t):
    shown = scene(**chosen)
    assert expected in step_alt(shown.trace, step, 1, shown.tokens, t)
    for language in LANGUAGES:
        for notation in NOTATIONS.values():
            said = step_alt(shown.trace, step, 1, shown.tokens, words(language), notation=notation)
            assert "{" not in said


def test_a_bias_is_said(hero, t):
    said = step_alt(hero(bias=True), "query", 1, ["a"] * 4, t)
    assert said.startswith("The input of a 2 times W^q (b^q added) is its query")


@st.composite
def choices(draw) -> dict:
    normalizer = draw(st.sampled_from(sorted(NORMALIZERS)))
    temperatures = [0.00105, 0.5, 1.0, 3] + [0] * (normalizer in WITH_LIMIT)
    return {
        "example": draw(st.sampled_from(sorted(EXAMPLES))),
        "sentence": draw(st.sampled_from(["", "a b", "x", "q r s t"])),
        "d_k": 2,
        "d_v": 3,
        "w_source": "random",
        "seed": draw(st.integers(0, 50)),
        "score": draw(st.sampled_from(sorted(SCORES))),
        "scale": draw(st.sampled_from(["none", "sqrt_d_k", 0.125, -0.00012, 0, 7])),
        "temperature": draw(st.sampled_from(temperatures)),
        "normalizer": normalizer,
        "alpha": draw(st.sampled_from([1, 1.00105, 1.3, 2])),
        "k": draw(st.integers(1, 3)),
        "bias": draw(st.sampled_from([None, 0, 0.001, -2])),
        "mask": draw(st.sampled_from(["everyone", *sorted(set(MASKS) - {"graph", "custom"})])),
        "padding": draw(st.integers(0, 5)),
        "positions": draw(st.sampled_from(sorted(POSITIONS))),
        "notation": draw(st.sampled_from(sorted(NOTATIONS))),
    }


def read_matrix(text: str) -> np.ndarray:
    (body,) = re.findall(r"^\\begin\{pmatrix\} (.*) \\end\{pmatrix\}$", text)
    return np.array([[read_number(x) for x in row.split(" & ")] for row in body.split(r" \\ ")])


def read_number(text: str) -> float:
    return float(re.sub(r" \\times 10\^\{(.*)\}", r"e\1", text).replace(r"\infty", "inf"))


def value_of(formula: str, tables: dict[str, np.ndarray]) -> np.ndarray:
    """Compute what stands in the brackets of a normalizer."""
    spelled = re.sub(r"\\sqrt\{(\d+)\}", r"sqrt(\1)", formula)
    spelled = re.sub(r"\\ln (\d+)", r"log(\1)", spelled).replace(r" \, ", " * ")
    return eval(spelled, {"sqrt": math.sqrt, "log": math.log, "__builtins__": {}}, dict(tables))


def weights_of(law: str, tables: dict[str, np.ndarray]) -> np.ndarray:
    """Compute the weights that the printed law gives, a query a row."""
    law = re.sub(r"\\underset\{\\downarrow\}\{(.*)\}\(", r"\1(", law)
    limit = law.startswith(r"\lim_{T \to 0} ")
    law = law.removeprefix(r"\lim_{T \to 0} ")
    if limit:
        assert law.endswith(" / T)")
        law = law.replace(" / T)", ")")
        law = re.sub(r"\(\((.*)\)\)$", r"(\1)", law)
    if found := re.fullmatch(r"(?:\\frac\{)?\\max\((.*),\\, 0\)(?:\}\{(.*)\})?", law):
        positive = np.maximum(value_of(found[1], tables), 0)
        if found[2] == r"\Sigma":
            total = tables["Sigma"]
            return np.divide(positive, total, out=np.zeros_like(positive), where=total != 0)
        return positive / float(found[2] or 1)
    if found := re.fullmatch(r"\\sigma\((.*)\)", law):
        return NORMALIZERS["sigmoid"](value_of(found[1], tables), bias=0)
    found = re.fullmatch(
        r"\\operatorname\{(\w+)\}(?:_\{(?:\\text\{top-\})?([\d.]+)\})?\((.*)\)", law
    )
    assert found, law
    name, parameter = found[1], found[2]
    given = {"temperature": 0} if limit else {}
    if name == "entmax":
        given["alpha"] = float(parameter)
    elif "top-" in law:
        name, given["k"] = "topk", int(parameter)
    elif parameter:
        name += parameter
    return NORMALIZERS[name](value_of(found[3], tables), **given)


@settings(deadline=None, max_examples=300)
@given(choices())
def test_every_printed_equation_holds(chosen):
    shown = scene(**chosen)
    notation = NOTATIONS[chosen["notation"]]
    trace = shown.trace.head(shown.head)
    if max(trace.scores.shape) > 8:
        return
    found = equations(shown, digits=12, notation=notation)
    names = {r"\Sigma": "Sigma"}
    tables = {
        names.get(name, name): notation.laid(read_matrix(parts[-1]))
        for name, parts in found.items()
        if parts[-1].startswith(r"\begin")
    }
    np.testing.assert_allclose(tables["A'"], trace.weights, atol=1e-9)
    with np.errstate(all="ignore"):
        computed = weights_of(found["A'"][0], tables)
    # Digits are cut at 12 decimals, and a small temperature makes much of what is lost.
    np.testing.assert_allclose(computed, tables["A'"], atol=1e-6)
    products = [parts for parts in found.values() if len(parts) == 3]
    assert (found["O"] in products) is (trace.relative_value is None)
    assert (found["A"] in products) is (chosen["score"] == "dot" and trace.relative_key is None)
    for _, product, made in products:
        left, right = (
            read_matrix(r"\begin" + part.strip()) for part in product.split(r"\begin")[1:]
        )
        np.testing.assert_allclose(left @ right, read_matrix(made), rtol=1e-6, atol=1e-6)


@settings(deadline=None, max_examples=100)
@given(choices())
def test_the_picture_and_the_formula_say_the_same(chosen):
    shown = scene(**chosen)
    notation = NOTATIONS[chosen["notation"]]
    whole = Whole(PLAIN, shown.trace.head(0))
    assert " = ".join(whole.weights) in drawn(shown, notation=notation)
    latex = step_latex(shown.trace, "together", shown.query, notation=notation)
    letters = [name for name in ("B", "M") if name in whole.weights[1]]
    assert letters == [name for name in ("B", "M") if f"{name} &= " in latex]


@pytest.mark.parametrize("notation", [ROW, COLUMN])
def test_a_turned_key_is_no_product_of_matrices(notation):
    shown = scene(positions="rotary")
    latex = step_latex(shown.trace, "key", 1, notation=notation)
    turned = (
        r"k^{j} &= R_{j} \, (W^k I)_{j}" if notation.columns else r"k_{j} &= (I W^k)_{j} \, R_{j}"
    )
    assert turned in latex
