"""The code of four experiments: a painted mask, √d, two temperatures, dropout.

Each continues the program that gives the person's own scores or weights.
"""

from dataclasses import replace

import numpy as np

from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.attention.trace import MultiHeadTrace
from attnviz.figures import code_normalizers, code_scores
from attnviz.figures.code import numpy_code, package_code
from attnviz.figures.code_literals import WIDTH, constant
from attnviz.figures.code_page import Page
from attnviz.figures.labels import shortened
from attnviz.figures.theme import Number
from attnviz.lessons.leaks import after_softmax, open_scores, zero_masked
from attnviz.lessons.scaling import N_KEYS, N_TRIALS, WIDTHS
from attnviz.lessons.temperatures import NextWord
from attnviz.scene import Scene
from attnviz.text import Words


def painter_numpy(scene: Scene, t: Words) -> str:
    """Write the mask applied in three ways, and what leaks."""
    traces = (scene.trace, _open(scene.trace), _zero(scene.trace))
    page = Page(scene, t, every_head=False, traces=traces)
    z, unmasked = code_scores.masked_name(page), code_scores.scaled_name(page)
    unmasked += " + bias" if scene.trace.bias is not None else ""
    lines = [] if scene.mask is not None else ["mask = np.ones(scores.shape, dtype=bool)"]
    lines += [
        "",
        "def normalize(z):",
        *(f"    {line}" for line in code_normalizers.weights(page, "z").lines),
        "    return weights",
        "",
        f"open_scores = {unmasked}",
        page.beside(f"masked = normalize({z})", "masked_way"),
        page.beside("zero = normalize(np.where(mask, open_scores, 0))", "zero_way"),
        page.beside("after = np.where(mask, normalize(open_scores), 0)", "after_way"),
        page.beside("leaked = np.where(mask, 0, zero).sum(axis=1)", "leaked"),
        *_repaired(scene, page),
    ]
    shown = ("masked", "zero", "after", "leaked", "repaired")
    return _continued(numpy_code(scene, "masked_scores", t), lines, shown)


def painter_package(scene: Scene, t: Words) -> str:
    """Write the same with the package."""
    lines = ["found = leaks(head)"]
    shown = [f"found.{name}" for name in ("masked", "zero", "after", "leaked", "repaired")]
    code = package_code(scene, "masked_scores", t)
    return _with(_continued(code, lines, shown), "from attnviz.lessons.leaks import leaks")


def scaling_numpy(seed: int, chosen: int, t: Words) -> str:
    """Write the draws, and what is measured at every width."""
    return "\n".join(
        [
            "import numpy as np",
            "",
            f"rng = np.random.default_rng({seed})",
            f"scores, known = np.zeros(({N_TRIALS}, {N_KEYS})), 0  # {t('code.draws')}",
            "measures = {}",
            f"for d in {list(WIDTHS)}:",
            f"    query = rng.standard_normal(({N_TRIALS}, d - known, 1), dtype=np.float32)",
            f"    key = rng.standard_normal(({N_TRIALS}, {N_KEYS}, d - known), dtype=np.float32)",
            f"    scores, known = scores + (key @ query)[..., 0], d  # {t('code.wider')}",
            '    for name, z in (("unscaled", scores), ("scaled", scores / np.sqrt(d))):',
            "        weights = np.exp(z - z.max(axis=1, keepdims=True))",
            "        weights /= weights.sum(axis=1, keepdims=True)",
            "        logs = np.log(np.where(weights > 0, weights, 1))",
            "        squares = (weights**2).sum(axis=1)",
            "        jacobian = squares - 2 * (weights**3).sum(axis=1) + squares**2",
            "        measures[d, name] = (",
            f"            z.std(),  # {t('scaling.spread')}",
            f"            weights.max(axis=1).mean(),  # {t('scaling.largest')}",
            "            np.exp(-(weights * logs).sum(axis=1)).mean(),"
            f"  # {t('scaling.effective')}",
            f"            np.sqrt(np.maximum(jacobian, 0)).mean(),  # {t('scaling.jacobian')}",
            "        )",
            "",
            f'print(measures[{chosen}, "unscaled"])',
            f'print(measures[{chosen}, "scaled"])',
            "",
        ]
    )


def scaling_package(seed: int, chosen: int, t: Words) -> str:
    """Write the same with the package."""
    place = WIDTHS.index(chosen)
    return "\n".join(
        [
            "from attnviz.lessons.scaling import study",
            "",
            f"found = study(seed={seed})",
            f"place = found.widths.index({chosen})  # {place}",
            "for measured in (found.unscaled, found.scaled):",
            "    print(measured.spread[place], measured.largest[place])",
            "    print(measured.effective[place], measured.jacobian[place])",
            "",
        ]
    )


