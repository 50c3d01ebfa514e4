"""The code of one token under every normalizer, and under every score function."""

from dataclasses import replace

import numpy as np

from attnviz.attention.choices import HeadChoices
from attnviz.attention.normalizers import NORMALIZER_PARAMETERS, NORMALIZERS
from attnviz.figures import code_normalizers, code_positions, code_scores
from attnviz.figures.code import package_code
from attnviz.figures.code_literals import constant
from attnviz.figures.code_numpy import joined_program
from attnviz.figures.code_page import Block, Page
from attnviz.lessons.normalized import NAIVE, over_sum
from attnviz.lessons.scored import WAYS, choices_of
from attnviz.scene import WITH_LIMIT, Scene
from attnviz.settings import Settings
from attnviz.text import Words

_CAREFUL = "hardmax"  # under it the last bit counts, so that what ties there ties in the code


def normalizers_numpy(scene: Scene, settings: Settings, t: Words) -> str:
    """Write numpy lines: by_name holds weights and output of the token in hand."""
    page = _page(_normalized_by(scene, settings, _CAREFUL), t)
    parts = [
        code_positions.encoded_inputs(page),
        *(stage(page) for stage in (code_scores.query, code_scores.key, code_scores.scores)),
        *(stage(page) for stage in (code_scores.scaled_scores, code_scores.masked_scores)),
        code_scores.value(page),
    ]
    lines = [line for part in parts for line in part.lines]
    lines += ["", f"# {t('normalizers.code_row')}", "by_name = {}"]
    for name in _named(settings):
        own = _page(_normalized_by(scene, settings, name), t)
        lines += [*code_normalizers.weights(own).lines, *_output(own)]
        lines += [f'by_name["{name}"] = weights[{scene.query}], output[{scene.query}]']
    z = f"{code_scores.masked_name(page)}[{scene.query}]"
    if not np.isnan(_naive(scene)).any():
        seen = f"seen = np.where(np.isfinite({z}), {z}, 0)"
        lines += [f"# {t('normalizers.code_naive')}", seen, *_naive_lines(page)]
    parts.append(code_scores.output(page))
    return joined_program(page, parts, lines, _shown())


def normalizers_package(scene: Scene, settings: Settings, t: Words) -> str:
    """Write the same through the package, which is all that is imported."""
    i, lines = scene.query, _without_print(package_code(scene, "masked_scores", t))
    values = "head.value"
    if scene.trace.relative_value is not None:
        values = f"(head.value + head.relative_value[{i}])"
    lines += ["", f"# {t('normalizers.code_row')}", "by_name = {}"]
    for name in _named(settings):
        own = {"temperature": settings.temperature} | _arguments(name, settings)
        given = ", ".join(f"{key}={_spelled(value)}" for key, value in own.items())
        call = f'attnviz.NORMALIZERS["{name}"](masked_scores, {given})[{i}]'
        lines += [f"weights = {call}", f'by_name["{name}"] = weights, weights @ {values}']
    if not np.isnan(_naive(scene)).any():
        lines += [
            f"# {t('normalizers.code_naive')}",
            f"seen = [z if z > -float('inf') else 0 for z in masked_scores[{i}]]",
            "weights = [z / sum(seen) for z in seen]",
            f'by_name["{NAIVE}"] = weights, weights @ {values}',
        ]
    return "\n".join([*lines, "", *_shown(), ""])


def scorings_numpy(scene: Scene, t: Words) -> str:
    """Write numpy lines: by_name holds scores and weights of the token in hand."""
    pages = {name: _page(_scored_by(scene, name), t) for name in WAYS}
    first = next((page for page in pages.values() if page.careful), pages["dot"])
    shared = [
        code_positions.encoded_inputs(first),
        code_scores.query(first),
        code_scores.key(first),
    ]
    lines = [line for part in shared for line in part.lines]
    lines += ["", f"# {t('scorings.code_row')}", "by_name = {}"]
    parts, i = shared, scene.query
    for name, page in pages.items():
        stages = (code_scores.scores, code_scores.scaled_scores, code_scores.masked_scores)
        own = [*(stage(page) for stage in stages), code_normalizers.weights(page)]
        parts = [*parts, *own]
        scores = code_scores.scaled_name(page)
        lines += ["", f"# {t(f'scorings.{name}')}", *(line for part in own for line in part.lines)]
        lines += [f'by_name["{name}"] = {scores}[{i}], weights[{i}]']
    return joined_program(first, parts, lines, _shown())


def scorings_package(scene: Scene, t: Words) -> str:
    """Write the same through the package, which is all that is imported."""
    lines: Block = []
    for name in WAYS:
        own = _without_print(package_code(_scored_by(scene, name), "scaled_scores", t))
        lines += own if not lines else ["", *_again(own)]
        row = f"scaled_scores[{scene.query}], head.weights[{scene.query}]"
        lines += ["by_name = {}"] if name == WAYS[0] else []
        lines += [f'by_name["{name}"] = {row}  # {t(f"scorings.{name}")}']
    return "\n".join([*lines, "", *_shown(), ""])


def _again(lines: Block) -> Block:
    """Take the lines of a trace that are its own: its choices, and what is read from it."""
    starts = [place for place, line in enumerate(lines) if line.startswith("choices = ")]
    ends = [place for place, line in enumerate(lines) if line == ")"]
    chosen = lines[starts[0] : min(end for end in ends if end > starts[0]) + 1] if starts else []
    call = next(place for place, line in enumerate(lines) if line.startswith("trace = "))
    return [*chosen, *lines[call:]]


def _without_print(code: str) -> Block:
    kept = [line for line in code.splitlines() if not line.startswith("print(")]
    return "\n".join(kept).strip("\n").splitlines()


def _shown() -> Block:
    return ["for name, row in by_name.items():", "    print(name, *row)"]


def _page(scene: Scene, t: Words) -> Page:
    return Page(scene, t, every_head=False, traces=(scene.trace,))


def _named(settings: Settings) -> list[str]:
    return [name for name in NORMALIZERS if settings.temperature or name in WITH_LIMIT]


def _normalized_by(scene: Scene, settings: Settings, name: str) -> Scene:
    """Give the scene with another normalizer, which takes its parameters from the settings."""
    own = scene.choices
    kept = {key: v for key, v in own.parameters.items() if key.startswith(("score.", "position."))}
    chosen = {f"normalizer.{key}": value for key, value in _arguments(name, settings).items()}
    return _with(scene, replace(own, normalizer=name, parameters=kept | chosen))


def _scored_by(scene: Scene, name: str) -> Scene:
    return _with(scene, choices_of(name, scene.trace.head(scene.head), scene.seed))


def _with(scene: Scene, choices: HeadChoices) -> Scene:
    return replace(scene, choices=choices)


def _arguments(name: str, settings: Settings) -> dict[str, float | int | None]:
    named = NORMALIZER_PARAMETERS[name]
    return {key: getattr(settings, key) for key in named if key != "temperature"}


def _naive(scene: Scene) -> np.ndarray:
    return over_sum(scene.trace.head(scene.head).masked_scores[scene.query])


def _output(page: Page) -> Block:
    return code_scores.output(page).lines


def _naive_lines(page: Page) -> Block:
    """Weigh the values by score ÷ sum, in every row as the other lines do."""
    return [
        f"weights = np.tile(seen / seen.sum(), ({page.trace.n_query}, 1))",
        *_output(page),
        f'by_name["{NAIVE}"] = weights[{page.scene.query}], output[{page.scene.query}]',
    ]


def _spelled(value: float | int | None) -> str:
    return "None" if value is None else constant(value)
