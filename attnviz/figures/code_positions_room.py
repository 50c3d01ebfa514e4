"""The lines of Python behind each question of the page Positions, with the person's own inputs."""

from collections.abc import Sequence

import numpy as np

from attnviz.figures import code_numpy, code_package
from attnviz.figures.code_literals import literal, numpy_array
from attnviz.lessons import wrapping
from attnviz.lessons.combining import PARTS
from attnviz.lessons.symmetry import Lamp
from attnviz.scene import Scene
from attnviz.settings import Settings
from attnviz.text import Words

_END_OF_LAYER = "    return output\n"


def lamp_numpy(scene: Scene, found: Lamp, t: Words) -> str:
    """Compute the layer, and how far the outputs of the two equal tokens are apart."""
    pair = f"output[{found.first}] - output[{found.second}]"
    lines = [f"distance = np.linalg.norm({pair})", "print(distance)"]
    return _after(code_numpy.all_heads(scene, "heads", t), t("code.apart"), lines)


def lamp_package(scene: Scene, found: Lamp, t: Words) -> str:
    """Compute the same with the package."""
    pair = f"output[{found.first}] - output[{found.second}]"
    lines = [f"distance = (({pair}) ** 2).sum() ** 0.5", "print(distance)"]
    return _after(code_package.program(scene, "heads", t), t("code.apart"), lines)


def shuffle_numpy(scene: Scene, order: Sequence[int], t: Words) -> str:
    """Write the layer as a function, and run it on the tokens in both orders."""
    layer = code_numpy.nudged(scene, t, 0, 0.0)  # the layer as a function, and one use of it
    function = layer[: layer.index(_END_OF_LAYER)] + _END_OF_LAYER
    lines = [
        "",
        f"order = {list(order)}",
        "shuffled = layer(inputs[order])",
        "moved = layer(inputs)[order]",
        "difference = np.linalg.norm(shuffled - moved)",
        "pooled_difference = np.linalg.norm(shuffled.mean(axis=0) - moved.mean(axis=0))",
        "print(difference, pooled_difference)",
    ]
    return _after(function, t("code.shuffled"), lines)


def shuffle_package(scene: Scene, order: Sequence[int], t: Words) -> str:
    """Run the layer of the package on the tokens in both orders."""
    program = code_package.program(scene, "heads", t)
    call = next(line for line in program.splitlines() if line.startswith("trace = "))
    lines = [
        f"order = {list(order)}",
        "shuffled_inputs = [inputs[place] for place in order]",
        call.replace("trace = ", "shuffled = ").replace("(inputs,", "(shuffled_inputs,")
        + ".output",
        "moved = trace.output[order]",
        "difference = ((shuffled - moved) ** 2).sum() ** 0.5",
        "pooled_difference = ((shuffled.mean(axis=0) - moved.mean(axis=0)) ** 2).sum() ** 0.5",
        "print(difference, pooled_difference)",
    ]
    return _after(program, t("code.shuffled"), lines)


def adding_numpy(scene: Scene, t: Words) -> str:
    """Compute a + e for every token, and the outputs."""
    code = code_numpy.all_heads(scene, "heads", t)
    return _after(code, t("code.encoded"), ["print(position)", "print(encoded_inputs)"])


def adding_package(scene: Scene, t: Words) -> str:
    """Compute the same with the package."""
    lines = ["position = trace.position.added", "output = trace.output", "print(position)"]
    return _after(code_package.program(scene, "encoded_inputs", t), t("code.encoded"), lines)


