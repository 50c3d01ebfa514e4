import dataclasses

import numpy as np
import pytest

from attnviz.attention import (
    MASKS,
    HeadChoices,
    Projections,
    Step,
    attend,
    attend_heads,
    linear_attend,
)

N_QUERY, N_KEY, D_K, D_V = 2, 5, 3, 7
SIZES = {"query": N_QUERY, "key": N_KEY, "d_k": D_K, "d_v": D_V}


def draw_qkv(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in ((N_QUERY, D_K), (N_KEY, D_K), (N_KEY, D_V))]


def layer(n_heads=3, n_tokens=5, *, w_o=True, choices=None, **kwargs):
    rng = np.random.default_rng(7)
    w = Projections.random(7, n_heads, d_k=2, d_v=11, seed=3)
    w = w if w_o else dataclasses.replace(w, w_o=None)
    return attend_heads(rng.standard_normal((n_tokens, 7)), w, choices or HeadChoices(), **kwargs)


def names(trace):
    return [step.name for step in trace.steps()]


def arrays(result):
    """Find every array that a result holds, however deep."""
    if isinstance(result, np.ndarray):
        yield result
    elif dataclasses.is_dataclass(result):
        for each in dataclasses.fields(result):
            yield from arrays(getattr(result, each.name))
        for name in ("empty_rows", "contributions", "weights"):
            if hasattr(result, name):
                yield getattr(result, name)


TRACES = {
    "attend": lambda: attend(
        *draw_qkv(), HeadChoices(scale="sqrt_d_k"), bias=np.ones((2, 5)), mask=MASKS["causal"](2, 5)
    ),
    "plain layer": layer,
    "one head": lambda: layer(n_heads=1, w_o=False),
    "one head of many": lambda: layer(mask=MASKS["causal"](5, 5), positions="alibi").head(1),
    "sinusoidal memory": lambda: layer(positions="sinusoidal", memory=np.ones((11, 7))),
    "rotary": lambda: layer(positions="rotary"),
    "t5": lambda: layer(positions="t5"),
    "shaw": lambda: layer(positions="shaw"),
    "linear": lambda: linear_attend(*draw_qkv(), causal=True),
    "linear masked": lambda: linear_attend(*draw_qkv(), mask=MASKS["causal"](2, 5)),
}


@pytest.mark.parametrize("name", TRACES)
def test_no_array_of_a_trace_can_be_written(name):
    found = list(arrays(TRACES[name]()))
    assert len(found) >= 5
    for array in found:
        while isinstance(array, np.ndarray):
            assert not array.flags.writeable
            array = array.base


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_cannot_be_changed(name):
    with pytest.raises(dataclasses.FrozenInstanceError):
        TRACES[name]().output = None


