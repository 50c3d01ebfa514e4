"""The heads of a real model as code: through the package, and with transformers alone."""

from collections.abc import Sequence

import numpy as np

from attnviz.figures import code_captured
from attnviz.figures.code_captured import Shown
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.models.explained import Explained
from attnviz.models.read_otherwise import NEEDS_MATRIX
from attnviz.text import Words

_FEW = 32
"""Tokens up to which every weight is written as a number."""


def package_map(shown: Shown, t: Words) -> str:
    """Write the weights that the map and the lines show, through the package."""
    first = shown.heads if shown.mixing != "each" else shown.heads[:1]
    lines = code_captured.package(shown, t)
    if shown.large or (shown.whole and not shown.hidden and len(first) == 1):
        lines += [f"weights = capture.weights({code_captured.numbers(first[0])})"]
        return code_captured.joined(lines, "print(weights.round(4))")
    lines.insert(1, "from attnviz.models.views import mixed, view, without")
    if shown.hidden:
        lines += [f"hidden = {list(shown.hidden)}  # {t('code.model_hidden')}"]
    if len(first) == 1:
        lines += [f"shown = {code_captured.seen(shown, code_captured.numbers(first[0]))}"]
    else:
        lines += [f"heads = {list(first)}"]
        lines += [f"views = [{code_captured.seen(shown, 'layer, head')} for layer, head in heads]"]
        lines += [f'shown = mixed(views, "{shown.mixing}")']
    return code_captured.joined(lines, "weights = shown.weights", "print(weights.round(4))")


def transformers_map(shown: Shown, t: Words) -> str:
    """Write the same weights with transformers alone."""
    first = shown.heads if shown.mixing != "each" else shown.heads[:1]
    lines = code_captured.attentions(shown, t)
    steps = (
        [] if shown.large else [*code_captured.grouping(shown, t), *code_captured.hiding(shown, t)]
    )
    if len(first) == 1 or shown.large:
        lines += [f"weights = {code_captured.own_weights(shown, *first[0])}", *steps]
    else:
        each = ", ".join(code_captured.own_weights(shown, *pair) for pair in first)
        lines += ["", "", "def looked_at(weights):", *(f"    {step}" for step in steps)]
        lines += ["    return weights", "", "", f"heads = [{each}]"]
        mixed = f"np.stack([looked_at(each) for each in heads]).{shown.mixing}(axis=0)"
        lines += [f"weights = {mixed}"]
    return code_captured.joined(lines, "print(weights.round(4))")


def numpy_map(weights: np.ndarray, row: int, t: Words) -> str:
    """Write the weights themselves; of many tokens those of one row."""
    if max(weights.shape) > _FEW:
        lines = [f"# {t('code.model_one_row', i=row + 1)}", *numpy_array("weights", weights[row])]
    else:
        lines = numpy_array("weights", weights)
    return code_captured.joined(["import numpy as np", "", *lines], "print(weights.sum(axis=-1))")


def package_largest(shown: Shown, t: Words) -> str:
    """Write the largest weight of each head, through the package."""
    return code_captured.joined(
        code_captured.package(shown, t),
        f"# {t('code.model_largest')}",
        "largest = [",
        "    [float(capture.weights(layer, head).max()) for head in range(found.n_heads)]",
        "    for layer, found in enumerate(capture.layers)",
        "]",
        "print(largest)",
    )


def transformers_largest(shown: Shown, t: Words) -> str:
    """Write the largest weight of each head, with transformers alone."""
    return code_captured.joined(
        code_captured.attentions(shown, t),
        f"# {t('code.model_largest')}",
        f"layers = {code_captured.own_layers(shown)}",
        "largest = [layer[0].amax(dim=(1, 2)).tolist() for layer in layers]",
        "print(largest)",
    )


