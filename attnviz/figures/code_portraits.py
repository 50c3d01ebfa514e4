"""Each position code by itself as Python: the table or the bias that is drawn, and its map."""

from collections.abc import Callable

import numpy as np

from attnviz.attention.position_codes import alibi_slopes, t5_buckets
from attnviz.attention.positions import POSITIONS
from attnviz.figures.code_literals import constant, literal, numpy_array
from attnviz.lessons.portraits import Portrait
from attnviz.scene import Scene
from attnviz.text import Words


def codes_numpy(name: str, drawn: Portrait, scene: Scene, t: Words) -> str:
    """Write how the table of a code and the map of its places are made."""
    n = len(drawn.map)
    lines = ["import numpy as np", "", f"place = np.arange({n})"]
    lines += _WRITERS.get(name, _table)(name, drawn, scene, t)
    if drawn.kind in ("vectors", "turns"):
        lines += ["", f"# {t('code.similarity')}", "similarity = position @ position.T"]
        lines += ["print(position)", "print(similarity)"]
    return "\n".join(lines) + "\n"


def codes_package(name: str, drawn: Portrait, scene: Scene, t: Words) -> str:
    """Ask the package for the same."""
    if name not in POSITIONS or _is_typed(name, scene):
        lines = ["import numpy as np", "", f"# {t('code.position_table')}"]
        lines += [*literal("position = np.array(", drawn.table, ", dtype=float)")]
        lines += ["similarity = position @ position.T", "print(position)", "print(similarity)"]
        return "\n".join(lines) + "\n"
    sizes, n = scene.projections, len(drawn.map)
    width = drawn.table.shape[1] if drawn.kind == "vectors" else sizes.d_model
    own = _parameters(name, scene)
    given = "".join(f", {k}={v!r}" for k, v in own.items())
    lines = [
        "import numpy as np",
        "from attnviz.attention.positions import POSITIONS, PositionSizes",
        "",
        "sizes = PositionSizes(",
        f"    n_query={n}, n_key={n}, d_model={width}, d_k={sizes.d_k}, d_v={sizes.d_v},"
        f" n_heads={sizes.n_heads}",
        ")",
        f'effect = POSITIONS["{name}"](sizes{given})',
        *_read(drawn, sizes.d_k, own),
    ]
    return "\n".join(lines) + "\n"


def _read(drawn: Portrait, d_k: int, own: dict[str, object]) -> list[str]:
    if drawn.kind == "bias":
        return ["bias = effect.bias", "print(bias)"]
    if drawn.kind == "distances":
        return ["relative_key = effect.relative_key", "print(relative_key)"]
    made = ["position = effect.added"]
    if drawn.kind == "turns":
        where = f":{d_k // 2}" if own.get("pairs") == "half" else "::2"
        made = [
            f"vectors = np.zeros(({len(drawn.map)}, {d_k}))",
            f"vectors[:, {where}] = 1",
            "position = effect.turn(vectors)",
        ]
    return [*made, "similarity = position @ position.T", "print(position)", "print(similarity)"]


def _is_typed(name: str, scene: Scene) -> bool:
    return name == "learned" and not isinstance(scene.positions, str)


def _parameters(name: str, scene: Scene) -> dict[str, object]:
    return dict(scene.choices.arguments("position", POSITIONS[name]))


