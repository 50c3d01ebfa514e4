"""W^O of a real layer, and what is added behind it, against torch itself."""

import io

import numpy as np
import pytest
import torch

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.outputs import OutputMatrix
from attnviz.models.projecting import output_matrix
from attnviz.models.read_otherwise import reading_of, readings
from attnviz.models.results import Capture
from attnviz.models.tiny import BY_ITSELF, TINY

TEXT = "I saw a saw"
POST_NORM = {"bert", "roberta", "distilbert", "albert", "bart", "marian"}
POST_NORM |= {"deberta", "mpnet", "roformer"}
EXACT = [family for family in TINY if BY_ITSELF.get(family) != "weights"]


NAMES = ("dense", "proj", "o_proj", "out_proj", "out_lin", "c_proj", "Wo", "o")


def asked(family: str) -> tuple:
    if TINY[family][0] == "vision":
        return (np.linspace(0, 1, 16 * 16 * 3).reshape(16, 16, 3),)
    two = TINY[family][0] == "encoder_decoder"
    return (TEXT, None, "saw") if two else (TEXT,)


@pytest.fixture
def read(tiny):
    """Give a capture, and the matrix of one of its layers, of a small model of a family."""

    def of(family: str, layer: int = 1) -> tuple[Capture, OutputMatrix]:
        model, texts = tiny(family), asked(family)
        return model.capture(*texts), output_matrix(model, layer, texts)

    return of


@pytest.mark.parametrize("family", EXACT)
def test_the_matrix_of_every_layer_makes_what_the_models_own_module_made(tiny, family):
    model, texts = tiny(family), asked(family)
    capture, made = model.capture(*texts), []
    width = capture.layers[0].witness.size
    hooks = [
        module.register_forward_hook(lambda _, given, out: made.append((given[0], out)))
        for name, module in model.network.named_modules()
        if name.rsplit(".")[-1] in NAMES
        and getattr(module, "in_features", getattr(module, "nx", width)) == width
    ]
    model.capture(*texts)
    for hook in hooks:
        hook.remove()
    for place, layer in enumerate(capture.layers):
        found = output_matrix(model, place, texts)
        heads = [capture.output(place, head) for head in range(layer.n_heads)]
        ours = sum(out @ w for out, w in zip(heads, found.matrix, strict=True))
        ours = ours if found.bias is None else ours + found.bias
        theirs = [
            out[0].numpy()
            for given, out in made
            if given.shape[-2] == layer.n_query
            and np.allclose(given[0, -1].numpy(), layer.witness.ravel(), atol=1e-6)
        ]
        assert any(np.allclose(ours, out, atol=2e-5) for out in theirs), layer.name


@pytest.mark.parametrize("family", EXACT)
def test_a_normalization_is_told_of_those_models_alone_that_normalize_after_the_sum(read, family):
    _, found = read(family)
    assert (found.layer_norm is not None) == (family in POST_NORM)
    assert (found.residual is not None) == (family in POST_NORM)


def bert_layer(model, layer: int):
    return model.network.encoder.layer[layer].attention


@pytest.mark.parametrize("layer", [0, 1])
def test_the_reading_of_a_head_is_the_length_that_torch_gives(tiny, layer):
    model = tiny("bert")
    capture, found = model.capture(TEXT), output_matrix(model, layer, (TEXT,))
    module, kept = bert_layer(model, layer), []
    hook = module.self.register_forward_hook(
        lambda _, given, kw, out: kept.append((given, kw)), with_kwargs=True
    )
    model.capture(TEXT)
    hook.remove()
    given, kw = kept[0]
    x = (given[0] if given else kw["hidden_states"])[0].double()
    heads, width = capture.layers[layer].n_heads, capture.layers[layer].value.shape[2]
    w_v, b_v = module.self.value.weight.double().T, module.self.value.bias.double()
    w_o, b_o = module.output.dense.weight.double().T, module.output.dense.bias.double()
    values = (x @ w_v + b_v).reshape(len(x), heads, width)
    vectors = torch.einsum("jhv,hvd->hjd", values, w_o.reshape(heads, width, -1)).detach()
    weights = torch.tensor(np.stack([capture.weights(layer, h) for h in range(heads)])).double()
    for head in range(heads):
        expected = weights[head] * vectors[head].norm(dim=1)
        reading = reading_of(capture, layer, head, "norm", output=found)
        np.testing.assert_allclose(reading.numbers, expected, atol=1e-5)
        assert reading.limit == pytest.approx(float(vectors[head].norm(dim=1).max()), rel=1e-5)
    parts = torch.einsum("hij,hjd->ijd", weights, vectors)
    parts = parts + torch.eye(len(x)).double()[:, :, None] * x
    whole = (parts.sum(dim=1) + b_o).detach()
    norm = module.output.LayerNorm
    deviation = (whole.var(dim=1, correction=0) + norm.eps).sqrt()
    scaled = (parts - parts.mean(dim=2, keepdim=True)) * norm.weight.double()
    expected = (scaled / deviation[:, None, None]).norm(dim=2).detach()
    reading = reading_of(capture, layer, 0, "layer", output=found)
    np.testing.assert_allclose(reading.numbers, expected, atol=1e-5)
    own = scaled[range(len(x)), range(len(x))]
    others, kept = (scaled.sum(dim=1) - own).norm(dim=1).detach(), own.norm(dim=1).detach()
    np.testing.assert_allclose(reading.mixed, others / (others + kept), atol=1e-5)


