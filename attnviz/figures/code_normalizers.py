"""From scores to weights as numpy lines: what each normalizer does, spelled out."""

from collections.abc import Callable

import numpy as np

from attnviz.attention.normalizers import normalizer_parts
from attnviz.attention.parts import NEARLY_SOFTMAX
from attnviz.figures.code_literals import constant
from attnviz.figures.code_page import Block, Page, Part
from attnviz.figures.code_scores import masked_name

_ROW = "axis=1, keepdims=True"
_STEEP = 700  # beyond it exp has no number


def weights(page: Page, z: str = "") -> Part:
    """Turn each row of scores into weights; a row that may see nothing gets zeros."""
    z = z or masked_name(page)
    name = "hardmax" if _is_limit(page) and page.choices.normalizer != "topk" else None
    law = _LAWS[name or page.choices.normalizer]
    lines = [page.above(f"normalizer.{name or page.choices.normalizer}")]
    if not any(trace.empty_rows.any() for trace in page.traces):
        return Part([*lines, *law(page, z)])
    lines += [
        f"sees_any = np.isfinite({z}).any({_ROW})",
        page.beside(f"z = np.where(sees_any, {z}, 0)", "set_aside"),
        *law(page, "z"),
        page.beside("weights = np.where(sees_any, weights, 0)", "nothing_seen"),
    ]
    return Part(lines)


def _is_limit(page: Page) -> bool:
    return page.choices.temperature == 0


def _over_temperature(page: Page, z: str) -> str:
    temperature = page.choices.temperature
    return z if temperature == 1 else f"{z} / {constant(temperature)}"


def _best(z: str) -> str:
    return f"best = {z}.max({_ROW})"


def _shifted(page: Page) -> bool:
    """Tell whether the best score is taken off before exp in any row, as large ones need."""
    choices = page.choices
    arguments = choices.arguments("normalizer") | {"temperature": choices.temperature}
    tables = page.tables("masked_scores")
    parts = (normalizer_parts(choices.normalizer, table, None, **arguments) for table in tables)
    return any(part.shift.any() for part in parts)


def _softmax(page: Page, z: str) -> Block:
    if _is_limit(page):
        return _hardmax(page, z)
    lines, shifted = [], z
    if _shifted(page):
        lines = [page.beside(_best(z), "best")]
        shifted = f"({z} - best)" if page.choices.temperature != 1 else f"{z} - best"
    return [
        *lines,
        f"exponentials = np.exp({_over_temperature(page, shifted)})",
        f"weights = exponentials / exponentials.sum({_ROW})",
    ]


def _softmax1(page: Page, z: str) -> Block:
    lines, shifted, one = [], z, "1"
    if _shifted(page):
        lines = [page.beside(f"best = np.maximum({z}.max({_ROW}), 0)", "best")]
        shifted = f"({z} - best)" if page.choices.temperature != 1 else f"{z} - best"
        one = f"np.exp({_over_temperature(page, '-best')})"
    return [
        *lines,
        f"exponentials = np.exp({_over_temperature(page, shifted)})",
        f"weights = exponentials / ({one} + exponentials.sum({_ROW}))",
    ]


def _hardmax(page: Page, z: str) -> Block:
    return [
        f"chosen = {z} == {z}.max({_ROW})",
        f"weights = chosen / chosen.sum({_ROW})",
    ]


def _topk(page: Page, z: str) -> Block:
    k = page.choices.arguments("normalizer").get("k", 2)
    return [
        page.beside(f'order = np.argsort(-{z}, axis=1, kind="stable")[:, :{k}]', "order"),
        f"kept = np.full_like({z}, -np.inf)",
        f"np.put_along_axis(kept, order, np.take_along_axis({z}, order, axis=1), axis=1)",
        *_softmax(page, "kept"),
    ]


def _level(page: Page, z: str, factor: str) -> Block:
    """Measure from the best down; a key at −1 or lower gets nothing, whatever the others are."""
    below = _over_temperature(page, f"({z} - best)")
    below = f"{factor} * ({below})" if factor else below
    return [_best(z), page.beside(f"level = np.maximum({below}, -1)", "level")]


