"""What may come next, as numpy lines from the logits and as package lines from the text."""

from collections.abc import Sequence

import numpy as np

from attnviz.figures.code_literals import constant, numpy_array
from attnviz.models.written import Step
from attnviz.text import Words

Edits = Sequence[tuple[str | int, ...]]


def next_with_numpy(step: Step, t: Words) -> str:
    """Write the probabilities from the largest logits and the logarithm of the whole sum."""
    names = ", ".join(repr(text) for text in step.texts)
    lines = [
        "import numpy as np",
        "",
        f"tokens = [{names}]",
        *numpy_array("logits", step.logits),
        f"log_sum = {constant(step.log_sum)}  # {t('code_predict.log_sum')}",
        "",
        "probabilities = np.exp(logits - log_sum)",
        f"rest = 1 - probabilities.sum()  # {t('code_predict.rest')}",
        "",
        "for token, probability in zip(tokens, probabilities):",
        '    print(f"{token!r:>12} {probability:.4f}")',
        "print(f\"{'…':>12} {rest:.4f}\")",
    ]
    return "\n".join(lines) + "\n"


def next_with_package(
    model: str,
    text: str,
    *,
    n_tokens: int,
    seed: int,
    step: int,
    head: tuple[int, int],
    t: Words,
    edits: Edits = (),
) -> str:
    """Write the lines that let the model write, and give a step and a row of it."""
    made = ", edits=edits" if edits else ""
    lines = [
        "from attnviz import load_model",
        "from attnviz.models.writing import write",
        "",
        f"model = load_model({model!r})",
        *_edits(edits),
        f"found = write(model, {text!r}, {n_tokens}, seed={seed}{made})",
        "",
        f"step = found.steps[{step}]",
        "probabilities, rest = step.probabilities, step.rest",
        f"row = found.row({step}, layer={head[0]}, head={head[1]})  # {t('code_predict.row')}",
        "",
        "print(dict(zip(step.texts, probabilities.round(4))), rest)",
        "print(row.round(4))",
    ]
    return "\n".join(lines) + "\n"


def repeat_with_numpy(expected: list[float], first: int, second: int, length: int, t: Words) -> str:
    """Write how both copies of a stretch are taken from the probabilities of all tokens."""
    lines = [
        "import numpy as np",
        "",
        f"# {t('code_predict.expected')}",
        *numpy_array("expected", np.array(expected)),
        f"first, second, length = {first}, {second}, {length}  # {t('code_predict.copies')}",
        "",
        "every = np.concatenate([[np.nan], expected])",
        "once, again = every[first : first + length], every[second : second + length]",
        "print(once[1:].mean(), again[1:].mean())",
    ]
    return "\n".join(lines) + "\n"


def repeat_with_package(
    model: str, text: str, head: tuple[int, int], t: Words, edits: Edits = ()
) -> str:
    """Write the lines that measure both copies, and how much a head does for the second one."""
    made = ", edits=edits" if edits else ""
    lines = [
        "from attnviz import load_model, metrics",
        "from attnviz.models.repeats import copies, foreknown",
        "from attnviz.models.writing import write",
        "",
        f"model = load_model({model!r})",
        f"text = {text!r}",
        *_edits(edits),
        f"capture, found = model.capture(text{made}), write(model, text{made})",
        "ids = [token.id for token in capture.tokens]",
        "known = foreknown(found.expected, copies(ids))",
        f"score = metrics.induction_score(capture.weights{head}, ids)  # {t('code_predict.score')}",
        "print(known.means, score)",
    ]
    return "\n".join(lines) + "\n"


def _edits(edits: Edits) -> list[str]:
    """Write what is changed in the model, nothing where nothing is."""
    if not edits:
        return []
    return ["edits = [", *(f"    {edit!r}," for edit in edits), "]"]