@pytest.mark.parametrize("ablate", [(), ((0, 2),), ((1, 0), (1, 3))])
def test_the_parts_add_up_to_what_the_layer_really_put_out(tiny, ablate):
    model = tiny("bert")
    found, kept = output_matrix(model, 1, (TEXT,), ablate=ablate), []
    module = bert_layer(model, 1).output.LayerNorm
    hook = module.register_forward_hook(lambda _, given, out: kept.append((given[0], out)))
    capture = model.capture(TEXT, ablate=ablate)
    hook.remove()
    heads = range(capture.layers[1].n_heads)
    added = sum(capture.weights(1, h) @ found.carried(capture.layers[1], h) for h in heads)
    whole = added + found.bias + found.residual
    np.testing.assert_allclose(whole, kept[0][0][0], atol=1e-5)
    np.testing.assert_allclose(found.layer_norm(whole), kept[0][1][0], atol=1e-5)


def test_a_silenced_head_leaves_the_matrix_and_changes_what_later_layers_read(tiny):
    model = tiny("bert")
    plain = output_matrix(model, 1, (TEXT,))
    silenced = output_matrix(model, 1, (TEXT,), ablate=((0, 1), (1, 0)))
    np.testing.assert_array_equal(plain.matrix, silenced.matrix)
    assert np.abs(plain.residual - silenced.residual).max() > 1e-3
    capture = model.capture(TEXT, ablate=((1, 0),))
    assert not reading_of(capture, 1, 0, "norm", output=silenced).numbers.any()
    every = tuple((1, head) for head in range(4))
    assert output_matrix(model, 1, (TEXT,), ablate=every).residual is not None


class Gated(torch.nn.Module):
    """An output map that first doubles what it is given: not what the heads put out."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x * 2)


def test_where_something_comes_between_there_is_no_matrix(folder):
    from attnviz.models.load import load_model

    model = load_model(str(folder("llama")))
    attention = model.network.model.layers[1].self_attn
    attention.o_proj = Gated(attention.o_proj)
    with pytest.raises(InputError, check=lambda error: "no_output_matrix" in error.code):
        output_matrix(model, 1, (TEXT,))
    assert output_matrix(model, 0, (TEXT,)).matrix.shape == (4, 6, 24)


def test_a_model_of_which_only_weights_are_known_has_no_matrix(tiny):
    with pytest.raises(InputError, check=lambda error: "no_output_matrix" in error.code):
        output_matrix(tiny("xlnet"), 0, (TEXT,))
    with pytest.raises(InputError, check=lambda error: "no_layer" in error.code):
        output_matrix(tiny("bert"), 9, (TEXT,))


def test_no_module_is_left_watched(tiny):
    model = tiny("bert")
    before = [len(module._forward_hooks) for module in model.network.modules()]
    output_matrix(model, 0, (TEXT,))
    assert [len(module._forward_hooks) for module in model.network.modules()] == before


def test_what_normalizes_first_says_so(read):
    capture, found = read("gpt2")
    assert "layer" in readings(capture, 1)
    with pytest.raises(InputError, check=lambda error: "no_layer_norm" in error.code):
        reading_of(capture, 1, 0, "layer", output=found)


def test_readings_behind_the_matrix_are_offered_where_the_model_was_run(read):
    capture, _ = read("bart")
    assert readings(capture, 0) == ("weight", "value", "norm", "layer", "rollout", "flow")
    cross = capture.of_kind("cross")[0]
    assert readings(capture, cross) == ("weight", "value", "norm")
    given = Capture.from_attentions([np.full((1, 2, 2), 0.5)], list("ab"))
    assert "norm" not in readings(given, 0)


def test_a_matrix_goes_over_the_wire(read):
    _, found = read("bert")
    stream = io.BytesIO()
    wire.write(stream, {"done": found})
    stream.seek(0)
    back = wire.read(stream)["done"]
    np.testing.assert_array_equal(back.matrix, found.matrix)
    np.testing.assert_array_equal(back.residual, found.residual)
    assert back.epsilon == found.epsilon


@pytest.mark.parametrize(
    "edits", [(("even", 1, 2),), (("cut", 1, -1, 2, 1),), (("mask", 2),), (("off", 1, 1),)]
)
def test_an_edited_run_reads_its_own_vectors(tiny, edits):
    model = tiny("bert")
    capture, found = model.capture(TEXT, edits=edits), output_matrix(model, 1, (TEXT,), edits=edits)
    kept = []
    module = bert_layer(model, 1).output.LayerNorm
    hook = module.register_forward_hook(lambda _, given, out: kept.append(given[0]))
    model.capture(TEXT, edits=edits)
    hook.remove()
    heads = range(capture.layers[1].n_heads)
    added = sum(capture.weights(1, h) @ found.carried(capture.layers[1], h) for h in heads)
    np.testing.assert_allclose(added + found.bias + found.residual, kept[0][0], atol=1e-5)
