"""Where a weight comes from and what it gives, written out with live digits.

Indices count from 1, as people write them: α₂,₁ is the score of query 2 and key 1. A line is a
list of equal things, and `writing.py` sets it as plain text or as LaTeX. Digits are rounded when
they are written, never before.
"""

import math
from collections.abc import Iterator

import numpy as np

from attnviz.attention.ancestry import Ancestry
from attnviz.attention.choices import HeadChoices
from attnviz.attention.normalizers import normalizer_parts
from attnviz.attention.scores import score_terms
from attnviz.attention.trace import HeadTrace
from attnviz.figures.laws import DIVIDED, SUMMED, Law
from attnviz.figures.notation import ROW, Notation
from attnviz.figures.writing import LATEX, MOST_FEATURES, PLAIN, Hand, aligned, hand_of
from attnviz.text import Words

Line = list[str]
Indices = tuple[str, str, str]
"""How a query, a key, and both of them are written as indices."""


def cell_lines(
    ancestry: Ancestry,
    choices: HeadChoices,
    t: Words,
    digits: int = 2,
    *,
    relative: bool = False,
    notation: Notation = ROW,
) -> list[str]:
    """Write one weight's whole ancestry as plain text, a step a line.

    The score term by term, scale, bias, mask, numerator, row total, division, and what it adds to
    the output. `relative` says that keys and values carry relative positions r.
    """
    hand, t = hand_of(PLAIN, notation), notation.words(t)
    lines = list(_cell(hand, ancestry, choices, digits, relative, t("formula.others")))
    written = [" = ".join(line) for line in lines]
    if ancestry.total == 0:
        written.append(t("formula.no_total"))
    elif not ancestry.allowed:
        written.append(t("formula.not_allowed"))
    elif choices.normalizer == "topk" and not ancestry.numerator:
        written.append(t("formula.not_kept"))
    return written


def cell_latex(
    ancestry: Ancestry,
    choices: HeadChoices,
    digits: int = 2,
    *,
    relative: bool = False,
    notation: Notation = ROW,
) -> str:
    """Write the same lines as one LaTeX formula."""
    return aligned(list(_cell(hand_of(LATEX, notation), ancestry, choices, digits, relative)))


def cell_equation(ancestry: Ancestry, choices: HeadChoices, digits: int = 2) -> str:
    """Write one weight in a line: α′₂,₃ = exp(1) / 4.85 = 0.56."""
    law = Law.of(PLAIN, choices, len(ancestry.numerators), ancestry.threshold)
    total = PLAIN.number(ancestry.total, digits) if ancestry.total else ""
    name = PLAIN.name_of("weight", ancestry.query, ancestry.key)
    score = law.kept(ancestry.masked, ancestry.shift, ancestry.numerator)
    share = law.share(score, ancestry.shift, ancestry.threshold, total, digits)
    return f"{name} = {share}{PLAIN.number(ancestry.weight, digits)}"


def cell_equations(trace: HeadTrace, digits: int = 2) -> list[list[str]]:
    """Write the line of every weight, row by row, as `cell_equation` does for one."""
    choices = trace.choices
    parts = normalizer_parts(
        choices.normalizer,
        trace.masked_scores,
        temperature=choices.temperature,
        **choices.arguments("normalizer"),
    )
    sparse = None if parts.threshold is None else 0.0
    thresholds = np.zeros_like(parts.totals) if parts.threshold is None else parts.threshold
    law = Law.of(PLAIN, choices, trace.n_key, sparse)
    arrays = (trace.masked_scores, parts.numerators, trace.weights)
    by_row = (parts.totals.tolist(), parts.shift.tolist(), thresholds.tolist())
    table = []
    for i, (total, shift, threshold) in enumerate(zip(*by_row, strict=True)):
        below = PLAIN.number(total, digits) if total else ""
        row = []
        cells = zip(*(array[i].tolist() for array in arrays), strict=True)
        for j, (score, numerator, weight) in enumerate(cells):
            share = law.share(law.kept(score, shift, numerator), shift, threshold, below, digits)
            weighed = PLAIN.number(weight, digits)
            row.append(f"{PLAIN.name_of('weight', i, j)} = {share}{weighed}")
        table.append(row)
    return table


