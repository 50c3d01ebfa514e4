"""What is said of a colour holds in both themes: large weights are dark in one, bright in one."""

import re

import pytest

from attnviz.text import catalogue

OF_ONE_THEME = {
    "en": r"(?i)\b(dark(er|est)?|deep(er|est)|pale[rs]?t?|bright(er|est)?|brightest)\b",
    "zh-Hant": r"[越較更最]深|深淺|深色|[越較更最]淡|[越較更最]暗|[越較更最]亮|深的|亮的|暗的",
}
"""Words for a shade that is true of one theme alone."""

OF_NO_SHADE = frozenset({"error.file.json_deep", "rotation.about"})
"""Depth of lists; arrows of which one is faint in both themes."""


def _shades(language: str, texts: dict[str, str]) -> dict[str, str]:
    return {
        key: text
        for key, text in texts.items()
        if key not in OF_NO_SHADE and re.search(OF_ONE_THEME[language], text)
    }


@pytest.mark.parametrize("language", OF_ONE_THEME)
def test_no_text_names_the_shade_of_a_large_weight(language):
    assert not _shades(language, dict(catalogue(language)))


def test_a_word_of_one_theme_would_be_found():
    assert _shades("en", {"models.grid_hint": "one head, darker for larger weights"})
    assert _shades("en", {"versus.grid_hint": "Deepest colour: 0.7"})
    assert _shades("zh-Hant", {"models.grid_hint": "權重越大越深", "edit.title": "最深的是 1"})
    assert not _shades("en", {"models.grid_hint": "the larger a weight, the stronger its colour"})
