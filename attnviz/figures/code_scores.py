"""From the inputs to the masked scores of a head, and from its weights to its output, as numpy."""

from collections.abc import Callable

from attnviz.figures import code_positions
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.figures.code_masks import mask_lines
from attnviz.figures.code_page import Block, Page, Part


def query(page: Page) -> Part:
    """Ask: the inputs times W^q."""
    return _projected(page, "query", "q")


def key(page: Page) -> Part:
    """Answer: the inputs times W^k."""
    return _projected(page, "key", "k")


def value(page: Page) -> Part:
    """Hand over: the inputs times W^v."""
    return _projected(page, "value", "v")


def _projected(page: Page, name: str, letter: str) -> Part:
    w, shared = page.trace.projections, letter != "q"
    matrix, offset = getattr(w, f"w_{letter}"), getattr(w, f"b_{letter}")
    index = page.index(shared=shared)
    given = [page.of_head(f"w_{letter}", matrix, shared=shared)]
    made = page.times(page.source, f"w_{letter}{index}")
    if offset is not None:
        given.append(page.of_head(f"b_{letter}", offset, shared=shared))
        made = f"{made} + b_{letter}{index}"
    if letter != "v":
        made, turning = code_positions.turned(page, made)
        given += turning
    return Part([page.beside(f"{name} = {made}", name)], given)


def scores(page: Page) -> Part:
    """Compare every query with every key."""
    given = code_positions.relative(page, "relative_key")
    before, keys = [], "key"
    if given:
        moved = "keys = key + relative_key[distance_row]"
        before, keys = [page.beside(moved, "relative_keys")], "keys"
    lines, own = _SCORES[page.choices.score](page, keys)
    last = page.beside(lines[-1], "scores")
    return Part([*before, *lines[:-1], last], [*given, *own])


def _pairs(page: Page, left: str, right: str) -> str:
    """Multiply each query with each key; with relative keys each query has its own."""
    if right.endswith("keys"):
        return f"np.vecdot({left}[:, None, :], {right})"
    return page.times(left, f"{right}.T")


def _dot(page: Page, keys: str) -> tuple[Block, list[Block]]:
    return [f"scores = {_pairs(page, 'query', keys)}"], []


def _bilinear(page: Page, keys: str) -> tuple[Block, list[Block]]:
    w = page.choices.arguments("score")["w"]
    lines = [f"asked = {page.times('query', 'w')}", f"scores = {_pairs(page, 'asked', keys)}"]
    return lines, [[page.above("score_matrix"), *numpy_array("w", w)]]


def _cosine(page: Page, keys: str) -> tuple[Block, list[Block]]:
    """Divide by the length; as the engine does, by the largest feature first where it matters."""
    lines = []
    for table, vectors in (("query", "query"), ("key", keys)):
        unit, zero = (
            f"unit_{vectors}",
            any((~each.any(axis=-1)).any() for each in page.tables(table)),
        )
        zero = zero or vectors == "keys"
        if page.careful:
            lines.append(f"largest = np.abs({vectors}).max(axis=-1, keepdims=True)")
            lines.append(f"{unit} = {vectors} / np.where(largest > 0, largest, 1)")
            vectors = unit
        lines.append(f"length = np.linalg.norm({vectors}, axis=-1, keepdims=True)")
        below = "np.where(length > 0, length, 1)" if zero else "length"
        lines.append(f"{unit} = {vectors} / {below}")
    product = _pairs(page, "unit_query", f"unit_{keys}")
    lines.append(f"scores = np.clip({product}, -1, 1)" if page.careful else f"scores = {product}")
    return lines, []


def _additive(page: Page, keys: str) -> tuple[Block, list[Block]]:
    own = page.choices.arguments("score")
    names = [name for name in ("w_query", "w_key", "v", "bias") if own.get(name) is not None]
    spelled = {name: "hidden_bias" if name == "bias" else name for name in names}
    blocks = [numpy_array(spelled[name], own[name]) for name in names]
    offset = " + hidden_bias" if "bias" in names else ""
    answered = "answered" if keys == "keys" else "answered[None, :, :]"
    lines = [
        f"asked = {page.times('query', 'w_query')}",
        f"answered = {page.times(keys, 'w_key')}{offset}",
        f"hidden = np.tanh(asked[:, None, :] + {answered})",
        "scores = np.vecdot(hidden, v)" if page.careful else "scores = hidden @ v",
    ]
    return lines, [[page.above("score_network"), *blocks[0]], *blocks[1:]]


def scaled_scores(page: Page) -> Part:
    """Multiply the scores, where there is a scale."""
    if page.trace.scale == 1:
        return Part([])
    if page.choices.scale == "sqrt_d_k":
        factor = f"(1 / np.sqrt({page.trace.projections.d_k}))"
    else:
        factor = constant(page.trace.scale)
    return Part([page.beside(f"scaled_scores = scores * {factor}", "scaled_scores")])


def masked_scores(page: Page) -> Part:
    """Add what the positions add, and hide what may not be seen."""
    scaled, added = scaled_name(page), code_positions.bias(page)
    lines, given = list(added.lines), list(added.given)
    if lines:
        scaled = f"{scaled} + bias"
    mask = page.scene.mask
    if mask is None:
        if lines:
            lines.append(page.beside(f"masked_scores = {scaled}", "biased_scores"))
        return Part(lines, given)
    made = mask_lines(mask)
    note = page.above("mask")
    if made is None:
        given.append([note, *numpy_array("mask", mask)])
    else:
        given += [*code_positions.distances(page), [note, *made]]
    hidden = f"masked_scores = np.where(mask, {scaled}, -np.inf)"
    lines.append(page.beside(hidden, "masked_scores"))
    return Part(lines, given)


def scaled_name(page: Page) -> str:
    """Name the scores after the scale."""
    return "scores" if page.trace.scale == 1 else "scaled_scores"


def masked_name(page: Page) -> str:
    """Name the scores that are normalized."""
    plain = page.scene.mask is None and page.trace.position.bias is None
    return scaled_name(page) if plain else "masked_scores"


def output(page: Page, name: str = "output") -> Part:
    """Add up the values by their weights."""
    made, given = page.times("weights", "value"), code_positions.relative(page, "relative_value")
    lines = [page.beside(f"{name} = {made}", "output")]
    if given:
        moved = 'np.einsum("ij,ijd->id", weights, relative_value[distance_row])'
        lines.append(page.beside(f"{name} = {name} + {moved}", "relative_values"))
    return Part(lines, given)


_SCORES: dict[str, Callable[[Page, str], tuple[Block, list[Block]]]] = {
    "dot": _dot,
    "cosine": _cosine,
    "additive": _additive,
    "bilinear": _bilinear,
}
