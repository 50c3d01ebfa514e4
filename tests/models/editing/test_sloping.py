"""The slopes at the gates of heads are those of autograd, and what finite differences find."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from attnviz.attention.head_importance import head_gradients
from attnviz.models.editing import ablating, sloping
from attnviz.models.editing.ablating import worth
from attnviz.models.editing.sloping import Gates
from attnviz.models.editing.worth import Worth
from tests.models.test_capture import ON_THE_INTERFACE, PICTURE, TARGET, TEXT

PREDICTS = ("gpt2", "marian", "bart")
ROUNDS = ("llama", "gemma", "t5")  # their norms compute in float32 whatever comes
SILENT = ("bert", "vit")
STEP = 1e-4


def read_by(model, family):
    pieces = (PICTURE if family in ("vit", "deit") else TEXT, None, None)
    if model.kind == "encoder_decoder":
        pieces = (TEXT, None, TARGET)
    return pieces


def precise(make, family):
    """Give a model of the family that computes in float64, and what it reads."""
    model = make(family)
    model.network.double()
    inputs = model._given(*read_by(model, family)).inputs
    return model, {
        name: each.double() if each.is_floating_point() else each for name, each in inputs.items()
    }


def outcome(model, inputs, values) -> tuple[Any, torch.Tensor]:
    with torch.no_grad(), Gates(values).recording():
        return ablating._outcome(model, inputs)


def every_gate(slopes):
    return [(place, head) for place, heads in enumerate(slopes) for head in range(len(heads))]


def turned(slopes, place, head, value):
    """Give gates of 1, and of `value` at one head."""
    gates = [torch.ones(len(heads), dtype=torch.float64) for heads in slopes]
    gates[place][head] = value
    return gates


@pytest.fixture
def own(tiny):
    """Make a model that nobody else holds: it is brought to float64."""

    def make(family):
        shared = tiny(family)
        return replace(shared, network=copy.deepcopy(shared.network))

    return make


@pytest.mark.parametrize("family", [*PREDICTS, *ROUNDS])
def test_the_slope_of_the_loss_is_what_finite_differences_find(own, family):
    model, inputs = precise(own, family)
    slopes = ablating._slopes(model, inputs, lambda share: None)
    step = 1e-3 if family in ROUNDS else STEP
    off = (0.0, 5e-4) if family in ROUNDS else (1e-4, 1e-8)
    for place, head in every_gate(slopes):
        near, far = (
            np.subtract(
                *(
                    float(outcome(model, inputs, turned(slopes, place, head, 1 + by))[0])
                    for by in (times * step, -times * step)
                )
            )
            for times in (1, 2)
        )
        assert_allclose(slopes[place][head], (8 * near - far) / (12 * step), *off)
    largest = max(float(np.abs(heads).max()) for heads in slopes)
    assert largest > 1e-2


def test_the_slope_of_the_loss_is_the_published_product(own):
    model, inputs = precise(own, "gpt2")
    block = model.network.transformer.h[0].attn.c_proj
    seen = {}

    def keep(module, given, out):
        out.retain_grad()
        seen["heads"], seen["out"] = given[0], out

    hook = block.register_forward_hook(keep)
    loss, _ = ablating._outcome(model, inputs)
    hook.remove()
    assert loss is not None
    loss.backward()
    slopes = ablating._slopes(model, inputs, lambda share: None)
    n_heads, width = len(slopes[0]), block.weight.shape[0] // len(slopes[0])
    heads = seen["heads"][0].detach().unflatten(-1, (n_heads, width)).transpose(0, 1)
    added = heads @ block.weight.detach().unflatten(0, (n_heads, width))
    assert_allclose(slopes[0], head_gradients(seen["out"].grad[0], added), rtol=1e-9)


@pytest.mark.parametrize("family", SILENT)
def test_the_speed_of_the_vectors_nears_what_finite_differences_find(own, family, monkeypatch):
    monkeypatch.setattr(sloping, "DIRECTIONS", 1500)
    model, inputs = precise(own, family)
    slopes = ablating._slopes(model, inputs, lambda share: None)
    plain = outcome(model, inputs, None)[1]
    for place, head in every_gate(slopes):
        near = outcome(model, inputs, turned(slopes, place, head, 1 - STEP))[1]
        moved = (near - plain).norm(dim=-1) / plain.norm(dim=-1) / STEP
        exact = float((moved**2).mean().sqrt())
        assert_allclose(slopes[place][head], exact, rtol=0.1)


@pytest.mark.parametrize("family", ON_THE_INTERFACE)
def test_every_family_of_which_heads_can_be_switched_off_has_slopes(tiny, family):
    model = tiny(family)
    before = {name: each.requires_grad for name, each in model.network.named_parameters()}
    told = []
    found = worth(model, *read_by(model, family), progress=lambda *now: told.append(now))
    assert [len(heads) for heads in found.slopes] == [len(heads) for heads in found.moved]
    assert all(np.isfinite(heads).all() for heads in found.slopes)
    assert any(heads.any() for heads in found.slopes)
    assert [stage for stage, _ in told] == sorted((stage for stage, _ in told), reverse=True)
    assert {stage for stage, _ in told} == {"slope", "ablate"}
    assert before == {name: e.requires_grad for name, e in model.network.named_parameters()}
    assert all(each.grad is None for each in model.network.parameters())


def test_a_text_that_is_too_long_has_no_slopes_and_is_switched_off_all_the_same(tiny, monkeypatch):
    monkeypatch.setattr(ablating, "MOST_SLOPED", 3)
    found = worth(tiny("gpt2"), TEXT)
    assert found.slopes == ()
    assert found.losses
    assert found.agreement is None
    assert found.foreseen is None


def test_heads_are_ranked_by_the_size_of_the_slope_and_agreement_by_the_size_of_the_change():
    found = Worth(
        moved=(np.zeros(2), np.zeros(2)),
        loss=2.0,
        losses=(np.array([0.4, -0.3]), np.array([0.1, 0.0])),
        slopes=(np.array([-0.2, 0.3]), np.array([0.1, -0.01])),
    )
    assert found.ranked("gradient") == [(0, 1), (0, 0), (1, 0), (1, 1)]
    assert found.ranked() == [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert found.foreseen == 2
    assert found.agreement == pytest.approx(0.8)
