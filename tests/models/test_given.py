"""What another program returned is read, or refused with what must hold."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqModelOutput

from attnviz.errors import InputError
from attnviz.models.results import Capture, Token
from attnviz.models.tiny import tiny_network

RNG = np.random.default_rng(5)
TOKENS = ["I", "saw", "a", "saw", "."]


def weights(*shape):
    scores = np.exp(RNG.normal(size=shape))
    return scores / scores.sum(axis=-1, keepdims=True)


def refused(*arguments, **options):
    with pytest.raises(InputError) as refusal:
        Capture.from_attentions(*arguments, **options)
    return refusal.value.code


def test_the_tuple_of_a_model_is_read():
    given = tuple(torch.tensor(weights(1, 3, 5, 5)) for _ in range(2))
    capture = Capture.from_attentions(given, TOKENS)
    assert (capture.n_layers, capture.tier, capture.kind) == (2, "given", "given")
    assert [token.text for token in capture.tokens] == TOKENS
    for layer, head in ((0, 0), (1, 2)):
        assert_allclose(capture.weights(layer, head), given[layer][0, head], rtol=1e-6)
    assert capture.check(1, 2).rows < 1e-6


@pytest.mark.parametrize(
    "wrap",
    [
        lambda layers: layers,
        lambda layers: [layer[0] for layer in layers],
        lambda layers: [layer[0].tolist() for layer in layers],
        lambda layers: np.stack(layers),
        lambda layers: np.stack(layers)[:, 0],
        lambda layers: torch.tensor(np.stack(layers)),
        lambda layers: BaseModelOutput(attentions=tuple(map(torch.tensor, layers))),
        lambda layers: {f"layer_{number}": layer for number, layer in enumerate(layers)},
        lambda layers: {f"blocks.{n}.attn.hook_pattern": layer for n, layer in enumerate(layers)},
        lambda layers: {"all": np.stack(layers)},
    ],
)
def test_the_same_layers_are_read_however_they_are_wrapped(wrap):
    layers = [weights(1, 3, 5, 5) for _ in range(11)]
    capture = Capture.from_attentions(wrap(layers), TOKENS)
    assert capture.n_layers == 11
    assert_allclose(capture.weights(10, 1), layers[10][0, 1], rtol=1e-6)


def test_a_cache_of_transformer_lens_is_read_by_its_patterns_alone():
    pattern = weights(1, 2, 5, 5)
    cache = {
        "hook_embed": np.zeros((1, 5, 8)),
        "blocks.0.attn.hook_attn_scores": np.full((1, 2, 5, 5), -9.0),
        "blocks.0.attn.hook_pattern": pattern,
    }
    capture = Capture.from_attentions(cache, TOKENS)
    assert capture.n_layers == 1
    assert capture.layers[0].name == "blocks.0.attn.hook_pattern"
    assert_allclose(capture.weights(0, 1), pattern[0, 1])


def test_an_npz_file_is_read(tmp_path):
    layers = [weights(3, 5, 5) for _ in range(2)]
    np.savez(tmp_path / "saved.npz", *layers)
    capture = Capture.from_attentions(tmp_path / "saved.npz", TOKENS)
    assert_allclose(capture.weights(1, 2), layers[1][2])
    with np.load(tmp_path / "saved.npz") as opened:
        assert Capture.from_attentions(opened, TOKENS).n_layers == 2
    (tmp_path / "broken.npz").write_bytes(b"no zip")
    assert refused(tmp_path / "broken.npz", TOKENS) == "models.no_npz"
    np.savez(tmp_path / "objects.npz", layer_0=np.array([{}], dtype=object))
    assert refused(tmp_path / "objects.npz", TOKENS) == "models.no_npz"


def test_weights_that_never_look_ahead_are_causal():
    scores = np.where(np.tri(5, dtype=bool), RNG.normal(size=(1, 2, 5, 5)), -np.inf)
    given = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    assert Capture.from_attentions((given,), TOKENS).layers[0].visible.causal
    given[0, 1, 0] = np.roll(given[0, 1, 0], 1)
    assert not Capture.from_attentions((given,), TOKENS).layers[0].visible.causal


def test_one_token_is_enough():
    capture = Capture.from_attentions((np.ones((1, 2, 1, 1)),), ["a"])
    assert_array_equal(capture.weights(0, 1), [[1]])


def test_layers_without_weights_are_left_out_and_keep_their_number():
    given = (None, weights(1, 2, 5, 5), None)
    capture = Capture.from_attentions(given, TOKENS)
    assert [(layer.name, layer.number) for layer in capture.layers] == [("layer 1", 1)]
    assert refused((None, None), TOKENS) == "models.no_attentions"
    assert refused((), TOKENS) == "models.no_attentions"


def test_layers_may_have_different_numbers_of_heads():
    given = (weights(1, 2, 5, 5), weights(1, 7, 5, 5))
    capture = Capture.from_attentions(given, TOKENS)
    assert [layer.n_heads for layer in capture.layers] == [2, 7]
    assert capture.most_heads == 7


def test_one_text_of_several_must_be_chosen():
    given = (weights(2, 3, 5, 5),)
    assert refused(given, TOKENS) == "models.batch"
    assert refused(given, TOKENS, batch=2) == "models.no_such_text"
    capture = Capture.from_attentions(given, TOKENS, batch=1)
    assert_allclose(capture.weights(0, 2), given[0][1, 2])


def test_the_steps_of_generate_become_one_table():
    network = tiny_network("gpt2")
    network.set_attn_implementation("eager")
    prompt = torch.tensor([[7, 11, 13]])
    options = {"do_sample": False, "return_dict_in_generate": True, "output_attentions": True}
    out = network.generate(prompt, max_new_tokens=4, min_new_tokens=4, pad_token_id=0, **options)
    ids = out.sequences[0, :-1]  # the last token was written and never read
    capture = Capture.from_attentions(out.attentions, [str(int(each)) for each in ids])
    with torch.no_grad():
        whole = network(ids[None], output_attentions=True).attentions
    assert capture.n_layers == 2
    for head in range(4):
        assert_allclose(capture.weights(1, head), whole[1][0, head], atol=1e-5)


def test_cross_attention_needs_the_tokens_of_its_keys():
    given = (weights(1, 2, 3, 5),)
    capture = Capture.from_attentions(given, ["x", "y", "z"], TOKENS)
    assert capture.layers[0].kind == "cross"
    assert [token.text for token in capture.query_tokens(0)] == ["x", "y", "z"]
    assert [token.text for token in capture.key_tokens(0)] == TOKENS
    assert refused(given, ["x", "y", "z"]) == "models.not_these_tokens"


def test_a_model_of_two_stacks_must_say_which_attentions():
    both = (torch.tensor(weights(1, 2, 5, 5)),)
    out = Seq2SeqModelOutput(encoder_attentions=both, cross_attentions=both)
    assert refused(out, TOKENS) == "models.which_attentions"


def test_a_row_that_is_no_number_is_refused_or_shown_empty():
    given = weights(1, 2, 5, 5)
    given[0, 1, 3] = np.nan
    with pytest.raises(InputError) as refusal:
        Capture.from_attentions((given,), TOKENS)
    assert refusal.value.code == "models.nan"
    assert refusal.value.values == {"layer": "layer 0", "head": 1, "row": 4}
    capture = Capture.from_attentions((given,), TOKENS, nan_rows="empty")
    assert_array_equal(capture.weights(0, 1, rows=3), np.zeros(5))
    assert capture.check(0, 1).empty == 1
    given[0, 1, 3, 0] = 0.5
    assert refused((given,), TOKENS, nan_rows="empty") == "models.nan"


def test_half_precision_is_read_as_numbers_that_can_be_added():
    given = torch.tensor(weights(1, 2, 5, 5))
    for kind in (torch.bfloat16, torch.float16):
        capture = Capture.from_attentions((given.to(kind),), TOKENS)
        assert capture.weights(0, 0).dtype == np.float32
        assert_allclose(capture.weights(0, 1), given[0, 1], atol=4e-3)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ((RNG.normal(size=(1, 2, 5, 5)),), "models.not_weights"),
        ((weights(1, 2, 4, 4),), "models.not_these_tokens"),
        ((weights(1, 1, 2, 5, 5),), "models.axes"),
        ((np.zeros((1, 0, 5, 5)),), "models.axes"),
        ((["a", "b"],), "models.not_numbers"),
        (([[0.5], [0.5, 0.5]],), "models.not_numbers"),
        (7, "models.not_attentions"),
        ("a text", "models.not_attentions"),
        ({"loss": 3.0}, "models.no_names"),
        ({}, "models.no_names"),
    ],
)
def test_what_are_no_weights_of_these_tokens_is_refused(given, code):
    assert refused(given, TOKENS) == code


@pytest.mark.parametrize("tokens", ["I saw", []])
def test_tokens_must_be_a_list(tokens):
    assert refused((weights(1, 1, 5, 5),), tokens) == "models.token_list"


def test_tokens_that_were_read_keep_what_is_known_of_them():
    token = Token(text="saw", start=2, end=5, word=1)
    assert Capture.from_attentions((np.ones((1, 1, 1, 1)),), [token]).tokens == (token,)


def test_what_to_do_with_rows_of_nan_must_be_known():
    with pytest.raises(ValueError, match="nan_rows"):
        Capture.from_attentions((weights(1, 1, 5, 5),), TOKENS, nan_rows="drop")
