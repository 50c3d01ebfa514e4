"""Whatever holds for the attention of a model holds for what was captured of it."""

import copy
import threading

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnviz.errors import InputError
from attnviz.models.editing.edits import edits_of
from attnviz.models.results import Capture
from attnviz.models.tiny import BY_ITSELF, TINY, tiny_network

TEXT = "the cat sat on the mat because it was too tired"
TARGET = "a dog sat on the queen"
PICTURE = np.random.default_rng(3).integers(0, 256, (11, 17, 3), dtype=np.uint8)

ON_THE_INTERFACE = [family for family in TINY if family not in BY_ITSELF]
CAUSAL = [family for family in TINY if TINY[family][0] == "causal" and family != "xlnet"]
STACKS = [family for family in TINY if TINY[family][0] == "encoder_decoder"]
SINKS = "gpt_oss"


def captured(model, **options) -> Capture:
    if model.kind == "vision":
        return model.capture(PICTURE, **options)
    target = TARGET if model.kind == "encoder_decoder" else None
    return model.capture(TEXT, target=target, **options)


def inputs_of(model, capture):
    if model.kind == "vision":
        return {"pixel_values": model.eye.see(PICTURE)}
    found = {"input_ids": torch.tensor([[token.id for token in capture.tokens]])}
    if capture.target_tokens:
        found["decoder_input_ids"] = torch.tensor([[each.id for each in capture.target_tokens]])
    return found


def eager_attentions(family, inputs):
    """Run the model of transformers itself, without anything of ours."""
    network = tiny_network(family)
    network.set_attn_implementation("eager")
    with torch.no_grad():
        out = network(**inputs, output_attentions=True)
    if hasattr(out, "cross_attentions") and hasattr(out, "encoder_attentions"):
        stacks = out.encoder_attentions, out.decoder_attentions, out.cross_attentions
    else:
        stacks = (out.attentions,)
    return [[layer[0].numpy() for layer in stack] for stack in stacks], out


def every_head(capture):
    return [
        (place, head) for place, layer in enumerate(capture.layers) for head in range(layer.n_heads)
    ]


@pytest.mark.parametrize("family", ON_THE_INTERFACE)
def test_weights_are_those_of_the_models_own_eager_attention(tiny, family):
    model = tiny(family)
    capture = captured(model)
    stacks, _ = eager_attentions(family, inputs_of(model, capture))
    kinds = ("self",) if len(stacks) == 1 else ("encoder", "decoder", "cross")
    assert capture.tier == "exact"
    assert capture.n_layers == sum(map(len, stacks)) > 0
    for kind, own in zip(kinds, stacks, strict=True):
        for place, weights in zip(capture.of_kind(kind), own, strict=True):
            assert capture.layers[place].n_heads == len(weights)
            for head in range(len(weights)):
                assert_allclose(capture.weights(place, head), weights[head], rtol=0, atol=1e-6)


@pytest.mark.parametrize("family", ON_THE_INTERFACE)
def test_every_row_sums_to_1_and_gives_what_the_model_got(tiny, family):
    capture = captured(tiny(family))
    for place, head in every_head(capture):
        check = capture.check(place, head)
        assert check.empty == 0
        assert check.outputs is not None
        assert check.outputs < 2e-6
        if family != SINKS:
            assert check.rows < 1e-6


def test_the_rows_of_a_layer_with_sinks_leave_them_their_share(tiny):
    capture = captured(tiny(SINKS))
    assert all(
        0.01 < capture.weights(*place).sum(axis=1).max() < 0.999 for place in every_head(capture)
    )


@pytest.mark.parametrize("family", CAUSAL)
def test_nothing_later_is_seen_by_a_causal_model(tiny, family):
    capture = captured(tiny(family))
    for place, head in every_head(capture):
        weights = capture.weights(place, head)
        assert capture.layers[place].visible.causal
        assert not np.triu(weights, 1).any()
        assert (weights[0, :1] > 0).all()


@pytest.mark.parametrize(("family", "layer", "window"), [("mistral", 1, 3), ("gemma", 0, 4)])
def test_a_sliding_window_hides_what_is_farther_back(tiny, family, layer, window):
    capture = captured(tiny(family))
    assert capture.layers[layer].window == window
    assert capture.layers[layer].visible.table is None
    weights = capture.weights(layer, 0)
    assert not np.tril(weights, -window - 1).any()
    assert np.diagonal(weights, -window).all()


