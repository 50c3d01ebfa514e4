"""The matrices of the ribbon: names, signs between them, marks of what changed, and digits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attnviz.attention.trace import HeadTrace
from attnviz.components import Text, plain
from attnviz.components.matrix import Kind, MatrixSpec
from attnviz.figures.notation import Notation
from attnviz.figures.products import LETTERS, Held, Products
from attnviz.figures.whole import is_product, scaled_name
from attnviz.figures.writing import PLAIN
from attnviz.scene import Scene
from attnviz.text.numbers import number
from attnviz.ui import matrices

Changes = Mapping[str, np.ndarray | None]

_KINDS: dict[str, Kind] = {
    "query": "query",
    "key": "key",
    "value": "value",
    "w_q": "query",
    "w_k": "key",
    "w_v": "value",
    "w_o": "output",
    "head_outputs": "output",
    "concatenated": "output",
    "output": "output",
}
_NAMES: dict[str, Text] = {
    "inputs": [("I", "name")],
    "positions": [("E", "name")],
    "encoded_inputs": [("I + E", "name")],
    "w_q": [("W", "name"), ("q", "sup")],
    "w_k": [("W", "name"), ("k", "sup")],
    "w_v": [("W", "name"), ("v", "sup")],
    "w_o": [("W", "name"), ("O", "sup")],
    "query": [("Q", "name query")],
    "key": [("K", "name key")],
    "value": [("V", "name value")],
    "scores": [("A", "name")],
    "weights": [("A′", "name")],
    "output": [("O", "name")],
}
TABLES = ("scores", "scaled_scores", "masked_scores", "weights")
ASKING = {"inputs", "encoded_inputs", "query", *TABLES, "head_outputs", "output"}
"""The matrices with a row for the token that asks."""
HELD = ASKING | {"key"}
_OF_KEYS = ("key", "value")
RELATIVE: Text = [("r", "name"), ("v", "sup")]
"""What relative positions add to a value: another vector for each query and key."""


@dataclass(frozen=True, eq=False)
class Ribbon:
    """One head's matrices as they are drawn: which row and column is held, and what changed.

    `without` names a matrix that stands elsewhere, in its editor.
    """

    page: Products
    scene: Scene
    held: Held
    changes: Changes | None
    without: str = ""

    def tables(self) -> dict[str, MatrixSpec]:
        """Describe each matrix in order, but the one that stands elsewhere."""
        names = [name for name in self.page.stops if name != self.without]
        return {name: self._table(name) for name in names}

    def name(self, name: str) -> Text:
        """Give the symbol of a matrix, with its head where there are several."""
        if name == "head_outputs" and "output" in self.page.stops:
            return [("O", "name"), (str(self.page.head + 1), "sup")]
        if name == "head_outputs":
            return _NAMES["output"]
        if name == "concatenated":
            last = str(self.page.trace.n_heads)
            return [("O", "name"), ("1", "sup"), (" … O", "name"), (last, "sup")]
        if name == "scaled_scores":
            return [(scaled_name(PLAIN, self.page.one, "A"), "name")]
        if name == "masked_scores":
            one = self.page.one
            parts = [scaled_name(PLAIN, one, "A")]
            parts += ["B"] if one.bias is not None else []
            parts += ["M"] if one.mask is not None else []
            return [(" + ".join(parts), "name")]
        return _NAMES[name]

    def _table(self, name: str) -> MatrixSpec:
        t, page, digits = self.page.t, self.page, self.page.digits
        array, kind = page.stops[name].array, _KINDS.get(name, "plain")
        row, column = self.held.get(name, (None, None))
        shared: dict[str, Any] = {"row_in_hand": row, "notation": page.notation}
        shared |= {"column_in_hand": column, "sign": self.sign(name)}
        if name in HELD:  # room for the mark of a row, whichever is held
            shared["row_marks"] = [""] * len(array)
        if self.changes is not None and name in self.changes:
            found = self.changes[name]
            shared["fresh"] = None if found is None else found.tolist()
        if name.startswith("w_"):
            spec = matrices.parameters(array, "", "", digits, **shared)
        elif name in TABLES:
            spec = self._scores(name, **shared)
        else:
            lines = page.lines(name) if self.scene.digits_fit else None
            spec = matrices.vectors(
                array,
                LETTERS.get(name, "a"),
                kind,
                self.scene.tokens,
                t,
                digits,
                title=" ",
                row_axis="key" if name in _OF_KEYS else "query",
                readouts=lines,
                pick_rows=True,
                **shared,
            )
        return self._named(name, replace(spec, kind=spec.kind if name in TABLES else kind))

    def _named(self, name: str, spec: MatrixSpec) -> MatrixSpec:
        """Say what a matrix is, or what became of it, and leave out digits where many stand."""
        role, mark = self.page.t(f"ribbon.role.{name}"), self.mark(name)
        narrow = name.startswith("w_")
        symbol = self.name(name)
        said = [plain(symbol), role, spec.shape.strip("()"), mark]
        named = replace(
            spec,
            name=symbol,
            title=self.mark(name, short=narrow) or ("" if narrow else role),
            label=", ".join(filter(None, said)),
            column_title="" if name not in TABLES else spec.column_title,
            row_title="" if name not in TABLES else spec.row_title,
        )
        if self.scene.digits_fit or name in TABLES or name.startswith("w_"):
            return named
        array = self.page.notation.laid(self.page.stops[name].array)
        template = self.page.t("ribbon.square").replace("{name}", plain(symbol))
        if self.page.notation.columns:  # the matrix is turned already
            template = template.replace("{row}", "{column}").replace("{j}", "{i}")
        return replace(named, digits=False, values=array.tolist(), readout_template=template)

    def _scores(self, name: str, **shared: Any) -> MatrixSpec:
        page, scene, digits = self.page, self.scene, self.page.digits
        one, array = page.one, page.stops[name].array
        weights = name == "weights"
        finite = np.abs(array[np.isfinite(array)])
        limit = float(finite.max(initial=0)) or 1.0
        limit = max(1.0, limit) if weights else limit
        fit = scene.digits_fit
        words = page.notation.words(page.t)
        if weights:
            shared["sums"] = matrices.sums(array, digits)
        if weights or name == "masked_scores":
            shared["masked"] = None if one.mask is None else (~one.mask).tolist()
        return matrices.token_by_token(
            array,
            "weights" if weights else "scores",
            scene.tokens,
            page.t,
            digits,
            readouts=page.lines(name) if fit else None,
            readout_template="" if fit else words("see.cell" if weights else "see.score_cell"),
            legend=("0" if weights else number(-limit, digits), number(limit, digits)),
            limit=limit,
            pick_rows=True,
            **shared,
        )

    def mark(self, name: str, *, short: bool = False) -> str:
        """Say whether a matrix changed with the last change; nothing where there was none."""
        if self.changes is None or name not in self.changes:
            return ""
        found, t = self.changes[name], self.page.t
        if found is None:
            return t("ribbon.resized")
        if not found.any():
            return t("ribbon.same" if short else "ribbon.unchanged")
        said = {"n": int(found.sum()), "of": found.size}
        return t("ribbon.few" if short else "ribbon.changed", **said)

    def sign(self, name: str) -> Text:
        """Give what stands before a matrix: how it is made of the ones before it."""
        columns, page = self.page.notation.columns, self.page
        source: Text = self.name(page.source)
        if name in ("w_q", "w_k", "w_v"):
            return "" if columns else source
        if name in ("query", "key", "value"):
            return [*self._apart(name), *(source if columns else ()), *self._equals(name)]
        if name == "w_o":
            return "" if columns else self.name(page.joined)
        if name == "output":
            return [*self._apart(name), *(self.name(page.joined) if columns else ()), " ="]
        return _SIGNS[name](self) if name in _SIGNS else ""

    def _apart(self, name: str) -> Text:
        """Name the parameters that make a matrix, where they do not stand before it."""
        two = self.page.factors(name)
        if two is None or two[1] != self.without:
            return ()
        return (
            self.name(two[1])
            if self.page.notation.columns
            else ([*self.name(two[0]), " ", *self.name(two[1])])
        )

    def _equals(self, name: str) -> Text:
        turned = name != "value" and self.page.trace.position.turn is not None
        return [f" {self.page.t('ribbon.turned')}"] if turned else [" ="]

    def _made(self) -> Text:
        """Say what makes scores of queries and keys."""
        page = self.page
        if is_product(page.one):
            one, other = page.notation.pair([("Q", "name query")], [("K", "name key")])
            turned = [("⊤", "sup")]
            first = [*one, *(turned if page.notation.columns else ())]
            last = [*other, *(() if page.notation.columns else turned)]
            between = [" "] if page.one.choices.score == "dot" else [" ", ("W", "name"), " "]
            return [*first, *between, *last, " ="]
        return page.t("ribbon.compared", score=page.t(f"score.{page.one.choices.score}"))

    def _weighed(self) -> Text:
        return weighed(self.page.one, self.page.notation)


def weighed(head: HeadTrace, notation: Notation) -> Text:
    """Write A′ V =, with the vectors of relative positions where each query adds them to V."""
    values: Text = [("V", "name value")]
    if head.relative_value is not None:
        values = ["(", *values, " + ", *RELATIVE, ")"]
    one, other = notation.pair([("A′", "name")], values)
    return [*one, " ", *other, " ="]


_SIGNS = {
    "positions": lambda ribbon: "+",
    "encoded_inputs": lambda ribbon: "=",
    "scores": Ribbon._made,
    "scaled_scores": lambda ribbon: "→",
    "masked_scores": lambda ribbon: "→",
    "weights": lambda ribbon: ribbon.page.notation.words(ribbon.page.t)(
        "ribbon.normalized",
        normalizer=ribbon.page.t(f"normalizer.{ribbon.page.one.choices.normalizer}"),
    ),
    "head_outputs": Ribbon._weighed,
    "concatenated": lambda ribbon: "‖",
}
