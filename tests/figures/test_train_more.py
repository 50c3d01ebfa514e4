"""Curves of data size and of the film by their data; the code of three panels, run."""

import re
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.figures.code_data_size import point_with_package, point_with_torch
from attnviz.figures.code_film import film_with_numpy, film_with_package
from attnviz.figures.code_seeds import seeds_with_package, seeds_with_torch
from attnviz.figures.data_size import size_curves, size_curves_alt
from attnviz.figures.film import Shown, film_curves, film_curves_alt
from attnviz.models.induction.film import moments
from attnviz.models.induction.replayed import replay, signs_twice
from attnviz.models.training.data_size import NETWORKS, POOLS, Making, Point, PointPlan, curves
from attnviz.models.training.learning import Plan, attention
from attnviz.models.training.make_data_size import made
from attnviz.models.training.train import seeds
from attnviz.text import LANGUAGES, words

T = words("en")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]\d+)?")
STAR = Point(
    network="attention", pool="mean", n=500, seed=7, learned=1.0, both=0.61, local=0.66, far=0.5
)


def printed(code: str) -> str:
    said = StringIO()
    with redirect_stdout(said), np.printoptions(precision=8, floatmode="fixed", suppress=True):
        exec(compile(code, "<panel>", "exec"), {})
    return said.getvalue()


def numbers(said: str) -> np.ndarray:
    return np.array([float(each) for each in NUMBER.findall(said)])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("what", ["both", "local", "far"])
def test_the_curves_are_mean_and_range_of_the_seeds(what, theme):
    figure = size_curves(curves(), "mean", what, [STAR], T, theme)
    bands, lines = figure.data[0:4:2], figure.data[1:4:2]
    for network, band, line in zip(NETWORKS, bands, lines, strict=True):
        shares = curves().shares(network, "mean", what)
        np.testing.assert_allclose(10 ** np.array(line.x), curves().sizes)
        np.testing.assert_allclose(line.y, shares.mean(axis=1))
        assert max(band.y) == shares.max()
        assert min(band.y) == shares.min()
        assert line.name == T(f"data_size.{network}")
    assert lines[0].line.dash != lines[1].line.dash
    assert lines[0].marker.symbol != lines[1].marker.symbol
    star = figure.data[4]
    assert star.marker.symbol == "star"
    np.testing.assert_allclose([*star.x, *star.y], [np.log10(500), getattr(STAR, what)])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_curves_are_read_aloud(language):
    t = words(language)
    said = size_curves_alt(curves(), "max", "both", [STAR], t)
    for network in NETWORKS:
        first = curves().shares(network, "max", "both")[0].mean() * 100
        assert f"{first:.1f} %" in said
    assert "500" in said


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_film_has_both_scores_of_every_head_and_the_loss(theme):
    film, shown = moments(), Shown(previous=(0, 2), induction=(1, 3))
    figure = film_curves(film, shown, T, theme)
    drawn = {line.name: list(line.y) for line in figure.data[:-1]}
    assert len(drawn) == 16
    for kind in ("previous", "induction"):
        for layer in range(2):
            for head in range(4):
                expected = [getattr(each, kind)[layer][head] for each in film]
                assert drawn[f"L{layer}H{head} {T(f'film.{kind}')}"] == expected
    assert list(figure.data[-1].y) == [each.loss for each in film]
    named = [line for line in figure.data if line.showlegend is None]
    assert [line.name.split(" ")[0] for line in named] == ["L0H2", "L1H3"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_film_is_read_aloud(language):
    film, shown = moments(), Shown(previous=(0, 2), induction=(1, 3))
    said = film_curves_alt(film, shown, words(language))
    assert all(f"{each.previous[0][2]:.2f}" in said for each in film)
    assert all(str(each.step) in said for each in film)


@pytest.mark.parametrize("step", [420, 1200])
@pytest.mark.parametrize("write", [film_with_numpy, film_with_package])
def test_the_code_of_the_film_gives_its_weights(write, step):
    text = signs_twice(1)
    found = numbers(printed(write(step, text, (1, 3), T)))
    seen = replay(step, text)
    expected = np.concatenate([seen.weights[1, 3].ravel(), seen.expected])
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("pool", POOLS)
def test_the_code_of_a_point_makes_it(pool):
    plan = PointPlan(n=60, seed=2, pool=pool, making=Making(steps=40))
    *_, last = made(plan)
    expected = [share for each in last.points for share in (each.both, each.local, each.far)]
    said = printed(point_with_torch(plan, T))
    np.testing.assert_allclose(numbers(said), expected, atol=0.01)
    shipped = curves().shares("attention", pool, "both").mean(axis=1)
    said = printed(point_with_package(plan, T))
    np.testing.assert_allclose(
        numbers(said), [*expected, *curves().sizes, *shipped], atol=1e-4, rtol=1e-6
    )


def test_the_usual_point_is_written_without_how_it_is_made():
    assert "Making" not in point_with_package(PointPlan(), T)


@pytest.mark.parametrize("write", [seeds_with_torch, seeds_with_package])
def test_the_code_of_the_seeds_trains_each(write):
    plan = Plan(placed=True, steps=8, seed=5)
    learner = plan.checked()
    sentence = learner.task.tests.words[0]
    found = numbers(printed(write(learner, 2, sentence, T)))
    expected = []
    for seed, last in seeds(plan, 2):
        weights, _ = attention(last.parameters, sentence[None], learner.heads)
        shown = () if write is seeds_with_torch else last.accuracy
        expected += [seed, *shown, *weights.ravel()]
    np.testing.assert_allclose(found, expected, atol=1e-7)