def package_hidden(shown: Shown, t: Words) -> str:
    """Write the weight of each row on the keys that are left out, through the package."""
    lines = code_captured.package(shown, t)
    lines.insert(1, "from attnviz.models.views import hidden_mass, view")
    lines += [
        f"shown = view(capture, {code_captured.numbers(shown.heads[0])}{code_captured.how(shown)})"
    ]
    lines += [f"masses = hidden_mass(shown, {list(shown.hidden)})  # {t('code.model_hidden')}"]
    return code_captured.joined(lines, "print(masses.round(4))")


def transformers_hidden(shown: Shown, t: Words) -> str:
    """Write the weight of each row on the keys that are left out, with transformers alone."""
    lines = [
        *code_captured.attentions(shown, t),
        f"weights = {code_captured.own_weights(shown, *shown.heads[0])}",
    ]
    lines += code_captured.grouping(shown, t)
    columns = [at for at, place in enumerate(shown.columns) if place in shown.hidden]
    lines += [f"masses = weights[:, {columns}].sum(axis=1)  # {t('code.model_hidden')}"]
    return code_captured.joined(lines, "print(masses.round(4))")


def package_measure(shown: Shown, measure: str, t: Words) -> str:
    """Write one number of every head, through the package."""
    lines = code_captured.package(shown, t)
    lines.insert(1, "from attnviz.models.listed import listed")
    lines += [f"numbers = [each.{measure} for each in listed(capture)]  # {t('code.model_every')}"]
    return code_captured.joined(lines, "print(numbers)")


def transformers_previous(shown: Shown, t: Words) -> str:
    """Write how much every head of one sequence attends to the token before, in numpy."""
    kind = shown.capture.layers[shown.heads[0][0]].kind
    own = "encoder" if kind == "cross" else kind
    lines = [
        *code_captured.attentions(shown, t),
        f"layers = {code_captured.own_layers(shown, own)}",
    ]
    lines += [f"# {t('code.model_previous')}"]
    before = "np.diagonal(layer[0].numpy(), -1, 1, 2).mean(axis=1)"
    return code_captured.joined(
        lines, f"numbers = [{before} for layer in layers]", "print(numbers)"
    )


def package_similar(shown: Shown, layer: int, t: Words) -> str:
    """Write how far apart the heads are, through the package."""
    lines = code_captured.package(shown, t)
    lines.insert(1, "from attnviz.models.listed import similar")
    lines += [f"found = similar(capture, {layer})", "distances = found.distances"]
    return code_captured.joined(lines, "print(found.heads)", "print(distances.round(3))")


def transformers_similar(
    shown: Shown, heads: Sequence[tuple[int, int]], step: int, t: Words
) -> str:
    """Write how far apart the heads are, with transformers and the formula in numpy."""
    rows = f"[:: {step}]" if step > 1 else ""
    layers = sorted({layer for layer, _ in heads})
    own = [f"{code_captured.own_layer(shown, layer)}[0].double().numpy()" for layer in layers]
    kept = [
        sum(shown.capture.layers[each].n_heads for each in layers if each < layer) + head
        for layer, head in heads
    ]
    everyone = sum(shown.capture.layers[layer].n_heads for layer in layers)
    chosen = "" if kept == list(range(everyone)) else f"[{kept}]"
    return code_captured.joined(
        code_captured.attentions(shown, t),
        f"stack = np.concatenate([{', '.join(own)}]){chosen}",
        *([f"stack = stack[:, {rows[1:-1]}]"] if rows else []),
        "",
        "",
        "def entropy(rows):",
        "    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)",
        "    return -(rows * logs).sum(axis=-1)",
        "",
        "",
        f"# {t('code.model_distance')}",
        "middle = (stack[:, None] + stack[None]) / 2",
        "apart = entropy(middle) - (entropy(stack)[:, None] + entropy(stack)[None]) / 2",
        "distances = np.sqrt(np.maximum(apart.mean(axis=-1), 0))",
        "print(distances.round(3))",
    )


