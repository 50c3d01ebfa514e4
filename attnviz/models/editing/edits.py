"""Changes to what a model does while it reads: heads switched off, edges cut, tokens masked.

Numpy alone: the pages say with these what they ask for, the recorder does it. Layers, heads and
tokens count from 0, the layers of both stacks in the order in which they run.

    off   the head's output is 0 where W^O reads it; its weights stay what they were
    even  the head's queries are 0, and its scores with them: the same weight for every key it sees
    cut   the score of one edge is −∞ before the softmax, so that the other keys share its weight;
          head −1 is every head of the layer
    mask  nobody but the token itself sees it as a key, in any layer that reads the text; the target
          of a model of two stacks does not see it at all
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attnviz.errors import InputError
from attnviz.models.layers import Layer
from attnviz.models.visible import Visible

EVERY_HEAD = -1
"""The head of an edge that is cut in all heads of its layer."""

PLACES: dict[str, tuple[str, ...]] = {
    "off": ("layer", "head"),
    "even": ("layer", "head"),
    "cut": ("layer", "head", "query", "key"),
    "mask": ("token",),
}
"""What each kind of change is made to, in the order in which it is written."""

WHOLE = ("off", "even")
"""The kinds that change a whole head."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One change; places that its kind does not name are None."""

    kind: str
    layer: int | None = None
    head: int | None = None
    query: int | None = None
    key: int | None = None
    token: int | None = None

    @classmethod
    def of(cls, written: Sequence[str | int]) -> "Edit":
        """Read a change as a link or a caller writes it: ("cut", layer, head, query, key).

        Raises:
            InputError: if it is of no kind, or has other places than its kind.
        """
        kind, *numbers = written if written else ("",)
        names = PLACES.get(str(kind))
        whole = [each for each in numbers if isinstance(each, int | np.integer)]
        if names is None or len(whole) != len(names) or len(numbers) != len(names):
            raise InputError("edits.unknown", edit=" ".join(map(str, written)))
        return cls(kind=str(kind), **dict(zip(names, map(int, whole), strict=True)))

    @property
    def written(self) -> tuple[str | int, ...]:
        """The change as `of` reads it."""
        return (self.kind, *(getattr(self, name) for name in PLACES[self.kind]))


@dataclass(frozen=True)
class LayerEdits:
    """What is changed in one layer; a cut is (head, query, key)."""

    off: tuple[int, ...] = ()
    even: tuple[int, ...] = ()
    cuts: tuple[tuple[int, int, int], ...] = ()
    masked: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.off or self.even or self.cuts or self.masked)

    def within(
        self, n_heads: int, n_query: int, n_key: int, first: int = 0, gone: int = 0
    ) -> "LayerEdits":
        """Leave out what names a head or token that the layer does not have; see `check`.

        `first` is the place of the first query: a model that writes asks with its last token alone.
        `gone` counts the keys at the beginning that a layer with a window no longer keeps.
        """
        return LayerEdits(
            off=tuple(head for head in self.off if 0 <= head < n_heads),
            even=tuple(head for head in self.even if 0 <= head < n_heads),
            cuts=tuple(
                (head, query - first, key - gone)
                for head, query, key in self.cuts
                if EVERY_HEAD <= head < n_heads
                and 0 <= query - first < n_query
                and 0 <= key - gone < n_key
            ),
            masked=tuple(token - gone for token in self.masked if 0 <= token - gone < n_key),
        )

    def seen(self, visible: Visible, kind: str) -> Visible:
        """Give who may see whom once the edges are cut and the tokens masked."""
        if not (self.cuts or self.masked):
            return visible
        return replace(visible, cut=self.cuts, masked=self.masked, themselves=kind != "cross")


def edits_of(written: Iterable["Edit | Sequence[str | int]"]) -> tuple[Edit, ...]:
    """Read several changes, each once; those that are read already stay as they are.

    A head is off or even, not both: the later of the two replaces the earlier.
    """
    read = [each if isinstance(each, Edit) else Edit.of(each) for each in written]
    whole = {(each.layer, each.head): each for each in read if each.kind in WHOLE}
    return tuple(
        each
        for each in dict.fromkeys(read)
        if each.kind not in WHOLE or whole[each.layer, each.head] == each
    )


