"""What an edit changed, in one sentence made of its numbers."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from attnviz.models.editing.changes import Changes
from attnviz.models.editing.worth import DIRECTIONS, MOST_SLOPED, Worth
from attnviz.models.results import Capture
from attnviz.models.tokens import visible
from attnviz.text import Words
from attnviz.text.numbers import decimals, number

_MOST_NAMED = 3


def share(value: float | np.floating) -> str:
    """Write a share in hundredths, with a decimal where it is small."""
    percent = float(value) * 100
    return f"{decimals(percent, 1 if 0 < abs(percent) < 10 else 0)} %"


def signed(value: float, digits: int) -> str:
    """Write a difference with its sign, also where it is above 0."""
    return ("+" if value > 0 else "") + decimals(value, digits)


def edits_said(
    found: Changes,
    edited: Capture,
    names: Sequence[str],
    head_name: Callable[[tuple[int, int]], str],
    t: Words,
) -> str:
    """Say what was done, and how far it moved the last vectors, the heads and the prediction."""
    done = t("edit.list").join(names[:_MOST_NAMED])
    if len(names) > _MOST_NAMED:
        done = t("edit.and_more", names=done, n=len(names) - _MOST_NAMED)
    ranked = found.ranked()
    still = found.final is None or not np.any(found.final > 0)
    if not ranked and still and not found.moved:
        return t("edit.said_nothing", done=done)
    said = [t("edit.said_done", done=done)]
    if found.foreseen:
        first = max(found.foreseen, key=lambda each: each.before)
        said.append(
            t(
                "edit.said_next",
                token=visible(first.text),
                before=decimals(first.before, 2),
                after=decimals(first.after, 2),
            )
        )
        after = max(found.foreseen, key=lambda each: each.after)
        if after.id != first.id:
            said.append(
                t("edit.said_instead", token=visible(after.text), after=decimals(after.after, 2))
            )
    if found.final is not None:
        tokens = edited.target_tokens or edited.tokens
        most = int(found.final.argmax())
        said.append(
            t(
                "edit.said_vector",
                token=tokens[most].label,
                i=most + 1,
                share=share(found.final[most]),
                mean=share(float(found.final.mean())),
            )
        )
    if ranked:
        layer, head = ranked[0]
        moved = share(found.weights[layer][head])
        said.append(t("edit.said_head", head=head_name(ranked[0]), moved=moved))
    return reduce(lambda before, more: t("edit.then", before=before, more=more), said)


def spread_said(found: Changes, names: Sequence[str], t: Words) -> str:
    """Say where the change begins and how it goes on from layer to layer."""
    if found.vectors is None or not found.vectors.any():
        first = t("edit.said_first", layer=found.first) if found.first is not None else ""
        return first or t("edit.said_nothing", done=t("edit.list").join(names))
    means = found.vectors.mean(axis=1)
    moved = np.flatnonzero(means > 0)
    return t(
        "edit.said_spread",
        layer=int(moved[0]),
        first=share(means[moved[0]]),
        last=share(means[-1]),
        n_layers=len(means),
    )


def worth_said(found: Worth, names: Sequence[Sequence[str]], t: Words) -> str:
    """Say without which head the model does worst, or its last vectors move most."""
    ranked = found.ranked()
    (layer, head), (last_layer, last_head) = ranked[0], ranked[-1]
    if not found.losses or found.loss is None:
        return t(
            "each_off.said_moved",
            head=names[layer][head],
            moved=share(float(found.moved[layer][head])),
            least=names[last_layer][last_head],
            least_moved=share(float(found.moved[last_layer][last_head])),
        )
    grown = float(found.losses[layer][head])
    return t(
        "each_off.said_loss",
        head=names[layer][head],
        before=decimals(found.loss, 2),
        after=decimals(found.loss + grown, 2),
        better=sum(int((heads < 0).sum()) for heads in found.losses),
        n=sum(len(heads) for heads in found.losses),
    )


def order_said(found: Worth, names: Sequence[Sequence[str]], t: Words) -> str:
    """Say which heads come first."""
    first = [names[layer][head] for layer, head in found.ranked()[:_MOST_NAMED]]
    key = "each_off.order_loss" if found.losses else "each_off.order_moved"
    return t(key, heads=t("edit.list").join(first))


def agreement_said(found: Worth, names: Sequence[Sequence[str]], t: Words) -> str:
    """Say which head the gradient puts first, and how far its order is the one of switching off."""
    if not found.slopes:
        return t("each_off.no_slopes", most=number(MOST_SLOPED, 0))
    layer, head = found.ranked("gradient")[0]
    slope = float(found.gradient[layer][head])
    of, size = ("loss", decimals(slope, 2)) if found.losses else ("moved", share(slope))
    said = t(f"each_off.first.{of}", head=names[layer][head], slope=size)
    if found.agreement is None:
        return t("edit.then", before=said, more=t("each_off.no_agreement"))
    n = sum(map(len, found.slopes))
    said = t(
        "edit.then",
        before=said,
        more=t("each_off.agreement", rho=decimals(found.agreement, 2), n=n),
    )
    if found.foreseen is None:
        return said
    way = t("each_off.right_way", right=found.foreseen, n=n)
    return t("edit.then", before=said, more=way)


def claim_said(found: Worth, t: Words) -> str:
    """Say what the gradient may and may not claim."""
    if found.losses:
        return t("each_off.claim.loss")
    return t("each_off.claim.moved", n=DIRECTIONS, error=share((2 * DIRECTIONS) ** -0.5))
