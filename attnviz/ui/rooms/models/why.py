"""Why a weight: from the products of two vectors to what the key adds to the output."""

import math
from dataclasses import dataclass

import streamlit as st

from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures.labels import subscript
from attnviz.models.explained import MOST_PRODUCTS, Explained, explained
from attnviz.models.results import Capture
from attnviz.models.views import View, numbered
from attnviz.settings import Settings
from attnviz.text import Words
from attnviz.text.numbers import bracketed, number, significant
from attnviz.ui import cached_models, matrices, session, tools
from attnviz.ui.rooms.models import asked, checked, coded, folds, in_hand, one_head

_NEAR = 1e-4  # how far a weight may be from the model's own before its scores are hidden


@dataclass(frozen=True)
class _Pair:
    """Who asks and who is asked: places of the view, and of the model's tokens."""

    row: int
    column: int
    query: int
    key: int


def panel() -> None:
    """Draw the pair in hand, the products of its features, and the way from score to output."""
    capture = asked.captured()
    if capture is None:
        return
    box = folds.fold("why")
    if box is not None:
        with box:
            _draw(capture)


def _draw(capture: Capture) -> None:
    t = session.t()
    if not of_pieces("why"):
        return
    shown = one_head.shown(capture)
    if shown is None:
        return
    layer, head = asked.heads(capture)[0]
    view = shown[0][1]
    pair = _pair(capture, layer, head, view)
    if not session.alone():
        _choose(view, pair)
    checked.shared(capture, layer, head)
    reason = _hidden_because(capture, layer, head)
    if reason:
        apart = capture.layers[layer].apart
        st.info(t(reason, apart=written(apart or 0.0, session.settings().digits)))
        _only_weight(capture, layer, head, view, pair)
        return
    found = explained(capture.layers[layer], head, pair.query, pair.key)
    if abs(found.weight - float(capture.weights(layer, head, rows=pair.query)[pair.key])) > _NEAR:
        st.warning(t("why.rebuilt_otherwise"))
        _only_weight(capture, layer, head, view, pair)
        return
    left, right = st.columns([7, 5] if session.alone() else [4, 3])
    with left:
        _products(found, pair, in_hand.name(capture, layer, head))
    with right:
        st.markdown(chain(found, t, session.settings().digits))
    if session.alone():
        _choose(view, pair)
    coded.of_why(capture, found, pair.query, pair.key)
    tools.say(_said(found, view, pair, in_hand.name(capture, layer, head)))


def of_pieces(panel: str) -> bool:
    """Tell whether pieces are shown; where words are, say why not and offer them."""
    if session.settings().unit == "pieces" or asked.eyes():
        return True
    t = session.t()
    st.info(t("why.pieces"))
    st.button(t("why.to_pieces"), key=f"pieces.{panel}", on_click=_to_pieces)
    return False


def _to_pieces() -> None:
    session.change("models", unit="pieces", query=Settings().query, key=None, passage=asked.text())


def _pair(capture: Capture, layer: int, head: int, view: View) -> _Pair:
    """Give the pair in hand; where no key is held, the one with the largest weight."""
    row = asked.row(capture, view)
    column, query = session.settings().key, view.query_places[row]
    if column is None or column >= len(view.keys):
        weights = capture.weights(layer, head, rows=query)
        column = int(weights[list(view.key_places)].argmax())
    return _Pair(row, column, query, view.key_places[column])


def _choose(view: View, pair: _Pair) -> None:
    t = session.t()
    sides = (
        ("why.asks", "query", view.queries, view.query_numbers, pair.row),
        ("why.asked", "key", view.keys, view.key_numbers, pair.column),
    )
    with st.container(key="why_pair", horizontal=True, gap="small"):
        for label, side, tokens, numbers, place in session.notation().pair(*sides):
            session.put(f"control.why_{side}", place)
            st.selectbox(
                t(label),
                range(len(tokens)),
                format_func=numbered(numbers, tokens).__getitem__,
                key=f"control.why_{side}",
                on_change=_take,
                args=(side, pair, _largest(view, Settings().query)),
            )


def _take(side: str, pair: _Pair, default: int | None) -> None:
    """Look at another pair; another token that asks is shown with its own largest weight."""
    place = session.got(f"control.why_{side}")
    if side == "query":
        # The link leaves the first choice out, and an example has another: a held key keeps it.
        key = default if place == Settings().query else None
        session.change("models", query=place, key=key, passage=asked.text())
    else:
        session.change("models", query=pair.row, key=place, passage=asked.text())


def _largest(view: View, row: int) -> int | None:
    """Give the column of a row's largest weight, where every weight is in the view."""
    exact = view.row_edges is None and row < len(view.weights)
    return int(view.weights[row].argmax()) if exact else None


def _hidden_because(capture: Capture, layer: int, head: int) -> str:
    """Name the reason why there are no scores to show, "" where there are."""
    if capture.layers[layer].apart is not None:
        return "why.apart"
    if not capture.layers[layer].has_scores:
        return "why.weights_alone"
    difference = cached_models.model_difference(asked.asked())
    return "why.not_the_models" if difference is not None and difference > 1e-3 else ""


def _only_weight(capture: Capture, layer: int, head: int, view: View, pair: _Pair) -> None:
    t, digits = session.t(), session.settings().digits
    weight = float(capture.weights(layer, head, rows=pair.query)[pair.key])
    tools.say(
        t(
            "why.only_weight",
            query=view.queries[pair.row],
            key=view.keys[pair.column],
            weight=written(weight, digits),
        )
    )


