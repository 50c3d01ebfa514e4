"""Models that compute their attention by themselves: what hooks catch of them, and what holds."""

import io
import threading
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
import torch
import transformers as hf
from numpy.testing import assert_allclose

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.explained import explained
from attnviz.models.hooked import CATCHING, KNOWN, Catcher, sites
from attnviz.models.load import load_model
from attnviz.models.projecting import output_matrix
from attnviz.models.read_otherwise import reading_of, readings
from attnviz.models.results import TIERS
from attnviz.models.tiny import BY_ITSELF, VOCABULARY
from attnviz.models.tiny_tokenizers import tiny_tokenizer
from attnviz.models.writing import write

TEXT = "the cat sat on the mat because it was too tired"
HOOKED = [family for family, tier in BY_ITSELF.items() if tier == "hooked"]
CAUGHT = [family for family, tier in BY_ITSELF.items() if tier != "weights"]

WIDE = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
BERT = WIDE | {"vocab_size": VOCABULARY, "max_position_embeddings": 96, "intermediate_size": 40}
GPT = {"vocab_size": VOCABULARY, "n_positions": 96, "n_embd": 24, "n_layer": 2, "n_head": 4}
XLM = {"vocab_size": VOCABULARY, "emb_dim": 24, "n_layers": 2, "n_heads": 4, "pad_index": 0}
XLM |= {"pad_token_id": 0}
XGLM = {"vocab_size": VOCABULARY, "d_model": 24, "ffn_dim": 40, "num_layers": 2}
XGLM |= {"attention_heads": 4, "pad_token_id": 0}
STACKS = {"d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "pad_token_id": 0}
STACKS |= {"encoder_attention_heads": 4, "decoder_attention_heads": 3, "encoder_ffn_dim": 40}
STACKS |= {"decoder_ffn_dim": 40, "max_position_embeddings": 96, "eos_token_id": 1}
STACKS |= {"bos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": None}
PLACES = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}


def falcon(**sizes):
    return hf.FalconForCausalLM(hf.FalconConfig(**WIDE, vocab_size=VOCABULARY, **sizes))


def mpt_clipped():
    clip = hf.MptConfig().attn_config.__class__(clip_qkv=0.2)
    sizes = {"d_model": 24, "n_heads": 4, "n_layers": 2, "max_seq_len": 96}
    return hf.MptForCausalLM(hf.MptConfig(vocab_size=VOCABULARY, attn_config=clip, **sizes))


def fsmt():
    sizes = {"src_vocab_size": VOCABULARY, "tgt_vocab_size": VOCABULARY, "langs": ["en", "de"]}
    return hf.FSMTForConditionalGeneration(hf.FSMTConfig(**STACKS, **sizes))


def mvp():
    return hf.MvpForConditionalGeneration(hf.MvpConfig(vocab_size=VOCABULARY, **STACKS))


OTHERS: dict[str, tuple[str, str, Callable]] = {
    "falcon in groups": (
        "hooked",
        "gpt2",
        lambda: falcon(new_decoder_architecture=True, num_kv_heads=2),
    ),
    "falcon with many keys": ("hooked", "gpt2", lambda: falcon(multi_query=False)),
    "falcon by distance": ("values", "gpt2", lambda: falcon(multi_query=False, alibi=True)),
    "mpt with a limit": ("hooked", "gpt2", mpt_clipped),
    "the first deberta": (
        "values",
        "bert",
        lambda: hf.DebertaModel(hf.DebertaConfig(**BERT, **PLACES)),
    ),
    "a deberta without places": (
        "hooked",
        "bert",
        lambda: hf.DebertaModel(hf.DebertaConfig(**BERT, relative_attention=False)),
    ),
    "roformer with turned values": (
        "hooked",
        "bert",
        lambda: hf.RoFormerModel(hf.RoFormerConfig(**BERT, rotary_value=True)),
    ),
    "the first gpt": (
        "hooked",
        "gpt2",
        lambda: hf.OpenAIGPTLMHeadModel(hf.OpenAIGPTConfig(**GPT)),
    ),
    "xglm": ("hooked", "gpt2", lambda: hf.XGLMForCausalLM(hf.XGLMConfig(**XGLM))),
    "xlm": ("hooked", "bert", lambda: hf.XLMModel(hf.XLMConfig(**XLM))),
    "megatron": (
        "hooked",
        "bert",
        lambda: hf.MegatronBertModel(hf.MegatronBertConfig(**BERT)),
    ),
    "luke": (
        "hooked",
        "bert",
        lambda: hf.LukeModel(hf.LukeConfig(**BERT, entity_vocab_size=20, entity_emb_size=8)),
    ),
    "fsmt": ("hooked", "bart", fsmt),
    "mvp": ("hooked", "bart", mvp),
}


