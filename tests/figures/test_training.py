"""A training as pictures, checked by their data; its code, run and compared with the engine."""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attnviz.figures import code_train
from attnviz.figures.notation import COLUMN
from attnviz.figures.training import (
    curves,
    curves_alt,
    learned_matrices,
    learned_matrices_alt,
    percent,
)
from attnviz.models.training.learning import MATRICES, Plan, attention
from attnviz.models.training.tasks import OWN
from attnviz.models.training.train import train
from attnviz.text import LANGUAGES, words

KINDS = ("same", "different")


@pytest.fixture(scope="module")
def history():
    return tuple(train(Plan(placed=True, steps=30, frozen="q")))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_curves_are_the_accuracy_of_each_kind_and_the_loss(history, theme):
    figure = curves(history, KINDS, 30, 12, words("en"), theme)
    for place, line in enumerate(figure.data[:2]):
        np.testing.assert_allclose(line.y, [found.accuracy[place] for found in history], atol=1e-6)
        assert line.name == KINDS[place]
    assert figure.data[0].line.dash != figure.data[1].line.dash
    np.testing.assert_allclose(figure.data[2].y, [found.loss for found in history], rtol=1e-6)
    np.testing.assert_allclose(figure.layout.shapes[0].x0, np.log10(13), rtol=1e-6)


def test_a_kind_without_sentences_has_no_curve():
    found = Plan(task=OWN).checked().first
    figure = curves([found], KINDS, 30, 0, words("en"))
    assert len(figure.data) == 2


def test_each_matrix_is_drawn_on_one_scale_with_its_gradient(history):
    found = history[-1]
    figure = learned_matrices(found, ("w_q",), 1.0, words("en"))
    top = max(np.abs(found.parameters[name]).max() for name in MATRICES)
    for name, map_ in zip(MATRICES, figure.data, strict=True):
        drawn = np.asarray(map_.z, dtype=float) / 127 * top
        np.testing.assert_allclose(drawn, found.parameters[name], atol=top / 250)
    frozen = words("en")("train.frozen_short")
    notes = [note.text for note in figure.layout.annotations]
    assert [note for note in notes if frozen in note] == [f"<b>W<sup>q</sup></b> {frozen}"]
    assert sum(note.startswith("∇ ") for note in notes) == len(MATRICES)


def test_the_matrices_turn_with_the_notation(history):
    rows = learned_matrices(history[-1], (), 1.0, words("en"))
    columns = learned_matrices(history[-1], (), 1.0, words("en"), notation=COLUMN)
    for one, other in zip(rows.data, columns.data, strict=True):
        np.testing.assert_array_equal(np.asarray(one.z).T, np.asarray(other.z))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_aloud_has_the_numbers(history, language):
    t = words(language)
    assert percent(history[-1].accuracy[0]) in curves_alt(history, KINDS, t)
    assert t("train.frozen_short") in learned_matrices_alt(history[-1], ("w_q",), t)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0 %"), (0.001, "1 %"), (0.999, "99 %"), (1.0, "100 %"), (0.5, "50 %"), (1 / 3, "33 %")],
)
def test_what_is_not_all_is_never_all(share, said):
    assert percent(share) == said


PLANS = [
    Plan(),
    Plan(placed=True, seed=3, frozen="qo", vocabulary=12),
    Plan(task="reversal", placed=True, heads=2),
    Plan(task="induction"),
    Plan(task="majority", rate=0.1),
    Plan(task=OWN, placed=True, table="I/A saw/B\nwe/A saw/B #1'\"/C\n學/B 而/A"),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.task)
@pytest.mark.parametrize("write", [code_train.torch_code, code_train.package_code])
def test_the_code_trains_the_same_model(plan, write):
    learner = plan.checked()
    found = next(each for each in train(plan) if each.step == 8)
    sentence = learner.task.tests.words[0]
    sentence = sentence[sentence >= 0]
    names = {"__name__": "__main__"}
    with redirect_stdout(StringIO()):
        exec(compile(write(learner, 8, sentence, words("en")), "<panel>", "exec"), names)
    weights, _ = attention(found.parameters, sentence[None], learner.heads)
    given = names["weights"][0]
    given = given.detach().numpy() if hasattr(given, "detach") else given
    np.testing.assert_allclose(given, weights[0], atol=1e-8)