def test_a_local_layer_of_an_encoder_sees_both_ways(tiny):
    layers = captured(tiny("modernbert")).layers
    assert [(layer.visible.back, layer.visible.ahead) for layer in layers] == [
        (None, None),
        (3, 3),
        (3, 3),
    ]


@pytest.mark.parametrize("family", ["llama", "qwen", "mistral"])
def test_heads_share_keys_and_values_in_groups(tiny, family):
    layer = captured(tiny(family)).layers[0]
    assert (layer.n_heads, layer.n_kv_heads) == (4, 2)
    expected = layer.query[3] @ layer.key[1].T
    assert_allclose(layer.scores(3), expected, rtol=1e-6)


def test_a_position_bias_is_one_number_for_each_distance(tiny):
    capture = captured(tiny("t5"))
    encoder = capture.layers[capture.of_kind("encoder")[0]]
    n = len(capture.tokens)
    assert encoder.scale == 1
    assert encoder.bias.by_distance.shape == (4, 2 * n - 1)
    assert encoder.bias is capture.layers[capture.of_kind("encoder")[1]].bias
    difference = capture.masked_scores(0, 2) - capture.scores(0, 2)
    assert_allclose(difference[1:, 1:], difference[:-1, :-1], atol=1e-6)
    assert capture.layers[capture.of_kind("cross")[0]].bias is None


def test_a_soft_cap_bounds_the_scores(tiny):
    capture = captured(tiny("gemma"))
    assert capture.layers[1].soft_cap == 2
    seen = capture.masked_scores(1, 0)[np.tril_indices(len(capture.tokens))]
    assert np.abs(seen).max() < 2 < np.abs(capture.scores(1, 0) * capture.layers[1].scale).max()


@pytest.mark.parametrize("family", STACKS)
def test_each_layer_of_two_stacks_knows_who_asks_whom(tiny, family):
    capture = captured(tiny(family))
    assert [layer.kind for layer in capture.layers] == [
        *("encoder", "encoder"),
        *("decoder", "cross", "decoder", "cross"),
    ]
    assert [layer.number for layer in capture.layers] == [0, 1, 0, 0, 1, 1]
    cross = capture.of_kind("cross")[1]
    assert capture.query_tokens(cross) == capture.target_tokens
    assert capture.key_tokens(cross) == capture.tokens
    assert capture.weights(cross, 0).shape == (len(capture.target_tokens), len(capture.tokens))


@pytest.mark.parametrize("family", STACKS)
def test_a_model_of_two_stacks_writes_where_no_target_is_given(tiny, family):
    capture = tiny(family).capture(TEXT)
    assert len(capture.target_tokens) >= 1
    assert capture.target_tokens[0].special
    assert capture.layers[-1].n_query == len(capture.target_tokens)


# For each family: the path of the output projection, and whether its rows are the heads.
PROJECTIONS = {
    "bert": ("encoder.layer.1.attention.output.dense", False),
    "distilbert": ("transformer.layer.1.attention.out_lin", False),
    "gpt2": ("transformer.h.1.attn.c_proj", True),
    "llama": ("model.layers.1.self_attn.o_proj", False),
    "t5": ("decoder.block.0.layer.1.EncDecAttention.o", False),
    "vit": ("layers.1.attention.o_proj", False),
}
PLACES = {"t5": 3}


@pytest.mark.parametrize("family", PROJECTIONS)
def test_silencing_a_head_is_zeroing_its_part_of_the_projection(tiny, family):
    model, place = tiny(family), PLACES.get(family, 1)
    plain = captured(model)
    recorder = model._recorder(edits_of([("off", place, 2)]))
    inputs = inputs_of(model, plain)
    with torch.no_grad(), recorder.recording():
        silenced = model.network(**inputs)[0]
    path, rows = PROJECTIONS[family]
    network = copy.deepcopy(model.network)
    weight, d_v = network.get_submodule(path).weight, plain.layers[place].value.shape[2]
    with torch.no_grad():
        (weight if rows else weight.T)[2 * d_v : 3 * d_v] = 0
        expected, before = network(**inputs)[0], model.network(**inputs)[0]
    assert_allclose(silenced.numpy(), expected.numpy(), rtol=0, atol=2e-6)
    assert float((silenced - before).abs().max()) > 1e-3
    assert captured(model, ablate=[(place, 2)]).ablated == ((place, 2),)