def package_reading(
    shown: Shown, kind: str, row: int | None, t: Words, *, shares: bool = False
) -> str:
    """Write a reading of the weights, through the package."""
    lines = code_captured.package(shown, t)
    lines.insert(1, "from attnviz.models.read_otherwise import reading_of")
    more = "" if row is None else f", row={row}"
    if kind in NEEDS_MATRIX:
        lines.insert(1, "from attnviz.models.projecting import output_matrix")
        lines += _matrix(shown)
        more += ", output=matrix"
    lines += [
        f'reading = reading_of(capture, {code_captured.numbers(shown.heads[0])}, "{kind}"{more})'
    ]
    if shares:
        lines += [f"reading = reading.as_shares()  # {t('code.model_shares')}"]
    return code_captured.joined(lines, "numbers = reading.numbers", "print(numbers.round(4))")


def _matrix(shown: Shown) -> list[str]:
    """Ask for what a layer does with its heads, in the run that is looked at."""
    texts = [*map(repr, shown.capture.texts), "None", "None"][:2]
    if shown.capture.kind == "vision":
        texts = ["picture", "None"]
    read = f"({', '.join([*texts, repr(shown.target or None)])})"
    edits = [each.written for each in shown.capture.edits]
    made = [f"edits={edits!r}"] if edits else []
    return code_captured.call_lines(
        "matrix = output_matrix", ["model", str(shown.heads[0][0]), read, *made]
    )


def transformers_rollout(shown: Shown, t: Words, *, shares: bool = False) -> str:
    """Write the weights and the rollout up to the layer, with transformers alone."""
    layer, head = shown.heads[0]
    kind = shown.capture.layers[layer].kind
    same = [at for at in range(layer + 1) if shown.capture.layers[at].kind == kind]
    own = ", ".join(f"{code_captured.own_layer(shown, at)}[0].mean(dim=0)" for at in same)
    lines = [
        *code_captured.attentions(shown, t),
        f"weights = {code_captured.own_weights(shown, layer, head)}",
    ]
    if kind == "cross":
        return code_captured.joined(lines, "print(weights.round(4))")
    return code_captured.joined(
        lines,
        "print(weights.round(4))",
        "",
        f"# {t('code.model_rollout')}",
        f"rollout = np.eye({shown.capture.layers[layer].n_key})",
        f"for mean in ({own},):",
        "    rollout = (mean.double().numpy() + np.eye(len(mean))) / 2 @ rollout",
        "print(rollout.round(4))",
    )


def numpy_why(found: Explained, scores: np.ndarray, key: int, t: Words) -> str:
    """Write one weight from its two vectors on, in numpy; `scores` are those of the whole row."""
    seen = np.isfinite(scores)
    lines = ["import numpy as np", "", *numpy_array("query", found.query)]
    lines += [*numpy_array("key", found.key), "products = query * key", "score = products.sum()"]
    lines += [f"scaled = {constant(found.scale)} * score"]
    lines += ["", f"# {t('code.model_row')}", *numpy_array("scores", scores[seen])]
    top = "scores.max()"
    sink = ""
    if found.sink is not None:
        lines += [f"sink = {constant(found.sink)}  # {t('code.model_sink')}"]
        sink = " + sink"
        top = constant(found.top)
    lines += [f"parts = np.exp(scores - {top})"]
    place = int(seen[:key].sum())
    weight = f"parts[{place}] / (parts.sum(){sink})" if seen[key] else "0.0"
    return code_captured.joined([*lines, f"weight = {weight}", "print(score, scaled, weight)"])


def package_why(shown: Shown, query: int, key: int, t: Words) -> str:
    """Write one weight step by step, through the package."""
    layer, head = shown.heads[0]
    lines = code_captured.package(shown, t)
    lines.insert(1, "from attnviz.models.explained import explained")
    lines += [f"found = explained(capture.layers[{layer}], {head}, {query}, {key})"]
    return code_captured.joined(
        lines, "print(found.products.round(4))", "print(found.score, found.weight)"
    )
