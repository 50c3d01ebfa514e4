"""What each head does, as it would be said in class; every number is the trace's."""

from attnviz.figures.spoken_words import Voice
from attnviz.scene import Scene
from attnviz.text import Words


def say_heads(scene: Scene, t: Words, digits: int = 2) -> str:
    """Say for the token that asks which token gets most from each head."""
    voice = Voice(t, digits)
    heads = [_most(scene, head, voice) for head in range(scene.trace.n_heads)]
    return t(
        "every_head.say",
        token=voice.token(scene.tokens, scene.query),
        heads=t("say.semicolon").join(heads),
    )


def _most(scene: Scene, head: int, voice: Voice) -> str:
    row = scene.trace.weights[head, scene.query]
    if not row.any():
        return voice.t("every_head.nothing", head=head + 1)
    best = int(row.argmax())
    said = {"head": head + 1, "weight": voice.number(row[best])}
    return voice.t("every_head.most", token=voice.token(scene.tokens, best), **said)