@pytest.fixture
def other(tmp_path):
    """Give another small model, loaded from a folder as any is."""

    def made(name: str):
        _, tokenizer, make = OTHERS[name]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            network = make().eval()
            with torch.no_grad():
                for parameter in network.parameters():
                    if parameter.ndim > 1:
                        parameter.normal_(0, 0.4 / parameter.shape[-1] ** 0.25)
        network.save_pretrained(tmp_path)
        tiny_tokenizer(tokenizer, VOCABULARY).save_pretrained(tmp_path)
        return load_model(str(tmp_path))

    return made


def read(model, text: str = TEXT):
    return model.capture(text, target="a dog" if model.kind == "encoder_decoder" else None)


def own_weights(model, capture) -> list[np.ndarray]:
    """Run the model of transformers alone, and give what it calls its attentions."""
    ids = torch.tensor([[token.id for token in capture.tokens]])
    with torch.no_grad():
        out = model.network(input_ids=ids, output_attentions=True)
    return [layer[0].numpy() for layer in out.attentions]


def n_hooks(network) -> int:
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs")
    return sum(len(getattr(each, kind)) for each in network.modules() for kind in kinds)


@pytest.mark.parametrize("family", BY_ITSELF)
def test_weights_are_the_models_own(tiny, family):
    model = tiny(family)
    capture = read(model)
    own = own_weights(model, capture)
    assert (model.tier, capture.tier, capture.n_layers) == (BY_ITSELF[family],) * 2 + (len(own),)
    assert capture.tier in TIERS
    for place, weights in enumerate(own):
        assert capture.layers[place].n_heads == len(weights)
        for head in range(len(weights)):
            np.testing.assert_array_equal(capture.weights(place, head), weights[head])


@pytest.mark.parametrize("family", HOOKED)
def test_the_softmax_of_the_scores_is_the_models_own_weights(tiny, family):
    model = tiny(family)
    capture = read(model)
    assert model.difference < 1e-6
    for layer, weights in zip(capture.layers, own_weights(model, capture), strict=True):
        assert layer.has_scores
        for head in range(layer.n_heads):
            scores = torch.from_numpy(layer.masked_scores(head).copy())
            assert_allclose(scores.softmax(dim=-1), weights[head], rtol=0, atol=1e-6)


@pytest.mark.parametrize("family", HOOKED)
def test_everything_that_scores_offer_is_offered(tiny, family):
    model = tiny(family)
    capture = read(model)
    for place, layer in enumerate(capture.layers):
        found = explained(layer, 2, 5, 3)
        assert found.weight == pytest.approx(float(capture.weights(place, 2, 5)[3]), abs=1e-6)
        assert found.output > 0
        trace = capture.trace(place, 3)
        assert_allclose(trace.weights, capture.weights(place, 3), atol=1e-6)
        assert_allclose(trace.output, capture.output(place, 3), atol=1e-5)
        assert {"value", "norm"} <= set(readings(capture, place))


@pytest.mark.parametrize("family", CAUGHT)
def test_weights_times_values_are_what_the_model_made_of_them(tiny, family):
    model = tiny(family)
    capture = read(model)
    for place, layer in enumerate(capture.layers):
        matrix = output_matrix(model, place, (TEXT,))
        for head in range(layer.n_heads):
            check = capture.check(place, head)
            assert check.rows < 1e-6
            assert check.outputs < 1e-5
            reading = reading_of(capture, place, head, "norm", output=matrix)
            lengths = np.linalg.norm(matrix.carried(layer, head), axis=1)
            assert_allclose(reading.numbers, capture.weights(place, head) * lengths, atol=1e-5)