def _ordered(page: Page) -> Block:
    return [
        "ordered = -np.sort(-level, axis=1)",
        f"count = np.arange(1, {page.trace.n_key + 1})",
    ]


def _sparsemax(page: Page, z: str) -> Block:
    return [
        *_level(page, z, ""),
        *_ordered(page),
        "thresholds = (ordered.cumsum(axis=1) - 1) / count",
        f"n_kept = (ordered > thresholds).sum({_ROW})",
        "threshold = np.take_along_axis(thresholds, n_kept - 1, axis=1)",
        "weights = np.maximum(level - threshold, 0)",
    ]


def _entmax15(page: Page, z: str) -> Block:
    return [
        *_level(page, z, "0.5"),
        *_ordered(page),
        "mean = ordered.cumsum(axis=1) / count",
        "spread = (ordered**2).cumsum(axis=1) - count * mean**2",
        "thresholds = mean - np.sqrt(np.maximum(1 - spread, 0) / count)",
        f"n_kept = ((ordered > thresholds) & (ordered > -1)).sum({_ROW})",
        "threshold = np.take_along_axis(thresholds, n_kept - 1, axis=1)",
        "weights = np.maximum(level - threshold, 0) ** 2",
    ]


def _entmax(page: Page, z: str) -> Block:
    alpha = float(page.choices.arguments("normalizer").get("alpha", 1.5))
    if alpha - 1 < NEARLY_SOFTMAX:
        return _softmax(page, z)
    if alpha in (1.5, 2.0):
        return (_entmax15 if alpha == 1.5 else _sparsemax)(page, z)
    return [
        f"alpha = {constant(alpha)}",
        *_level(page, z, "(alpha - 1)"),
        "threshold = np.full((len(level), 1), -1.0)",
        page.beside("for halving in range(1, 65):", "halving"),
        "    higher = threshold + 0.5**halving",
        f"    total = (np.maximum(level - higher, 0) ** (1 / (alpha - 1))).sum({_ROW})",
        "    threshold = np.where(total >= 1, higher, threshold)",
        "weights = np.maximum(level - threshold, 0) ** (1 / (alpha - 1))",
        f"weights = weights / weights.sum({_ROW})",
    ]


def _relu(page: Page, z: str) -> Block:
    return [f"weights = np.maximum({_over_temperature(page, z)}, 0)"]


def _relu_sum(page: Page, z: str) -> Block:
    total = f"total = positive.sum({_ROW})"
    lines = [f"positive = np.maximum({_over_temperature(page, z)}, 0)"]
    if all(table.any(axis=1).all() for table in page.tables("weights")):
        return [*lines, f"weights = positive / positive.sum({_ROW})"]
    share = "weights = positive / np.where(total > 0, total, 1)"
    return [*lines, total, page.beside(share, "nothing_left")]


def _relu_length(page: Page, z: str) -> Block:
    return [f"weights = np.maximum({_over_temperature(page, z)}, 0) / {page.trace.n_key}"]


def _sigmoid(page: Page, z: str) -> Block:
    bias, n_key = page.choices.arguments("normalizer").get("bias"), page.trace.n_key
    offset = -np.log(n_key) if bias is None else float(bias)
    spelled = f"-np.log({n_key})" if bias is None else constant(offset)
    x = f"({_over_temperature(page, z)} + offset)"
    finite = (table[np.isfinite(table)] for table in page.tables("masked_scores"))
    lowest = min((each.min() for each in finite if each.size), default=0.0)
    steep = lowest / page.choices.temperature + offset < -_STEEP
    law = f"np.exp(-np.logaddexp(0, -{x}))" if steep else f"1 / (1 + np.exp(-{x}))"
    return [f"offset = {spelled}", f"weights = {law}"]


_LAWS: dict[str, Callable[[Page, str], Block]] = {
    "softmax": _softmax,
    "sparsemax": _sparsemax,
    "entmax15": _entmax15,
    "entmax": _entmax,
    "topk": _topk,
    "hardmax": _hardmax,
    "relu": _relu,
    "relu_sum": _relu_sum,
    "relu_length": _relu_length,
    "sigmoid": _sigmoid,
    "softmax1": _softmax1,
}
