"""The numpy code of each panel: numbers first, then the derivation, then what it gives."""

from collections.abc import Callable
from dataclasses import replace

from attnviz.attention.arrays import read_only
from attnviz.figures import code_positions, code_scores
from attnviz.figures.code_literals import WIDTH, constant, numpy_array
from attnviz.figures.code_normalizers import weights
from attnviz.figures.code_page import Block, Page, Part
from attnviz.figures.labels import shortened
from attnviz.scene import Scene
from attnviz.text import Words

_ASK: tuple[Callable[[Page], Part], ...] = (
    code_scores.query,
    code_scores.key,
    code_scores.scores,
    code_scores.scaled_scores,
    code_scores.masked_scores,
    weights,
)

_HEAD = (*_ASK, code_scores.value, code_scores.output)

# What is derived for each panel, and which of its results is shown: all of it, or the row in hand.
RECIPES: dict[str, tuple[tuple[Callable[[Page], Part], ...], tuple[str, ...], bool]] = {
    "see": (_HEAD, ("weights", "output"), False),
    "scores": (
        (code_scores.query, code_scores.key, code_scores.value, code_scores.scores),
        ("query", "key", "value", "scores"),
        False,
    ),
    "encoded_inputs": ((), ("encoded_inputs",), True),
    "query": (_ASK[:1], ("query",), True),
    "key": (_ASK[1:2], ("key",), False),
    "scaled_scores": (_ASK[:4], ("scaled_scores",), True),
    "masked_scores": (_ASK[:5], ("masked_scores",), True),
    "weights": (_ASK, ("weights",), True),
    "value": ((code_scores.value,), ("value",), False),
    "head_outputs": (_HEAD, ("output",), True),
    "together": (_HEAD, ("scores", "weights", "output"), False),
}


def one_head(scene: Scene, panel: str, t: Words) -> str:
    """Write what one head computes, up to what the panel shows."""
    page = Page(scene, t, every_head=False, traces=(scene.trace,))
    stages, shown, of_row = RECIPES[panel]
    parts = [code_positions.encoded_inputs(page), *(stage(page) for stage in stages)]
    row = f"[{scene.query}]" if of_row else ""
    results = [f"print({_there(page, name)}{row})" for name in shown]
    if of_row:
        results[-1] = page.beside(results[-1], "row", token=_token(scene.tokens[scene.query]))
    return joined_program(page, parts, [line for part in parts for line in part.lines], results)


def all_heads(scene: Scene, panel: str, t: Words) -> str:
    """Write every head, how they are put side by side, and what W^o makes of them."""
    page, given, lines = _layer(scene, t, (scene.trace,))
    of_row = panel == "output"
    row = f"[{scene.query}]" if of_row else ""
    shown = [f"print(output{row})"]
    if of_row:
        shown = [page.beside(shown[0], "row", token=_token(scene.tokens[scene.query]))]
    return joined_program(page, given, lines, shown)


def nudged(scene: Scene, t: Words, token: int, amount: float) -> str:
    """Write the layer as a function, and how far each output moves when one input is nudged."""
    inputs = scene.inputs.copy()
    inputs[token] += amount
    other = replace(scene, inputs=read_only(inputs))
    page, given, lines = _layer(scene, t, (scene.trace, other.trace))
    function = ["def layer(inputs):", *_indented(lines), "    return output", "", ""]
    note = page.above("nudged", token=_token(scene.tokens[token]))
    moved = [note, "moved = inputs.copy()", f"moved[{token}] += {constant(amount)}"]
    length = "distance_moved = np.linalg.norm(layer(moved) - layer(inputs), axis=1)"
    lines = [*function, *moved, page.beside(length, "distance_moved")]
    return joined_program(page, given, lines, ["print(distance_moved)"])


def _layer(scene: Scene, t: Words, traces: tuple) -> tuple[Page, list[Part], Block]:
    """Write a whole layer, with a loop where there are several heads."""
    page = Page(scene, t, every_head=scene.trace.n_heads > 1, traces=traces)
    encoded = code_positions.encoded_inputs(page)
    last = "output" if not page.every_head and scene.projections.w_o is None else "head_output"
    heads = [*(stage(page) for stage in _HEAD[:-1]), code_scores.output(page, last)]
    lines = [line for part in heads for line in part.lines]
    if page.every_head:
        loop = [f"for head in range({scene.trace.n_heads}):", *_indented(lines)]
        append = "    head_outputs.append(head_output)"
        joined = "concatenated = np.concatenate(head_outputs, axis=1)"
        lines = ["head_outputs = []", *loop, append, page.beside(joined, "concatenated")]
    made, given = _combined(page, last)
    return page, [encoded, *heads, Part([], given)], [*encoded.lines, *lines, *made]


def _combined(page: Page, last: str) -> tuple[Block, list[Block]]:
    """Multiply the heads by W^o, where there is one, and add its bias."""
    w = page.trace.projections
    made, given = "concatenated" if page.every_head else last, []
    if w.w_o is not None:
        made, given = page.times(made, "w_o"), [numpy_array("w_o", w.w_o)]
    if w.b_o is not None:
        made, given = f"{made} + b_o", [*given, numpy_array("b_o", w.b_o)]
    if made == "output":
        return [], []
    return [page.beside(f"output = {made}", "layer_output")], given


def _there(page: Page, name: str) -> str:
    """Name an array as this code calls it: a step that changes nothing has no line."""
    names = {
        "encoded_inputs": page.source,
        "scaled_scores": code_scores.scaled_name(page),
        "masked_scores": code_scores.masked_name(page),
    }
    return names.get(name, name)


def joined_program(page: Page, parts: list[Part], lines: Block, results: Block) -> str:
    """Put a program together; numbers that several parts need are written once."""
    remarks = [_token(token) for token in page.scene.tokens]
    blocks = [[page.above("inputs"), *numpy_array("inputs", page.trace.inputs, remarks)]]
    for part in parts:
        blocks += [block for block in part.given if block not in blocks]
    start = ["import numpy as np", "", *(_product(page) if page.careful else [])]
    given = [line for block in blocks for line in block]
    body = ["", *lines] if lines else []
    derived = [part for line in [*body, "", *results] for part in _folded(line)]
    return "\n".join([*start, *given, *derived]) + "\n"


def _product(page: Page) -> Block:
    return [
        page.above("product"),
        "def product(left, right):",
        "    return np.vecdot(left[..., :, None, :], right.mT[..., None, :, :])",
        "",
        "",
    ]


def _folded(line: str) -> Block:
    """Set a remark above its line where both are too long for one."""
    code, mark, remark = line.partition("  # ")
    if not mark or len(line) <= WIDTH:
        return [line]
    indent = " " * (len(code) - len(code.lstrip()))
    return [f"{indent}# {remark}", code]


def _indented(lines: Block) -> Block:
    return [f"    {line}" if line else line for line in lines]


def _token(token: str) -> str:
    """Write a token so that it cannot end a comment, whatever it holds."""
    return repr(shortened(token))