def score_equations(trace: HeadTrace, digits: int = 2) -> list[list[str]]:
    """Write every score as its sum of products, row by row: α₂,₁ = (−1)(3) + (1)(1) = −2."""
    return [
        [
            f"{PLAIN.name_of('score', i, j)} = {terms} = {PLAIN.number(score, digits)}"
            for j, (terms, score) in enumerate(zip(row, scores, strict=True))
        ]
        for i, (row, scores) in enumerate(
            zip(_products(trace, digits), trace.scores.tolist(), strict=True)
        )
    ]


def row_equation(trace: HeadTrace, query: int, digits: int = 2) -> str:
    """Write one output as the weighted sum of the values: b₂ = 0.03 v₁ + … = (−0.38, 1.44)."""
    return " = ".join(row_line(PLAIN, trace, query, digits))


def row_latex(trace: HeadTrace, query: int, digits: int = 2, *, notation: Notation = ROW) -> str:
    """Write the same equation as LaTeX; where tokens are columns the output stands upright."""
    return " = ".join(row_line(hand_of(LATEX, notation), trace, query, digits))


def row_line(hand: Hand, trace: HeadTrace, query: int, digits: int) -> Line:
    """Give the equal parts of one output's equation."""
    relative = trace.relative_value is not None
    terms = [
        hand.fill(
            "numbered",
            weight=hand.number(weight, digits),
            symbol=vector_name(hand, "value", indices_of(hand, query, key), relative),
        )
        for key, weight in enumerate(trace.weights[query].tolist())
    ]
    output = hand.vector(trace.output[query].tolist(), digits)
    return [hand.name_of("output", query), hand.sum(terms), output]


def _products(trace: HeadTrace, digits: int) -> list[list[str]]:
    """Write the terms of every score; each number once where the two vectors do not meet before."""
    queries, keys = range(trace.n_query), range(trace.n_key)

    def terms(query: int, key: int) -> tuple[list[str], list[str]]:
        left, right = score_vectors(trace, query, key)
        asked, answered = (
            [PLAIN.bracketed(x, digits) for x in side.tolist()] for side in (left, right)
        )
        return asked, answered

    def written(left: list[str], right: list[str]) -> str:
        return PLAIN.sum([a + b for a, b in zip(left, right, strict=True)], MOST_FEATURES)

    if trace.choices.score == "additive" or trace.relative_key is not None:
        return [[written(*terms(query, key)) for key in keys] for query in queries]
    lefts = [terms(query, 0)[0] for query in queries]
    rights = [terms(0, key)[1] for key in keys]
    return [[written(left, right) for right in rights] for left in lefts]


