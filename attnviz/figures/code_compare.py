"""The code of the panels that compare attention with windows, convolutions and pictures."""

import numpy as np
from jaxtyping import Float

from attnviz.comparisons import window
from attnviz.comparisons.convolution import CHANNELS, GRID, OUT
from attnviz.comparisons.learned_field import Learned
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.figures.theme import Number
from attnviz.text import Words

NUMPY = "import numpy as np"
SOFTMAX = [
    "def softmax(z):",
    "    e = np.exp(z - z.max(axis=-1, keepdims=True))",
    "    return e / e.sum(axis=-1, keepdims=True)",
]


def convolution_numpy(seed: int, sharpness: Number, ring: int, t: Words) -> str:
    """Write a convolution, and nine heads that look at the cells of its kernel."""
    rows, columns = GRID
    return program(
        [NUMPY, ""],
        [
            f"rng = np.random.default_rng({seed})",
            f"picture = rng.normal(size=({rows}, {columns}, {CHANNELS}))",
            f"kernel = rng.normal(size=({OUT}, {CHANNELS}, 3, 3))  # {t('code.kernel')}",
            f"beta, ring = {constant(sharpness)}, {ring}",
            "",
            *SOFTMAX,
            "",
            f"around = np.pad(picture, ((1, 1), (1, 1), (0, 0)))  # {t('code.zeros_around')}",
            "exact = sum(",
            f"    around[r : r + {rows}, c : c + {columns}] @ kernel[:, :, r, c].T",
            "    for r in range(3) for c in range(3)",
            ")",
            "",
            "padded = np.pad(picture, ((ring, ring), (ring, ring), (0, 0)))",
            "tall, wide = padded.shape[:2]",
            'grid = np.meshgrid(np.arange(tall), np.arange(wide), indexing="ij")',
            "place = np.stack(grid, axis=-1).reshape(-1, 2)",
            f"value = padded.reshape(-1, {CHANNELS})",
            f"output = np.zeros((len(value), {OUT}))",
            f"for r in range(3):  # {t('code.head_each')}",
            "    for c in range(3):",
            "        away = place[None] - place[:, None] - np.array([r - 1, c - 1])",
            "        weights = softmax(-beta * (away**2).sum(axis=-1))",
            "        output += weights @ value @ kernel[:, :, r, c].T",
            f"found = output.reshape(tall, wide, {OUT})[ring : tall - ring, ring : wide - ring]",
            "",
            "error = np.abs(found - exact).max(axis=-1)",
            f"print(error[1:-1, 1:-1].max())  # {t('convolution.inside')}",
            f"print(error.max())  # {t('code.everywhere')}",
        ],
    )


def convolution_package(seed: int, sharpness: Number, ring: int, t: Words) -> str:
    """Write the same with the package."""
    return program(
        ["from attnviz.comparisons.convolution import drawn_picture, likeness", ""],
        [
            f"picture, kernel = drawn_picture({seed})",
            f"same = likeness(picture, kernel, sharpness={constant(sharpness)}, ring={ring})",
            "exact, found, error = same.exact, same.found, same.error",
            "",
            f"print(same.interior_error())  # {t('convolution.inside')}",
            f"print(same.border_error())  # {t('convolution.border')}",
        ],
    )


def window_numpy(n: int, radius: int, place: int, seed: int, t: Words) -> str:
    """Write a window of neighbours, and which inputs move one output."""
    d_in, d_out = window.D_IN, window.D_OUT
    return program(
        [NUMPY, ""],
        [
            f"n, radius, place = {n}, {radius}, {place}",
            f"frames = np.random.default_rng({seed}).normal(size=(n, {d_in}))",
            f"w = np.random.default_rng({seed}).normal(size=(2 * radius + 1, {d_in}, {d_out}))",
            f"w /= np.sqrt((2 * radius + 1) * {d_in})  # {t('code.place_matrix')}",
            "",
            "def through_window(frames):",
            "    around = np.pad(frames, ((radius, radius), (0, 0)))",
            "    return sum(around[at : at + n] @ w[at] for at in range(2 * radius + 1))",
            "",
            "before, moved = through_window(frames)[place], np.zeros(n)",
            "for at in range(n):",
            "    nudged = frames.copy()",
            "    nudged[at] += 0.5",
            "    moved[at] = np.linalg.norm(through_window(nudged)[place] - before)",
            "",
            f"print(moved.round(3))  # {t('code.reach')}",
            "print(w.size)",
        ],
    )


