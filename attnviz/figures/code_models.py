"""The heads of a real model as code: through the package, and with transformers alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.figures.code_literals import WIDTH, constant, numpy_array
from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.catalogue import catalogue
from attnviz.models.explained import Explained
from attnviz.models.read_otherwise import NEEDS_MATRIX
from attnviz.models.results import Capture
from attnviz.models.views import MOST_EXACT, Unit, grouped
from attnviz.text import Words

_FEW = 32
"""Tokens up to which every weight is written as a number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Shown:
    """What is looked at: a capture, by which model and of which texts, and how its heads are shown.

    `target` is what a model of two stacks was given to have written, "" where it wrote itself.
    `rows` and `columns` are the places of the view's first pieces, before keys are hidden.
    """

    model: str
    capture: Capture
    heads: tuple[tuple[int, int], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    target: str = ""
    picture: str = ""
    mixing: str = "each"
    unit: Unit = "pieces"
    part: str = "all"
    specials: bool = True
    hidden: tuple[int, ...] = ()

    @property
    def alone(self) -> bool:
        """True where transformers has the same numbers: nothing was edited, no file was opened."""
        return not (self.capture.edits or self.capture.kind in ("given", "vision"))

    @property
    def whole(self) -> bool:
        """True where every piece is a row and a column of its own."""
        plain = (self.unit, self.part, self.specials) == ("pieces", "all", True)
        return plain or self.large

    @property
    def large(self) -> bool:
        """True where the picture shows blocks of tokens; the code has every weight."""
        found = self.capture.layers[self.heads[0][0]]
        return max(found.n_query, found.n_key) > MOST_EXACT


def package_map(shown: Shown, t: Words) -> str:
    """Write the weights that the map and the lines show, through the package."""
    first = shown.heads if shown.mixing != "each" else shown.heads[:1]
    lines = _package(shown, t)
    if shown.large or (shown.whole and not shown.hidden and len(first) == 1):
        lines += [f"weights = capture.weights({_pair(first[0])})"]
        return _text(lines, "print(weights.round(4))")
    lines.insert(1, "from attnviz.models.views import mixed, view, without")
    if shown.hidden:
        lines += [f"hidden = {list(shown.hidden)}  # {t('code.model_hidden')}"]
    if len(first) == 1:
        lines += [f"shown = {_seen(shown, _pair(first[0]))}"]
    else:
        lines += [f"heads = {list(first)}"]
        lines += [f"views = [{_seen(shown, 'layer, head')} for layer, head in heads]"]
        lines += [f'shown = mixed(views, "{shown.mixing}")']
    return _text(lines, "weights = shown.weights", "print(weights.round(4))")


def transformers_map(shown: Shown, t: Words) -> str:
    """Write the same weights with transformers alone."""
    first = shown.heads if shown.mixing != "each" else shown.heads[:1]
    lines = _attentions(shown, t)
    steps = [] if shown.large else [*_grouping(shown, t), *_hiding(shown, t)]
    if len(first) == 1 or shown.large:
        lines += [f"weights = {_weights(shown, *first[0])}", *steps]
    else:
        each = ", ".join(_weights(shown, *pair) for pair in first)
        lines += ["", "", "def looked_at(weights):", *(f"    {step}" for step in steps)]
        lines += ["    return weights", "", "", f"heads = [{each}]"]
        mixed = f"np.stack([looked_at(each) for each in heads]).{shown.mixing}(axis=0)"
        lines += [f"weights = {mixed}"]
    return _text(lines, "print(weights.round(4))")


def numpy_map(weights: np.ndarray, row: int, t: Words) -> str:
    """Write the weights themselves; of many tokens those of one row."""
    if max(weights.shape) > _FEW:
        lines = [f"# {t('code.model_one_row', i=row + 1)}", *numpy_array("weights", weights[row])]
    else:
        lines = numpy_array("weights", weights)
    return _text(["import numpy as np", "", *lines], "print(weights.sum(axis=-1))")


def package_largest(shown: Shown, t: Words) -> str:
    """Write the largest weight of each head, through the package."""
    return _text(
        _package(shown, t),
        f"# {t('code.model_largest')}",
        "largest = [",
        "    [float(capture.weights(layer, head).max()) for head in range(found.n_heads)]",
        "    for layer, found in enumerate(capture.layers)",
        "]",
        "print(largest)",
    )


def transformers_largest(shown: Shown, t: Words) -> str:
    """Write the largest weight of each head, with transformers alone."""
    return _text(
        _attentions(shown, t),
        f"# {t('code.model_largest')}",
        f"layers = {_layers(shown)}",
        "largest = [layer[0].amax(dim=(1, 2)).tolist() for layer in layers]",
        "print(largest)",
    )


def package_hidden(shown: Shown, t: Words) -> str:
    """Write the weight of each row on the keys that are left out, through the package."""
    lines = _package(shown, t)
    lines.insert(1, "from attnviz.models.views import hidden_mass, view")
    lines += [f"shown = view(capture, {_pair(shown.heads[0])}{_how(shown)})"]
    lines += [f"masses = hidden_mass(shown, {list(shown.hidden)})  # {t('code.model_hidden')}"]
    return _text(lines, "print(masses.round(4))")


def transformers_hidden(shown: Shown, t: Words) -> str:
    """Write the weight of each row on the keys that are left out, with transformers alone."""
    lines = [*_attentions(shown, t), f"weights = {_weights(shown, *shown.heads[0])}"]
    lines += _grouping(shown, t)
    columns = [at for at, place in enumerate(shown.columns) if place in shown.hidden]
    lines += [f"masses = weights[:, {columns}].sum(axis=1)  # {t('code.model_hidden')}"]
    return _text(lines, "print(masses.round(4))")


def package_measure(shown: Shown, measure: str, t: Words) -> str:
    """Write one number of every head, through the package."""
    lines = _package(shown, t)
    lines.insert(1, "from attnviz.models.listed import listed")
    lines += [f"numbers = [each.{measure} for each in listed(capture)]  # {t('code.model_every')}"]
    return _text(lines, "print(numbers)")


def transformers_previous(shown: Shown, t: Words) -> str:
    """Write how much every head of one sequence attends to the token before, in numpy."""
    kind = shown.capture.layers[shown.heads[0][0]].kind
    own = "encoder" if kind == "cross" else kind
    lines = [*_attentions(shown, t), f"layers = {_layers(shown, own)}"]
    lines += [f"# {t('code.model_previous')}"]
    before = "np.diagonal(layer[0].numpy(), -1, 1, 2).mean(axis=1)"
    return _text(lines, f"numbers = [{before} for layer in layers]", "print(numbers)")


def package_similar(shown: Shown, layer: int, t: Words) -> str:
    """Write how far apart the heads are, through the package."""
    lines = _package(shown, t)
    lines.insert(1, "from attnviz.models.listed import similar")
    lines += [f"found = similar(capture, {layer})", "distances = found.distances"]
    return _text(lines, "print(found.heads)", "print(distances.round(3))")


def transformers_similar(
    shown: Shown, heads: Sequence[tuple[int, int]], step: int, t: Words
) -> str:
    """Write how far apart the heads are, with transformers and the formula in numpy."""
    rows = f"[:: {step}]" if step > 1 else ""
    layers = sorted({layer for layer, _ in heads})
    own = [f"{_layer(shown, layer)}[0].double().numpy()" for layer in layers]
    kept = [
        sum(shown.capture.layers[each].n_heads for each in layers if each < layer) + head
        for layer, head in heads
    ]
    everyone = sum(shown.capture.layers[layer].n_heads for layer in layers)
    chosen = "" if kept == list(range(everyone)) else f"[{kept}]"
    return _text(
        _attentions(shown, t),
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
    lines = _package(shown, t)
    lines.insert(1, "from attnviz.models.read_otherwise import reading_of")
    more = "" if row is None else f", row={row}"
    if kind in NEEDS_MATRIX:
        lines.insert(1, "from attnviz.models.projecting import output_matrix")
        lines += _matrix(shown)
        more += ", output=matrix"
    lines += [f'reading = reading_of(capture, {_pair(shown.heads[0])}, "{kind}"{more})']
    if shares:
        lines += [f"reading = reading.as_shares()  # {t('code.model_shares')}"]
    return _text(lines, "numbers = reading.numbers", "print(numbers.round(4))")


def _matrix(shown: Shown) -> list[str]:
    """Ask for what a layer does with its heads, in the run that is looked at."""
    texts = [*map(repr, shown.capture.texts), "None", "None"][:2]
    if shown.capture.kind == "vision":
        texts = ["picture", "None"]
    read = f"({', '.join([*texts, repr(shown.target or None)])})"
    edits = [each.written for each in shown.capture.edits]
    made = [f"edits={edits!r}"] if edits else []
    return _called("matrix = output_matrix", ["model", str(shown.heads[0][0]), read, *made])


def transformers_rollout(shown: Shown, t: Words, *, shares: bool = False) -> str:
    """Write the weights and the rollout up to the layer, with transformers alone."""
    layer, head = shown.heads[0]
    kind = shown.capture.layers[layer].kind
    same = [at for at in range(layer + 1) if shown.capture.layers[at].kind == kind]
    own = ", ".join(f"{_layer(shown, at)}[0].mean(dim=0)" for at in same)
    lines = [*_attentions(shown, t), f"weights = {_weights(shown, layer, head)}"]
    if kind == "cross":
        return _text(lines, "print(weights.round(4))")
    return _text(
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
    return _text([*lines, f"weight = {weight}", "print(score, scaled, weight)"])


def package_why(shown: Shown, query: int, key: int, t: Words) -> str:
    """Write one weight step by step, through the package."""
    layer, head = shown.heads[0]
    lines = _package(shown, t)
    lines.insert(1, "from attnviz.models.explained import explained")
    lines += [f"found = explained(capture.layers[{layer}], {head}, {query}, {key})"]
    return _text(lines, "print(found.products.round(4))", "print(found.score, found.weight)")


def _package(shown: Shown, t: Words) -> list[str]:
    """Load the model and let it read, or open the file."""
    capture = shown.capture
    if capture.kind == "given":
        return [
            "from pathlib import Path",
            "from attnviz.models.uploads import read_weights",
            "",
            f'file = Path("weights.npz")  # {t("code.model_file")}',
            "capture = read_weights(file.read_bytes(), file.name)",
        ]
    arguments = [repr(text) for text in capture.texts]
    if shown.target:
        arguments += [f"target={shown.target!r}"]
    if capture.edits:
        arguments += [f"edits={[each.written for each in capture.edits]!r}"]
    lines = ["import attnviz", "", f"model = attnviz.load_model({shown.model!r})"]
    if capture.kind == "vision":
        lines[:0] = _picture_imports(shown.picture)
        lines += [_picture(shown.picture, t)]
        arguments.insert(0, "picture")
    return [*lines, *_called("capture = model.capture", arguments)]


def _picture_imports(name: str) -> list[str]:
    if name in DRAWINGS:
        return ["from attnviz.lessons.drawings import drawing", ""]
    return ["from pathlib import Path", "from attnviz.models.images import read_picture", ""]


def _picture(name: str, t: Words) -> str:
    """Give one of our pictures, or open the person's own."""
    if name in DRAWINGS:
        return f"picture = drawing({name!r}).pixels"
    opened = 'read_picture(Path("picture.png").read_bytes(), "picture.png")'
    return f"picture = {opened}  # {t('code.edit_picture')}"


def _attentions(shown: Shown, t: Words) -> list[str]:
    """Run the model as transformers has it, and keep what it returns."""
    capture, entry = shown.capture, catalogue().get(shown.model)
    two = capture.kind == "encoder_decoder"
    kind = "AutoModelForSeq2SeqLM" if two else "AutoModel"
    lines = [
        "import numpy as np",
        "import torch",
        f"from transformers import {kind}, AutoTokenizer",
    ]
    if entry is not None:
        lines += ["from attnviz.models.catalogue import catalogue"]
    if shown.model == "enpt":
        lines += [f"import attnviz.models.bergamot  # {t('code.model_class')}"]
    lines += [""]
    if entry is None:
        lines += [f"folder = {shown.model!r}"]
    else:
        there = "folder" if entry.converter is not None else "checked_file().parent"
        lines += [f"folder = catalogue()[{shown.model!r}].{there}"]
    lines += ["tokenizer = AutoTokenizer.from_pretrained(folder)"]
    options = ["folder", 'attn_implementation="eager"', "dtype=torch.float32"]
    lines += [f"model = {kind}.from_pretrained({', '.join(options)}).eval()"]
    texts = [repr(text) for text in capture.texts]
    lines += _called("inputs = tokenizer", [*texts, 'return_tensors="pt"'])
    asked = ["**inputs", "output_attentions=True"]
    if two:
        lines += _target(capture)
        asked.insert(1, "decoder_input_ids=target")
    return [*lines, "with torch.no_grad():", f"    out = model({', '.join(asked)})"]


def _target(capture: Capture) -> list[str]:
    ids = [token.id for token in capture.target_tokens]
    return [f"target = torch.tensor([{ids}])  # {' '.join(_said(capture))}"]


def _said(capture: Capture) -> list[str]:
    return [repr(token.piece)[1:-1] for token in capture.target_tokens][:12]


def _layer(shown: Shown, layer: int) -> str:
    found = shown.capture.layers[layer]
    name = {
        "encoder": "encoder_attentions",
        "decoder": "decoder_attentions",
        "cross": "cross_attentions",
    }.get(found.kind, "attentions")
    return f"out.{name}[{found.number if found.kind != 'self' else layer}]"


def _layers(shown: Shown, kind: str = "") -> str:
    there = enumerate(shown.capture.layers)
    named = [_layer(shown, at) for at, found in there if found.kind == (kind or found.kind)]
    if len({name.split("[")[0] for name in named}) == 1:
        return named[0].split("[")[0]
    return f"[{', '.join(named)}]"


def _weights(shown: Shown, layer: int, head: int) -> str:
    return f"{_layer(shown, layer)}[0, {head}].numpy()"


def _grouping(shown: Shown, t: Words) -> list[str]:
    """Sum over the pieces of a key, average over those of a query, and leave out the rest."""
    if shown.whole:
        return []
    layer = shown.heads[0][0]
    sides = (
        (shown.capture.query_tokens(layer), shown.rows),
        (
            shown.capture.key_tokens(layer),
            shown.columns,
        ),
    )
    rows, columns = (_groups(tokens, shown.unit, places) for tokens, places in sides)
    lines = [f"# {t('code.model_groups')}", *_listed("rows", rows)]
    lines += ["columns = rows"] if rows == columns else _listed("columns", columns)
    return [
        *lines,
        "weights = np.stack([weights[:, each].sum(axis=1) for each in columns], axis=1)",
        "weights = np.stack([weights[each].mean(axis=0) for each in rows])",
    ]


def _groups(tokens: Sequence, unit: Unit, places: Sequence[int]) -> list[list[int]]:
    made = grouped(tokens, unit).sum
    return [np.flatnonzero(made[:, made[place].argmax()]).tolist() for place in places]


def _hiding(shown: Shown, t: Words) -> list[str]:
    columns = [at for at, place in enumerate(shown.columns) if place in shown.hidden]
    if not columns:
        return []
    return [
        f"sums = weights.sum(axis=1, keepdims=True)  # {t('code.model_hidden')}",
        f"weights = np.delete(weights, {columns}, axis=1)",
        "left = weights.sum(axis=1, keepdims=True)",
        "weights = weights * np.divide(sums, left, out=np.zeros_like(sums), where=left > 0)",
    ]


def _listed(name: str, groups: list[list[int]]) -> list[str]:
    line = f"{name} = {groups}"
    if len(line) <= WIDTH:
        return [line]
    rows, row = [], ""
    for each in groups:
        if len(row) + len(f" {each},") > WIDTH - 4:
            rows, row = [*rows, row], ""
        row += f" {each},"
    return [f"{name} = [", *(f"   {each}" for each in [*rows, row]), "]"]


def _called(start: str, arguments: list[str]) -> list[str]:
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{start}(", *(f"    {each}," for each in arguments), ")"]


def _seen(shown: Shown, pair: str) -> str:
    made = f"view(capture, {pair}{_how(shown)})"
    return f"without({made}, hidden)" if shown.hidden else made


def _how(shown: Shown) -> str:
    said = {"unit": shown.unit, "part": shown.part, "specials": shown.specials}
    plain = {"unit": "pieces", "part": "all", "specials": True}
    return "".join(f", {name}={value!r}" for name, value in said.items() if value != plain[name])


def _pair(pair: tuple[int, int]) -> str:
    return f"{pair[0]}, {pair[1]}"


def _text(lines: Sequence[str], *more: str) -> str:
    return "\n".join([*lines, *more])
