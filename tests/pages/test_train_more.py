"""Five seeds, data size and the film, opened by Streamlit's own test runner."""

import json
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz.models.induction.film import moments
from attnviz.models.induction.replayed import replay, signs_twice
from attnviz.models.training.data_size import curves
from attnviz.models.training.learning import Plan, attention
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached
from tests.pages.reading import framed, opened, parts, tables

T = words("en")
PATIENCE = 120.0
PANELS = ("seeds", "data_size", "film")


@pytest.fixture(scope="module", autouse=True)
def own_trainings() -> Iterator[None]:
    yield
    cached.trainings().close()
    cached.trainings.clear()


def train(panel: str, **link: str) -> AppTest:
    return opened("train.py", lang="en", panel=panel, **link)


def held(app: AppTest, key: str) -> str:
    """Read one part of the link that the page has written."""
    value = app.query_params.get(key, "")
    return value if isinstance(value, str) else value[0]


def plain(text: str) -> str:
    return text.replace("\\", "")


def shown(app: AppTest) -> str:
    return " ".join(plain(each.value) for each in (*app.markdown, *app.caption))


def until(app: AppTest, holds: Callable[[], bool]) -> None:
    """Run the page again, as its fragment would, until something holds."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.1)
        app.run()
        assert not app.exception, app.exception


def charts(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def finished(app: AppTest) -> bool:
    return any(T("seeds.done", n=5, solved=solved) in shown(app) for solved in range(6))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_opens_in_every_language(panel, language):
    app = opened("train.py", lang=language, panel=panel)
    assert not app.error
    assert words(language)(f"{panel}.question") in [each.value for each in app.subheader]


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_can_be_presented_and_turned(panel):
    assert not train(panel, present="1").error
    assert not train(panel, notation="column").error


def test_five_seeds_begin_by_themselves_and_all_solve_the_task():
    app = train("seeds")
    assert T("seeds.seed", seed=4) in shown(app)
    until(app, lambda: finished(app))
    assert T("seeds.done", n=5, solved=5) in shown(app)
    assert shown(app).count(T("seeds.right", share="100 %")) == 5
    assert T("seeds.say", solved=5, n=5, word="saw", i=4, places="").rstrip(".") in shown(app)
    looks = {each for each in shown(app).split("**") if each.startswith(("I1", "saw", "a3"))}
    assert len(looks) > 1  # not every seed's sharpest head looks at the same word
    app.button(key="seeds.open.3").click().run()
    assert not app.exception
    assert (held(app, "draw"), held(app, "tp"), held(app, "snap")) == ("3", "1", "300")
    assert T("seeds.question") not in [each.value for each in app.subheader]
    assert "100 %" in shown(app)


def test_the_word_that_asks_is_kept_in_the_link():
    app = train("seeds", key="1", t="you watch my saw")
    until(app, lambda: finished(app))
    assert "watch2 → " in shown(app)
    app.segmented_control(key="control.seeds.key").set_value(3).run()
    assert held(app, "key") == "3"
    assert "saw4 → " in shown(app)


def test_a_link_shows_the_block_of_its_seed():
    app = train("seeds", draw="7")
    for seed in range(5, 10):
        assert T("seeds.seed", seed=seed) in shown(app)


def test_seeds_can_be_stopped_and_go_on():
    app = train("seeds", draw="90")
    app.button(key="seeds.stop").click().run()
    assert T("seeds.stopped") in shown(app)
    app.button(key="seeds.stop").click().run()
    until(app, lambda: finished(app))


def test_an_impossible_model_is_a_sentence():
    app = train("seeds", lr="1000000")
    assert T("error.training.rate", got="1000000", most="10") in plain(app.error[0].value)


def test_seeds_that_have_not_learned_are_not_said_to_have():
    app = train("seeds", lr="10", tw="32", amount="30", draw="300")
    until(app, lambda: finished(app))
    assert T("seeds.done", n=5, solved=0) in shown(app)
    assert ":material/check:" not in shown(app)
    app.run()
    assert T("seeds.chip", solved=0, n=5) in plain(" ".join(each.value for each in app.markdown))


def test_on_a_projector_each_seed_shows_the_head_of_its_sentence():
    app = train("seeds", present="1", draw="20", amount="20")
    until(app, lambda: finished(app))
    sentence = np.array([0, 3, 6, 3])
    for seed, drawn in zip(range(20, 25), tables(app), strict=True):
        plan = Plan(placed=True, seed=seed, steps=20)
        found = cached.trainings().known(plan).snapshots[-1]
        looks, _ = attention(found.parameters, sentence[None], 2)
        head = int(looks[0, :, 3].max(axis=-1).argmax())
        assert drawn["title"] == T("head.number", number=head + 1)


def test_seeds_that_diverge_each_say_so():
    app = train("seeds", lr="10", task="reversal", draw="200", amount="40")
    known = [
        Plan(task="reversal", placed=True, rate=10.0, seed=s, steps=40) for s in range(200, 205)
    ]
    until(app, lambda: all((w := cached.trainings().known(p)) and w.over for p in known))
    app.run()
    assert not app.exception


def test_the_curves_cross_and_the_choices_are_kept_in_the_link():
    app = train("data_size")
    means = {each: curves().shares(each, "mean", "both").mean(axis=1) for each in ("convolution",)}
    assert f"{means['convolution'][2] * 100:.1f} %" in shown(app)
    app.segmented_control(key="control.data_size.pool").set_value("max").run()
    app.segmented_control(key="control.data_size.share").set_value("far").run()
    assert (held(app, "exp"), held(app, "target")) == ("max", "far")
    lines = [each for each in charts(app)[0]["data"] if "marker" in each]
    assert len(lines) == 2
    again = train("data_size", exp="max", target="far")
    assert again.segmented_control(key="control.data_size.share").value == "far"


def test_a_point_is_trained_and_drawn_as_two_stars():
    app = train("data_size", amount="40", draw="3")
    assert app.number_input(key="control.data_size.n").value == 40
    app.button(key="data_size.make").click().run()
    until(app, lambda: app.button(key="data_size.make").label == T("data_size.make"))
    stars = [
        each for each in charts(app)[0]["data"] if each.get("marker", {}).get("symbol") == "star"
    ]
    assert len(stars) == 2
    assert app.button(key="data_size.make").disabled


def test_a_point_can_be_stopped():
    app = train("data_size", amount="50")
    app.button(key="data_size.make").click().run()
    assert app.button(key="data_size.make").label == T("seeds.stop")
    app.button(key="data_size.make").click().run()
    assert app.button(key="data_size.make").label == T("data_size.make")


@pytest.mark.parametrize("n", [3, 99_999])
def test_a_point_that_cannot_be_is_refused_and_changes_nothing(n):
    app = train("data_size")
    app.number_input(key="control.data_size.n").set_value(n).run()
    said = T("error.data_size.n", got=n, least=20, most=2_000)
    assert [said in plain(each.value) for each in app.error] == [True]
    assert "amount" not in app.query_params
    assert app.number_input(key="control.data_size.n").value == n
    assert app.button(key="data_size.make").disabled
    app.number_input(key="control.data_size.n").set_value(100).run()
    assert not app.error
    assert held(app, "amount") == "100"


def player(app: AppTest) -> dict:
    return next(part for part in parts(app) if "steps" in part)


def test_every_moment_of_the_film_is_on_the_page_with_its_own_maps():
    app = train("film")
    film = moments()
    drawn = iter(tables(app))
    for each in film:
        seen = replay(each.step, signs_twice(0))
        for pair in ((0, 2), (1, 3)):
            cells = [[float(cell) for cell in row] for row in next(drawn)["cells"]]
            assert np.allclose(cells, seen.weights[pair], atol=0.005)
    assert next(drawn, None) is None
    assert player(app)["current"] == len(film) - 1


def test_the_moment_of_the_link_is_the_one_that_the_player_shows():
    steps = [each.step for each in moments()]
    assert player(train("film", amount="420"))["current"] == steps.index(420)
    assert player(train("film", amount="421"))["current"] == len(steps) - 1


def test_the_film_reads_a_text_of_ones_own_and_refuses_one_too_long():
    app = train("film", vt="xy12xy12", amount="600", lh="0.0,1.1")
    assert app.text_input(key="control.film.text").value == "xy12xy12"
    app.text_input(key="control.film.text").set_value("z" * 97).run()
    said = T("error.film.length", got=97, most=96)
    assert [said in plain(each.value) for each in app.error] == [True]
    assert app.text_input(key="control.film.text").value == "z" * 97
    assert held(app, "vt") == "xy12xy12"
    app.text_input(key="control.film.text").set_value("abcd").run()
    assert not app.error
    assert T("film.no_copies") in shown(app)
    app.button(key="film.random").click().run()
    assert "vt" not in app.query_params
    assert T("film.no_copies") not in shown(app)


def test_a_text_longer_than_squares_is_drawn_on_canvases():
    text = "0123456789abcdef" * 3
    app = train("film", vt=text)
    assert len(charts(app)) == 1
    maps = framed(app)
    assert len(maps) == 2 * len(moments())
    assert all(each["queries"] == each["keys"] == list(text) for each in maps)


def test_the_film_says_which_moment_opens_in_models():
    app = train("film", amount="420")
    app.button(key="film.open").click().run()
    assert not app.exception
    assert held(app, "model") == "induction-420"
    assert len(held(app, "t")) == 16