def window_package(n: int, radius: int, place: int, seed: int, t: Words) -> str:
    """Write the same with the package, and for a head of attention."""
    return program(
        ["from attnviz.comparisons.window import Nudged", ""],
        [
            f"found = Nudged.of({n}, {radius}, place={place}, seed={seed})",
            "moved = found.window",
            "",
            f"print(moved.round(3))  # {t('code.reach')}",
            f"print(found.attention.round(3))  # {t('window_fc.attention')}",
        ],
    )


def receptive_numpy(
    grid: tuple[int, int],
    pixel: int,
    kernel: int,
    layers: int,
    laying: str,
    learned: Learned,
    t: Words,
) -> str:
    """Write the field of a pixel by layers of convolution, and by what a head has learned."""
    row, column = divmod(pixel, grid[1])
    radius = (
        "(kernel**layers - 1) // 2  # " + t("code.gaps")
        if laying == "dilated"
        else "layers * (kernel // 2)"
    )
    return program(
        [NUMPY, ""],
        [
            f"rows, columns, row, column = {grid[0]}, {grid[1]}, {row}, {column}",
            f"kernel, layers = {kernel}, {layers}",
            f"radius = {radius}",
            'r, c = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")',
            "field = (np.abs(r - row) <= radius) & (np.abs(c - column) <= radius)",
            "",
            f"# {t('code.learned', steps=learned.steps)}",
            *numpy_array("centre", learned.centre),
            *numpy_array("m", learned.m),
            "away = np.stack([r - row, c - column], axis=-1) - centre",
            'scores = -0.5 * np.einsum("rca,ab,rcb->rc", away, m, away)',
            "weights = np.exp(scores - scores.max())",
            "weights /= weights.sum()",
            "",
            "print(field.sum(), weights.round(3))",
        ],
    )


def receptive_package(
    grid: tuple[int, int],
    pixel: int,
    kernel: int,
    layers: int,
    laying: str,
    shape: str,
    learned: Learned,
    t: Words,
) -> str:
    """Write the same with the package, and the training itself."""
    place = divmod(pixel, grid[1])
    return program(
        [
            "from attnviz.comparisons.fields import SHAPES, field, field_by, field_radius",
            "from attnviz.comparisons.learned_field import learn",
            "",
        ],
        [
            f"radius = field_radius({kernel}, {layers}, {laying!r})",
            f"field = field({grid}, {place}, radius)",
            f"steps = learn({grid}, SHAPES[{shape!r}])",
            f"learned = next(step for step in steps if step.steps == {learned.steps})",
            f"head = field_by({grid}, learned.centre, learned.m)",
            f"weights = head.weights[{pixel}].reshape{grid}",
            "",
            f"print(field.sum(), weights.round(3))  # {t('receptive.attention')}",
        ],
    )


def picture_numpy(
    picture: Float[np.ndarray, "row column 3"],
    strength: Number,
    likeness: str,
    pixel: int,
    t: Words,
) -> str:
    """Write the pixels as vectors, their scores, and what one of them reads."""
    rows, columns = picture.shape[:2]
    lines = ["scores = np.zeros((n, n))"]
    if likeness != "place":
        lines += [
            f"centred = colours - colours.mean(axis=0)  # {t('code.mean_colour')}",
            f"scores += {constant(strength)} * centred @ centred.T",
        ]
    if likeness != "colour":
        lines += [
            f"r, c = np.divmod(np.arange(n), {columns})",
            "squared = (r[:, None] - r) ** 2 + (c[:, None] - c) ** 2",
            f"scores -= 0.1 * squared  # {t('code.nearness')}",
        ]
    return program(
        [NUMPY, ""],
        [
            *numpy_array("colours", picture.reshape(-1, 3)),
            f"n = len(colours)  # {rows} × {columns}",
            "",
            *SOFTMAX,
            "",
            *lines,
            "weights = softmax(scores)",
            "output = weights @ colours",
            "",
            f"print(weights[{pixel}].reshape({rows}, {columns}).round(3))",
            f"print(output[{pixel}])",
        ],
    )


def picture_package(
    picture: Float[np.ndarray, "row column 3"],
    strength: Number,
    likeness: str,
    pixel: int,
    t: Words,
) -> str:
    """Write the same with the package."""
    rows, columns = picture.shape[:2]
    return program(
        [NUMPY, "", "from attnviz.comparisons.pictures import look", ""],
        [
            *numpy_array("colours", picture.reshape(-1, 3)),
            f"picture = colours.reshape({rows}, {columns}, 3)",
            f"head = look(picture, {constant(strength)}, {likeness!r})",
            "weights, output = head.weights, head.output",
            "",
            f"print(weights[{pixel}].reshape({rows}, {columns}).round(3))",
            f"print(output[{pixel}])  # {t('picture.read')}",
        ],
    )


def program(head: list[str], body: list[str]) -> str:
    """Write lines as a program."""
    return "\n".join([*head, *body, ""])