def test_a_trace_keeps_its_numbers_when_the_caller_changes_his():
    query, key, value = draw_qkv()
    mask, bias = np.ones((N_QUERY, N_KEY), bool), np.zeros((N_QUERY, N_KEY))
    trace = attend(query, key, value, mask=mask, bias=bias)
    before = [array.copy() for array in arrays(trace)]
    for array in (query, key, value, mask, bias):
        array[:] = 0  # still writable, and the caller's own
    for array, kept in zip(arrays(trace), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_a_layer_keeps_its_numbers_when_the_caller_changes_his():
    inputs, memory, table, w_q = (np.ones(shape) for shape in ((2, 3), (5, 3), (5, 3), (1, 3, 2)))
    w = Projections(w_q, w_q, w_q)
    trace = attend_heads(inputs, w, memory=memory, positions=table)
    for array in (inputs, memory, table, w_q):
        array[:] = 0
    for array in (trace.inputs, trace.memory, trace.position.added, w.w_q, trace.projections.w_k):
        assert (array == 1).all()


# Steps


def test_steps_go_from_query_to_output_and_leave_out_what_changes_nothing():
    query, key, value = draw_qkv()
    plain = ["query", "key", "scores", "weights", "value", "output"]
    scaled = ["query", "key", "scores", "scaled_scores", "weights", "value", "output"]
    masked = ["query", "key", "scores", "masked_scores", "weights", "value", "output"]
    assert names(attend(query, key, value)) == plain
    assert names(attend(query, key, value, HeadChoices(scale="sqrt_d_k"))) == scaled
    assert names(attend(query, key, value, mask=MASKS["causal"](2, 5))) == masked
    assert names(attend(query, key, value, bias=np.zeros((2, 5)))) == masked


def test_steps_carry_their_arrays_and_a_word_for_each_axis():
    trace = attend(*draw_qkv(), HeadChoices(scale=2), bias=np.ones((2, 5)))
    for step in trace.steps():
        assert isinstance(step, Step)
        assert step.array is getattr(trace, step.name)
        assert step.array.shape == tuple(SIZES[axis] for axis in step.axes)


def test_steps_of_heads_that_nobody_named_are_a_batch():
    query, key, value = (np.stack([each] * 3) for each in draw_qkv())
    steps = list(attend(query, key, value).steps())
    assert {step.axes[0] for step in steps} == {"batch"}
    assert all(len(step.axes) == step.array.ndim for step in steps)


def test_steps_of_a_layer_start_at_the_inputs_and_put_heads_together():
    shared = ["query", "key", "scores", "weights", "value", "head_outputs"]
    together = ["concatenated", "output"]
    assert names(layer()) == ["inputs", *shared, *together]
    assert names(layer(w_o=False)) == ["inputs", *shared, *together]
    assert names(layer(n_heads=1)) == ["inputs", *shared, *together]
    assert names(layer(n_heads=1, w_o=False)) == ["inputs", *shared]
    assert names(layer(positions="rotary")) == ["inputs", *shared, *together]
    assert names(layer(positions="learned"))[:3] == ["inputs", "encoded_inputs", "query"]
    reading = layer(memory=np.ones((11, 7)), positions="learned")
    assert names(reading)[:5] == ["inputs", "encoded_inputs", "memory", "encoded_memory", "query"]
    assert names(layer(memory=np.ones((11, 7))))[:3] == ["inputs", "memory", "query"]
    assert "masked_scores" in names(layer(positions="alibi"))
    assert "scaled_scores" in names(layer(choices=HeadChoices(scale="sqrt_d_k")))


def test_steps_of_a_layer_carry_their_arrays_and_a_word_for_each_axis():
    choices = HeadChoices(scale=2)
    trace = layer(
        choices=choices, positions="learned", memory=np.ones((11, 7)), mask=np.ones((5, 11), bool)
    )
    sizes = {"head": {3}, "query": {5}, "key": {11}, "d_k": {2}, "d_v": {11, 33}, "d_model": {7}}
    for step in trace.steps():
        assert step.array is getattr(trace, step.name)
        assert len(step.axes) == step.array.ndim
        for axis, size in zip(step.axes, step.array.shape, strict=True):
            assert size in sizes[axis], step.name


# One head of many


@pytest.mark.parametrize("positions", ["none", "alibi", "shaw"])
@pytest.mark.parametrize("head", [0, 2])
def test_one_head_of_a_layer_shows_its_arrays_without_copying(positions, head):
    choices = HeadChoices(scale="sqrt_d_k")
    trace = layer(positions=positions, mask=MASKS["causal"](5, 5), choices=choices)
    one = trace.head(head)
    for step in one.steps():
        whole = trace.head_outputs if step.name == "output" else getattr(trace, step.name)
        np.testing.assert_array_equal(step.array, whole[head])
        assert np.shares_memory(step.array, whole)
    assert one.mask is trace.mask
    assert one.inputs is trace.inputs
    assert (one.choices, one.scale) == (trace.choices, trace.scale)
    assert one.relative_key is trace.relative_key
    np.testing.assert_array_equal(one.empty_rows, trace.empty_rows[head])


def test_one_head_can_be_computed_again_from_its_own_trace():
    one = layer(positions="alibi", mask=MASKS["window"](5, 5, 1)).head(1)
    again = attend(one.query, one.key, one.value, one.choices, mask=one.mask, bias=one.bias)
    np.testing.assert_allclose(again.weights, one.weights, rtol=1e-12)
    np.testing.assert_allclose(again.output, one.output, rtol=1e-12)


@pytest.mark.parametrize("head", [-1, 3])
def test_head_refuses_what_is_not_there(head):
    with pytest.raises(ValueError, match=rf"^head must be 0 ... 2, got {head}; heads count from 0"):
        layer().head(head)


def test_a_layer_knows_its_sizes():
    trace = layer(memory=np.ones((11, 7)))
    assert (trace.n_heads, trace.n_query, trace.n_key) == (3, 5, 11)
    assert (trace.head(0).n_query, trace.head(0).n_key) == (5, 11)


def test_shared_keys_and_values_are_shown_for_every_head():
    w = Projections.random(7, 6, d_k=2, d_v=11, seed=3, n_kv_heads=2)
    trace = attend_heads(np.eye(7), w)
    assert trace.key.shape == (6, 7, 2)
    for head in range(6):
        np.testing.assert_array_equal(trace.key[head], trace.key[3 * (head // 3)])
        np.testing.assert_array_equal(trace.value[head], trace.value[3 * (head // 3)])


def test_traces_are_compared_as_objects_not_by_their_arrays():
    trace = layer()
    assert trace == trace
    assert trace != layer()