def score_vectors(trace: HeadTrace, query: int, key: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the two vectors whose products add up to a score."""
    met = trace.key[key]
    if trace.relative_key is not None:
        met = met + trace.relative_key[query, key]
    arguments = trace.choices.arguments("score")
    return score_terms(trace.choices.score, trace.query[query], met, **arguments)


def _cell(
    hand: Hand,
    ancestry: Ancestry,
    choices: HeadChoices,
    digits: int,
    relative: bool,
    others: str = "",
) -> Iterator[Line]:
    query, key = ancestry.query, ancestry.key
    yield score_line(hand, ancestry, choices, digits, relative)
    yield from _scaled(hand, ancestry, choices, digits)
    law = Law.of(hand, choices, len(ancestry.numerators), ancestry.threshold)
    score = law.kept(ancestry.masked, ancestry.shift, ancestry.numerator)
    if score != ancestry.masked:
        yield _forbidden(hand, query, key)
    numerator = law.numerator(score, ancestry.shift, ancestry.threshold, digits)
    weight, weighed = hand.name_of("weight", query, key), hand.number(ancestry.weight, digits)
    if ancestry.total == 0:
        yield [weight, weighed]
    elif law.name not in DIVIDED:
        yield [weight, numerator, weighed]
    else:
        above, below = (hand.number(x, digits) for x in (ancestry.numerator, ancestry.total))
        yield [numerator, above]
        total = below
        if law.name in SUMMED:
            total = hand.name_of("total", query)
            yield total_line(hand, law, ancestry, digits)
        yield [
            weight,
            hand.fill("fraction", above=numerator, below=total),
            hand.fill("fraction", above=above, below=below),
            weighed,
        ]
    value = hand.vector(ancestry.value.tolist(), digits)
    given = hand.vector(ancestry.contribution.tolist(), digits)
    yield [
        hand.fill(
            "numbered",
            weight=weight,
            symbol=vector_name(hand, "value", indices_of(hand, query, key), relative),
        ),
        hand.fill("scaled_vector", weight=weighed, vector=value),
        given,
    ]
    rest = hand.fill(
        "others",
        others=hand.vector(ancestry.others.tolist(), digits),
        words=others,
        j=hand.index(key),
    )
    output = hand.vector(ancestry.output.tolist(), digits)
    yield [hand.name_of("output", query), f"{given} + {rest}", output]


def score_line(
    hand: Hand, ancestry: Ancestry, choices: HeadChoices, digits: int, relative: bool = False
) -> Line:
    """Write the score as a sum of products: α₂,₁ = q₂·k₁ = (−1)(3) + (1)(1) = −2."""
    terms = [
        hand.bracketed(left, digits) + hand.bracketed(right, digits)
        for left, right in zip(ancestry.left.tolist(), ancestry.right.tolist(), strict=True)
    ]
    return [
        hand.name_of("score", ancestry.query, ancestry.key),
        score_formula(hand, choices, indices_of(hand, ancestry.query, ancestry.key), relative),
        hand.sum(terms, MOST_FEATURES),
        hand.number(ancestry.score, digits),
    ]


def score_formula(
    hand: Hand, choices: HeadChoices, indices: Indices, relative: bool = False
) -> str:
    """Write the score function without digits: q₂·k₁."""
    name = choices.score
    if name == "additive" and (choices.parameters.keys() & {"bias", "score.bias"}):
        name = "additive_bias"
    return hand.fill(
        f"scores.{name}",
        query=hand.fill("query", i=indices[0]),
        key=vector_name(hand, "key", indices, relative),
    )


def total_line(hand: Hand, law: Law, ancestry: Ancestry, digits: int) -> Line:
    """Write the total of a row: Σ₂ = 0.14 + 1 + 2.72 + 1 = 4.85."""
    numerators = ancestry.numerators.tolist()
    if law.name == "softmax1":  # the score of the key that is not there is 0
        numerators = [law.one(ancestry.shift), *numerators]
    return [
        hand.name_of("total", ancestry.query),
        hand.sum([hand.number(numerator, digits) for numerator in numerators]),
        hand.number(ancestry.total, digits),
    ]


def _scaled(hand: Hand, ancestry: Ancestry, choices: HeadChoices, digits: int) -> Iterator[Line]:
    """Write scale, bias and mask, those of them that change the score."""
    name = hand.name_of("score", ancestry.query, ancestry.key)
    score, scaled = (hand.number(x, digits) for x in (ancestry.score, ancestry.scaled))
    if choices.scale == "sqrt_d_k" and ancestry.scale != 1:
        root = hand.fill("root", value=hand.number(round(ancestry.scale**-2), digits))
        yield [
            hand.fill("fraction", above=name, below=root),
            hand.fill("fraction", above=score, below=hand.number(1 / ancestry.scale, digits)),
            scaled,
        ]
    elif ancestry.scale != 1:
        factor = hand.constant(ancestry.scale)
        yield [
            hand.fill("times", left=factor, right=name),
            hand.fill("times", left=factor, right=hand.factor(ancestry.score, digits)),
            scaled,
        ]
    if ancestry.bias is not None:
        bias = hand.factor(ancestry.bias, digits)
        biased = ancestry.scaled + ancestry.bias
        yield [
            f"{scaled} + {hand.name_of('bias', ancestry.query, ancestry.key)}",
            f"{scaled} + {bias}",
            hand.number(biased, digits),
        ]
    if not ancestry.allowed:
        yield _forbidden(hand, ancestry.query, ancestry.key)


def _forbidden(hand: Hand, query: int, key: int) -> Line:
    name = hand.name_of("score", query, key)
    return [hand.fill("forbidden", score=name, least=hand.constant(-math.inf))]


def indices_of(hand: Hand, query: int, key: int) -> Indices:
    """Write the indices of one query and one key."""
    return hand.index(query), hand.index(key), hand.indices(query, key)


def vector_name(hand: Hand, what: str, indices: Indices, relative: bool) -> str:
    """Name a key or a value, with the relative position that one query adds to it: k₁ + rᵏ₂,₁."""
    name = hand.fill(what, j=indices[1])
    if not relative:
        return name
    letter = hand.fill(f"letters.{what}")
    return hand.fill("related", vector=name, letter=letter, ij=indices[2])
