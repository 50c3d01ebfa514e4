"""What edits are called on the page."""

from collections.abc import Sequence

from attnviz.models.editing.edits import EVERY_HEAD, Edit
from attnviz.models.results import Capture, Token
from attnviz.ui import session


def name(edit: Edit, capture: Capture | None) -> str:
    """Name an edit, with the tokens that it is about where the capture is there."""
    t = session.t()
    if edit.kind == "mask":
        tokens = () if capture is None else capture.tokens
        return t("edit.named.mask", token=token(tokens, edit.token))
    layer, head = edit.layer or 0, edit.head
    if edit.kind != "cut":
        return t(f"edit.named.{edit.kind}", head=head_name(capture, layer, head or 0))
    there = capture is not None and layer < capture.n_layers
    pair = {
        "query": token(capture.query_tokens(layer) if capture and there else (), edit.query),
        "key": token(capture.key_tokens(layer) if capture and there else (), edit.key),
    }
    if head == EVERY_HEAD:
        return t("edit.named.cut_all", layer=layer, **pair)
    return t("edit.named.cut", head=head_name(capture, layer, head or 0), **pair)


def head_name(capture: Capture | None, layer: int, head: int) -> str:
    """Name a head in a few letters: L3H1; of two stacks, with its own kind of layer."""
    t, there = session.t(), capture is not None and layer < capture.n_layers
    found = capture.layers[layer] if capture is not None and there else None
    if found is None or found.kind not in ("encoder", "decoder", "cross"):
        return t("edit.named.head", layer=layer, head=head)
    kind = t(f"models.short.{found.kind}", number=str(found.number))
    return t("edit.named.head_of", kind=kind, head=head)


def token(tokens: Sequence[Token], place: int | None) -> str:
    """Name a token by its place, counted from 1, and its text."""
    if place is None or place >= len(tokens):
        return str((place or 0) + 1)
    return f"{place + 1} {tokens[place].label}"
