"""A training: two saws, determinism, frozen matrices; torch, numpy and Steps agree."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from attnviz.errors import InputError
from attnviz.models.training.learning import LETTERS, MATRICES, Plan, attention, initial, inputs_of
from attnviz.models.training.saved import weights_file
from attnviz.models.training.tasks import OWN, TASKS
from attnviz.models.training.train import scores_of, seeds, train
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.ui.rooms.train.opening import steps_fields

SAWS = np.array([[0, 3, 7, 3]])  # I saw a saw
SHORT = Plan(steps=6, placed=True)


def trained(plan: Plan) -> list:
    return list(train(plan))


@pytest.mark.parametrize("seed", range(5))
def test_without_positions_no_sentence_with_the_same_word_twice_is_right(seed):
    last = trained(Plan(seed=seed, steps=60))[-1]
    assert last.accuracy[0] == 0
    weights, scores = attention(last.parameters, SAWS, 2)
    np.testing.assert_array_equal(weights[0, :, 1], weights[0, :, 3])
    np.testing.assert_array_equal(scores[0, 1], scores[0, 3])


@pytest.mark.parametrize("seed", range(5))
def test_with_positions_every_sentence_is_right(seed):
    last = trained(Plan(seed=seed, placed=True, steps=100))[-1]
    assert last.accuracy == (1.0, 1.0)
    weights, _ = attention(last.parameters, SAWS, 2)
    assert np.abs(weights[0, :, 1] - weights[0, :, 3]).max() > 0.1


@pytest.mark.parametrize(
    ("plan", "solved"),
    [
        (Plan(task="reversal", placed=True, steps=120), True),
        (Plan(task="reversal", steps=120), False),
        (Plan(task="majority", steps=200), True),
        (Plan(task="induction", steps=500), True),
        (Plan(task=OWN, placed=True, steps=60), True),
    ],
)
def test_each_task_is_learned_where_it_can_be(plan, solved):
    known = [share for share in trained(plan)[-1].accuracy if not np.isnan(share)]
    assert (min(known) >= 0.95) is solved


@given(
    st.builds(
        Plan,
        task=st.sampled_from(sorted(TASKS)),
        placed=st.booleans(),
        frozen=st.sampled_from(["", "q", "qk", "vo", "qkvo"]),
        seed=st.integers(0, 9_999),
        heads=st.sampled_from([1, 2, 4]),
        steps=st.just(3),
    )
)
@settings(max_examples=15, deadline=None)
def test_the_same_plan_gives_the_same_snapshots_and_frozen_matrices_stay(plan):
    one, two = trained(plan), trained(plan)
    first = initial(plan.checked())
    for a, b in zip(one, two, strict=True):
        assert (a.step, a.loss, a.accuracy, a.gradients) == (
            b.step,
            b.loss,
            b.accuracy,
            b.gradients,
        )
        for name, array in a.parameters.items():
            np.testing.assert_array_equal(array, b.parameters[name])
    for letter, name in LETTERS.items():
        stayed = np.array_equal(one[-1].parameters[name], first[name])
        assert stayed is (letter in plan.frozen)


@given(st.integers(0, 50), st.sampled_from([*sorted(TASKS), OWN]), st.booleans())
@settings(max_examples=10, deadline=None)
def test_torch_and_numpy_give_the_same_scores_and_rows_add_up(seed, task, placed):
    learner = Plan(task=task, seed=seed, placed=placed).checked()
    numbers, words = initial(learner), learner.task.tests.words
    tensors = {name: torch.tensor(array) for name, array in numbers.items()}
    weights, scores = attention(numbers, words, learner.heads)
    torched = scores_of(tensors, torch.from_numpy(words), learner.heads)
    np.testing.assert_allclose(scores, torched.numpy(), atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-12)


def test_the_first_snapshot_is_what_the_page_draws_before_anything_is_learned():
    first, drawn = trained(SHORT)[0], SHORT.checked().first
    assert (first.step, first.accuracy) == (drawn.step, drawn.accuracy)
    assert first.loss == pytest.approx(drawn.loss, abs=1e-12)


@pytest.mark.parametrize(
    "plan", [Plan(), Plan(steps=1), Plan(width=128, heads=16), Plan(steps=5_000)]
)
def test_moments_rise_from_the_first_step_to_the_last(plan):
    learner = plan.checked()
    assert learner.moments[0] == 0
    assert learner.moments[-1] == learner.steps
    assert list(learner.moments) == sorted(set(learner.moments))
    assert len(learner.moments) <= 102


def test_gradients_are_told_of_every_matrix():
    for found in trained(SHORT):
        assert set(found.gradients) == set(MATRICES)
        assert min(found.gradients.values()) > 0


def test_several_seeds_each_end_as_they_would_alone():
    found = dict(seeds(SHORT, 3))
    assert list(found) == [0, 1, 2]
    alone = trained(replace(SHORT, seed=2))[-1]
    np.testing.assert_array_equal(found[2].parameters["w_q"], alone.parameters["w_q"])


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"rate": 1e6}, "training.rate"),
        ({"rate": 0.0}, "training.rate"),
        ({"rate": -1.0}, "training.rate"),
        ({"rate": float("nan")}, "training.rate"),
        ({"heads": 3}, "training.heads"),
        ({"heads": 17, "width": 17}, "training.heads"),
        ({"width": 129}, "training.width"),
        ({"steps": 5_001}, "training.steps"),
        ({"steps": -1}, "training.steps"),
        ({"frozen": "x"}, "training.frozen"),
        ({"task": OWN, "table": "saw"}, "training.no_tag"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(fields, code):
    with pytest.raises(InputError) as refused:
        Plan(**fields).checked()
    assert refused.value.code == code


def test_a_loss_that_is_no_number_ends_the_training_with_a_reason(monkeypatch):
    calls = iter(range(100))

    def spoiled(tensors, sentences, n_heads):
        loss = sum(tensor.sum() for tensor in tensors.values())
        return loss * (float("nan") if next(calls) > 4 else 1.0)

    monkeypatch.setattr("attnviz.models.training.train.loss_of", spoiled)
    found = []
    with pytest.raises(InputError) as refused:
        found.extend(train(SHORT))
    assert refused.value.code == "training.diverged"


def test_saved_weights_are_read_back_as_they_were(tmp_path):
    found = trained(SHORT)[-1]
    (tmp_path / "trained.safetensors").write_bytes(weights_file(SHORT.checked(), found))
    with safe_open(tmp_path / "trained.safetensors", framework="numpy") as saved:
        assert set(saved.keys()) == set(found.parameters)
        for name, array in found.parameters.items():
            np.testing.assert_array_equal(saved.get_tensor(name), array)
        about = saved.metadata()
    assert (about["task"], about["step"], about["heads"]) == ("two_saws", "6", "2")
    assert about["words"].split()[3] == "saw"


@pytest.mark.parametrize("plan", [SHORT, Plan(steps=4), Plan(task="induction", steps=4)])
def test_steps_shows_the_weights_that_were_learned(plan):
    learner, found = plan.checked(), trained(plan)[-1]
    words = learner.task.tests.words[0]
    names = tuple(learner.task.names["en"][word] for word in words)
    scene = scene_of(Settings(**steps_fields(learner, found, words, names)))
    weights, _ = attention(found.parameters, words[None], learner.heads)
    np.testing.assert_allclose(scene.trace.weights, weights[0], atol=1e-4)
    np.testing.assert_allclose(scene.inputs, inputs_of(found.parameters, words[None])[0], atol=1e-6)
    assert scene.weight_source == "trained"
    assert set(scene.token_sources) == {"trained"}
