"""Train, opened by Streamlit's own test runner: links, choices, refusals, playing."""

import json
import time
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from attnviz.models.training.learning import Plan
from attnviz.models.training.task_tables import EXAMPLES
from attnviz.models.training.tasks import OWN, TASKS
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached
from tests.pages.reading import framed, opened, tables

T = words("en")
PATIENCE = 120.0


@pytest.fixture(scope="module", autouse=True)
def own_trainings() -> Iterator[None]:
    yield
    cached.trainings().close()
    cached.trainings.clear()


def train(**link: str) -> AppTest:
    return opened("train.py", lang="en", **link)


def held(app: AppTest, key: str) -> str:
    """Read one part of the link that the page has written."""
    value = app.query_params.get(key, "")
    return value if isinstance(value, str) else value[0]


def plain(text: str) -> str:
    return text.replace("\\", "")


def status(app: AppTest) -> str:
    return next(plain(each.value) for each in app.markdown if each.value.startswith(_start()))


def _start() -> str:
    return T("train.at", step="", steps="").split(" ")[0]


def until(app: AppTest, holds: Callable[[], bool]) -> None:
    """Run the page again, as its fragment would, until something holds."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.1)
        app.run()
        assert not app.exception, app.exception


def shown(app: AppTest) -> str:
    return " ".join(plain(each.value) for each in (*app.markdown, *app.caption))


def chip(app: AppTest) -> str:
    """Give the badge that says what has been learned here."""
    return next(each.value for each in app.markdown if ":material/school:" in each.value)


def maps(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("task", [*TASKS, OWN])
def test_every_task_opens_untrained_in_every_language(task, language):
    app = opened("train.py", lang=language, task=task)
    assert not app.error
    assert len(maps(app)) >= 2
    shown = [plain(each.value) for each in app.markdown]
    start = words(language)("train.at", step="0", steps="§").split("§")[0]
    assert any(text.startswith(start) for text in shown)


def test_playing_reaches_every_sentence_and_the_link_holds_the_last_step():
    app = train(tp="1")
    app.segmented_control(key="control.speed").set_value("full").run()
    app.button(key="train.play").click().run()
    until(app, lambda: held(app, "snap") == "300")
    assert status(app).count("100 %") == 2
    assert plain(T("train.none_fail", n=134)) in " ".join(plain(m.value) for m in app.markdown)
    assert app.button(key="train.step").disabled


def test_without_positions_the_same_word_twice_is_never_right():
    app = train(tp="0", snap="300")
    until(app, lambda: "300" in status(app).split("/")[0].split(" of ")[0])
    assert f"{T('task.two_saws.same')} 0 %" in status(app)
    assert f"**{T('train.alike')}**" in shown(app)
    app.segmented_control(key="control.speed").set_value("full").run()
    app.button(key="train.with_positions").click().run()
    assert held(app, "tp") == "1"
    until(app, lambda: held(app, "snap") == "300")
    assert status(app).count("100 %") == 2
    assert T("train.alike") not in shown(app)


def test_a_link_restores_the_step_that_was_looked_at():
    app = train(tp="1", snap="7", draw="3")
    until(app, lambda: status(app).startswith(T("train.at", step="7", steps="300")))
    assert held(app, "snap") == "7"


def test_step_goes_from_snapshot_to_snapshot_and_reset_to_the_start():
    app = train(tp="1")
    for step in ("1", "2"):
        app.button(key="train.step").click().run()
        assert held(app, "snap") == step
    app.button(key="train.reset").click().run()
    assert "snap" not in app.query_params
    assert status(app).startswith(T("train.at", step="0", steps="300"))


def test_another_choice_begins_anew():
    app = train(tp="1", snap="2")
    app.number_input(key="control.train.draw").set_value(5).run()
    assert held(app, "draw") == "5"
    assert "snap" not in app.query_params


@pytest.mark.parametrize(
    ("field", "value", "code", "values"),
    [
        ("trained_heads", 3, "training.heads", {"got": 3, "most": 16, "width": 8}),
        ("amount", 9_999, "training.steps", {"got": 9_999, "most": 5_000}),
        ("vocabulary", 3, "training.vocabulary", {"got": 3, "least": 7, "most": 20}),
    ],
)
def test_a_choice_that_cannot_be_is_a_sentence_and_changes_nothing(field, value, code, values):
    app = train()
    app.number_input(key=f"control.train.{field}").set_value(value).run()
    assert not app.exception
    assert [T(f"error.{code}", **values) in plain(error.value) for error in app.error] == [True]
    assert app.number_input(key=f"control.train.{field}").value == value
    assert len(maps(app)) >= 2


@pytest.mark.parametrize("typed", ["1e400", "1000000", "-1", "0", "nan", "fast"])
def test_a_rate_that_cannot_be_is_a_sentence_and_stays_until_a_training_begins(typed):
    app = train(tp="1")
    app.text_input(key="control.train.learning_rate").set_value(typed).run()
    said = T("error.training.rate", got=typed, most="10")
    assert [said in plain(error.value) for error in app.error] == [True]
    assert app.text_input(key="control.train.learning_rate").value == typed
    assert "lr" not in app.query_params
    app.button(key="train.step").click().run()
    assert not app.error
    assert app.text_input(key="control.train.learning_rate").value == "0.02"


def test_a_rate_is_kept_in_the_link_and_emptied_it_is_the_tasks_own():
    app = train()
    app.text_input(key="control.train.learning_rate").set_value("0.1").run()
    assert held(app, "lr") == "0.1"
    app.text_input(key="control.train.learning_rate").set_value("").run()
    assert "lr" not in app.query_params
    assert app.text_input(key="control.train.learning_rate").value == "0.02"


def test_a_link_with_an_impossible_rate_says_so_and_keeps_it():
    app = train(lr="1000000")
    assert T("error.training.rate", got="1000000", most="10") in plain(app.error[0].value)
    assert held(app, "lr") == "1000000"
    assert not maps(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_a_task_that_nobody_knows_says_which_there_are(language):
    t = words(language)
    app = opened("train.py", lang=language, task="nowhere")
    said = plain(app.error[0].value)
    assert all(t("train.named", task=t(f"task.{key}.title")) in said for key in (*TASKS, OWN))
    assert "two_saws" not in said
    app.selectbox(key="control.task").set_value("reversal").run()
    assert not app.error


def test_own_sentences_are_learned_and_a_line_without_a_tag_is_named_and_kept():
    app = train()
    app.selectbox(key="control.task").set_value(OWN).run()
    assert app.text_area(key="control.task_table").value
    app.text_area(key="control.task_table").set_value("we/A saw/B\nwe saw/B").run()
    said = T("error.training.no_tag", line=2, text="we")
    assert [said in plain(error.value) for error in app.error] == [True]
    assert app.text_area(key="control.task_table").value == "we/A saw/B\nwe saw/B"
    app.text_area(key="control.task_table").set_value("we/A saw/B\nsaw/A we/B").run()
    assert not app.error
    assert held(app, "table") == "we/A saw/B\nsaw/A we/B"
    assert T("train.own_read", sentences=2, words=2, tags=2, names="A, B") in shown(app)
    app.text_area(key="control.task_table").set_value("").run()
    assert app.text_area(key="control.task_table").value == EXAMPLES["en"]
    assert T("train.own_emptied") in shown(app)
    assert "table" not in app.query_params


def test_own_sentences_come_back_with_their_task():
    app = train(task=OWN, table="we/A saw/B")
    app.selectbox(key="control.task").set_value("majority").run()
    assert "table" not in app.query_params
    app.selectbox(key="control.task").set_value(OWN).run()
    assert held(app, "table") == "we/A saw/B"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_sentences_of_ones_own_are_in_the_language_of_the_page(language):
    app = opened("train.py", lang=language, task=OWN)
    example = EXAMPLES[language]
    assert app.text_area(key="control.task_table").value == example
    first = example.splitlines()[0].split()
    assert app.selectbox(key="control.looked").value == " ".join(
        item.split("/")[0] for item in first
    )
    assert words(language)("train.own_example") in shown(app)
    seeds = opened("train.py", lang=language, task=OWN, panel="seeds")
    assert seeds.selectbox(key="control.looked").value == app.selectbox(key="control.looked").value


def test_the_tags_of_our_tasks_are_in_the_language_of_the_page_and_own_ones_as_typed():
    zh = words("zh-Hant")
    app = opened("train.py", lang="zh-Hant")
    said = shown(app)
    assert zh("labelling.pronoun") in said
    assert not any(tag in said for tag in ("PRON", "VERB", "DET", "NOUN"))
    assert "PRON" in shown(opened("train.py", lang="zh-Hant", task=OWN))


@pytest.mark.parametrize("task", [*TASKS, OWN])
def test_it_says_what_it_is_measured_on(task):
    said = shown(train(task=task))
    if task == OWN:
        assert T("train.measured_own", n=6) in said
        return
    share = {"two_saws": "100 %", "reversal": "11 %", "induction": "15 %", "majority": "99 %"}[task]
    assert f"about {share} of" in said


def test_the_chip_says_untrained_then_how_well_after_which_step():
    app = train(tp="1", draw="77")
    assert T("train.untrained") in chip(app)
    app.segmented_control(key="control.speed").set_value("full").run()
    app.button(key="train.play").click().run()
    assert T("train.chip_now") in chip(app)
    until(app, lambda: held(app, "snap") == "300")
    app.run()
    assert T("train.chip_at", share="100 %", step=300) in plain(chip(app))


def test_a_sentence_of_the_tasks_words_is_looked_at_and_another_text_gives_way():
    app = train(t="you watch my saw")
    assert app.selectbox(key="control.looked").value == "you watch my saw"
    app = train(t="The king met the queen.")
    assert app.selectbox(key="control.looked").value == "I saw a saw"
    assert not app.error


def test_a_training_of_others_is_waited_for(monkeypatch):
    trainings = cached.trainings()
    app = train(tp="1", draw="42")
    until(app, lambda: not trainings._running)
    monkeypatch.setattr(trainings, "_most", 0)
    app.button(key="train.play").click().run()
    assert T("train.waiting", place=1) in status(app)
    app.button(key="train.play").click().run()  # pause
    assert trainings.known(Plan(placed=True, seed=42)) is not None


def test_the_sentence_opens_in_steps_with_a_chip_that_says_trained():
    app = train(tp="1", snap="2")
    until(app, lambda: "2" in status(app))
    app.button(key="train.steps").click().run()
    assert not app.exception
    assert held(app, "w") == "trained"
    link = {key: held(app, key) for key in app.query_params}
    there = opened("steps.py", **link)
    badges = [plain(each.value) for each in there.markdown if "badge" in each.value]
    assert sum("step 2)" in badge for badge in badges) == 2


def test_an_untrained_sentence_opens_in_steps_with_a_chip_that_says_so():
    app = train(tp="1", draw="8")
    app.button(key="train.steps").click().run()
    there = opened("steps.py", **{key: held(app, key) for key in app.query_params})
    badges = [each.value for each in there.markdown if "badge" in each.value]
    assert sum(T("train.untrained") in badge for badge in badges) == 2


def test_a_model_too_large_for_steps_says_so():
    app = train(tw="64", th="16", snap="0")
    assert app.button(key="train.steps").disabled
    assert app.button(key="train.steps").help == T("train.steps_large", most=16, heads=8)


def test_presenting_shows_the_training_alone():
    app = train(present="1", panel="training")
    assert len(maps(app)) >= 2


def shown_tables(app: AppTest) -> list[dict]:
    """Give the matrices with digits that are drawn."""
    return [table for table in tables(app) if table["digits"]]


def test_two_small_heads_stand_side_by_side_with_their_digits():
    assert [table["title"] for table in shown_tables(train())] == [
        T("head.number", number=number) for number in (1, 2)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_many_heads_the_one_in_hand_has_its_digits_and_all_are_pictures(language):
    app = opened("train.py", lang=language, th="16", tw="16", lh="0.11")
    [table] = shown_tables(app)
    assert table["title"] == words(language)("head.number", number=12)
    assert len(table["cells"]) == len(table["cells"][0]) == 4
    [grid] = framed(app)
    assert (grid["counts"], grid["chosen"], grid["first"]) == ([16], [[0, 11]], 1)


def test_a_head_that_is_not_there_is_the_first():
    [table] = shown_tables(train(th="4", lh="0.9"))
    assert table["title"] == T("head.number", number=1)


def test_a_long_sentence_keeps_every_number():
    line = " ".join(f"w{place}/{'AB'[place % 2]}" for place in range(24))
    app = train(task="own", table=line)
    [table] = shown_tables(app)
    assert len(table["cells"]) == len(table["cells"][0]) == 24
