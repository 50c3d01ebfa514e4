"""The words of a map on a canvas, wherever one is drawn."""

from attnviz.components.heat_canvas import HeatWords
from attnviz.ui import session


def heat_words() -> HeatWords:
    """Give the words of a map; the browser fills in tokens and numbers."""
    t = session.t()
    cell = _slots("query", "key", "i", "j", "value")
    return HeatWords(
        hint=t("models.heat.hint"),
        cell=t("models.heat.cell", **cell),
        block=t("models.heat.block", **cell),
        hidden=t("models.heat.hidden", **_slots("query", "key", "i", "j")),
        asks=t("models.heat.asks", **_slots("token", "place")),
        asked=t("models.heat.asked", **_slots("token", "place")),
        scale=t("models.heat.scale"),
        linear=t("models.heat.linear"),
        log=t("models.heat.log"),
        rank=t("models.heat.rank"),
        least=t("models.heat.least"),
        most=t("models.heat.most"),
    )


def _slots(*names: str) -> dict[str, str]:
    """Leave the placeholders as they are: the browser fills them in."""
    return {name: f"{{{name}}}" for name in names}