def _table(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    return [f"# {t('code.position_table')}", *numpy_array("position", drawn.table)]


def _learned(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    if _is_typed(name, scene):
        return _table(name, drawn, scene, t)
    shape = f"({len(drawn.table)}, {drawn.table.shape[1]})"
    made = f"position = np.random.default_rng({scene.seed}).standard_normal({shape})"
    return [f"# {t('code.position_table')}", made]


def _sinusoidal(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    d, base = drawn.table.shape[1], constant(_base(name, scene))
    return [
        f"# {t('code.position_waves')}",
        f"pair = np.arange({d}) // 2",
        f"angle = place[:, None] / {base} ** (2 * pair / {d})",
        f"position = np.where(np.arange({d}) % 2 == 0, np.sin(angle), np.cos(angle))",
    ]


def _tensor2tensor(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    d, base = drawn.table.shape[1], constant(_base(name, scene))
    n_waves = d // 2
    return [
        f"# {t('code.position_waves')}",
        f"angle = place[:, None] / {base} ** (np.arange({n_waves}) / {max(n_waves - 1, 1)})",
        "position = np.hstack([np.sin(angle), np.cos(angle), 0 * place[:, None]])"
        if d % 2
        else "position = np.hstack([np.sin(angle), np.cos(angle)])",
    ]


def _rotary(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    own, d = _parameters(name, scene), drawn.table.shape[1]
    first, second = ":, 0::2", ":, 1::2"
    if own.get("pairs") == "half":
        first, second = f":, :{d // 2}", f":, {d // 2}:"
    return [
        f"# {t('code.angle')}",
        f"angle = place[:, None] / {constant(_base(name, scene))} ** (np.arange(0, {d}, 2) / {d})",
        f"position = np.zeros(({len(drawn.map)}, {d}))",
        f"position[{first}], position[{second}] = np.cos(angle), np.sin(angle)",
    ]


def _alibi(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    steps = "-np.abs(distance)" if _parameters(name, scene).get("symmetric", True) else "distance"
    return [
        f"# {t('code.slope')}",
        *numpy_array("slope", alibi_slopes(scene.projections.n_heads)),
        "distance = place - place[:, None]",
        f"bias = slope[:, None, None] * {steps}",
        "print(bias)",
    ]


def _t5(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    own = {"n_buckets": 8, "max_distance": 16, "bidirectional": True, "seed": 0}
    own |= _parameters(name, scene)
    n_buckets, far, both = (
        int(own["n_buckets"]),
        int(own["max_distance"]),
        bool(own["bidirectional"]),
    )
    one_way = n_buckets // 2 if both else n_buckets
    first = t5_buckets(
        -np.arange(far + 1), bidirectional=False, n_buckets=one_way, max_distance=far
    )
    size = "np.abs(distance)" if both else "np.maximum(-distance, 0)"
    ahead = ["bucket = np.where(distance > 0, bucket + len(starts), bucket)"] if both else []
    shape = f"({n_buckets}, {scene.projections.n_heads})"
    return [
        "distance = place - place[:, None]",
        f"# {t('code.starts')}",
        *numpy_array("starts", np.searchsorted(first, np.arange(one_way))),
        f'bucket = np.searchsorted(starts, {size}, side="right") - 1',
        *ahead,
        f"table = np.random.default_rng({own['seed']}).standard_normal({shape})",
        "bias = np.moveaxis(table[bucket], -1, 0)",
        "print(bias)",
    ]


def _shaw(name: str, drawn: Portrait, scene: Scene, t: Words) -> list[str]:
    own = {"clip": 2, "seed": 0} | _parameters(name, scene)
    clip, seed, d_k = own["clip"], own["seed"], scene.projections.d_k
    return [
        f"distance = np.clip(place - place[:, None], -{clip}, {clip})",
        f"# {t('code.relative')}",
        f"table = np.random.default_rng(({seed}, 0)).standard_normal((2 * {clip} + 1, {d_k}))",
        f"relative_key = table[distance + {clip}]",
        "print(relative_key)",
    ]


def _base(name: str, scene: Scene) -> float:
    return float(str(_parameters(name, scene).get("base", 10_000.0)))


_WRITERS: dict[str, Callable[[str, Portrait, Scene, Words], list[str]]] = {
    "learned": _learned,
    "sinusoidal": _sinusoidal,
    "sinusoidal_tensor2tensor": _tensor2tensor,
    "rotary": _rotary,
    "alibi": _alibi,
    "t5": _t5,
    "shaw": _shaw,
}
