"""What is on screen as it would be said in class: one or two sentences, every number the trace's.

The weights of a row that is no distribution are never called a share of attention.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from attnviz.attention.ancestry import Ancestry, ancestry
from attnviz.attention.normalizers import DISTRIBUTIONS
from attnviz.figures.laws import SUMMED
from attnviz.figures.spoken_steps import say_step
from attnviz.figures.spoken_words import Voice, written_sum
from attnviz.lessons.twins import twins
from attnviz.scene import Scene
from attnviz.text import Words

__all__ = ["rounding_note", "say_cell", "say_scene", "say_step"]

_MOST_TOKENS = 12  # of a sentence that is said
_MOST_TIED = 3
_MOST_ADDED = 6
_CLOSE = 1e-12


def say_scene(scene: Scene, t: Words, digits: int = 2) -> str:
    """Say who asks, whom it attends to and what comes out, what is chosen, and the two twins."""
    voice = Voice(t, digits)
    return voice.sentences(_asking(scene, voice), _chosen(scene, voice), _twins(scene, voice))


def say_cell(scene: Scene, query: int, key: int, t: Words, digits: int = 2) -> str:
    """Say which weight a key gets from a query, why, and what it adds to the output.

    Raises:
        ValueError: if there is no such query or key.
    """
    voice, head = Voice(t, digits), scene.trace.head(scene.head)
    found = ancestry(head, query, key)
    who = {"query": voice.token(scene.tokens, query), "key": voice.token(scene.tokens, key)}
    if not found.allowed:
        return voice.sentences(t("say.cell.hidden", **who))
    kind = "share" if scene.choices.normalizer in DISTRIBUTIONS else "weight"
    if kind == "share" and found.weight in (0, 1):
        kind = "all" if found.weight else "none"
    why = t("say.cell.why").join(_reasons(scene, found, voice))
    said = t(f"say.cell.{kind}", **who, weight=voice.number(found.weight), why=why)
    given = t("say.cell.gives", contribution=voice.vector(found.contribution.tolist()))
    return voice.sentences(said, given if found.weight else "")


def rounding_note(weights_row: Float[np.ndarray, " key"], digits: int, t: Words) -> str:
    """Say why the weights of a row, as shown, seem to add up to something else; else nothing."""
    voice = Voice(t, digits)
    shown, sum_shown, sum_exact = written_sum(weights_row.tolist(), digits)
    if sum_shown == sum_exact:
        return ""
    sums = {"shown": sum_shown, "exact": voice.number(round(float(weights_row.sum()), 12))}
    if len(shown) > _MOST_ADDED:
        return t("say.rounding.many", count=len(shown), **sums)
    return t("say.rounding.few", numbers=voice.listed(shown, "and_numbers"), **sums)


def _asking(scene: Scene, voice: Voice) -> str:
    t, i, head = voice.t, scene.query, scene.trace.head(scene.head)
    said = {
        "where": _where(scene.tokens, t),
        "heads": _heads(scene, t),
        "token": voice.token(scene.tokens, i),
    }
    if head.empty_rows[i]:
        return t("say.empty", **said)
    attends = _attends(scene, head.weights[i], voice)
    return t("say.scene", **said, attends=attends, output=voice.vector(head.output[i].tolist()))


def _where(tokens: Sequence[str], t: Words) -> str:
    if len(tokens) > _MOST_TOKENS:
        return t("say.long_sentence", n_tokens=len(tokens))
    return t("say.sentence", sentence=sentence_of(tokens))


def sentence_of(tokens: Sequence[str]) -> str:
    """Put tokens together as people write them: no space beside Chinese, nor before a sign."""
    sentence = ""
    for token in tokens:
        apart = sentence and token[0].isalnum() and token[0] < "\u2e80" and sentence[-1] < "\u2e80"
        sentence += f" {token}" if apart else token
    return sentence


def _heads(scene: Scene, t: Words) -> str:
    n_heads = scene.trace.n_heads
    if n_heads == 1:
        return t("say.one_head")
    return t("say.of_heads", head=scene.head + 1, n_heads=n_heads)


def _attends(scene: Scene, row: np.ndarray, voice: Voice) -> str:
    t = voice.t
    if not row.any():
        return t("say.attends.nothing")
    is_share = scene.choices.normalizer in DISTRIBUTIONS
    best = row.max()
    tied = np.flatnonzero(np.isclose(row, best, rtol=_CLOSE, atol=0)).tolist()
    kind = "share" if is_share else "weight"
    if len(row) == 1 or (is_share and best == 1):
        ending = "_one"
    elif len(tied) == 1:
        ending = ""
    else:
        ending = "_tie" if len(tied) <= _MOST_TIED else "_tie_many"
    names = [
        t("say.itself") if key == scene.query else voice.token(scene.tokens, key)
        for key in tied[:_MOST_TIED]
    ]
    listed = voice.listed(names, "and_tokens")
    values = {"key": names[0], "keys": listed, "count": len(tied), kind: voice.number(best)}
    said = t(f"say.attends.{kind}{ending}", **values)
    total = voice.number(round(float(row.sum()), 12))
    return said if is_share or len(row) == 1 else said + t("say.attends.total", total=total)


def _chosen(scene: Scene, voice: Voice) -> str:
    """Say what is not the default, if anything."""
    clauses = [*_scoring(scene, voice), *_positions(scene, voice), *_normalizing(scene, voice)]
    if not clauses:
        return ""
    said = voice.t("say.choice.all", choices=voice.t("say.semicolon").join(clauses))
    return said[:1].upper() + said[1:]


def _scoring(scene: Scene, voice: Voice) -> list[str]:
    t, trace, said = voice.t, scene.trace, []
    if scene.choices.score != "dot":
        said.append(t(f"say.choice.score_{scene.choices.score}"))
    if trace.scale != 1 and scene.choices.scale == "sqrt_d_k":
        said.append(t("say.choice.scale_sqrt_d_k", d_k=trace.projections.d_k))
    elif trace.scale != 1:
        said.append(t("say.choice.scale_typed", factor=voice.constant(trace.scale)))
    if scene.mask is not None:
        allowed = int(scene.mask[scene.query].sum())
        said.append(t("say.choice.mask", allowed=allowed, n_key=trace.n_key))
    return said


def _positions(scene: Scene, voice: Voice) -> list[str]:
    name = scene.positions if isinstance(scene.positions, str) else "learned"
    return [] if name == "none" else [voice.t(f"say.choice.{name}")]


def _normalizing(scene: Scene, voice: Voice) -> list[str]:
    t, choices, said = voice.t, scene.choices, []
    name, cold = choices.normalizer, choices.temperature == 0
    if choices.temperature != 1:
        said.append(t("say.choice.temperature", temperature=voice.constant(choices.temperature)))
    own = {"alpha": 1.5, "k": 2} | choices.arguments("normalizer")
    if cold and name != "topk":
        name = "hardmax"
    if name != "softmax":
        values = {"alpha": voice.constant(own["alpha"]), "k": own["k"]}
        said.append(t(f"say.choice.{name}", **values))
    return said


def _twins(scene: Scene, voice: Voice) -> str:
    """Say whether the first two tokens with one vector are told apart."""
    pair = twins(scene.trace.inputs, scene.trace.output)
    if pair is None:
        return ""
    names = {scene.tokens[pair.first], scene.tokens[pair.second]}
    kind = ("alike" if pair.alike else "apart") + ("" if len(names) == 1 else "_vectors")
    return voice.t(
        f"say.twins.{kind}",
        first=pair.first + 1,
        second=pair.second + 1,
        token=scene.tokens[pair.first],
        difference=voice.number(pair.difference),
    )


def _reasons(scene: Scene, found: Ancestry, voice: Voice) -> list[str]:
    """Follow one weight back: score, scale, positions, and what the row makes of it."""
    t = voice.t
    said = [t("say.cell.score", score=voice.number(found.score))]
    if found.scale != 1:
        said.append(t("say.cell.scaled", scaled=voice.number(found.scaled)))
    if found.bias is not None:
        said.append(t("say.cell.biased", masked=voice.number(found.masked)))
    return said + _share_of_row(scene, found, voice)


def _share_of_row(scene: Scene, found: Ancestry, voice: Voice) -> list[str]:
    t, name = voice.t, scene.choices.normalizer
    if found.total == 0:
        return [t("say.cell.no_total")]
    if found.threshold is not None:
        return [t("say.cell.threshold", threshold=voice.number(found.threshold))]
    if name == "topk" and found.numerator == 0:
        return [t("say.cell.not_kept")]
    if name == "relu_length":
        return [t("say.cell.over_keys", n_key=scene.trace.n_key)]
    if name in SUMMED or found.total != 1:  # entmax without a threshold is softmax or hardmax
        parts = {"numerator": found.numerator, "total": found.total}
        spoken = {part: voice.number(value) for part, value in parts.items()}
        return [t("say.cell.out_of", **spoken)]
    return []
