"""What a change reaches: bit for bit, nothing but what is computed from what was changed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import MASKS, HeadChoices, Projections, attend_heads
from attnviz.attention.stops import changed, changed_cells, stops

RNG = np.random.default_rng(11)
INPUTS = RNG.normal(size=(5, 3))
MATRICES = {
    "w_q": RNG.normal(size=(2, 3, 2)),
    "w_k": RNG.normal(size=(2, 3, 2)),
    "w_v": RNG.normal(size=(2, 3, 7)),
    "w_o": RNG.normal(size=(14, 3)),
}
DOWNSTREAM = {
    "w_q": {"query", "scores", "scaled_scores", "weights", "head_outputs"},
    "w_k": {"key", "scores", "scaled_scores", "weights", "head_outputs"},
    "w_v": {"value", "head_outputs"},
    "w_o": set(),
}
JOINED = {"concatenated", "output"}


def layer(inputs=INPUTS, choices=None, mask=None, positions="none", **other):
    projections = Projections(**(MATRICES | other))
    chosen = choices or HeadChoices(scale="sqrt_d_k")
    return attend_heads(inputs, projections, chosen, mask=mask, positions=positions)


def nudged(name: str, head: int, row: int, column: int) -> np.ndarray:
    array = MATRICES[name].copy()
    array[(row, column) if name == "w_o" else (head, row, column)] += 0.5
    return array


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("mask", [None, MASKS["causal"](5, 5)])
def test_only_what_is_computed_from_a_matrix_changes_with_it(name, mask):
    before = layer(mask=mask)
    after = layer(mask=mask, **{name: nudged(name, 1, 2, 1)})
    found = changed(before, after, head=1)
    moved = {key for key, count in found.items() if count}
    hidden = {"masked_scores"} if mask is not None and name in ("w_q", "w_k") else set()
    joined = {"output"} if name == "w_o" else JOINED
    assert moved == {name} | DOWNSTREAM[name] | joined | hidden
    assert found[name] == 1


def test_another_head_is_not_reached():
    found = changed(layer(), layer(w_v=nudged("w_v", 0, 0, 0)), head=1)
    assert {key for key, count in found.items() if count} == JOINED


@given(st.integers(0, 4), st.integers(0, 2))
def test_one_input_changes_its_own_rows_and_whoever_reads_it(token, feature):
    inputs = INPUTS.copy()
    inputs[token, feature] += 0.5
    cells = changed_cells(layer(), layer(inputs))
    own = np.arange(5) == token
    for name in ("inputs", "query", "key", "value"):
        assert (cells[name].any(axis=1) == own).all(), name
    assert (cells["scores"] == (own[:, None] | own)).all()


@given(st.integers(0, 4))
def test_under_a_causal_mask_earlier_outputs_stay(token):
    inputs = INPUTS.copy()
    inputs[token] += 0.5
    mask = MASKS["causal"](5, 5)
    cells = changed_cells(layer(mask=mask), layer(inputs, mask=mask))
    for name in ("weights", "head_outputs"):
        assert not cells[name][:token].any()
    assert cells["head_outputs"][token].all()


def test_the_same_settings_change_nothing():
    assert not any(changed(layer(), layer()).values())


def test_a_matrix_of_another_size_cannot_be_compared():
    found = changed(layer(), layer(INPUTS[:4]))
    assert found["inputs"] is None
    assert found["weights"] is None
    assert found["w_q"] == 0


def test_what_was_not_there_before_cannot_be_compared():
    masked = layer(mask=MASKS["causal"](5, 5))
    assert changed(layer(), masked)["masked_scores"] is None
    one = Projections(**{name: MATRICES[name][:1] for name in ("w_q", "w_k", "w_v")})
    alone = attend_heads(INPUTS, one, HeadChoices(scale="sqrt_d_k"))
    assert set(changed(alone, layer(), head=1).values()) == {None}


def test_the_stops_are_in_the_order_in_which_they_are_made():
    plain = attend_heads(INPUTS, Projections(*(MATRICES[f"w_{x}"][:1] for x in "qkv")))
    names = "inputs w_q query w_k key w_v value scores weights head_outputs"
    assert list(stops(plain, 0)) == names.split()
    full = layer(mask=MASKS["causal"](5, 5), positions=np.ones((5, 3)))
    names = (
        "inputs positions encoded_inputs w_q query w_k key w_v value scores scaled_scores "
        "masked_scores weights head_outputs concatenated w_o output"
    )
    assert " ".join(stops(full, 1)) == names
    np.testing.assert_array_equal(stops(full, 1)["positions"].array, np.ones((5, 3)))
    learned = [name for name, stop in stops(full, 1).items() if stop.source == "learned"]
    assert learned == ["w_q", "w_k", "w_v", "w_o"]
    assert stops(full, 1)["inputs"].source == "given"
