"""What each token adds to an output and what it changes there, as numpy and package lines."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attnviz.attention.arrays import read_only
from attnviz.figures.code import numpy_code, package_code
from attnviz.figures.code_literals import constant
from attnviz.figures.code_normalizers import weights
from attnviz.figures.code_page import Block, Page
from attnviz.figures.code_scores import masked_name
from attnviz.lessons.importance import leave_one_out
from attnviz.scene import Scene
from attnviz.settings import Move
from attnviz.text import Words

_SHOWN = ("row", "lengths", "effects")


def with_numpy(scene: Scene, moves: Sequence[Move], t: Words) -> str:
    """Write numpy lines for the token that asks, its values where they were dragged to."""
    page, i = Page(scene, t, every_head=False, traces=(scene.trace,)), scene.query
    n_key, relative = scene.trace.n_key, scene.trace.relative_value is not None
    hiding = f"hidden = np.where(np.eye({n_key}, dtype=bool), -np.inf, {masked_name(page)}[{i}])"
    lines = [
        *_moved("value", moves, t),
        *([f"value = value + relative_value[distance_row[{i}]]"] if relative else []),
        f"row = weights[{i}]",
        "output = row @ value",
        f"lengths = np.linalg.norm(row[:, None] * value, axis=1)  # {t('code.part_lengths')}",
        "",
        f"# {t('code.leave_out')}",
        hiding,
        *weights(_hidden(page), "hidden").lines,
        "without = weights @ value",
        f"effects = np.linalg.norm(output - without, axis=1)  # {t('code.effects')}",
    ]
    return _program(numpy_code(scene, "see", t), lines)


def with_package(scene: Scene, moves: Sequence[Move], t: Words) -> str:
    """Write the lines that compute the same with attnviz."""
    i, relative = scene.query, scene.trace.relative_value is not None
    lines = ["value = head.value.copy()", *_moved("value", moves, t)]
    lines += [
        "head = attnviz.attend_again(head, value=value)",
        *([f"value = value + head.relative_value[{i}]"] if relative else []),
        f"row, output = head.weights[{i}], head.output[{i}]",
        f"lengths = abs(row) * (value**2).sum(axis=1) ** 0.5  # {t('code.part_lengths')}",
        "",
        f"# {t('code.leave_out')}",
        "effects = []",
        f"for hidden in range({scene.trace.n_key}):",
        '    mask = head.masked_scores > -float("inf")',
        "    mask[:, hidden] = False",
        f"    without = attnviz.attend_again(head, mask=mask).output[{i}]",
        f"    effects.append(((output - without) ** 2).sum() ** 0.5)  # {t('code.effects')}",
    ]
    return _program(package_code(scene, "see", t), lines)


def _program(before: str, lines: Block) -> str:
    kept = [line for line in before.splitlines() if not line.startswith("print(")]
    while not kept[-1]:
        kept.pop()
    return "\n".join([*kept, "", *lines, "", *(f"print({name})" for name in _SHOWN)]) + "\n"


def _moved(name: str, moves: Sequence[Move], t: Words) -> Block:
    """Write where values were dragged to."""
    tips = [
        f"{name}[{token}] = {constant(x)}, {constant(y)}"
        for symbol, token, x, y in moves
        if symbol == "v"
    ]
    return [f"# {t('code.dragged')}", *tips] if tips else []


def _hidden(page: Page) -> Page:
    """Give a page for the rows that hide each key in turn, so that its code fits them."""
    scene, trace = page.scene, page.trace
    head = trace.head(scene.head)
    hidden = np.where(np.eye(trace.n_key, dtype=bool), -np.inf, head.masked_scores[scene.query])
    tables = {"masked_scores": hidden, "weights": leave_one_out(head, scene.query)}
    every = {name: read_only(np.stack([table] * trace.n_heads)) for name, table in tables.items()}
    return replace(page, traces=(replace(trace, **every),))
