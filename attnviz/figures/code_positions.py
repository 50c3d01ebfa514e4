"""Position codes as numpy lines."""

import inspect
from collections.abc import Callable

import numpy as np

from attnviz.attention.position_codes import alibi_slopes, keys_ahead, t5_buckets
from attnviz.attention.positions import POSITIONS
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.figures.code_page import Block, Page, Part


def encoded_inputs(page: Page) -> Part:
    """Add a position vector to each input, where there is one."""
    added = page.trace.position.added
    if added is None:
        return Part([])
    name = page.scene.positions
    wave = _WAVES.get(name) if isinstance(name, str) else None
    if wave is None:
        block = [page.above("position_table"), *numpy_array("position", added)]
    else:
        block = [page.above("position_waves"), *wave(page, _arguments(page)["base"])]
    line = page.beside("encoded_inputs = inputs + position", "encoded")
    return Part([line], [places(page), block] if wave else [block])


def turned(page: Page, made: str) -> tuple[str, list[Block]]:
    """Turn queries or keys by their places, where the position code does so."""
    if page.trace.position.turn is None:
        return made, []
    own, d_k = _arguments(page), page.trace.projections.d_k
    width = own["rotary_dim"] or d_k
    stop = "" if width == d_k else str(width)
    first, second = f"[:, 0:{stop}:2]", f"[:, 1:{stop}:2]"
    if own["pairs"] == "half":
        first, second = f"[:, :{width // 2}]", f"[:, {width // 2}:{stop}]"
    wave = f"{constant(own['base'])} ** (np.arange(0, {width}, 2) / {width})"
    block = [
        page.above("angle"),
        f"angle = place[:, None] / {wave}",
        "",
        "def turn(x):",
        f"    turned, first, second = x.copy(), x{first}, x{second}",
        f"    turned{first} = first * np.cos(angle) - second * np.sin(angle)",
        f"    turned{second} = second * np.cos(angle) + first * np.sin(angle)",
        "    return turned",
        "",
    ]
    return f"turn({made})", [places(page), block]


def bias(page: Page) -> Part:
    """Make the numbers that are added to the scaled scores, where there are any."""
    if page.trace.position.bias is None:
        return Part([])
    own = _arguments(page)
    if page.scene.positions == "t5":
        column = ", head" if page.every_head else ""
        return Part([f"bias = table[bucket{column}]"], [*distances(page), *_t5(page, own)])
    slopes = alibi_slopes(page.trace.n_heads)
    written = [f"slope = {constant(slopes[page.scene.head])}"]
    if page.every_head:
        written = numpy_array("slope", slopes)
    given = [*distances(page), [page.above("slope"), *written]]
    if own["symmetric"]:
        return Part([f"bias = -slope{page.index()} * np.abs(distance)"], given)
    return Part([f"bias = slope{page.index()} * distance"], given)


def relative(page: Page, name: str) -> list[Block]:
    """Write the vectors that are added to keys or values, one for each distance."""
    table = page.trace.relative_key if name == "relative_key" else page.trace.relative_value
    if table is None:
        return []
    farthest = min(_arguments(page)["clip"], len(table) - 1)
    by_distance = [table[max(-d, 0), max(d, 0)] for d in range(-farthest, farthest + 1)]
    clipped = f"distance_row = np.clip(distance, -{farthest}, {farthest}) + {farthest}"
    return [
        *distances(page),
        [page.beside(clipped, "clipped")],
        [page.above("relative"), *numpy_array(name, np.array(by_distance))],
    ]


def distances(page: Page) -> list[Block]:
    """Write how far each key lies ahead of each query."""
    return [places(page), [page.beside("distance = place - place[:, None]", "distance")]]


def places(page: Page) -> Block:
    """Write the number of each token."""
    return [f"place = np.arange({page.trace.n_query})"]


def _arguments(page: Page) -> dict:
    """Give all parameters of the position code, those that nobody chose with their defaults."""
    name = page.scene.positions
    if not isinstance(name, str):
        return {}
    named = inspect.signature(POSITIONS[name]).parameters.values()
    defaults = {each.name: each.default for each in named if each.kind is each.KEYWORD_ONLY}
    return defaults | page.choices.arguments("position", POSITIONS[name])


def _sinusoidal(page: Page, base: float) -> Block:
    d_model = page.trace.projections.d_model
    return [
        f"pair = np.arange({d_model}) // 2",
        f"angle = place[:, None] / {constant(base)} ** (2 * pair / {d_model})",
        "position = np.where(np.arange(len(pair)) % 2 == 0, np.sin(angle), np.cos(angle))",
    ]


def _sinusoidal_tensor2tensor(page: Page, base: float) -> Block:
    d_model = page.trace.projections.d_model
    n_waves = d_model // 2
    last = ", 0 * place[:, None]" if d_model % 2 else ""
    return [
        f"wave = np.arange({n_waves}) / {max(n_waves - 1, 1)}",
        f"angle = place[:, None] / {constant(base)} ** wave",
        f"position = np.hstack([np.sin(angle), np.cos(angle){last}])",
    ]


def _t5(page: Page, own: dict) -> list[Block]:
    """Write the smallest distance of each bucket, the bucket of each pair, and the table."""
    n_buckets, far, both = own["n_buckets"], own["max_distance"], own["bidirectional"]
    one_way = n_buckets // 2 if both else n_buckets
    back = -np.arange(far + 1)
    first = t5_buckets(back, bidirectional=False, n_buckets=one_way, max_distance=far)
    starts = np.searchsorted(first, np.arange(one_way))
    ahead = keys_ahead(page.trace.n_query, page.trace.n_key)
    bucket = t5_buckets(ahead, bidirectional=both, n_buckets=n_buckets, max_distance=far)
    bias = np.asarray(page.trace.position.bias)
    table = np.zeros((n_buckets, len(bias)))
    table[bucket] = np.moveaxis(bias, 0, -1)
    size = "np.abs(distance)" if both else "np.maximum(-distance, 0)"
    found = [f'bucket = np.searchsorted(starts, {size}, side="right") - 1']
    if both:
        found.append("bucket = np.where(distance > 0, bucket + len(starts), bucket)")
    shown = table if page.every_head else table[:, page.scene.head]
    return [
        [page.above("starts"), *numpy_array("starts", starts)],
        found,
        [page.above("bucket_table"), *numpy_array("table", shown)],
    ]


_WAVES: dict[str, Callable[[Page, float], Block]] = {
    "sinusoidal": _sinusoidal,
    "sinusoidal_tensor2tensor": _sinusoidal_tensor2tensor,
}
