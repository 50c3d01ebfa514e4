"""The code of each question about a model: through the package, and with transformers alone."""

from collections.abc import Callable
from typing import cast

import numpy as np

from attnviz.errors import InputError
from attnviz.figures import code_models
from attnviz.figures.code_models import Shown
from attnviz.models.explained import Explained
from attnviz.models.listed import Similar
from attnviz.models.results import Capture
from attnviz.models.views import Unit
from attnviz.ui import cached_models, session, tools
from attnviz.ui.rooms.models import asked

_NAMES = ("transformers", "attnviz")


def shown(capture: Capture) -> Shown | None:
    """Put together what is looked at, None where nothing is left to show."""
    settings, heads = session.settings(), asked.heads(capture)
    unit = cast(Unit, settings.unit)
    try:
        view = cached_models.view(asked.asked(), *heads[0], unit, settings.part, settings.specials)
    except InputError:
        return None
    hidden = () if view.row_edges is not None else settings.hidden
    return Shown(
        model=asked.model(),
        capture=capture,
        heads=tuple(heads),
        rows=view.query_places,
        columns=view.key_places,
        target=settings.passage_target,
        picture=asked.picture(),
        mixing=settings.mixing,
        unit=unit,
        part=settings.part,
        specials=settings.specials,
        hidden=tuple(place for place in hidden if place in view.key_places),
    )


def of_map(panel: str, capture: Capture, weights: np.ndarray, row: int) -> None:
    """Offer the code of the weights that are shown."""
    t, what = session.t(), shown(capture)
    if what is None:
        return
    if not what.alone:
        tools.lines(
            panel,
            lambda: code_models.numpy_map(weights, row, t),
            lambda: code_models.package_map(what, t),
        )
        return
    tools.lines(
        panel,
        lambda: code_models.transformers_map(what, t),
        lambda: code_models.package_map(what, t),
        names=_NAMES,
    )


def of_heads(capture: Capture) -> None:
    """Offer the code of the largest weight of each head."""
    t, what = session.t(), shown(capture)
    if what is not None:
        _offer(
            "all_heads",
            what,
            lambda: code_models.transformers_largest(what, t),
            lambda: code_models.package_largest(what, t),
        )


def of_hidden(capture: Capture) -> None:
    """Offer the code of the weight on the keys that are left out."""
    t, what = session.t(), shown(capture)
    if what is not None and what.hidden:
        _offer(
            "hidden",
            what,
            lambda: code_models.transformers_hidden(what, t),
            lambda: code_models.package_hidden(what, t),
        )


def of_table(capture: Capture) -> None:
    """Offer the code of one number of every head: the one that the table is sorted by."""
    t, what = session.t(), shown(capture)
    sorting = session.settings().sorting.removesuffix("_up")
    if what is not None:
        _offer(
            "head_table",
            what,
            lambda: code_models.transformers_previous(what, t),
            lambda: code_models.package_measure(what, sorting or "previous_share", t),
        )


def of_similar(capture: Capture, layer: int, found: Similar) -> None:
    """Offer the code of how far apart the heads are."""
    t, what = session.t(), shown(capture)
    if what is not None:
        _offer(
            "similar",
            what,
            lambda: code_models.transformers_similar(what, found.heads, found.step, t),
            lambda: code_models.package_similar(what, layer, t),
        )


def of_reading(capture: Capture, kind: str, row: int | None, *, shares: bool) -> None:
    """Offer the code of a reading."""
    t, what = session.t(), shown(capture)
    if what is not None:
        _offer(
            "readings",
            what,
            lambda: code_models.transformers_rollout(what, t),
            lambda: code_models.package_reading(what, kind, row, t, shares=shares),
        )


def _offer(panel: str, what: Shown, alone: Callable[[], str], package: Callable[[], str]) -> None:
    """Offer both forms; where transformers alone has other numbers, the package's."""
    first, second = _NAMES
    tools.forms(panel, {first: alone, second: package} if what.alone else {second: package})


def of_why(capture: Capture, found: Explained, query: int, key: int) -> None:
    """Offer the code of one weight, from its two vectors on."""
    t, what = session.t(), shown(capture)
    layer, head = asked.heads(capture)[0]
    scores = capture.masked_scores(layer, head, rows=query)
    if what is not None:
        tools.lines(
            "why",
            lambda: code_models.numpy_why(found, scores, key, t),
            lambda: code_models.package_why(what, query, key, t),
        )
