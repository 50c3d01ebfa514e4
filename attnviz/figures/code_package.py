"""The same numbers through the package: only attnviz is imported."""

from collections.abc import Iterable

import numpy as np

from attnviz.attention.choices import PLAIN, HeadChoices
from attnviz.figures.code_literals import constant, literal
from attnviz.figures.code_masks import rule_of
from attnviz.figures.labels import shortened
from attnviz.scene import Scene
from attnviz.text import Words

# What each panel reads from the trace of its head, or of the layer.
_OF_HEAD = {
    "see": ("weights", "output"),
    "scores": ("query", "key", "value", "scores"),
    "query": ("query",),
    "key": ("key",),
    "scaled_scores": ("scaled_scores",),
    "masked_scores": ("masked_scores",),
    "weights": ("weights",),
    "value": ("value",),
    "head_outputs": ("output",),
    "together": ("scores", "weights", "output"),
}
_OF_LAYER = {
    "heads": ("head_outputs", "concatenated", "output"),
    "encoded_inputs": ("encoded_inputs",),
    "output": ("output",),
}


def program(scene: Scene, panel: str, t: Words) -> str:
    """Write how the package computes what a panel shows."""
    lines = _trace_lines(scene, t)
    if panel in _OF_LAYER:
        source, names = "trace", _OF_LAYER[panel]
    else:
        source, names = "head", _OF_HEAD[panel]
        lines.append(f"head = trace.head({scene.head})")
    lines += [f"{name} = {source}.{name}" for name in names]
    return "\n".join([*lines, "", *(f"print({name})" for name in names)]) + "\n"


def nudged(scene: Scene, t: Words, token: int, amount: float) -> str:
    """Write how far each output moves when one input is nudged."""
    lines = _trace_lines(scene, t)
    call = next(line for line in lines if line.startswith("trace = "))
    return "\n".join(
        [
            *lines,
            "",
            f"# {t('code.nudged', token=repr(shortened(scene.tokens[token])))}",
            "moved = [list(row) for row in inputs]",
            f"moved[{token}] = [number + {constant(amount)} for number in moved[{token}]]",
            call.replace("trace = ", "moved_trace = ").replace("(inputs,", "(moved,"),
            "difference = moved_trace.output - trace.output",
            f"distance_moved = (difference**2).sum(axis=1) ** 0.5  # {t('code.distance_moved')}",
            "",
            "print(distance_moved)",
            "",
        ]
    )


def _trace_lines(scene: Scene, t: Words) -> list[str]:
    remarks = [repr(shortened(token)) for token in scene.tokens]
    lines = ["import attnviz", "", f"# {t('code.inputs')}"]
    lines += literal("inputs = ", scene.inputs, remarks=remarks)
    lines += _projections(scene)
    arguments = ["inputs", "projections"]
    choices = _choices(scene.choices)
    if choices:
        lines += choices
        arguments.append("choices")
    if scene.mask is not None:
        lines += _mask(scene.mask)
        arguments.append("mask=mask")
    if not isinstance(scene.positions, str):
        lines += literal("positions = ", scene.positions)
        arguments.append("positions=positions")
    elif scene.positions != "none":
        arguments.append(f'positions="{scene.positions}"')
    return [*lines, "", f"trace = attnviz.attend_heads({', '.join(arguments)})"]


def _projections(scene: Scene) -> list[str]:
    names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
    there = {name: getattr(scene.projections, name) for name in names}
    inside = (
        line
        for name, matrix in there.items()
        if matrix is not None
        for line in literal(f"{name}=", matrix, ",")
    )
    return ["projections = attnviz.Projections(", *_indented(inside), ")"]


def _choices(choices: HeadChoices) -> list[str]:
    """Write the choices that are not the plain ones."""
    names = ("score", "scale", "normalizer", "temperature")
    chosen = {name: getattr(choices, name) for name in names}
    inside = [f"{name}={_spelled(v)}," for name, v in chosen.items() if v != getattr(PLAIN, name)]
    own = [line for name, value in choices.parameters.items() for line in _entry(name, value)]
    if own:
        inside += ["parameters={", *_indented(own), "},"]
    return ["choices = attnviz.HeadChoices(", *_indented(inside), ")"] if inside else []


def _entry(name: str, value: object) -> list[str]:
    if isinstance(value, np.ndarray):
        return literal(f'"{name}": ', value, ",")
    return [f'"{name}": {_spelled(value)},']


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return constant(value) if isinstance(value, float) else repr(value)


def _mask(mask: np.ndarray) -> list[str]:
    name, arguments = rule_of(mask)
    n = len(mask)
    if name == "custom":
        start = 'mask = attnviz.MASKS["graph"]('
        return literal(start, mask.astype(int), ", self_loops=False)")
    if name == "padding":
        written = f"{n}, [place < {arguments[0]} for place in range({n})]"
    elif name == "global_tokens":
        tokens, radius = arguments
        written = f'attnviz.MASKS["window"]({n}, {n}, {radius}), {list(tokens)}'
    else:
        written = ", ".join(map(str, (n, n, *arguments)))
    return [f'mask = attnviz.MASKS["{name}"]({written})']


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