def _products(found: Explained, pair: _Pair, head: str) -> None:
    """Draw q, k and their products, the largest by size first, the rest as one number."""
    t, digits = session.t(), session.settings().digits
    spec = products(found, pair.query, pair.key, t, digits)
    matrix(
        [matrices.laid(spec, session.notation())],
        key="why_products",
        label=t("why.products_label", head=head),
        default_readout=t("why.products_hint"),
        size=1,
    )


def products(found: Explained, query: int, key: int, t: Words, digits: int) -> MatrixSpec:
    """Describe q, k and their products as one matrix: a feature a column."""
    first = [int(place) for place in found.first]
    n_rest = len(found.products) - len(first)
    rows = [found.query[first], found.key[first], found.products[first]]
    cells = [[number(value, digits) for value in row] for row in rows]
    shades = [[0.0] * len(first), [0.0] * len(first), [float(v) for v in rows[2]]]
    labels = [str(place + 1) for place in first]
    if n_rest:
        labels.append(t("why.rest", n=n_rest))
        for row, text in zip(cells, ("", "", number(found.rest, digits)), strict=True):
            row.append(text)
        for row, value in zip(shades, (0.0, 0.0, found.rest), strict=True):
            row.append(value)
    asks, answers = [("q", "name"), (subscript(query), "")], [("k", "name"), (subscript(key), "")]
    readouts = _readouts(found, first, t, digits)
    return MatrixSpec(
        name=[("q·k", "name")],
        label=t("why.products_title", most=MOST_PRODUCTS),
        title=t("why.products_title", most=MOST_PRODUCTS),
        kind="scores",
        cells=cells,
        values=shades,
        row_labels=[asks, answers, "q · k"],
        column_labels=labels,
        column_title=t("why.features"),
        sums=["", "", number(found.score, digits)],
        readouts=readouts,
        column_axis="feature",
    )


def _readouts(found: Explained, first: list[int], t: Words, digits: int) -> list[list[str]]:
    said = [
        t(
            "why.product",
            feature=place + 1,
            query=bracketed(found.query[place], digits),
            key=bracketed(found.key[place], digits),
            product=number(found.products[place], digits),
        )
        for place in first
    ]
    if len(found.products) > len(first):
        said.append(
            t("why.rest_said", n=len(found.products) - len(first), sum=number(found.rest, digits))
        )
    return [said] * 3


def chain(found: Explained, t: Words, digits: int) -> str:
    """Write every step from the score to the output as a table: its name, how, and the number."""
    lines = [f"| {t('why.step')} | {t('why.how')} | = |", "|:--|:--|--:|"]
    steps = [f"| {name} | {how} | **{result}** |" for name, how, result in _steps(found, t, digits)]
    return "\n".join([*lines, *steps])


def _steps(found: Explained, t: Words, digits: int) -> list[tuple[str, str, str]]:
    def n(value: float) -> str:
        return written(value, digits)

    steps = [
        (t("why.score"), t("why.score_how", n=len(found.products)), n(found.score)),
        (t("why.scale"), f"{n(found.score)} × {significant(found.scale, 4)}", n(found.scaled)),
    ]
    if found.soft_cap is not None:
        cap = n(found.soft_cap)
        steps.append((t("why.cap"), f"{cap} · tanh({n(found.scaled)} / {cap})", n(found.capped)))
    if found.bias:
        before = n(found.capped)
        steps.append(
            (
                t("why.bias"),
                f"{before} + {_factor(found.bias, digits)}",
                n(found.capped + found.bias),
            )
        )
    seen = t("why.may" if found.allowed else "why.may_not", n=found.n_allowed)
    steps.append((t("why.mask"), seen, n(found.masked)))
    how = f"exp({n(found.masked)} − {_factor(found.top, digits)})"
    steps.append((t("why.exp"), how, n(found.exponential)))
    summed = t("why.total_sink" if found.sink is not None else "why.total_how", n=found.n_allowed)
    steps.append((t("why.total"), summed, n(found.total)))
    quotient = f"{n(found.exponential)} / {n(found.total)}"
    steps.append((t("why.weight"), quotient if found.total else t("why.empty"), n(found.weight)))
    if found.adds is not None and found.carried is not None:
        steps.append((t("why.adds"), f"{n(found.weight)} × {n(found.carried)}", n(found.adds)))
    return steps


def _factor(value: float, digits: int) -> str:
    """Write what is added or taken away: a negative number in brackets."""
    text = written(value, digits)
    return f"({text})" if value < 0 else text


def written(value: float, digits: int) -> str:
    """Write a number with the digits in force; one too small for them with what counts of it."""
    if math.isfinite(value) and value and abs(value) < 10.0**-digits:
        return significant(value, digits)
    return number(value, digits)


def _said(found: Explained, view: View, pair: _Pair, head: str) -> str:
    t, digits = session.t(), session.settings().digits
    best = int(found.order[0])
    said = t(
        "why.said",
        head=head,
        query=view.queries[pair.row],
        key=view.keys[pair.column],
        score=written(found.score, digits),
        feature=best + 1,
        product=number(found.products[best], digits),
        weight=written(found.weight, digits),
    )
    if found.adds is None or found.output is None:
        return said
    return (
        said
        + " "
        + t("why.said_adds", adds=written(found.adds, digits), output=number(found.output, digits))
    )
