"""Two equal words, told apart by hand: one head reads the words, another the place."""

from dataclasses import replace

import numpy as np
import streamlit as st

from attnviz.attention import HeadTrace
from attnviz.components.matrix import MatrixSpec, matrix
from attnviz.figures import code_heads, formulas
from attnviz.figures.labels import subscript
from attnviz.figures.spoken_words import Voice
from attnviz.lessons.equal_words import apart, kind_of, same_for_all
from attnviz.lessons.examples import EXAMPLES
from attnviz.lessons.twins import Twins, twins
from attnviz.scene import Scene
from attnviz.text.numbers import number, significant, vector
from attnviz.ui import matrices, refusals, session, tools
from attnviz.ui.rooms.heads import stage, tables

_OFF = 0


def two_saws() -> None:
    """Follow two equal tokens through each head, with positions and without."""
    t, settings = session.t(), session.settings()
    shown = stage.with_twins()
    on = settings.amount != _OFF
    code_name = stage.positions_on(shown)
    scene = stage.scene_of(replace(shown.settings, positions=code_name if on else "none"))
    pair = twins(scene.inputs, scene.trace.output)
    if pair is None:
        return
    stage.question("two_saws.question")
    stage.stands_in(shown, "two_saws.stands_in")
    gaps = apart(scene.trace, pair)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        _switch(on, t(f"position.{code_name}"))
        _verdicts(gaps, pair)
    telling = int(gaps.argmax())
    for head in _order(scene, telling):
        _by_hand(scene, head, pair)
    said = _story(scene, telling, pair) if gaps[telling] else _equal_again(scene, pair)
    for sentence in said:
        st.write(refusals.escape(sentence))
    tools.say(_spoken(scene, gaps, pair))
    tools.lines(
        "two_saws",
        lambda: code_heads.twins_apart(scene, pair, t, "numpy"),
        lambda: code_heads.twins_apart(scene, pair, t, "package"),
    )


def _switch(on: bool, name: str) -> None:
    t = session.t()
    stage.segments(
        "two_saws.positions",
        t("two_saws.positions"),
        on,
        (True, False),
        lambda there: name if there else t("two_saws.none"),
        lambda there: session.change("two_saws", amount=None if there else _OFF),
    )


def _verdicts(gaps: np.ndarray, pair: Twins) -> None:
    t = session.t()
    names = {"i": f"b{subscript(pair.first)}", "j": f"b{subscript(pair.second)}"}
    with st.container(horizontal=True, gap="small", key="two_saws.verdicts", width="content"):
        for head, gap in enumerate(gaps.tolist()):
            key = "differ" if gap else "same"
            said = {"head": head + 1, "difference": significant(gap), **names}
            stage.verdict(t(f"two_saws.{key}", **said), holds=not gap)


def _order(scene: Scene, telling: int) -> list[int]:
    """Show few heads, the one that tells the two apart among them."""
    first = list(range(min(scene.trace.n_heads, 3)))
    return first if telling in first else [*first[:2], telling]


def _by_hand(scene: Scene, head: int, pair: Twins) -> None:
    """Draw one head's way for the two tokens: query, scores, weights, output."""
    t, digits, n = session.t(), session.settings().digits, session.notation()
    trace, both = scene.trace.head(head), [pair.first, pair.second]
    said, tokens = n.words(t), scene.tokens
    fits = scene.digits_fit
    scores = matrices.token_by_token(
        trace.masked_scores,
        "scores",
        tokens,
        said,
        digits,
        readouts=formulas.score_equations(trace, digits) if fits else None,
        readout_template="" if fits else t("see.score_cell"),
        limit=_largest(trace),
    )
    weights = matrices.token_by_token(
        trace.weights,
        "weights",
        tokens,
        said,
        digits,
        readouts=formulas.cell_equations(trace, digits) if fits else None,
        readout_template="" if fits else t("see.cell"),
        limit=max(1.0, float(trace.weights.max())),
    )
    query = matrices.vectors(trace.query, "q", "query", tokens, t, digits)
    output = matrices.vectors(trace.output, "b", "output", tokens, t, digits, sign="→")
    scores, weights = replace(scores, sign="→"), replace(weights, sign="→")
    specs: list[MatrixSpec] = [
        tables.rows_of(spec, both, n)
        for spec in (
            tables.titled(query, tables.of_head(t, head, "query")),
            scores,
            weights,
            output,
        )
    ]
    matrix(
        specs,
        key=f"two_saws.{head}",
        label=t("head.number", number=head + 1),
        default_readout=formulas.row_equation(trace, pair.first, digits),
        size=min(1.0, tables.size(specs)),
    )


def _largest(trace: HeadTrace) -> float:
    finite = trace.masked_scores[np.isfinite(trace.masked_scores)]
    return float(np.abs(finite).max(initial=0)) or 1.0


def _story(scene: Scene, telling: int, pair: Twins) -> list[str]:
    """Say what the telling head reads for each of the two, and where the first token asks."""
    t, digits = session.t(), session.settings().digits
    head = scene.trace.head(telling)
    reads = [_reads(scene, head, place) for place in (pair.first, pair.second)]
    said = [t("two_saws.reads", head=telling + 1, first=reads[0], second=reads[1])]
    before = (int(head.weights[place].argmax()) == place - 1 for place in (pair.first, pair.second))
    if all(before):
        said[0] += t("say.next") + t("two_saws.before")
    cycle = EXAMPLES[session.settings().example].cycle
    cycle = EXAMPLES[stage.EXAMPLE].cycle if cycle is None else cycle
    best = int(head.weights[0].argmax())
    if not isinstance(scene.positions, str) and best > 0 and cycle is not None:
        values = {"weight": number(head.weights[0, best], digits), "period": len(cycle)}
        said.append(t("two_saws.wraps", key=best + 1, token=scene.tokens[best], **values))
    return said


def _reads(scene: Scene, head: HeadTrace, place: int) -> str:
    t, digits = session.t(), session.settings().digits
    best = int(head.weights[place].argmax())
    kind = kind_of(scene.tokens[best])
    said = t(
        "two_saws.mostly",
        place=place + 1,
        token=scene.tokens[best],
        weight=number(head.weights[place, best], digits),
    )
    if kind is None:
        return said
    return t("two_saws.of_kind", said=said, kind=t(f"two_saws.kind.{kind}"))


def _equal_again(scene: Scene, pair: Twins) -> list[str]:
    """Say that nothing is left to tell the two apart, and what a head without positions gives."""
    t, digits = session.t(), session.settings().digits
    said = [t("two_saws.equal", first=pair.first + 1, second=pair.second + 1)]
    said += [
        t("two_saws.for_all", head=head + 1, output=vector(output[0], digits))
        for head, output in enumerate(scene.trace.head_outputs)
        if same_for_all(output) and np.ptp(scene.trace.weights[head]) < 1e-12
    ]
    return said


def _spoken(scene: Scene, gaps: np.ndarray, pair: Twins) -> str:
    voice = Voice(session.t(), session.settings().digits)
    heads = [
        voice.t(
            "two_saws.say_apart" if gap else "two_saws.say_same",
            head=head + 1,
            difference=voice.number(gap),
        )
        for head, gap in enumerate(gaps.tolist())
    ]
    return voice.t(
        "two_saws.say",
        first=pair.first + 1,
        second=pair.second + 1,
        heads=voice.t("say.semicolon").join(heads),
    )