def first_split(family, model):
    """Let the model's own method part what its map makes, for the first layer."""
    with torch.inference_mode(), Catcher(model.network).catching() as catcher:
        model.network(input_ids=torch.tensor([[token.id for token in read(model).tokens]]))
    call = catcher.calls[0]
    made = call.made["query_key_value"]
    if family == "bloom":
        return [each[0].numpy() for each in call.module._reshape(made)]
    return [each[0].transpose(0, 1).numpy() for each in call.module._split_heads(made)]


@pytest.mark.parametrize("family", ["bloom", "falcon"])
def test_one_map_for_all_three_parts_as_the_model_parts_it(tiny, family):
    model = tiny(family)
    layer = read(model).layers[0]
    query, key, value = first_split(family, model)
    np.testing.assert_array_equal(layer.value, value)
    assert layer.key.shape == key.shape
    assert layer.n_kv_heads == (1 if family == "falcon" else 4)
    if family == "bloom":  # Falcon turns them by their places
        np.testing.assert_array_equal(layer.query, query)
        np.testing.assert_array_equal(layer.key, key)
    else:
        norms = [np.linalg.norm(each, axis=-1) for each in (layer.query, query)]
        assert_allclose(*norms, rtol=1e-5)
        assert not np.allclose(layer.query[:, 1:], query[:, 1:], atol=1e-3)


def test_scale_window_and_slopes_are_those_of_the_family(tiny):
    neo, bloom = read(tiny("gpt_neo")).layers, read(tiny("bloom")).layers[0]
    assert [(each.scale, each.window) for each in neo] == [(1.0, None), (1.0, 3)]
    assert bloom.scale == pytest.approx(6**-0.5)
    # Press et al. 2022: the slopes of four heads are 1/4, 1/16, 1/64 and 1/256.
    row = bloom.bias.rows(np.array([5]), slice(0, 6), 1)[0]
    assert_allclose(row, -np.arange(5, -1, -1) / 16, atol=1e-6)


@pytest.mark.parametrize("name", OTHERS)
def test_other_families_and_layouts_are_read(other, name):
    tier, _, _ = OTHERS[name]
    model = other(name)
    capture = read(model)
    assert (model.tier, capture.tier) == (tier, tier)
    for place, layer in enumerate(capture.layers):
        assert layer.has_scores == (tier == "hooked")
        assert all(capture.check(place, head).outputs < 1e-5 for head in range(layer.n_heads))
    if name == "falcon in groups":
        assert capture.layers[0].n_kv_heads == 2


