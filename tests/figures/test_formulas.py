import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, SCORES, HeadChoices, attend
from attnviz.attention.ancestry import ancestry
from attnviz.attention.normalizers import normalizer_parts
from attnviz.figures.formulas import (
    cell_equation,
    cell_equations,
    cell_latex,
    cell_lines,
    row_equation,
    row_latex,
    score_equations,
    step_latex,
)
from attnviz.figures.laws import Law
from attnviz.figures.steps import STEPS
from attnviz.figures.writing import LATEX, PLAIN

PARAMETERS = {
    "dot": {},
    "cosine": {},
    "bilinear": {"w": [[1, 2], [0, 1]]},
    "additive": {"w_query": [[1, 0], [0, 1]], "w_key": [[1, 1], [0, 1]], "v": [1, -1]},
}


def balanced(latex: str) -> bool:
    """Tell whether braces close in order, and environments and \\left-free fractions are whole."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0 and latex.count("\\begin") == latex.count("\\end")


def test_the_hero_row_is_written_as_a_weighted_sum(hero):
    assert row_equation(hero().head(0), 1) == (
        "b₂ = 0.03 v₁ + 0.21 v₂ + 0.56 v₃ + 0.21 v₄ = (−0.38, 1.44)"
    )
    assert row_latex(hero().head(0), 1) == (
        r"b_{2} = 0.03 \, v_{1} + 0.21 \, v_{2} + 0.56 \, v_{3} + 0.21 \, v_{4} = (-0.38, 1.44)"
    )


def test_more_digits_are_written_when_asked_for(hero):
    assert row_equation(hero().head(0), 1, 3).endswith("(−0.384, 1.440)")


def test_a_long_row_is_written_with_dots():
    trace = attend(np.zeros((1, 2)), np.zeros((20, 2)), np.zeros((20, 2)))
    assert row_equation(trace, 0) == ("b₁ = 0.05 v₁ + 0.05 v₂ + 0.05 v₃ + … + 0.05 v₂₀ = (0, 0)")


def test_the_hero_cell_is_written_down_to_its_operands(hero, t):
    trace = hero().head(0)
    assert cell_lines(ancestry(trace, 1, 0), trace.choices, t) == [
        "α₂,₁ = q₂·k₁ = (−1)(3) + (1)(1) = −2",
        "exp(−2) = 0.14",
        "Σ₂ = 0.14 + 1 + 2.72 + 1 = 4.85",
        "α′₂,₁ = exp(−2) / Σ₂ = 0.14 / 4.85 = 0.03",
        "α′₂,₁ v₁ = 0.03 · (1, 2) = (0.03, 0.06)",
        "b₂ = (0.03, 0.06) + (−0.41, 1.38) from the other keys = (−0.38, 1.44)",
    ]


def test_scale_bias_and_mask_have_a_line_each(hero, t):
    scaled = hero(scale="sqrt_d_k", mask=MASKS["causal"](4, 4)).head(0)
    lines = cell_lines(ancestry(scaled, 1, 2), scaled.choices, t)
    assert "α₂,₃ / √2 = 1 / 1.41 = 0.71" in lines
    assert "α₂,₃ → −∞" in lines
    assert "exp(−∞) = 0" in lines
    assert lines[-1] == t("formula.not_allowed")
    biased = hero(scale=0.125, positions="alibi").head(0)
    lines = cell_lines(ancestry(biased, 1, 0), biased.choices, t, 3)
    assert "0.125 · α₂,₁ = 0.125 · (−2) = −0.250" in lines
    assert any("B₂,₁" in line for line in lines)


def test_a_row_that_sees_nothing_says_so(hero, t):
    trace = hero(mask=np.zeros((4, 4), dtype=bool)).head(0)
    lines = cell_lines(ancestry(trace, 0, 0), trace.choices, t)
    assert "α′₁,₁ = 0" in lines
    assert lines[-1] == t("formula.no_total")


@pytest.mark.parametrize(
    ("choices", "row", "expected"),
    [
        ({}, 1, "α′₂,₃ = exp(1) / 4.85 = 0.56"),
        ({"temperature": 0.5}, 1, "α′₂,₃ = exp(1 / 0.5) / 9.41 = 0.79"),
        ({"temperature": 0.0}, 1, "α′₂,₃ = [1 = max] / 1 = 1"),
        ({"normalizer": "hardmax"}, 0, "α′₁,₃ = [−1 = max] / 3 = 0.33"),
        ({"normalizer": "sparsemax"}, 1, "α′₂,₃ = max(1 − 0, 0) = 1"),
        ({"normalizer": "entmax15"}, 1, "α′₂,₃ = max(0.5 · 1 − (−0.36), 0)² = 0.74"),
        ({"normalizer": "entmax"}, 1, "α′₂,₃ = max(0.5 · 1 − (−0.36), 0)^2 = 0.74"),
        (
            {"normalizer": "entmax", "parameters": {"alpha": 1.0}},
            1,
            "α′₂,₃ = exp(1) / 4.85 = 0.56",
        ),
        ({"normalizer": "topk"}, 1, "α′₂,₃ = exp(1) / 3.72 = 0.73"),
        ({"normalizer": "topk", "parameters": {"k": 1}}, 0, "α′₁,₃ = exp(−∞) / 0.37 = 0"),
        ({"normalizer": "relu"}, 1, "α′₂,₃ = max(1, 0) = 1"),
        ({"normalizer": "relu_sum"}, 2, "α′₃,₃ = max(3, 0) / 11 = 0.27"),
        ({"normalizer": "relu_sum"}, 0, "α′₁,₃ = 0"),
        ({"normalizer": "relu_length"}, 1, "α′₂,₃ = max(1, 0) / 4 = 0.25"),
        ({"normalizer": "sigmoid"}, 1, "α′₂,₃ = σ(1 + (−1.39)) = 0.40"),
        (
            {"normalizer": "sigmoid", "parameters": {"bias": 0}},
            1,
            "α′₂,₃ = σ(1) = 0.73",
        ),
        ({"normalizer": "softmax1"}, 1, "α′₂,₃ = exp(1) / 5.85 = 0.46"),
    ],
)
def test_a_weight_is_written_in_one_line(hero, choices, row, expected):
    trace = hero(**choices).head(0)
    assert cell_equation(ancestry(trace, row, 2), trace.choices) == expected
    assert cell_equations(trace)[row][2] == expected


def test_large_scores_are_written_as_they_are_computed_shifted():
    trace = attend([[10.0, 10.0]], [[10.0, 1.0], [1.0, 12.0]], [[1.0], [2.0]])
    assert cell_equations(trace)[0] == [
        "α′₁,₁ = exp(110 − 130) / 1.00 = 0.00",
        "α′₁,₂ = exp(130 − 130) / 1.00 = 1.00",
    ]


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@settings(deadline=None)
@given(
    row=st.lists(st.integers(-30, 30), min_size=1, max_size=5),
    temperature=st.sampled_from([0.5, 1.0, 2.0]),
)
def test_what_the_formula_says_is_what_the_normalizer_does(normalizer, row, temperature):
    """Evaluate the written numerator, with digits enough, and compare it with the computed one."""
    choices = HeadChoices(normalizer=normalizer, temperature=temperature)
    scores = np.array([row], dtype=float)
    parts = normalizer_parts(normalizer, scores, temperature=temperature)
    threshold = None if parts.threshold is None else float(parts.threshold[0])
    law, shift = Law.of(PLAIN, choices, len(row), threshold), float(parts.shift[0])
    for score, numerator in zip(row, parts.numerators[0].tolist(), strict=True):
        kept = law.kept(float(score), shift, numerator)
        said = law.numerator(kept, shift, threshold, 15)
        value = evaluated(said, best=max(row))
        np.testing.assert_allclose(value, numerator, rtol=1e-9, atol=1e-9)


def evaluated(said: str, best: float) -> float:
    names = {"exp": np.exp, "max": max, "inf": np.inf, "σ": lambda x: 1 / (1 + np.exp(-x))}
    for written, python in (("−", "-"), ("∞", "inf"), ("·", "*"), ("²", "**2"), ("^", "**")):
        said = said.replace(written, python)
    if said.startswith("["):
        said = said.replace("[", "(").replace("]", ")").replace(" = max", f" == {best}")
    return float(eval(said, {"__builtins__": {}}, names))


def test_every_score_is_written_as_its_products(hero):
    assert score_equations(hero().head(0))[1] == [
        "α₂,₁ = (−1)(3) + (1)(1) = −2",
        "α₂,₂ = (−1)(1) + (1)(1) = 0",
        "α₂,₃ = (−1)(1) + (1)(2) = 1",
        "α₂,₄ = (−1)(1) + (1)(1) = 0",
    ]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("positions", ["none", "shaw"])
def test_the_written_products_add_up_to_the_score(hero, score, positions):
    trace = hero(score=score, parameters=PARAMETERS[score], positions=positions).head(0)
    for written, value in zip(score_equations(trace, 9)[2], trace.scores[2], strict=True):
        terms = written.split(" = ")[1].replace("−", "-").split(" + ")
        factors = [re.findall(r"\(([^)]+)\)", term) for term in terms]
        assert sum(float(a) * float(b) for a, b in factors) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_latex_is_balanced_for_every_normalizer_and_score(hero, score, normalizer, temperature):
    trace = hero(
        score=score,
        normalizer=normalizer,
        temperature=temperature,
        parameters=PARAMETERS[score],
        mask=MASKS["causal"](4, 4),
        scale="sqrt_d_k",
    )
    head = trace.head(0)
    for key in (0, 3):
        latex = cell_latex(ancestry(head, 1, key), trace.choices)
        assert balanced(latex)
        assert not re.search(r"[^\x00-\x7f]", latex)
    for step in STEPS:
        assert balanced(step_latex(trace, step, 1))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi", "shaw", "t5"])
def test_latex_of_every_step_is_plain_ascii(hero, layer, step, positions):
    for trace in (hero(positions=positions, bias=True), layer):
        latex = step_latex(trace, step, 1)
        assert balanced(latex)
        assert not re.search(r"[^\x00-\x7f]", latex)


def test_relative_positions_are_named_where_they_take_part(hero, t):
    trace = hero(positions="shaw").head(0)
    found = ancestry(trace, 1, 0)
    assert "q₂·(k₁ + rᵏ₂,₁)" in cell_lines(found, trace.choices, t, relative=True)[0]
    assert "(v₁ + rᵛ₂,₁)" in row_equation(trace, 1)


def test_the_query_step_is_written_number_by_number(hero):
    latex = step_latex(hero(), "query", 1)
    assert "q_{2} &= a_{2} W^q" in latex
    assert "q_{2,1} &= (0)(1) + (1)(0) + (1)(-1) = -1" in latex
    assert "q_{2,2} &= (0)(0) + (1)(1) + (1)(0) = 1" in latex


def test_the_scores_step_has_a_line_for_each_key(hero):
    latex = step_latex(hero(), "scores", 1)
    assert r"\alpha_{2,1} &= q_{2} \cdot k_{1} = (-1)(3) + (1)(1) = -2" in latex
    assert latex.count("&=") == 4


def test_the_weights_step_sums_and_divides(hero):
    latex = step_latex(hero(), "weights", 1)
    assert r"\exp(-2) + \exp(0) + \exp(1) + \exp(0) = 0.14 + 1 + 2.72 + 1 = 4.85" in latex
    assert r"\frac{(0.14, 1.00, 2.72, 1.00)}{4.85} = (0.03, 0.21, 0.56, 0.21)" in latex


def test_a_mask_is_added_as_minus_infinity(hero):
    latex = step_latex(hero(mask=MASKS["causal"](4, 4)), "masked_scores", 1)
    assert r"(0, 0, -\infty, -\infty)" in latex


def test_an_unknown_step_is_refused(hero):
    with pytest.raises(ValueError, match="step must be one of"):
        step_latex(hero(), "softmax", 1)


@settings(deadline=None)
@given(st.floats(-1e12, 1e12), st.integers(0, 4))
def test_a_number_in_latex_reads_back(value, digits):
    written = LATEX.number(value, digits).replace(r" \times 10^{", "e").rstrip("}")
    tolerance = max(10.0**-digits, abs(value) * 10.0**-digits)
    assert float(written) == pytest.approx(value, abs=tolerance)


def test_a_chosen_number_keeps_its_own_decimals():
    written = [PLAIN.constant(value) for value in (0.5, 2, 0.125, 100.0, -1.5, 1 / 3)]
    assert written == ["0.5", "2", "0.125", "100", "−1.5", "0.3333"]