def rotation_numpy(scene: Scene, j: int, shift: int, settings: Settings, t: Words) -> str:
    """Turn one query and one key as rotary positions do, and multiply them."""
    d_k = scene.projections.d_k
    width = max(2, d_k // 2 * 2)
    first, second = f"0:{width}:2", f"1:{width}:2"
    if settings.pairs == "half":
        first, second = f"0:{width // 2}", f"{width // 2}:{width}"
    alone = ["query, key = np.append(query, 0), np.append(key, 0)"] if d_k == 1 else []
    lines = [
        "import numpy as np",
        "",
        *_query_and_key(scene, j, t, numpy=True),
        "query, key = asks @ w_q, answers @ w_k",
        *alone,
        "",
        f"# {t('code.angle')}",
        f"wave = {settings.base!r} ** (np.arange(0, {width}, 2) / {width})",
        "",
        "def turn(x, place):",
        "    angle, turned = place / wave, x.copy()",
        f"    turned[{first}] = x[{first}] * np.cos(angle) - x[{second}] * np.sin(angle)",
        f"    turned[{second}] = x[{second}] * np.cos(angle) + x[{first}] * np.sin(angle)",
        "    return turned",
        "",
        f"turned_query = turn(query, {scene.query + shift})",
        f"turned_key = turn(key, {j + shift})",
        "score = turned_query @ turned_key",
        "print(turned_query, turned_key, score)",
    ]
    return "\n".join(lines) + "\n"


def rotation_package(scene: Scene, j: int, shift: int, settings: Settings, t: Words) -> str:
    """Turn the same query and key with the package."""
    width = max(2, scene.projections.d_k // 2 * 2)
    how = f'base={settings.base!r}, pairs="{settings.pairs}", rotary_dim={width}'
    alone = (
        ["vectors = np.append(vectors, [[0], [0]], axis=1)"] if scene.projections.d_k == 1 else []
    )
    lines = [
        "import numpy as np",
        "from attnviz.attention.position_codes import rotary",
        "",
        *_query_and_key(scene, j, t, numpy=True),
        "vectors = np.array([asks @ w_q, answers @ w_k])",
        *alone,
        f"places = [{scene.query + shift}, {j + shift}]",
        f"turned_query, turned_key = rotary(vectors, places, {how})",
        "score = turned_query @ turned_key",
        "print(turned_query, turned_key, score)",
    ]
    return "\n".join(lines) + "\n"


def combining_numpy(scene: Scene, t: Words) -> str:
    """Split the scores of a + e into their four parts, and make q of [a | e] with [W; W]."""
    code, w = np.asarray(scene.trace.position.added), scene.projections
    shared = w.kv_head(scene.head)
    names = {"content": "inputs", "position": "position"}
    products = [f"({names[q]} @ w_q) @ ({names[k]} @ w_k).T" for q, k in PARTS]
    lines = [
        "import numpy as np",
        "",
        f"# {t('code.inputs')}",
        *numpy_array("inputs", scene.inputs),
        f"# {t('code.position_table')}",
        *numpy_array("position", code),
        *numpy_array("w_q", w.w_q[scene.head]),
        *numpy_array("w_k", w.w_k[shared]),
        "",
        f"# {t('code.parts')}",
        "parts = np.array([",
        *(f"    {product}," for product in products),
        "])",
        "scores = ((inputs + position) @ w_q) @ ((inputs + position) @ w_k).T",
        f"print(parts[:, {scene.query}], scores[{scene.query}])",
        "",
        f"# {t('code.beside')}",
        "query = np.hstack([inputs, position]) @ np.vstack([w_q, w_q])",
        "difference = np.linalg.norm(query - (inputs + position) @ w_q)",
        "print(difference)",
    ]
    return "\n".join(lines) + "\n"


def combining_package(scene: Scene, t: Words) -> str:
    """Run the layer on a + e, and on [a | e] with [W; W] and with rows of its own for e."""
    program = code_package.program(scene, "encoded_inputs", t)
    call = next(line for line in program.splitlines() if line.startswith("trace = "))
    beside = call.replace("(inputs, projections", "(beside, stacked")
    start, _, rest = beside.partition(", positions=")
    plain = start + rest[rest.index(")") :] if rest else beside
    plain = plain.replace(", choices", ", plain")
    lines = [
        "from dataclasses import replace",
        "import numpy as np",
        "from attnviz.lessons.combining import combine",
        "",
        "beside = np.hstack([inputs, trace.position.added])",
        "w = {}",
        'for name in ("w_q", "w_k", "w_v"):',
        "    each = getattr(projections, name)",
        "    w[name] = np.concatenate([each, each], axis=1)",
        "stacked = replace(projections, **w)",
        "own = combine(",
        f"    trace.inputs, trace.position.added, projections, trace.choices, mask=trace.mask,"
        f" seed={scene.seed}",
        ").own",
        *_without_positions(plain),
        plain.replace("trace = ", "tied = "),
        "difference = np.linalg.norm(tied.output - trace.output)",
        "own_difference = np.linalg.norm(own.output - trace.output)",
        "print(difference, own_difference)",
    ]
    return _after(program, t("code.beside"), lines)


def wrap_numpy(scene: Scene, n_waves: int, t: Words) -> str:
    """Write a head that asks for the place before, on circles, with softmax."""
    masked, hidden = [], []
    if scene.mask is not None:
        masked = [f"# {t('code.mask')}", *numpy_array("mask", scene.mask)]
        hidden = [
            "scores = np.where(mask, scores, -np.inf)",
            "best = scores.max(axis=1, keepdims=True)",
            "best = np.where(np.isneginf(best), 0, best)",
        ]
    lines = [
        "import numpy as np",
        "",
        f"place = np.arange({len(scene.tokens)})",
        *masked,
        "",
        f"# {t('code.circles')}",
        "def circles(place):",
        f"    turns = place[:, None] / ({wrapping.PERIOD} * 2.0 ** np.arange({n_waves}))",
        "    angle = 2 * np.pi * turns",
        "    points = np.stack([np.cos(angle), np.sin(angle)], axis=-1)",
        "    return points.reshape(len(place), -1)",
        "",
        f"# {t('code.before')}",
        "key = circles(place)",
        f"query = {wrapping.SHARPNESS} * circles(place - 1)",
        "scores = query @ key.T",
        *(hidden or ["best = scores.max(axis=1, keepdims=True)"]),
        "raised = np.exp(scores - best)",
        "total = raised.sum(axis=1, keepdims=True)",
        "weights = raised / np.where(total == 0, 1, total)",
        "print(weights)",
    ]
    return "\n".join(lines) + "\n"


def wrap_package(scene: Scene, n_waves: int, t: Words) -> str:
    """Let the package attend from each place to the one before."""
    masked, with_mask = [], ""
    if scene.mask is not None:
        masked, with_mask = numpy_array("mask", scene.mask), ", mask=mask"
    lines = [
        "import numpy as np",
        "import attnviz",
        "from attnviz.lessons.wrapping import circles",
        "",
        f"place = np.arange({len(scene.tokens)}.0)",
        *masked,
        f"# {t('code.before')}",
        f"key = circles(place, {n_waves})",
        f"query = {wrapping.SHARPNESS} * circles(place - 1, {n_waves})",
        f"trace = attnviz.attend(query, key, key{with_mask})",
        "weights = trace.weights",
        "print(weights)",
    ]
    return "\n".join(lines) + "\n"


def _query_and_key(scene: Scene, j: int, t: Words, *, numpy: bool) -> list[str]:
    """Write the two inputs and the two matrices that make the query and the key."""
    w = scene.projections
    matrices = (
        ("asks", scene.inputs[scene.query]),
        ("answers", scene.inputs[j]),
        ("w_q", w.w_q[scene.head]),
        ("w_k", w.w_k[w.kv_head(scene.head)]),
    )
    write = numpy_array if numpy else literal
    return [
        f"# {t('code.pair')}",
        *(line for name, array in matrices for line in write(name, array)),
    ]


def _without_positions(call: str) -> list[str]:
    """Take the parameters of a position code out of the choices, where there are choices."""
    if ", plain" not in call:
        return []
    return [
        "kept = trace.choices.parameters.items()",
        'kept = {name: value for name, value in kept if not name.startswith("position.")}',
        "plain = replace(trace.choices, parameters=kept)",
    ]


def _after(code: str, remark: str, lines: Sequence[str]) -> str:
    return "\n".join([code, f"# {remark}", *lines]) + "\n"
