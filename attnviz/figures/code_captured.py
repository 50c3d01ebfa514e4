"""What the code of a captured model begins with: the model, the text, the weights as shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.figures.code_literals import WIDTH
from attnviz.lessons.drawings import DRAWINGS
from attnviz.models.catalogue import catalogue
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


def package(shown: Shown, t: Words) -> list[str]:
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
        lines[:0] = picture_imports(shown.picture)
        lines += [picture_line(shown.picture, t)]
        arguments.insert(0, "picture")
    return [*lines, *call_lines("capture = model.capture", arguments)]


def picture_imports(name: str) -> list[str]:
    """Import what opens a picture."""
    if name in DRAWINGS:
        return ["from attnviz.lessons.drawings import drawing", ""]
    return ["from pathlib import Path", "from attnviz.models.images import read_picture", ""]


def picture_line(name: str, t: Words) -> str:
    """Give one of our pictures, or open the person's own."""
    if name in DRAWINGS:
        return f"picture = drawing({name!r}).pixels"
    opened = 'read_picture(Path("picture.png").read_bytes(), "picture.png")'
    return f"picture = {opened}  # {t('code.edit_picture')}"


def attentions(shown: Shown, t: Words) -> list[str]:
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
        lines += [f"import attnviz.models.conversion.bergamot  # {t('code.model_class')}"]
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
    lines += call_lines("inputs = tokenizer", [*texts, 'return_tensors="pt"'])
    asked = ["**inputs", "output_attentions=True"]
    if two:
        lines += target_lines(capture)
        asked.insert(1, "decoder_input_ids=target")
    return [*lines, "with torch.no_grad():", f"    out = model({', '.join(asked)})"]


def target_lines(capture: Capture) -> list[str]:
    """Write what the decoder reads as the numbers of its tokens."""
    ids = [token.id for token in capture.target_tokens]
    return [f"target = torch.tensor([{ids}])  # {' '.join(pieces(capture))}"]


def pieces(capture: Capture) -> list[str]:
    """Name the first tokens of the target."""
    return [repr(token.piece)[1:-1] for token in capture.target_tokens][:12]


def own_layer(shown: Shown, layer: int) -> str:
    """Say where transformers returns the weights of a layer."""
    found = shown.capture.layers[layer]
    name = {
        "encoder": "encoder_attentions",
        "decoder": "decoder_attentions",
        "cross": "cross_attentions",
    }.get(found.kind, "attentions")
    return f"out.{name}[{found.number if found.kind != 'self' else layer}]"


def own_layers(shown: Shown, kind: str = "") -> str:
    """Say where it returns those of all layers of a kind."""
    there = enumerate(shown.capture.layers)
    named = [own_layer(shown, at) for at, found in there if found.kind == (kind or found.kind)]
    if len({name.split("[")[0] for name in named}) == 1:
        return named[0].split("[")[0]
    return f"[{', '.join(named)}]"


def own_weights(shown: Shown, layer: int, head: int) -> str:
    """Say where it returns the weights of a head."""
    return f"{own_layer(shown, layer)}[0, {head}].numpy()"


def grouping(shown: Shown, t: Words) -> list[str]:
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
    rows, columns = (groups_of(tokens, shown.unit, places) for tokens, places in sides)
    lines = [f"# {t('code.model_groups')}", *list_lines("rows", rows)]
    lines += ["columns = rows"] if rows == columns else list_lines("columns", columns)
    return [
        *lines,
        "weights = np.stack([weights[:, each].sum(axis=1) for each in columns], axis=1)",
        "weights = np.stack([weights[each].mean(axis=0) for each in rows])",
    ]


def groups_of(tokens: Sequence, unit: Unit, places: Sequence[int]) -> list[list[int]]:
    """List the pieces of each unit that is shown."""
    made = grouped(tokens, unit).sum
    return [np.flatnonzero(made[:, made[place].argmax()]).tolist() for place in places]


def hiding(shown: Shown, t: Words) -> list[str]:
    """Leave hidden keys out and let the rest of a row share what they had."""
    columns = [at for at, place in enumerate(shown.columns) if place in shown.hidden]
    if not columns:
        return []
    return [
        f"sums = weights.sum(axis=1, keepdims=True)  # {t('code.model_hidden')}",
        f"weights = np.delete(weights, {columns}, axis=1)",
        "left = weights.sum(axis=1, keepdims=True)",
        "weights = weights * np.divide(sums, left, out=np.zeros_like(sums), where=left > 0)",
    ]


def list_lines(name: str, groups: list[list[int]]) -> list[str]:
    """Write lists of numbers in lines that are not too long."""
    line = f"{name} = {groups}"
    if len(line) <= WIDTH:
        return [line]
    rows, row = [], ""
    for each in groups:
        if len(row) + len(f" {each},") > WIDTH - 4:
            rows, row = [*rows, row], ""
        row += f" {each},"
    return [f"{name} = [", *(f"   {each}" for each in [*rows, row]), "]"]


def call_lines(start: str, arguments: list[str]) -> list[str]:
    """Write a call, an argument a line where one line is too long."""
    line = f"{start}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return [line]
    return [f"{start}(", *(f"    {each}," for each in arguments), ")"]


def seen(shown: Shown, pair: str) -> str:
    """Write one head as it is looked at."""
    made = f"view(capture, {pair}{how(shown)})"
    return f"without({made}, hidden)" if shown.hidden else made


def how(shown: Shown) -> str:
    """Write how it is looked at, where it is not the plain way."""
    said = {"unit": shown.unit, "part": shown.part, "specials": shown.specials}
    plain = {"unit": "pieces", "part": "all", "specials": True}
    return "".join(f", {name}={value!r}" for name, value in said.items() if value != plain[name])


def numbers(pair: tuple[int, int]) -> str:
    """Write layer and head."""
    return f"{pair[0]}, {pair[1]}"


def joined(lines: Sequence[str], *more: str) -> str:
    """Put lines together."""
    return "\n".join([*lines, *more])
