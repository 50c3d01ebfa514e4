"""An edit as code: one row of a head in both runs in numpy, whole runs through the package."""

import textwrap
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from attnviz.figures.code_literals import WIDTH, numpy_array
from attnviz.models.editing.worth import Worth
from attnviz.models.results import Capture
from attnviz.text import Words


def numpy_edit(plain: Capture, edited: Capture, layer: int, head: int, row: int, t: Words) -> str:
    """Write how the weights of one query come about in both runs, and how many of them moved."""
    token = edited.query_tokens(layer)[row].label
    lines = ["import numpy as np", ""]
    lines.append(f"# {t('code.edit_row', layer=layer, head=head, token=_plain(token), i=row + 1)}")
    if not plain.layers[layer].has_scores:
        lines += _array("before", plain.weights(layer, head, rows=row))
        lines += _array("after", edited.weights(layer, head, rows=row))
    else:
        sinks = edited.layers[layer].sinks
        for name, run in (("before", plain), ("after", edited)):
            lines += _array(f"scores_{name}", run.masked_scores(layer, head, rows=row))
        lines += ["", "", "def softmax(scores, sink=-np.inf):"]
        lines += [
            "    top = max(scores.max(), sink)",
            "    parts = np.exp(scores - top)",
            "    return parts / (parts.sum() + np.exp(sink - top))",
            "",
            "",
        ]
        for name, run in (("before", plain), ("after", edited)):
            sinks = run.layers[layer].sinks
            sink = "" if sinks is None else f", {_number(sinks[head])}"
            lines.append(f"{name} = softmax(scores_{name}{sink})")
    if head in edited.layers[layer].silent:
        lines.append(f"# {t('code.edit_off')}")
    lines += ["print(before.round(4), after.round(4))"]
    lines += [f"print(np.abs(after - before).sum() / 2)  # {t('code.edit_moved')}"]
    return "\n".join(lines)


def package_edit(model: str, edited: Capture, layer: int, head: int, t: Words) -> str:
    """Write both runs and their comparison through the package."""
    texts = [repr(text) for text in edited.texts]
    if len(texts) < 1:
        texts = ["picture"]
    target = ""
    if edited.target_tokens:
        target = f", target={''.join(_target(edited))!r}"
    edits = ", ".join(repr(each.written) for each in edited.edits)
    lines = ["import attnviz", "from attnviz.models.editing.changes import changes", ""]
    lines += [f"model = attnviz.load_model({model!r})"]
    if texts == ["picture"]:
        lines += [f"picture = ...  # {t('code.edit_picture')}"]
    lines += [f"texts = ({', '.join(texts)},)"]
    one_line = f"edits = [{edits}]"
    if len(one_line) <= WIDTH:
        lines += [one_line]
    else:
        lines += ["edits = [", *(f"    {each.written!r}," for each in edited.edits), "]"]
    lines += [
        f"plain = model.capture(*texts{target})",
        f"edited = model.capture(*texts{target}, edits=edits)",
        "found = changes(plain, edited)",
        f"print(found.weights[{layer}][{head}], found.ranked()[:5])  # {t('code.edit_heads')}",
    ]
    if edited.hidden is not None or edited.vectors:
        lines.append(f"print(found.final.round(4))  # {t('code.edit_final')}")
    if edited.likelihoods is not None:
        lines.append(f"print(*found.foreseen, sep='\\n')  # {t('code.edit_next')}")
    return "\n".join(lines)


def numpy_worth(found: Worth, t: Words) -> str:
    """Write how the importance of each head comes about from the losses without it."""
    lines = ["import numpy as np", ""]
    if found.losses and found.loss is not None:
        lines.append(f"loss = {float(found.loss)!r}  # {t('code.worth_loss')}")
        table = [heads + found.loss for heads in found.losses]
    else:
        table = list(found.moved)
    lines.append(f"# {t('code.worth_losses' if found.losses else 'code.worth_moved')}")
    lines += _lists("without", table)
    taken = " - loss" if found.losses else ""
    lines.append(f"importance = [np.array(heads){taken} for heads in without]")
    lines.append("print(*(heads.round(4) for heads in importance), sep='\\n')")
    if found.slopes:
        lines.insert(1, "from scipy.stats import spearmanr")
        lines += ["", f"# {t('code.worth_slopes' if found.losses else 'code.worth_speeds')}"]
        lines += _lists("slopes", found.slopes)
        lines += [
            "gradient, changes = np.abs(sum(slopes, [])), np.abs(np.concatenate(importance))",
            f"agreement = spearmanr(gradient, changes).statistic  # {t('code.worth_agreement')}",
            "print(agreement)",
        ]
    return "\n".join(lines)


def package_worth(model: str, capture: Capture, t: Words) -> str:
    """Write the runs through the package."""
    texts = [repr(text) for text in capture.texts] or ["picture"]
    target = f", target={''.join(_target(capture))!r}" if capture.target_tokens else ""
    return "\n".join(
        [
            "import attnviz",
            "from attnviz.models.editing.ablating import worth",
            "",
            f"model = attnviz.load_model({model!r})",
            *([] if capture.texts else [f"picture = ...  # {t('code.edit_picture')}"]),
            f"found = worth(model, {', '.join(texts)}{target})",
            "print(found.ranked()[:6], found.loss)",
            "importance = found.importance",
            "agreement = found.agreement",
            "print(found.ranked('gradient')[:6], agreement)",
        ]
    )


def _lists(name: str, table: Sequence[np.ndarray]) -> list[str]:
    """Write a list of numbers for each layer, in full."""
    lines = [f"{name} = ["]
    for heads in table:
        wrapped = textwrap.wrap(repr(heads.tolist()), WIDTH)
        lines += [f"    {line}" for line in wrapped[:-1]] + [f"    {wrapped[-1]},"]
    return [*lines, "]"]


def _array(name: str, row: Float[np.ndarray, " key"]) -> list[str]:
    """Write a row; −∞ stands where a key may not be seen."""
    numbers = row.astype(np.float64)
    if np.isfinite(numbers).all():
        return numpy_array(name, numbers)
    return [line.replace("-inf", "-np.inf") for line in numpy_array(name, numbers)]


def _number(value: float | np.floating) -> str:
    return "-np.inf" if np.isneginf(value) else repr(float(value))


def _plain(token: str) -> str:
    """Write a token so that it cannot end the remark it stands in."""
    return "".join(sign if sign.isprintable() else "?" for sign in token)


def _target(capture: Capture) -> tuple[str, ...]:
    """Give the text that the decoder read; its pieces lie one after the other in it."""
    last = max((token.end or 0 for token in capture.target_tokens), default=0)
    signs = [" "] * last
    for token in capture.target_tokens:
        if token.start is not None and token.end is not None:
            signs[token.start : token.end] = token.text.ljust(token.end - token.start)[
                : token.end - token.start
            ]
    return tuple(signs)
