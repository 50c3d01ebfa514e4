import numpy as np
import pytest

from attnviz.figures.theme import READABLE, ROLES, THEMES, contrast, faded, rgb

LEVELS = np.linspace(0, 1, 1001)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", ["weights", "scores"])
def test_digits_read_on_every_colour_of_a_scale(theme, scale):
    colours = getattr(THEMES[theme], scale)
    for ink, background in zip(colours.inks_on(LEVELS), colours.colours(LEVELS), strict=True):
        assert contrast(rgb(ink), background) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ROLES)
def test_lettering_of_every_role_reads_on_the_page(theme, role):
    paint = THEMES[theme]
    for ink in (paint.inks[role], paint.text, paint.muted, paint.accent):
        assert contrast(rgb(ink), rgb(paint.page)) >= READABLE


def test_identity_colours_are_those_of_okabe_and_ito():
    colours = THEMES["light"].colours
    assert (colours["query"], colours["key"], colours["value"]) == ("#0072B2", "#E69F00", "#009E73")


@pytest.mark.parametrize("theme", THEMES)
def test_the_middle_of_the_diverging_scale_is_the_quietest(theme):
    paint = THEMES[theme]
    distances = [contrast(c, rgb(paint.page)) for c in paint.scores.colours(LEVELS)]
    assert np.argmin(distances) == pytest.approx(500, abs=10)


def test_a_cell_without_a_number_has_an_ink():
    assert THEMES["light"].weights.inks_on(np.array([np.nan])) == ["#1F2328"]


def test_contrast_is_that_of_wcag():
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


def test_faded_keeps_the_hue():
    assert faded("#0072B2", 0.5) == "rgba(0,114,178,0.5)"