def test_two_stacks_are_told_apart_and_stand_in_the_order_of_their_calls(other):
    model = other("mvp")
    capture = read(model)
    kinds = [(layer.kind, layer.number, layer.n_heads) for layer in capture.layers]
    assert kinds[:4] == [("encoder", 0, 4), ("encoder", 1, 4), ("decoder", 0, 3), ("cross", 0, 3)]
    for place, layer in enumerate(capture.layers):
        matrix = output_matrix(model, place, (TEXT, None, "a dog")).matrix
        assert matrix.shape == (layer.n_heads, 24 // layer.n_heads, 24)


def test_scores_that_do_not_make_the_weights_are_not_shown(tiny):
    model = tiny("deberta")
    capture = read(model)
    assert (model.tier, model.difference) == ("values", None)
    for layer in capture.layers:
        assert layer.query.shape == layer.key.shape == layer.value.shape
        assert layer.apart > 1e-3
        assert not layer.has_scores
        with pytest.raises(ValueError, match="weights alone"):
            layer.masked_scores(0)
        with pytest.raises(ValueError, match="weights alone"):
            explained(layer, 0, 0, 0)
    with pytest.raises(ValueError, match="plain softmax"):
        capture.trace(0, 0)
    reading = reading_of(capture, 0, 1, "value")
    lengths = np.linalg.norm(capture.layers[0].value[1], axis=1)
    assert_allclose(reading.numbers, capture.weights(0, 1) * lengths, rtol=1e-5)


def test_where_nothing_is_caught_the_weights_are_shown_alone(tiny):
    model = tiny("xlnet")
    capture = read(model)
    assert not list(sites(model.network))
    assert (model.tier, capture.tier) == ("weights", "weights")
    assert all(layer.query is layer.value is layer.apart is None for layer in capture.layers)
    assert "value" not in readings(capture, 0)


def test_a_map_that_lies_about_its_values_is_not_believed(folder):
    model = load_model(str(folder("mpnet")))
    layer = model.network.encoder.layer[1].attention.attn
    hook = layer.o.register_forward_pre_hook(lambda _, given: (given[0] * 2,))
    capture = read(model)
    hook.remove()
    assert [each.value is None for each in capture.layers] == [False, True]
    assert capture.tier == "values"


@pytest.mark.parametrize("family", CAUGHT)
def test_no_hook_is_left(tiny, family):
    model = tiny(family)
    read(model)
    output_matrix(model, 1, (TEXT,))
    assert n_hooks(model.network) == 0
    assert (CATCHING.get(), KNOWN.get()) == (None, ())


def test_no_hook_is_left_after_an_error(tiny, monkeypatch):
    model = tiny("bloom")

    def broken(*_, **__):
        raise RuntimeError("broken in the middle")

    monkeypatch.setattr(model.network.transformer.h[1].mlp, "forward", broken)
    with pytest.raises(RuntimeError, match="broken in the middle"):
        read(model)
    assert n_hooks(model.network) == 0
    assert CATCHING.get() is None


def test_no_hook_is_left_where_one_cannot_be_placed(tiny, monkeypatch):
    model = tiny("mpnet")

    def refuse(*_, **__):
        raise RuntimeError("no more hooks")

    monkeypatch.setattr(
        model.network.encoder.layer[1].attention.attn.v, "register_forward_hook", refuse
    )
    with pytest.raises(RuntimeError, match="no more hooks"):
        read(model)
    assert n_hooks(model.network) == 0


@pytest.mark.parametrize("family", CAUGHT)
def test_no_other_table_of_queries_by_keys_is_kept_than_the_weights(tiny, family):
    def kept(text: str) -> tuple[int, int]:
        capture = read(tiny(family), text)
        total = 0
        for layer in capture.layers:
            assert layer.visible.table is None
            assert layer.bias is None or layer.bias.table is None
            arrays = [getattr(layer, each.name) for each in fields(layer) if each.name != "given"]
            arrays += [] if layer.bias is None else [layer.bias.by_distance]
            for array in arrays:
                if isinstance(array, np.ndarray):
                    whole = array if array.base is None else array.base
                    total += max(array.nbytes, getattr(whole, "nbytes", 0))
        return len(capture.tokens), total

    (few, small), (many, large) = kept("the cat sat"), kept("the cat sat " * 6)
    assert many > 3 * few
    assert large <= small * many / few * 1.05


def test_heads_cannot_be_switched_off_in_it(tiny):
    for family in BY_ITSELF:
        with pytest.raises(InputError) as refusal:
            tiny(family).capture(TEXT, ablate=[(0, 0)])
        assert refusal.value.code == "models.no_ablation"


def test_threads_that_share_a_model_catch_their_own_calls(tiny):
    model, texts = tiny("falcon"), ["the cat sat", "a dog sat on the mat and the queen"]
    alone = [read(model, text) for text in texts]
    got: dict[int, list] = {0: [], 1: []}
    gate = threading.Barrier(2)

    def work(number: int) -> None:
        gate.wait()
        got[number] = [read(model, texts[number]) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(number,)) for number in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, captures in got.items():
        for capture in captures:
            assert capture.n_layers == 2
            for one, other in zip(capture.layers, alone[number].layers, strict=True):
                np.testing.assert_array_equal(one.query, other.query)
                np.testing.assert_array_equal(one.value, other.value)
    assert n_hooks(model.network) == 0


@pytest.mark.parametrize("family", CAUGHT)
def test_one_token_is_read(tiny, family):
    capture = read(tiny(family), "a")
    assert capture.tier in ("hooked", "values")
    for layer in capture.layers:
        assert layer.value.shape[1] == len(capture.tokens)


def test_it_comes_over_the_wire(tiny):
    for family in ("deberta", "bloom"):
        capture, stream = read(tiny(family)), io.BytesIO()
        wire.write(stream, {"done": capture})
        stream.seek(0)
        came = wire.read(stream)["done"]
        assert came.tier == capture.tier
        for one, other in zip(came.layers, capture.layers, strict=True):
            assert (one.apart, one.scale, one.has_scores) == (
                other.apart,
                other.scale,
                other.has_scores,
            )
            np.testing.assert_array_equal(one.value, other.value)


def test_a_causal_one_still_writes(tiny):
    written = write(tiny("gpt_neo"), "the cat", 3)
    assert len(written.steps) > 0
