"""The same numbers as torch and transformers, in float64 unless they compute in float32."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: N812  the name torch itself recommends
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.t5.modeling_t5 import T5Attention

from attnviz.attention import MASKS, HeadChoices, Projections, attend, attend_heads, linear_attend
from attnviz.attention.positions import alibi, alibi_slopes, rotary, t5_buckets

N_QUERY, N_KEY, D_K, D_V, N_HEADS = 2, 5, 3, 7, 11
EXACT = {"rtol": 1e-10, "atol": 1e-12}
SINGLE = {"rtol": 2e-5, "atol": 2e-5}
SQRT = HeadChoices(scale="sqrt_d_k")


def draw(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def draw_qkv(seed):
    shapes = ((N_HEADS, N_QUERY, D_K), (N_HEADS, N_KEY, D_K), (N_HEADS, N_KEY, D_V))
    return draw(seed, *shapes)


def tensors(*arrays):
    return [torch.from_numpy(np.array(array)) for array in arrays]


# F.scaled_dot_product_attention


def sdpa(query, key, value, **kwargs):
    return F.scaled_dot_product_attention(*tensors(query, key, value), **kwargs).numpy()


def test_output_is_that_of_torch():
    arrays = draw_qkv(1)
    np.testing.assert_allclose(attend(*arrays, SQRT).output, sdpa(*arrays), **EXACT)


@pytest.mark.parametrize("scale", [1.0, 0.3, -2.0])
def test_scale_is_that_of_torch(scale):
    arrays = draw_qkv(2)
    ours = attend(*arrays, HeadChoices(scale=scale)).output
    np.testing.assert_allclose(ours, sdpa(*arrays, scale=scale), **EXACT)


def test_boolean_mask_and_empty_rows_are_those_of_torch():
    arrays = draw_qkv(3)
    mask = np.random.default_rng(3).random((N_HEADS, N_QUERY, N_KEY)) < 0.5
    mask[4, 1] = False
    ours = attend(*arrays, SQRT, mask=mask)
    np.testing.assert_allclose(
        ours.output, sdpa(*arrays, attn_mask=torch.from_numpy(mask)), **EXACT
    )
    assert ours.empty_rows[4, 1]


def test_bias_is_the_additive_mask_of_torch():
    arrays = draw_qkv(4)
    (bias,) = draw(5, (N_QUERY, N_KEY))
    bias[0, 1] = -np.inf
    ours = attend(*arrays, SQRT, bias=bias).output
    np.testing.assert_allclose(ours, sdpa(*arrays, attn_mask=torch.from_numpy(bias)), **EXACT)


def test_upper_left_causal_mask_is_that_of_torch():
    arrays = draw_qkv(6)
    mask = MASKS["causal"](N_QUERY, N_KEY, align="upper_left")
    ours = attend(*arrays, SQRT, mask=mask).output
    np.testing.assert_allclose(ours, sdpa(*arrays, is_causal=True), **EXACT)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 3])
def test_shared_keys_and_values_are_those_of_torch(n_kv_heads):
    inputs, w_q, w_k, w_v = draw(
        7, (N_KEY, 13), (6, 13, D_K), (n_kv_heads, 13, D_K), (n_kv_heads, 13, D_V)
    )
    trace = attend_heads(inputs, Projections(w_q, w_k, w_v), SQRT)
    theirs = sdpa(inputs @ w_q, inputs @ w_k, inputs @ w_v, enable_gqa=True)
    np.testing.assert_allclose(trace.head_outputs, theirs, **EXACT)


def test_float32_output_is_that_of_torch():
    arrays = [each.astype(np.float32) for each in draw_qkv(8)]
    ours = attend(*arrays, SQRT).output
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, sdpa(*arrays), **SINGLE)


# nn.MultiheadAttention


def layers(seed, *, d_memory=None):
    """One layer of torch and the same projections here; torch transposes its matrices."""
    torch.manual_seed(seed)
    d_model, n_heads = 6, 3
    options = {} if d_memory is None else {"kdim": d_memory, "vdim": d_memory}
    theirs = torch.nn.MultiheadAttention(
        d_model, n_heads, batch_first=True, dtype=torch.float64, **options
    ).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_()
    parameters = {name: each.detach().numpy() for name, each in theirs.named_parameters()}
    if d_memory is None:
        w_q, w_k, w_v = np.split(parameters["in_proj_weight"], 3)
    else:
        w_q, w_k, w_v = (parameters[f"{name}_proj_weight"] for name in "qkv")
    b_q, b_k, b_v = np.split(parameters["in_proj_bias"], 3)
    ours = Projections.split(
        w_q.T,
        w_k.T,
        w_v.T,
        parameters["out_proj.weight"].T,
        n_heads,
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=parameters["out_proj.bias"],
    )
    return theirs, ours


def torch_layer(layer, inputs, memory=None, **kwargs):
    query, read = tensors(inputs, inputs if memory is None else memory)
    with torch.no_grad():
        output, weights = layer(query, read, read, average_attn_weights=False, **kwargs)
    return output.numpy(), weights.numpy()


def test_layer_is_that_of_torch():
    theirs, ours = layers(9)
    (inputs,) = draw(9, (5, 6))
    output, weights = torch_layer(theirs, inputs)
    trace = attend_heads(inputs, ours, SQRT)
    np.testing.assert_allclose(trace.weights, weights, **EXACT)
    np.testing.assert_allclose(trace.output, output, **EXACT)


def test_masked_layer_is_that_of_torch_whose_mask_says_what_is_hidden():
    theirs, ours = layers(10)
    (inputs,) = draw(10, (5, 6))
    mask = MASKS["causal"](5, 5)
    output, weights = torch_layer(theirs, inputs, attn_mask=torch.from_numpy(~mask))
    trace = attend_heads(inputs, ours, SQRT, mask=mask)
    np.testing.assert_allclose(trace.weights, weights, **EXACT)
    np.testing.assert_allclose(trace.output, output, **EXACT)


def test_padded_layer_is_that_of_torch():
    theirs, ours = layers(11)
    (inputs,) = draw(11, (5, 6))
    real = np.array([True, True, True, False, False])
    output, weights = torch_layer(theirs, inputs, key_padding_mask=torch.from_numpy(~real))
    trace = attend_heads(inputs, ours, SQRT, mask=MASKS["padding"](5, real))
    np.testing.assert_allclose(trace.weights, weights, **EXACT)
    np.testing.assert_allclose(trace.output, output, **EXACT)


def test_layer_that_reads_another_sequence_is_that_of_torch():
    theirs, ours = layers(12, d_memory=7)
    inputs, memory = draw(12, (2, 6), (5, 7))
    output, weights = torch_layer(theirs, inputs, memory)
    trace = attend_heads(inputs, ours, SQRT, memory=memory)
    np.testing.assert_allclose(trace.weights, weights, **EXACT)
    np.testing.assert_allclose(trace.output, output, **EXACT)


# Positions as transformers computes them: in float32


@pytest.mark.parametrize("base", [10_000.0, 500.0])
def test_half_split_rotary_is_that_of_llama(base):
    (query,) = draw(13, (N_HEADS, 17, 6))
    query = query.astype(np.float32)
    parameters = {"rope_theta": base, "rope_type": "default"}
    config = LlamaConfig(hidden_size=12, num_attention_heads=2, rope_parameters=parameters)
    (tensor,) = tensors(query[None])
    cos, sin = LlamaRotaryEmbedding(config)(tensor, torch.arange(17)[None])
    theirs, _ = apply_rotary_pos_emb(tensor, tensor, cos, sin)
    ours = rotary(query, 17, pairs="half", base=base)
    np.testing.assert_allclose(ours, theirs[0].numpy(), **SINGLE)


def test_interleaved_rotary_is_that_of_gptj():
    (query,) = draw(14, (17, N_HEADS, 6))
    query = query.astype(np.float32)
    waves = modeling_gptj.create_sinusoidal_positions(17, 6)
    sin, cos = torch.chunk(waves[None], 2, dim=-1)
    (tensor,) = tensors(query[None])
    theirs = modeling_gptj.apply_rotary_pos_emb(tensor, sin, cos)[0].numpy()
    ours = rotary(query.transpose(1, 0, 2), 17, pairs="interleaved")
    np.testing.assert_allclose(ours, theirs.transpose(1, 0, 2), **SINGLE)


@pytest.mark.parametrize("n_heads", [1, 3, 8, 12, 20])
def test_alibi_is_that_of_bloom_up_to_a_number_for_each_row(n_heads):
    n_tokens = 13
    attention_mask = torch.ones((1, n_tokens), dtype=torch.long)
    theirs = build_alibi_tensor(attention_mask, n_heads, torch.float32).numpy()  # (head, 1, key)
    ours = alibi(n_heads, n_tokens, n_tokens)
    apart = ours - theirs
    np.testing.assert_allclose(apart, np.broadcast_to(apart[:, :, :1], apart.shape), atol=1e-5)
    np.testing.assert_allclose(alibi_slopes(n_heads), theirs[:, 0, 1], rtol=2e-6)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (8, 20), (16, 64), (64, 256)])
def test_t5_buckets_are_those_of_transformers(bidirectional, n_buckets, max_distance):
    relative = np.arange(-1500, 1501)
    theirs = T5Attention._relative_position_bucket(
        torch.from_numpy(relative), bidirectional, n_buckets, max_distance
    )
    ours = t5_buckets(
        relative, bidirectional=bidirectional, n_buckets=n_buckets, max_distance=max_distance
    )
    np.testing.assert_array_equal(ours, theirs.numpy())


def test_features_of_linear_attention_are_elu_plus_one():
    query, key, value = draw(15, (2, 3), (5, 3), (5, 7))
    trace = linear_attend(query, key, value)
    (tensor,) = tensors(key)
    np.testing.assert_allclose(trace.key_features, F.elu(tensor).numpy() + 1, **EXACT)
