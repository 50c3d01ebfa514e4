"""A big weight is not importance: the sentences that say which token has which."""

import numpy as np

from attnviz.figures.spoken_words import Voice
from attnviz.lessons.importance import Importance
from attnviz.scene import Scene
from attnviz.text import Words
from attnviz.text.numbers import number

_MOST_SAID = 6
_SAME = 1e-9


def say_importance(scene: Scene, found: Importance, t: Words, digits: int = 2) -> str:
    """Say who has the largest weight, and how far the output moves without each token."""
    voice = Voice(t, digits)
    asking = voice.token(scene.tokens, scene.query)
    if not found.weights.any():
        return t("importance.say_nothing", token=asking)
    places = range(len(scene.tokens))
    if len(places) > _MOST_SAID:
        places = [int(found.effects.argmax())]
    entries = [
        t(
            "say.entry",
            token=voice.token(scene.tokens, place),
            number=voice.number(_settled(found.effects[place])),
        )
        for place in places
    ]
    best = int(found.weights.argmax())
    return t(
        "importance.say_many" if len(scene.tokens) > _MOST_SAID else "importance.say",
        token=asking,
        best=voice.token(scene.tokens, best),
        weight=voice.number(found.weights[best]),
        effects=t("say.semicolon").join(entries),
    )


def verdict(found: Importance, digits: int = 2) -> str:
    """Tell whether the key of the largest weight is also one whose absence changes most.

    "agree", "differ", "tie" where the two look alike in these decimals, "idle" where hiding it
    changes nothing, or "nothing" without any weight.
    """
    if not found.weights.any():
        return "nothing"
    best, effects = int(found.weights.argmax()), found.effects
    most = float(effects.max())
    if effects[best] >= most * (1 - _SAME):
        return "agree"
    reach = 1 + float(np.abs(found.values).max())
    if effects[best] <= _SAME * reach:
        return "idle"
    alike = number(effects[best], digits) == number(most, digits)
    return "tie" if alike else "differ"


def _settled(effect: float) -> float:
    """Take rounding for what it is: a distance of 1e-16 is 0."""
    return 0.0 if effect < _SAME else float(effect)
