"""The code of speech and of sequence labelling."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from attnviz.figures.code_compare import NUMPY, SOFTMAX, program
from attnviz.figures.code_literals import constant, numpy_array
from attnviz.figures.labels import shortened
from attnviz.lessons.tagged import follows
from attnviz.text import Words


def speech_numpy(n: int, radius: int, t: Words) -> str:
    """Write how scores are counted, and a row of them at a time computed."""
    return program(
        [NUMPY, ""],
        [
            f"n, radius = {n}, {radius}  # {t('speech.frames')}",
            "i = np.arange(n)",
            "first, last = np.maximum(0, i - radius), np.minimum(n, i + radius + 1)",
            "full, kept = n * n, int((last - first).sum())",
            "",
            f"print(full, kept, 100 * kept / full)  # {t('code.percent')}",
            f"print(full * 4 / 1e6, kept * 4 / 1e6)  # {t('code.megabytes')}",
        ],
    )


def speech_package(n: int, radius: int, t: Words) -> str:
    """Write the same with the package."""
    return program(
        ["from attnviz.comparisons.speech import full_scores, overview, truncated_scores", ""],
        [
            f"full, kept = full_scores({n}), truncated_scores({n}, {radius})",
            f"shares = overview({n}, {radius})  # {t('code.blocks')}",
            "",
            f"print(full, kept, 100 * kept / full)  # {t('code.percent')}",
        ],
    )


def words_numpy(tokens: Sequence[str], possible: Float[np.ndarray, "n label"], t: Words) -> str:
    """Write what each word can be, and what the word before it settles."""
    remarks = [repr(shortened(token)) for token in tokens]
    return program(
        [NUMPY, ""],
        [
            *numpy_array("possible", possible, remarks),
            *numpy_array("follows", follows()),
            "",
            f"previous = np.vstack([np.zeros((1, possible.shape[1])), possible[:-1]])"
            f"  # {t('code.previous_head')}",
            f"numbers = 4 * possible + previous @ follows  # {t('code.both_heads')}",
            "labels = numbers.argmax(axis=1)",
            "",
            "print(labels)",
        ],
    )


def words_package(tokens: Sequence[str], possible: Float[np.ndarray, "n label"], t: Words) -> str:
    """Write the same as an attention layer."""
    remarks = [repr(shortened(token)) for token in tokens]
    return program(
        [
            NUMPY,
            "",
            "from attnviz.comparisons.labelling import label_words",
            "from attnviz.lessons.tagged import follows",
            "",
        ],
        [
            *numpy_array("possible", possible, remarks),
            "found = label_words(possible, follows())",
            "labels, numbers = found.labels, found.context",
            "",
            f"print(found.labels_alone, labels)  # {t('code.alone_context')}",
        ],
    )


def frames_numpy(noise: float, seed: int, lengths: tuple[int, ...], n_labels: int, t: Words) -> str:
    """Write noisy frames, and what those around each say."""
    return program(
        [NUMPY, ""],
        [
            f"sounds = np.repeat(range({n_labels}), {list(lengths)})",
            f"drawn = np.random.default_rng({seed}).normal(size=(len(sounds), {n_labels}))",
            f"frames = np.eye({n_labels})[sounds] + {constant(noise)} * drawn",
            "",
            *SOFTMAX,
            "",
            "i = np.arange(len(frames))",
            "scores = frames @ frames.T - 0.05 * (i[:, None] - i) ** 2",
            "numbers = softmax(scores) @ frames",
            "labels = numbers.argmax(axis=1)",
            "",
            "print((frames.argmax(axis=1) == sounds).sum(), (labels == sounds).sum())"
            f"  # {t('code.alone_context')}",
        ],
    )


def frames_package(
    noise: float, seed: int, lengths: tuple[int, ...], n_labels: int, t: Words
) -> str:
    """Write the same with the package."""
    order = tuple(range(n_labels))
    return program(
        ["from attnviz.comparisons.labelling import label_frames, spoken", ""],
        [
            f"made = spoken({order}, {lengths}, {n_labels}, {constant(noise)}, seed={seed})",
            "found = label_frames(made.frames)",
            "labels, numbers = found.labels, found.context",
            "",
            "print((found.labels_alone == made.sounds).sum(), (labels == made.sounds).sum())"
            f"  # {t('code.alone_context')}",
        ],
    )