def temperatures_numpy(scene: Scene, found: NextWord, sampling: Number, t: Words) -> str:
    """Write the weights at the attention's temperature, and a next word drawn at the other."""
    w = scene.projections
    words = "inputs @ w_v" + ("" if w.b_v is None else " + b_v")
    places = list(found.places)
    names = ", ".join(repr(shortened(scene.tokens[place])) for place in places[:8])
    law = (
        [
            "best = logits == logits.max()",
            "probabilities = best / best.sum()",
        ]
        if sampling == 0
        else [
            f"z = (logits - logits.max()) / {constant(sampling)}",
            "probabilities = np.exp(z) / np.exp(z).sum()",
        ]
    )
    lines = [
        "",
        f"# {t('code.next_word')}",
        f"words = ({words})[{places}]  # {names}",
        f"logits = words @ output[{scene.query}]",
        *law,
    ]
    return _continued(numpy_code(scene, "see", t), lines, ("weights", "probabilities"))


def temperatures_package(scene: Scene, sampling: Number, t: Words) -> str:
    """Write the same with the package."""
    lines = [
        "",
        f"# {t('code.next_word')}",
        *_tokens(scene),
        f"words = word_vectors(head.inputs, projections, {scene.head})",
        f"found = next_word(head.output[{scene.query}], tokens, words, {constant(sampling)})",
    ]
    code = package_code(scene, "see", t)
    used = "from attnviz.lessons.temperatures import next_word, word_vectors"
    return _with(_continued(code, lines, ("weights", "found.probabilities")), used)


def dropout_numpy(scene: Scene, share: Number, draw: int, n_draws: int, t: Words) -> str:
    """Write one draw of dropout, and the sums of the asking token's row in many."""
    lines = [
        "",
        f"share = {constant(share)}",
        f"rng = np.random.default_rng({draw})",
        f"kept = rng.random(({n_draws}, *weights.shape)) >= share  # {t('code.kept')}",
        "draws = np.where(kept, weights, 0) / (1 - share)",
        f"row_sums = draws[:, {scene.query}].sum(axis=1)",
    ]
    shown = ("draws[0]", "row_sums.mean()")
    return _continued(numpy_code(scene, "weights", t), lines, shown)


def dropout_package(scene: Scene, share: Number, draw: int, n_draws: int, t: Words) -> str:
    """Write the same with the package."""
    lines = [
        "",
        f"kept = kept_cells(weights.shape, {constant(share)}, {draw}, {n_draws})",
        f"draws = dropped(weights, kept, {constant(share)})",
        f"row_sums = draws[:, {scene.query}].sum(axis=1)",
    ]
    code = _continued(package_code(scene, "weights", t), lines, ("draws[0]", "row_sums.mean()"))
    return _with(code, "from attnviz.lessons.dropout import dropped, kept_cells")


def _open(trace: MultiHeadTrace) -> MultiHeadTrace:
    """Give the trace as if nobody were hidden, for how its law must be written."""
    return replace(trace, masked_scores=open_scores(trace), weights=after_softmax(trace))


def _zero(trace: MultiHeadTrace) -> MultiHeadTrace:
    allowed = np.isfinite(trace.masked_scores)
    scores = np.where(allowed, trace.masked_scores, 0.0)
    return replace(trace, masked_scores=scores, weights=zero_masked(trace))


def _repaired(scene: Scene, page: Page) -> list[str]:
    if scene.choices.normalizer not in DISTRIBUTIONS:
        return ["repaired = after"]
    return [
        "total = after.sum(axis=1, keepdims=True)",
        page.beside("repaired = after / np.where(total > 0, total, 1)", "repaired"),
    ]


def _continued(code: str, lines: list[str], shown: tuple[str, ...] | list[str]) -> str:
    """Go on where a program would print its own results."""
    body, _ = code.rstrip("\n").rsplit("\n\n", 1)
    return "\n".join([body, *lines, "", *(f"print({name})" for name in shown)]) + "\n"


def _with(code: str, line: str) -> str:
    return code.replace("import attnviz\n", f"import attnviz\n{line}\n", 1)


def _tokens(scene: Scene) -> list[str]:
    """List the tokens, one a line where they are many; none of them can end its line."""
    one_line = f"tokens = {list(scene.tokens)!a}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return ["tokens = [", *(f"    {token!a}," for token in scene.tokens), "]"]