def of_layer(edits: Sequence[Edit], place: int, kind: str) -> LayerEdits:
    """Give what is changed in the layer at this place; `kind` is that of a Layer."""
    here = [edit for edit in edits if edit.layer == place]
    return LayerEdits(
        off=tuple(edit.head for edit in here if edit.kind == "off" and edit.head is not None),
        even=tuple(edit.head for edit in here if edit.kind == "even" and edit.head is not None),
        cuts=tuple(
            (edit.head, edit.query, edit.key)
            for edit in here
            if edit.head is not None and edit.query is not None and edit.key is not None
        ),
        masked=tuple(edit.token for edit in edits if edit.token is not None and kind != "decoder"),
    )


def check(edits: Sequence[Edit], layers: Sequence[Layer]) -> None:
    """Refuse what a model with these layers cannot do; they may be those of a run with edits.

    Raises:
        InputError: if there is no such layer, head, token or edge, or a query would see nothing.
    """
    heads = [layer.n_heads for layer in layers]
    for edit in edits:
        if edit.layer is not None:
            check_place(edit.layer, 0 if edit.head in (None, EVERY_HEAD) else edit.head, heads)
    for place, layer in enumerate(layers):
        here = of_layer(edits, place, layer.kind)
        if here:
            _check_layer(here, place, layer)


def possible(edits: Sequence[Edit], layers: Sequence[Layer]) -> tuple[Edit, ...]:
    """Leave out what `check` refuses, one after the other: what stands before it counts."""
    kept: tuple[Edit, ...] = ()
    for edit in edits:
        try:
            check((*kept, edit), layers)
        except InputError:
            continue
        kept = (*kept, edit)
    return kept


def check_place(layer: int, head: int, heads: Sequence[int]) -> None:
    """Refuse a layer or a head that there is not; `heads` counts those of each layer.

    Raises:
        InputError: with the layers that there are, or the heads of that layer.
    """
    if not 0 <= layer < len(heads):
        last = len(heads) - 1
        raise InputError("models.no_layer", layer=layer, n_layers=len(heads), last=last)
    if not 0 <= head < heads[layer]:
        sizes = {"n_heads": heads[layer], "last": heads[layer] - 1}
        raise InputError("models.no_head", layer=layer, head=head, **sizes)


def silenced(edits: Iterable[Edit]) -> tuple[tuple[int, int], ...]:
    """List the (layer, head) that are switched off."""
    return tuple(
        (edit.layer, edit.head)
        for edit in edits
        if edit.kind == "off" and edit.layer is not None and edit.head is not None
    )


def _check_layer(edits: LayerEdits, place: int, layer: Layer) -> None:
    visible = layer.visible.own
    for token in edits.masked:
        if not 0 <= token < visible.n_key:
            raise InputError("edits.no_token", token=token + 1, n_tokens=visible.n_key)
    for head, query, key in edits.cuts:
        _check_edge(max(head, 0), query, key, place, visible)
    _check_rows(edits, place, layer.kind, layer.n_heads, visible)


def _check_edge(head: int, query: int, key: int, place: int, visible: Visible) -> None:
    named = {"layer": place, "query": query + 1, "key": key + 1}
    if not (0 <= query < visible.n_query and 0 <= key < visible.n_key):
        sizes = {"n_query": visible.n_query, "n_key": visible.n_key}
        raise InputError("edits.no_edge", **named, **sizes)
    if not visible.row(query, head)[key]:
        raise InputError("edits.not_seen", **named)


def _check_rows(edits: LayerEdits, place: int, kind: str, n_heads: int, visible: Visible) -> None:
    """Refuse to leave a query with nothing to see; one that saw nothing before may stay so."""
    after = edits.seen(visible, kind)
    asked = {(head, query) for head, query, _ in edits.cuts}
    if edits.masked and kind == "cross":
        asked |= {(EVERY_HEAD, query) for query in range(visible.n_query)}
    for head, query in sorted(asked):
        for each in range(n_heads) if head == EVERY_HEAD else (head,):
            if visible.row(query, each).any() and not after.row(query, each).any():
                raise InputError("edits.nothing_left", layer=place, head=each, query=query + 1)
