import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.attention import MASKS, NORMALIZERS, HeadChoices, Projections, attend, attend_heads

LAW = settings(max_examples=25, deadline=None, database=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def draw_layer(seed, n_heads=3, n_tokens=5, d_model=7, **kwargs):
    (inputs,) = draw(seed, (n_tokens, d_model))
    return inputs, Projections.random(d_model, n_heads, d_k=2, d_v=11, seed=seed % 1000, **kwargs)


@LAW
@given(seed=seeds, n_kv_heads=st.sampled_from([1, 2, 3, 6]))
def test_every_head_is_attend_of_its_projections(seed, n_kv_heads):
    inputs, w = draw_layer(seed, n_heads=6, n_kv_heads=n_kv_heads)
    choices = HeadChoices(scale="sqrt_d_k")
    trace = attend_heads(inputs, w, choices, mask=MASKS["causal"](5, 5))
    for head in range(6):
        kv_head = head // (6 // n_kv_heads)
        assert w.kv_head(head) == kv_head
        alone = attend(
            inputs @ w.w_q[head],
            inputs @ w.w_k[kv_head],
            inputs @ w.w_v[kv_head],
            choices,
            mask=MASKS["causal"](5, 5),
        )
        np.testing.assert_allclose(trace.weights[head], alone.weights, atol=1e-13)
        np.testing.assert_allclose(trace.head_outputs[head], alone.output, atol=1e-12)


@LAW
@given(seed=seeds)
def test_contributions_sum_to_the_output_without_its_bias(seed):
    inputs, w = draw_layer(seed)
    (b_o,) = draw(seed + 1, 7)
    trace = attend_heads(inputs, dataclasses.replace(w, b_o=b_o))
    assert trace.contributions.shape == (3, 5, 7)
    np.testing.assert_allclose(trace.contributions.sum(axis=0), trace.output - b_o, atol=1e-12)
    np.testing.assert_allclose(
        trace.contributions[2], trace.head_outputs[2] @ w.w_o[22:33], atol=1e-12
    )


def test_contributions_without_w_o_are_the_columns_of_each_head():
    inputs, w = draw_layer(37)
    trace = attend_heads(inputs, dataclasses.replace(w, w_o=None))
    np.testing.assert_array_equal(trace.output, trace.concatenated)
    np.testing.assert_array_equal(trace.contributions.sum(axis=0), trace.output)
    np.testing.assert_array_equal(trace.contributions[1][:, 11:22], trace.head_outputs[1])
    assert not trace.contributions[1][:, :11].any()


@LAW
@given(seed=seeds)
def test_heads_stand_side_by_side(seed):
    inputs, w = draw_layer(seed)
    trace = attend_heads(inputs, w)
    np.testing.assert_array_equal(trace.concatenated, np.hstack(list(trace.head_outputs)))
    np.testing.assert_allclose(trace.output, trace.concatenated @ w.w_o, atol=1e-12)


def test_biases_are_added_to_queries_keys_values_and_output():
    inputs, w = draw_layer(41, n_heads=2, n_kv_heads=1)
    b_q, b_k, b_v, b_o = draw(43, (2, 2), (1, 2), (1, 11), 7)
    trace = attend_heads(inputs, dataclasses.replace(w, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o))
    for head in range(2):
        np.testing.assert_allclose(trace.query[head], inputs @ w.w_q[head] + b_q[head])
        np.testing.assert_allclose(trace.key[head], inputs @ w.w_k[0] + b_k[0])
        np.testing.assert_allclose(trace.value[head], inputs @ w.w_v[0] + b_v[0])
    np.testing.assert_allclose(trace.output, trace.concatenated @ w.w_o + b_o)


@LAW
@given(seed=seeds)
def test_key_bias_changes_no_softmax_weight(seed):
    inputs, w = draw_layer(seed)
    (b_k,) = draw(seed + 1, (3, 2))
    biased = attend_heads(inputs, dataclasses.replace(w, b_k=b_k))
    np.testing.assert_allclose(biased.weights, attend_heads(inputs, w).weights, atol=1e-12)


def test_a_layer_that_sees_nothing_gives_its_bias():
    inputs, w = draw_layer(47)
    (b_o,) = draw(53, 7)
    mask = np.zeros((5, 5), bool)
    trace = attend_heads(inputs, dataclasses.replace(w, b_o=b_o), mask=mask)
    assert trace.empty_rows.all()
    np.testing.assert_array_equal(trace.output, np.tile(b_o, (5, 1)))


def test_mask_may_differ_from_head_to_head():
    inputs, w = draw_layer(59)
    masks = np.stack([MASKS["causal"](5, 5), MASKS["window"](5, 5, 1), MASKS["everyone"](5, 5)])
    trace = attend_heads(inputs, w, mask=masks)
    for head, mask in enumerate(masks):
        np.testing.assert_array_equal(trace.weights[head] > 0, mask)
        np.testing.assert_array_equal(trace.head(head).mask, mask)


@LAW
@given(seed=seeds)
def test_only_products_of_projections_matter(seed):
    inputs, w = draw_layer(seed)
    m, n = (
        np.eye(size) + 0.1 * each
        for size, each in zip((2, 11), draw(seed, (2, 2), (11, 11)), strict=True)
    )
    blocks = np.linalg.inv(n) @ w.w_o.reshape(3, 11, 7)
    turned = Projections(w.w_q @ m, w.w_k @ np.linalg.inv(m).T, w.w_v @ n, blocks.reshape(33, 7))
    here, there = attend_heads(inputs, w), attend_heads(inputs, turned)
    assert np.abs(here.query - there.query).max() > 1e-3
    np.testing.assert_allclose(there.scores, here.scores, atol=1e-9)
    np.testing.assert_allclose(there.output, here.output, atol=1e-9)


# Order of the tokens


@LAW
@given(seed=seeds)
def test_shuffled_inputs_give_the_same_outputs_shuffled(seed):
    inputs, w = draw_layer(seed)
    order = np.random.default_rng(seed).permutation(5)
    here, there = attend_heads(inputs, w), attend_heads(inputs[order], w)
    np.testing.assert_allclose(there.output, here.output[order], atol=1e-10)
    np.testing.assert_allclose(there.weights, here.weights[:, order][:, :, order], atol=1e-10)


def test_a_mask_shuffled_with_the_tokens_keeps_the_outputs_shuffled():
    inputs, w = draw_layer(61)
    order = np.array([3, 0, 4, 1, 2])
    edges = np.eye(5, dtype=bool) | (np.random.default_rng(61).random((5, 5)) < 0.4)
    here = attend_heads(inputs, w, mask=edges)
    there = attend_heads(inputs[order], w, mask=edges[order][:, order])
    np.testing.assert_allclose(there.output, here.output[order], atol=1e-10)


@pytest.mark.parametrize(
    "order_aware",
    [
        {"positions": name}
        for name in (
            "sinusoidal",
            "sinusoidal_tensor2tensor",
            "learned",
            "rotary",
            "alibi",
            "t5",
            "shaw",
        )
    ]
    + [
        {"mask": MASKS["causal"](5, 5)},
        {"mask": MASKS["window"](5, 5, 1)},
        {"mask": MASKS["dilated"](5, 5, 1, 2)},
        {"mask": MASKS["block"](5, 5, 2)},
    ],
)
def test_positions_and_masks_of_places_break_the_shuffle(order_aware):
    inputs, w = draw_layer(67)
    order = np.array([3, 0, 4, 1, 2])
    here = attend_heads(inputs, w, **order_aware)
    there = attend_heads(inputs[order], w, **order_aware)
    assert np.abs(there.output - here.output[order]).max() > 1e-3


def test_equal_tokens_have_equal_rows_and_columns():
    inputs, w = draw_layer(71)
    trace = attend_heads(inputs[[0, 1, 0, 2, 3]], w)
    np.testing.assert_allclose(trace.weights[:, 0], trace.weights[:, 2], rtol=1e-12)
    np.testing.assert_allclose(trace.weights[:, :, 0], trace.weights[:, :, 2], rtol=1e-12)


# Another sequence to read


def test_memory_makes_keys_and_values():
    inputs, memory = draw(73, (2, 3), (5, 7))
    w_q, w_k, w_v = draw(79, (2, 3, 11), (2, 7, 11), (2, 7, 13))
    trace = attend_heads(inputs, Projections(w_q, w_k, w_v), memory=memory)
    assert trace.weights.shape == (2, 2, 5)
    alone = attend(inputs @ w_q[1], memory @ w_k[1], memory @ w_v[1])
    np.testing.assert_allclose(trace.head_outputs[1], alone.output, atol=1e-12)
    np.testing.assert_array_equal(trace.memory, memory)
    assert trace.encoded_memory is trace.memory


@LAW
@given(seed=seeds)
def test_shuffling_the_memory_changes_no_output(seed):
    inputs, w = draw_layer(seed)
    (memory,) = draw(seed + 1, (11, 7))
    order = np.random.default_rng(seed).permutation(11)
    here = attend_heads(inputs, w, memory=memory)
    there = attend_heads(inputs, w, memory=memory[order])
    np.testing.assert_allclose(there.output, here.output, atol=1e-10)
    np.testing.assert_allclose(there.weights, here.weights[:, :, order], atol=1e-10)


def test_positions_are_added_to_the_memory_too():
    inputs, w = draw_layer(83)
    (memory,) = draw(89, (11, 7))
    (table,) = draw(97, (13, 7))
    trace = attend_heads(inputs, w, memory=memory, positions=table)
    np.testing.assert_array_equal(trace.encoded_inputs, inputs + table[:5])
    np.testing.assert_array_equal(trace.encoded_memory, memory + table[:11])
    np.testing.assert_allclose(trace.key[0], (memory + table[:11]) @ w.w_k[0], rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"inputs": np.ones((5, 3))},
            r"inputs must be 7 wide, as the rows of the projections, got "
            r"\(5, 3\); change the width",
        ),
        ({"memory": np.ones((2, 3))}, r"memory must be 7 wide, .* got \(2, 3\); change"),
        (
            {"inputs": np.ones((1, 5, 7))},
            r"inputs must have the axes \(query, d_model\), got shape "
            r"\(1, 5, 7\); give it 2 axes",
        ),
        ({"inputs": np.full((5, 7), np.nan)}, r"inputs must hold finite .* \(query 0, d_model 0\)"),
        (
            {"inputs": np.full((5, 7), 1e308)},
            r"\w+ must hold finite .* \(token 0, feature .*; it grew",
        ),
        (
            {"mask": np.ones((2, 5, 5), bool)},
            r"mask must be \(query, key\) = \(5, 5\), got \(2, 5, 5\)",
        ),
        (
            {"positions": "sinusodial"},
            r"positions must be one of none, .*, got 'sinusodial'; choose",
        ),
        (
            {"positions": np.ones((3, 7))},
            r"positions must have at least 5 rows of width 7, got "
            r"\(3, 7\); make the table longer",
        ),
        ({"positions": np.ones((5, 3))}, r"positions must have at least 5 rows of width 7"),
    ],
)
def test_layer_refuses_what_does_not_fit(change, message):
    inputs, w = draw_layer(101)
    with pytest.raises(ValueError, match=f"^{message}"):
        attend_heads(**({"inputs": inputs, "projections": w} | change))


