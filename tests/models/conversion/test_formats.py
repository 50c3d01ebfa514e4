"""Weights in other formats become folders that load, and compute what they computed before."""

import sys

import numpy as np
import pytest
import torch
import transformers as hf
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax

from attnviz.models.conversion import marian_binary, onnx_weights, q4_blocks
from attnviz.models.conversion.bergamot import positions
from attnviz.models.conversion.convert import converted
from attnviz.models.load import load_model
from tests.models import formats

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": 8,
    "max_position_embeddings": 12,
}
WIDTH, HEADS = 16, 8


@pytest.fixture(autouse=True)
def _places(tmp_path, monkeypatch):
    """Look for packages in the folder of the test, and keep what is converted there."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("ATTNVIZ_CACHE", str(tmp_path / "cache"))


def folder_of(entry):
    told = []
    folder = converted(entry, lambda stage, share: told.append((stage, share)))
    assert told[-1] == ("convert", 1.0)
    assert converted(entry, lambda *_: pytest.fail("it is there already")) == folder
    return str(folder)


# --- Blocks of 4 bits


def test_blocks_of_4_bits_are_their_scale_times_whole_numbers(tmp_path):
    data, numbers = formats.q4_file(5, SIZES)
    (tmp_path / "weights.bin").write_bytes(data)
    found = q4_blocks.read(tmp_path / "weights.bin")
    assert found.sizes == SIZES | {"type_vocab_size": 2, "layer_norm_eps": np.float32(1e-12)}
    assert set(found.tensors) == set(numbers)
    for name, expected in numbers.items():
        assert_array_equal(found.tensors[name].reshape(expected.shape), expected)


def test_an_encoder_in_blocks_of_4_bits_attends_as_its_numbers_say(tmp_path):
    data, numbers = formats.q4_file(5, SIZES)
    file = formats.package(tmp_path, "small_q4", "weights.bin", data)
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "the", "cat", "sat"]
    pieces = formats.package(tmp_path, "small_pieces", "t.json", formats.words_file(words))
    also = (formats.also_of(pieces, "small_pieces"),)
    entry = formats.entry_of(file, "small_q4", converter="q4", kind="encoder", also=also)
    model = load_model(folder_of(entry))
    assert (model.kind, model.tier, model.most_tokens) == ("encoder", "exact", 12)
    capture = model.capture("the cat sat")
    assert [token.id for token in capture.tokens] == [5, 6, 7]
    hidden = numbers["emb.word"][[5, 6, 7]] + numbers["emb.pos"][:3] + numbers["emb.type"][0]
    hidden = _normed(hidden, numbers["emb.ln.w"], numbers["emb.ln.b"])
    query, key = (
        (hidden @ numbers[f"l0.{name}.w"].T + numbers[f"l0.{name}.b"]).reshape(3, 2, 16)
        for name in "qk"
    )
    for head in range(2):
        expected = softmax(query[:, head] @ key[:, head].T / 4, axis=1)
        assert_allclose(capture.weights(0, head), expected, atol=2e-3)


def test_a_file_of_another_format_is_refused(tmp_path):
    (tmp_path / "other").write_bytes(b"GGUF" + bytes(60))
    with pytest.raises(ValueError, match="must begin with E5S1"):
        q4_blocks.read(tmp_path / "other")
    (tmp_path / "marian").write_bytes(formats.marian_file({}, version=2))
    with pytest.raises(ValueError, match="must be of version 1, got 2"):
        marian_binary.read(tmp_path / "marian")
    with pytest.raises(ValueError, match=r"graph|wire type|go on"):
        onnx_weights.read(tmp_path / "other")


# --- ONNX


def small_eye():
    torch.manual_seed(3)
    config = hf.Dinov2Config(
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        mlp_ratio=2,
        image_size=42,
        patch_size=14,
        use_mask_token=False,
        layerscale_value=0.5,
    )
    network = hf.Dinov2Model(config).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_((parameter + 0.1 * torch.randn_like(parameter)).half())
    return network


def test_the_matrices_of_an_onnx_file_are_named_by_the_nodes_that_multiply(tmp_path):
    network = small_eye()
    (tmp_path / "eye.onnx").write_bytes(formats.onnx_file(network))
    found = onnx_weights.read(tmp_path / "eye.onnx")
    matrix = found["backbone.encoder.layer.1.attention.attention.key.weight"]
    assert_array_equal(matrix, network.encoder.layer[1].attention.k_proj.weight.detach())
    assert found["backbone.embeddings.cls_token"].shape == (1, 1, 128)
    assert not any("MatMul" in name for name in found)


def test_a_file_that_ends_too_early_is_refused(tmp_path):
    data = formats.onnx_file(small_eye())
    (tmp_path / "eye.onnx").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="must go on"):
        onnx_weights.read(tmp_path / "eye.onnx")


def test_a_vision_model_sees_as_it_did_in_its_onnx_file(tmp_path):
    network = small_eye()
    file = formats.package(tmp_path, "small_eye", "eye.onnx", formats.onnx_file(network))
    entry = formats.entry_of(file, "small_eye", converter="onnx", kind="vision")
    model = load_model(folder_of(entry))
    assert (model.kind, model.tier, model.eye.grid) == ("vision", "exact", (16, 16))
    assert model.eye.mean == (0.485, 0.456, 0.406)
    picture = np.random.default_rng(7).random((30, 40, 3))
    capture = model.capture(picture)
    assert (len(capture.tokens), capture.n_layers, capture.layers[0].n_heads) == (257, 2, 2)
    with torch.inference_mode():
        own = network(model.eye.see(picture)).last_hidden_state[0].numpy()
    assert_allclose(capture.hidden, own, atol=5e-3)


# --- Marian


@pytest.fixture
def bergamot(tmp_path):
    tensors = formats.marian_tensors(2, vocabulary=9, width=WIDTH, inner=24)
    file = formats.package(tmp_path, "small_marian", "m.bin", formats.marian_file(tensors))
    words = ["▁the", "▁cat", "▁o", "▁gato", "s", ".", "▁"]
    formats.package(tmp_path, "small_marian", "tokenizer.json", formats.unigram_file(words))
    entry = formats.entry_of(file, "small_marian", converter="marian", kind="encoder_decoder")
    return tensors, load_model(folder_of(entry))


def test_the_tensors_of_a_marian_file_are_read_as_they_are_multiplied(tmp_path):
    tensors = formats.marian_tensors(2, vocabulary=9, width=WIDTH, inner=24)
    (tmp_path / "m.bin").write_bytes(formats.marian_file(tensors))
    found = marian_binary.read(tmp_path / "m.bin")
    assert set(found) == set(tensors)
    for name, expected in tensors.items():
        assert_array_equal(found[name], expected, err_msg=name)
    assert [marian_binary.layers(found, stack) for stack in ("encoder", "decoder")] == [2, 1]


def test_a_translation_model_attends_as_plain_numbers_do(bergamot):
    tensors, model = bergamot
    assert (model.kind, model.tier) == ("encoder_decoder", "exact")
    capture = model.capture("the cats.", target="o gato")
    kinds = [(layer.kind, layer.number, layer.n_heads) for layer in capture.layers]
    assert kinds == [("encoder", 0, 8), ("encoder", 1, 8), ("cross", 0, 8)]
    assert [token.id for token in capture.tokens] == [2, 3, 6, 7, 0]
    assert [token.id for token in capture.target_tokens] == [9, 4, 5]
    own, crossed, logits = translated(tensors, [2, 3, 6, 7, 0], [4, 5])
    for place, expected in enumerate([*own, crossed]):
        for head in range(HEADS):
            assert_allclose(capture.weights(place, head), expected[head], atol=2e-5)
    likely = softmax(logits[-1])
    assert capture.predictions[0].probability == pytest.approx(likely.max(), abs=1e-5)


def test_without_a_target_the_likeliest_tokens_are_written(bergamot):
    tensors, model = bergamot
    ids = torch.tensor([[2, 3, 0]])
    written = model.network.generate(ids, max_new_tokens=6)[0, 1:].tolist()
    for place, each in enumerate(written):
        assert each == translated(tensors, [2, 3, 0], written[:place])[2][-1].argmax()
    assert len(written) == 6 or written[-1] == 0
    assert len(model.capture("the cat").target_tokens) >= 1


def test_codes_of_places_are_those_of_marian():
    codes = positions(3, 8).numpy()
    assert_allclose(codes[:, 0], np.sin([0, 1, 2]), atol=1e-6)
    assert_allclose(codes[:, 3], np.sin(np.array([0, 1, 2]) / 10_000), atol=1e-6)
    assert_allclose(codes[:, 4], np.cos([0, 1, 2]), atol=1e-6)


def translated(tensors, source, written):
    """Compute the model of a Marian file with plain numbers: weights of each layer, and logits."""
    wide = {name: table.astype(float) for name, table in tensors.items()}
    codes = np.array([_code(place) for place in range(20)])
    hidden = 4 * wide["Wemb"][source] + codes[: len(source)]
    own = []
    for stem in ("encoder_l1", "encoder_l2"):
        hidden, weights = _attended(wide, f"{stem}_self", hidden, hidden)
        own.append(weights)
        hidden = _thought(wide, stem, hidden)
    shifted = np.concatenate([np.zeros((1, WIDTH)), 4 * wide["Wemb"][written].reshape(-1, WIDTH)])
    state = shifted + codes[: len(shifted)]
    new = state @ wide["decoder_l1_rnn_W"]
    gate = expit(state @ wide["decoder_l1_rnn_Wf"] + wide["decoder_l1_rnn_bf"])
    memory, memories = np.zeros(WIDTH), []
    for kept, other in zip(gate, new, strict=True):
        memory = kept * memory + (1 - kept) * other
        memories.append(np.maximum(memory, 0))
    state = _scaled(wide, "decoder_l1_rnn_ffn_ln", state + np.array(memories))
    state, crossed = _attended(wide, "decoder_l1_context", state, hidden)
    state = _thought(wide, "decoder_l1", state)
    return own, crossed, state @ wide["Wemb"].T + wide["decoder_ff_logit_out_b"]


def _code(place):
    angles = [place * 10_000 ** (-each / (WIDTH / 2 - 1)) for each in range(WIDTH // 2)]
    return np.concatenate([np.sin(angles), np.cos(angles)])


def _attended(wide, stem, asking, answering):
    texts = {"q": asking, "k": answering, "v": answering}
    query, key, value = (
        (text @ wide[f"{stem}_W{letter}"] + wide[f"{stem}_b{letter}"]).reshape(len(text), HEADS, -1)
        for letter, text in texts.items()
    )
    scores = np.einsum("qhd,khd->hqk", query, key) / np.sqrt(WIDTH / HEADS)
    weights = softmax(scores, axis=2)
    out = np.einsum("hqk,khd->qhd", weights, value).reshape(len(asking), WIDTH)
    out = out @ wide[f"{stem}_Wo"] + wide[f"{stem}_bo"]
    return _scaled(wide, f"{stem}_Wo_ln", asking + out), weights


def _thought(wide, stem, hidden):
    inner = np.maximum(hidden @ wide[f"{stem}_ffn_W1"] + wide[f"{stem}_ffn_b1"], 0)
    out = inner @ wide[f"{stem}_ffn_W2"] + wide[f"{stem}_ffn_b2"]
    return _scaled(wide, f"{stem}_ffn_ffn_ln", hidden + out)


def _scaled(wide, stem, table):
    return _normed(table, wide[f"{stem}_scale"], wide[f"{stem}_bias"])


def _normed(table, scale, bias):
    centred = table - table.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * scale + bias