def test_silencing_a_head_that_is_not_there_is_refused(tiny):
    for head, code in (((9, 0), "no_layer"), ((0, 9), "no_head"), ((-1, 0), "no_layer")):
        with pytest.raises(InputError) as refusal:
            captured(tiny("bert"), ablate=[head])
        assert refusal.value.code == f"models.{code}"


def test_threads_that_share_a_model_get_their_own_captures(tiny):
    model = tiny("gpt2")
    texts = ["the cat sat " * (2 + number) for number in range(6)]
    expected = [model.capture(text) for text in texts]
    found: dict[int, list[Capture]] = {number: [] for number in range(6)}
    start = threading.Barrier(6)

    def run(number):
        start.wait()
        for _ in range(5):
            found[number].append(model.capture(texts[number]))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, one in enumerate(expected):
        assert len(found[number]) == 5
        for other in found[number]:
            assert (other.n_layers, other.tokens) == (one.n_layers, one.tokens)
            assert_array_equal(other.layers[1].query, one.layers[1].query)


def test_nothing_is_recorded_when_nobody_asks(tiny):
    model = tiny("gpt2")
    recorder = model._recorder(())
    with torch.no_grad():
        model.network(input_ids=torch.tensor([[5, 6, 7]]))
    assert recorder.layers == []


def test_one_head_can_be_traced_step_by_step(tiny):
    for family in ("bert", "llama", "t5"):
        capture = captured(tiny(family))
        trace = capture.trace(1, 3)
        assert_allclose(trace.weights, capture.weights(1, 3), rtol=0, atol=1e-6)
        assert_allclose(trace.output, capture.output(1, 3), rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="plain softmax"):
        captured(tiny("gemma")).trace(0, 0)


def test_rows_and_columns_are_parts_of_the_whole(tiny):
    capture = captured(tiny("llama"))
    whole = capture.weights(1, 2)
    assert_allclose(capture.weights(1, 2, rows=4), whole[4], rtol=1e-6)
    assert_allclose(capture.weights(1, 2, rows=slice(2, 5)), whole[2:5], rtol=1e-6)
    assert_allclose(
        capture.weights(1, 2, rows=np.array([5, 1]), columns=slice(0, 3)),
        whole[[5, 1], :3],
        rtol=1e-6,
    )
    assert whole.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        whole[0, 0] = 1


def test_a_picture_becomes_patches(tiny):
    capture = captured(tiny("vit"))
    assert capture.grid == (4, 4)
    assert [token.text for token in capture.tokens[:6]] == [
        "[CLS]",
        "1,1",
        "1,2",
        "1,3",
        "1,4",
        "2,1",
    ]
    assert capture.layers[0].n_query == 17


@pytest.mark.parametrize(
    ("family", "given", "code"),
    [
        ("gpt2", "", "models.no_tokens"),
        ("bert", "", "models.no_tokens"),  # its own signs are no text
        ("bert", " \n", "models.no_tokens"),
        ("bert", "cat " * 200, "models.too_long"),
        ("bert", PICTURE, "models.needs_text"),
        ("vit", "a text", "models.needs_picture"),
        ("vit", np.zeros((4, 4)), "models.picture_shape"),
        ("vit", np.full((4, 4, 3), np.nan), "models.picture_numbers"),
        ("vit", np.zeros((0, 4, 3)), "models.picture_size"),
    ],
)
def test_what_a_model_cannot_read_is_refused(tiny, family, given, code):
    with pytest.raises(InputError) as refusal:
        tiny(family).capture(given)
    assert refusal.value.code == code


def test_one_token_sees_itself(tiny):
    capture = tiny("gpt2").capture("a")
    assert_array_equal(capture.weights(0, 0), [[1.0]])


def test_a_language_model_says_what_may_come_next(tiny):
    model = tiny("llama")
    capture = captured(model)
    with torch.no_grad():
        logits = model.network(**inputs_of(model, capture)).logits[0, -1].softmax(0)
    assert_allclose(
        [each.probability for each in capture.predictions], logits.topk(5).values, rtol=1e-4
    )
    assert captured(tiny("bert")).predictions == ()
