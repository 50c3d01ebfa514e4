"""The means over the built-in sentences as code: one number in numpy, all through the package."""

from collections.abc import Sequence

from attnviz.text import Words


def numpy_averages(model: str, texts: Sequence[str], t: Words, *, pictures: bool = False) -> str:
    """Write how much each head attends to the token before, on the mean of several texts.

    Of a vision model `texts` name our `pictures`.
    """
    return "\n".join(
        [
            "import numpy as np",
            "import attnviz",
            *_model_and_texts(model, texts, pictures),
            "numbers = []",
            "for text in texts:",
            "    capture = model.capture(text)",
            "    heads = []",
            "    for layer, found in enumerate(capture.layers):",
            f'        if found.kind == "cross":  # {t("code.averages_cross")}',
            "            continue",
            "        for head in range(found.n_heads):",
            "            before = np.diagonal(capture.weights(layer, head), -1)",
            "            heads.append(before.mean() if before.size else np.nan)",
            "    numbers.append(heads)",
            f"means = np.nanmean(numbers, axis=0)  # {t('code.averages_previous')}",
            f"spreads = np.nanstd(numbers, axis=0, ddof=1)  # {t('code.averages_spread')}",
            "print(means.round(3), spreads.round(3))",
        ]
    )


def package_averages(
    model: str, texts: Sequence[str], measure: str, t: Words, *, pictures: bool = False
) -> str:
    """Write the mean of one number of every head over several texts, through the package."""
    return "\n".join(
        [
            "import attnviz",
            "from attnviz.models.corpus import over",
            *_model_and_texts(model, texts, pictures),
            "found = over((model.capture(text) for text in texts), len(texts))",
            f"means = [each.mean.{measure} for each in found]",
            f"# {t('code.averages_spread')}",
            f"spreads = [each.spread({measure!r}) for each in found]",
            f"types = [each.mean.types for each in found]  # {t('code.averages_types')}",
            "print(means, spreads, types)",
        ]
    )


def _model_and_texts(model: str, texts: Sequence[str], pictures: bool) -> list[str]:
    loaded = f"model = attnviz.load_model({model!r})"
    if pictures:
        named = f"texts = [drawing(name).pixels for name in {list(texts)!r}]"
        return ["from attnviz.lessons.drawings import drawing", "", loaded, named]
    return ["", loaded, "texts = [", *(f"    {text!r}," for text in texts), "]"]