def test_positions_are_not_added_to_a_memory_of_another_width():
    w_q, w_k, w_v = draw(103, (1, 3, 2), (1, 7, 2), (1, 7, 2))
    with pytest.raises(
        ValueError, match=r"^memory must be as wide as the positions .* 3, got \(5, 7\)"
    ):
        attend_heads(
            np.ones((2, 3)),
            Projections(w_q, w_k, w_v),
            memory=np.ones((5, 7)),
            positions="sinusoidal",
        )


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi", "shaw"])
def test_layer_dtype_is_that_of_inputs_and_projections(positions):
    inputs, w = draw_layer(107)
    assert attend_heads(inputs, w, positions=positions).output.dtype == np.float64
    names = ("w_q", "w_k", "w_v", "w_o")
    single = Projections(*(getattr(w, name).astype(np.float32) for name in names))
    trace = attend_heads(inputs.astype(np.float32), single, positions=positions)
    assert {step.array.dtype for step in trace.steps()} == {np.dtype(np.float32)}


# Relative positions


@pytest.mark.parametrize("score", ["cosine", "bilinear", "additive"])
def test_relative_keys_work_with_every_score(score):
    inputs, w = draw_layer(113)
    w_query, w_key, v, matrix = draw(127, (2, 3), (2, 3), 3, (2, 2))
    parameters = {
        "bilinear": {"w": matrix},
        "additive": {"w_query": w_query, "w_key": w_key, "v": v},
    }
    choices = HeadChoices(score=score, parameters=parameters.get(score, {}))
    trace = attend_heads(inputs, w, choices, positions="shaw")
    moved = trace.key[1] + trace.relative_key[3]  # the keys as query 3 meets them
    alone = attend(trace.query[1, 3:4], moved, trace.value[1], choices)
    np.testing.assert_allclose(trace.scores[1, 3], alone.scores[0], atol=1e-12)


@LAW
@given(seed=seeds, normalizer=st.sampled_from(sorted(NORMALIZERS)), d_model=st.integers(1, 16))
def test_equal_tokens_get_equal_outputs_to_the_last_bit(seed, normalizer, d_model):
    inputs, w = draw_layer(seed, n_heads=2, n_tokens=11, d_model=d_model)
    inputs[[4, 10]] = inputs[1]
    trace = attend_heads(inputs, w, HeadChoices(normalizer=normalizer))
    for place in (4, 10):
        np.testing.assert_array_equal(trace.output[place], trace.output[1])
