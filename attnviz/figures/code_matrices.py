"""The code of the questions of Matrices: the other axis, pair by pair, the counter, the ladder."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnviz.attention.arrays import read_only
from attnviz.attention.axes import shares
from attnviz.attention.projections import Projections
from attnviz.figures import code_normalizers, code_package, code_positions, code_scores
from attnviz.figures.code_literals import constant, literal, numpy_array
from attnviz.figures.code_numpy import joined_program, one_head
from attnviz.figures.code_page import Block, Page, Part
from attnviz.figures.labels import shortened
from attnviz.lessons.counting import Counted
from attnviz.scene import Scene
from attnviz.text import Words

_PRINTED = "\nprint("

# --- The axis ---


def axis_numpy(scene: Scene, axis: str, t: Words) -> str:
    """Write numpy lines: weights, their sums and the output, normalized along one axis."""
    page = _page(scene, t)
    before = [stage(page) for stage in _TO_MASKED]
    z = code_scores.masked_name(page)
    if axis == "key":
        shared = code_normalizers.weights(page)
    else:
        own = code_normalizers.weights(_turned(scene, t), "turned")
        first, last = (page.beside(line, key) for line, key in _OTHER_WAY)
        shared = Part([first.replace("SCORES", z), *own.lines, last], own.given)
    parts = [
        code_positions.encoded_inputs(page),
        *before,
        shared,
        code_scores.value(page),
        code_scores.output(page),
    ]
    shown = ["print(weights)", "print(weights.sum(axis=1))", "print(output)"]
    return joined_program(page, parts, [line for part in parts for line in part.lines], shown)


def axis_package(scene: Scene, axis: str, t: Words) -> str:
    """Write the same through the package."""
    lines = code_package.program(scene, "masked_scores", t).split(_PRINTED)[0].splitlines()
    if axis == "key":
        lines.append("weights = head.weights")
    else:
        given = {"temperature": scene.choices.temperature}
        given |= scene.choices.arguments("normalizer")
        said = ", ".join(f"{name}={_spelled(value)}" for name, value in given.items())
        call = f'attnviz.NORMALIZERS["{scene.choices.normalizer}"](masked_scores.T, {said}).T'
        lines.append(f"weights = {call}  # {t('axis.code_turned')}")
    lines.append("output = weights @ head.value")
    if scene.trace.relative_value is not None:
        lines.append("output = output + (weights[:, None, :] @ head.relative_value)[:, 0, :]")
    return "\n".join([*lines, "", *_prints("weights", "weights.sum(axis=1)", "output")])


_TO_MASKED = (
    code_scores.query,
    code_scores.key,
    code_scores.scores,
    code_scores.scaled_scores,
    code_scores.masked_scores,
)
_OTHER_WAY = (
    ("turned = SCORES.T", "turned_scores"),
    ("weights = weights.T", "turned_back"),
)


def _turned(scene: Scene, t: Words) -> Page:
    """Give the page of the same scores with a key a row: that is what is normalized then."""
    trace = scene.trace
    weights = np.stack([shares(trace.head(h), "query").weights.T for h in range(trace.n_heads)])
    other = replace(
        trace,
        masked_scores=read_only(trace.masked_scores.mT.copy()),
        weights=read_only(weights),
    )
    return Page(scene, t, every_head=False, traces=(other,))


# --- Pair by pair, or at once ---


def together_numpy(scene: Scene, t: Words) -> str:
    """Write numpy lines for scores that are dot products: two loops, and one product."""
    page = _page(scene, t)
    parts = [code_positions.encoded_inputs(page), code_scores.query(page), code_scores.key(page)]
    lines = [line for part in parts for line in part.lines]
    lines += [
        "",
        "one_by_one = np.zeros((len(query), len(key)))",
        "for i in range(len(query)):",
        "    for j in range(len(key)):",
        page.beside("        one_by_one[i, j] = sum(query[i] * key[j])", "one_pair"),
        page.beside("scores = query @ key.T", "all_pairs"),
        "difference = np.abs(one_by_one - scores).max()",
    ]
    return joined_program(page, parts, lines, ["print(scores)", "print(difference)"])


def together_package(scene: Scene, t: Words) -> str:
    """Write the same through the package."""
    lines = code_package.program(scene, "scores", t).split(_PRINTED)[0].splitlines()
    pairs = "one_by_one = [[sum(q * k) for k in key] for q in query]"
    return "\n".join(
        [
            *lines,
            f"{pairs}  # {t('code.one_pair')}",
            "difference = abs(scores - one_by_one).max()",
            "",
            *_prints("scores", "difference"),
        ]
    )


# --- The counter ---


def counting_numpy(scene: Scene, counts: tuple[Counted, ...], t: Words) -> str:
    """Write numpy lines that count what is learned, matrix by matrix."""
    w, lines = scene.projections, ["import numpy as np", ""]
    names = [name for name in ("w_q", "w_k", "w_v", "w_o") if getattr(w, name) is not None]
    for name in names:
        lines += numpy_array(name, getattr(w, name))
    sizes = [f'    "{name}": {name}.size,' for name in names] + _others(counts, t)
    lines += ["", "learned = {", *sizes, "}", "total = sum(learned.values())"]
    return "\n".join([*lines, "", *_prints("learned", "total")])


def counting_package(scene: Scene, counts: tuple[Counted, ...], t: Words) -> str:
    """Write the same through the package."""
    start = code_package.program(scene, "output", t).split("\ntrace = ")[0].splitlines()
    names = [n for n in ("w_q", "w_k", "w_v", "w_o") if getattr(scene.projections, n) is not None]
    sizes = [f'    "{name}": projections.{name}.size,' for name in names] + _others(counts, t)
    lines = [*start, "learned = {", *sizes, "}", "total = sum(learned.values())"]
    return "\n".join([*lines, "", *_prints("learned", "total")])


def _others(counts: tuple[Counted, ...], t: Words) -> Block:
    """List what is learned beside the four matrices, by its shape."""
    return [
        f'    "{each.name}": {" * ".join(map(str, each.shape))},  # {t("code.learned_shape")}'
        for each in counts
        if each.learned and each.name not in ("w_q", "w_k", "w_v", "w_o")
    ]


# --- The ladder ---


def ladder_numpy(scene: Scene, rung: str, t: Words) -> str:
    """Write numpy lines of one rung: the weights, and the average that they make."""
    if rung == "projected":
        return one_head(scene, "see", t)
    page = _page(bare(scene), t)
    parts, lines = _RUNGS[rung](page)
    return joined_program(page, parts, lines, ["print(weights)", "print(output)"])


def ladder_package(scene: Scene, rung: str, t: Words) -> str:
    """Write the same through the package."""
    if rung in ("scores", "projected"):
        return code_package.program(scene if rung == "projected" else bare(scene), "see", t)
    n, remarks = len(scene.tokens), [repr(shortened(token)) for token in scene.tokens]
    inputs = literal("inputs = ", bare(scene).inputs, remarks=remarks)
    law = 'attnviz.NORMALIZERS["softmax"]'
    halving = constant(float(1 / np.log(2.0)))
    zeros = f"scores = [[0] * {n} for i in range({n})]"
    made = {
        "mean": [zeros, f"weights = {law}(scores)"],
        "running": [zeros, f'weights = {law}(scores, attnviz.MASKS["causal"]({n}, {n}))'],
        "fixed": [
            f"scores = [[-abs(i - j) for j in range({n})] for i in range({n})]",
            f"weights = {law}(scores, temperature={halving})  # {t('code.halves')}",
        ],
    }[rung]
    lines = ["import attnviz", "", f"# {t('code.inputs')}", *inputs, "", *made]
    return "\n".join([*lines, "output = weights @ inputs", "", *_prints("weights", "output")])


def bare(scene: Scene) -> Scene:
    """Give the scene without matrices: queries, keys and values are the inputs themselves."""
    own = scene.choices
    kept = {f"normalizer.{name}": value for name, value in own.arguments("normalizer").items()}
    d_model = scene.inputs.shape[1]
    identity = np.eye(d_model)[None]
    return replace(
        scene,
        inputs=scene.trace.encoded_inputs,
        positions="none",
        projections=Projections(identity, identity, identity),
        choices=replace(own, score="dot", parameters=kept),
        head=0,
    )


def _mean(page: Page) -> tuple[list[Part], Block]:
    n = page.trace.n_query
    return [], [
        page.beside(f"weights = np.full(({n}, {n}), 1 / {n})", "same_share"),
        _average(page),
    ]


def _running(page: Page) -> tuple[list[Part], Block]:
    n = page.trace.n_query
    lines = [
        page.beside(f"triangle = np.tril(np.ones(({n}, {n})))", "triangle"),
        "weights = triangle / triangle.sum(axis=1, keepdims=True)",
        _average(page),
    ]
    return [], lines


def _fixed(page: Page) -> tuple[list[Part], Block]:
    lines = [
        f"place = np.arange({page.trace.n_query})",
        page.beside("shares = 0.5 ** np.abs(place[:, None] - place)", "halves"),
        "weights = shares / shares.sum(axis=1, keepdims=True)",
        _average(page),
    ]
    return [], lines


def _scores(page: Page) -> tuple[list[Part], Block]:
    start = [page.beside("query = key = value = inputs", "no_matrices")]
    stages = (*_TO_MASKED[2:], code_normalizers.weights, code_scores.output)
    parts = [stage(page) for stage in stages]
    return parts, [*start, *(line for part in parts for line in part.lines)]


def _average(page: Page) -> str:
    return page.beside("output = weights @ inputs", "output")


_RUNGS: dict[str, Callable[[Page], tuple[list[Part], Block]]] = {
    "mean": _mean,
    "running": _running,
    "fixed": _fixed,
    "scores": _scores,
}


def _page(scene: Scene, t: Words) -> Page:
    return Page(scene, t, every_head=False, traces=(scene.trace,))


def _spelled(value: object) -> str:
    return constant(value) if isinstance(value, float) else repr(value)


def _prints(*names: str) -> Block:
    return [*(f"print({name})" for name in names), ""]
