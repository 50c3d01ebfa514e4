"""Changes to what a model does are those that were asked for, and nothing else changes."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import eager_mask

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.catalogue import catalogue
from attnviz.models.editing.ablating import worth
from attnviz.models.editing.changes import changes
from attnviz.models.editing.edits import PLACES, Edit, LayerEdits, check, edits_of
from attnviz.models.load import load_model
from attnviz.models.tiny import tiny_network
from attnviz.models.visible import Visible
from tests.models.test_capture import (
    PICTURE,
    TARGET,
    TEXT,
    captured,
    every_head,
    inputs_of,
)

FAMILIES = ["bert", "gpt2", "llama", "mistral", "gemma", "t5", "marian", "bart", "vit", "roberta"]
LOST = torch.finfo(torch.float32).min


class ByHand:
    """Attention written out: scores, bias, mask, the change, softmax, values, heads switched off.

    `changes` has for each call, in their order, what is done to it.
    """

    def __init__(self, edits, kinds):
        self.edits, self.kinds, self.weights, self.out = edits, kinds, [], []

    def attend(self, module, query, key, value, attention_mask, scaling=None, **extras):
        place = len(self.weights)
        kind = self.kinds[place]
        shared = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
        scale = query.shape[-1] ** -0.5 if scaling is None else scaling
        scores = query @ key.transpose(2, 3) * scale
        if extras.get("softcap") is not None:
            scores = torch.tanh(scores / extras["softcap"]) * extras["softcap"]
        if extras.get("position_bias") is not None:
            scores = scores + extras["position_bias"]
        hidden = torch.zeros(scores.shape[-2:], dtype=torch.bool)
        if attention_mask is not None:
            hidden = (attention_mask <= LOST / 2)[0, 0].expand(scores.shape[-2:])
        for edit in self.edits:
            if edit.kind == "even" and edit.layer == place:
                scores[:, edit.head] = 0.0
        scores = scores.masked_fill(hidden, -torch.inf)
        for edit in self.edits:
            if edit.kind == "cut" and edit.layer == place:
                heads = slice(None) if edit.head == -1 else edit.head
                scores[:, heads, edit.query, edit.key] = -torch.inf
            if edit.kind == "mask" and kind != "decoder":
                own = scores[:, :, edit.token, edit.token].clone() if kind != "cross" else None
                scores[..., edit.token] = -torch.inf
                if own is not None:
                    scores[:, :, edit.token, edit.token] = own
        weights = scores.softmax(-1)
        out = weights @ value
        for edit in self.edits:
            if edit.kind == "off" and edit.layer == place:
                out[:, edit.head] = 0.0
        self.weights.append(weights[0].numpy().copy())
        self.out.append(out[0].numpy().copy())
        return out.transpose(1, 2).contiguous(), weights


def by_hand(family, model, edits):
    """Run a model of the family with attention written out, and give what came of it."""
    plain = captured(model)
    hand = ByHand(edits_of(edits), [layer.kind for layer in plain.layers])
    AttentionInterface.register("by_hand", hand.attend)
    AttentionMaskInterface.register("by_hand", eager_mask)
    network = tiny_network(family)
    network.set_attn_implementation("by_hand")
    with torch.no_grad():
        out = network(**inputs_of(model, plain), output_hidden_states=True)
    return hand, out


def vectors_of(out):
    return getattr(out, "decoder_hidden_states", None) or out.hidden_states


def some_edits(capture):
    """List changes of every kind, in layers of every kind, each that this model can do."""
    found = [[("mask", 2)], [("mask", 1), ("mask", 4)], [("off", 0, 1), ("even", 1, 2)]]
    for place, layer in enumerate(capture.layers):
        last = layer.n_query - 1
        key = int(np.flatnonzero(layer.visible.row(last))[0])
        found += [
            [("off", place, 1)],
            [("even", place, 0)],
            [("cut", place, 2, last, key)],
            [("cut", place, -1, last, key)],
            [("cut", place, 1, last, key), ("cut", place, 0, 3, int(min(3, layer.n_key - 1)))],
            [("even", place, 0), ("cut", place, 0, last, key), ("mask", 2), ("off", place, 1)],
        ]
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_edits_are_those_of_attention_written_out_by_hand(tiny, family):
    model = tiny(family)
    for edits in some_edits(captured(model)):
        hand, out = by_hand(family, model, edits)
        capture = captured(model, edits=edits)
        assert capture.edits == edits_of(edits)
        for place, head in every_head(capture):
            assert_allclose(
                capture.weights(place, head), hand.weights[place][head], rtol=0, atol=3e-6
            )
            assert_allclose(capture.output(place, head), hand.out[place][head], rtol=0, atol=2e-5)
            found = capture.check(place, head)
            assert found.rows < 1e-6
            assert found.empty == 0
            assert found.outputs is not None
            assert found.outputs < 3e-6
        for own, other in zip(capture.vectors, vectors_of(out), strict=True):
            assert_allclose(own, other[0].numpy(), rtol=0, atol=1e-4)
        if capture.likelihoods is not None:
            own = out.logits[0, -1].softmax(-1).numpy()
            assert_allclose(capture.likelihoods, own, rtol=0, atol=1e-5)


@pytest.mark.parametrize("family", [*FAMILIES, "gpt_oss"])
def test_without_edits_every_number_stays_what_it_was(tiny, family):
    model = tiny(family)
    one, other = captured(model), captured(model, edits=())
    assert one.edits == other.edits == ()
    for a, b in zip(one.layers, other.layers, strict=True):
        for name in ("query", "key", "value", "witness"):
            assert_array_equal(getattr(a, name), getattr(b, name))
        assert a.silent == ()
        assert a.visible.cut == a.visible.masked == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_layers_before_the_first_edit_stay_what_they_were(tiny, family):
    model = tiny(family)
    plain = captured(model)
    last = plain.n_layers - 1
    edited = captured(model, edits=[("off", last, 0), ("cut", last, 1, 1, 0), ("even", last, 2)])
    for place in range(last):
        for name in ("query", "key", "value", "witness"):
            assert_array_equal(
                getattr(edited.layers[place], name), getattr(plain.layers[place], name)
            )
    assert_array_equal(edited.layers[last].key, plain.layers[last].key)
    assert_array_equal(edited.weights(last, 0), plain.weights(last, 0))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_cut_edge_has_no_weight_and_its_row_still_sums_to_1(tiny, family):
    model = tiny(family)
    plain = captured(model)
    for place, head in every_head(plain):
        layer = plain.layers[place]
        query = layer.n_query - 1
        key = int(plain.weights(place, head, rows=query).argmax())
        edited = captured(model, edits=[("cut", place, head, query, key)])
        weights = edited.weights(place, head)
        assert weights[query, key] == 0
        assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
        before = plain.weights(place, head)
        share = before[query] / (1 - before[query, key])
        share[key] = 0
        assert_allclose(weights[query], share, rtol=0, atol=2e-5)
        assert_array_equal(np.delete(weights, query, 0), np.delete(before, query, 0))
        assert not edited.layers[place].visible.row(query, head)[key]
        assert edited.layers[place].visible.table is plain.layers[place].visible.table


@pytest.mark.parametrize("family", [*FAMILIES, "gpt_oss"])
def test_an_even_head_gives_every_key_it_sees_the_same(tiny, family):
    model = tiny(family)
    plain = captured(model)
    for place in range(plain.n_layers):
        edited = captured(model, edits=[("even", place, 1)])
        seen = plain.layers[place].visible.allowed(1)
        even = seen / seen.sum(axis=1, keepdims=True)
        assert_allclose(edited.weights(place, 1), even, rtol=0, atol=1e-6)
        value = edited.layers[place].value
        group = value[1 * len(value) // edited.layers[place].n_heads]
        assert_allclose(edited.layers[place].witness[1], even[-1] @ group, rtol=0, atol=3e-6)


PROJECTED = {
    "bert": "encoder.layer.1.attention.output.dense",
    "gpt2": "transformer.h.1.attn.c_proj",
    "llama": "model.layers.1.self_attn.o_proj",
}


@pytest.mark.parametrize("family", PROJECTED)
def test_a_layer_with_every_head_off_puts_out_its_bias(tiny, family):
    model, made = tiny(family), []
    module = model.network.get_submodule(PROJECTED[family])
    hook = module.register_forward_hook(lambda _, given, out: made.append(out[0].numpy()))
    heads = captured(model).layers[1].n_heads
    captured(model, edits=[("off", 1, head) for head in range(heads)])
    hook.remove()
    bias = getattr(module, "bias", None)
    expected = np.zeros(made[1].shape[1]) if bias is None else bias.detach().numpy()
    assert_allclose(made[1], np.broadcast_to(expected, made[1].shape), rtol=0, atol=1e-7)
    assert np.abs(made[0] - expected).max() > 1e-3


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2", "llama", "mistral", "t5", "bart"])
def test_a_masked_token_is_one_that_the_models_own_mask_hides(tiny, family):
    """The token itself reads on, but nobody reads it: all others are as with the model's mask."""
    model, token = tiny(family), 3
    plain = captured(model)
    inputs = inputs_of(model, plain)
    allowed = torch.ones_like(inputs["input_ids"])
    allowed[0, token] = 0
    network = tiny_network(family)
    network.set_attn_implementation("eager")
    with torch.no_grad():
        own = network(**inputs, attention_mask=allowed, output_hidden_states=True)
    edited = captured(model, edits=[("mask", token)])
    stacks = model.kind == "encoder_decoder"
    for one, other in zip(edited.vectors, vectors_of(own), strict=True):
        numbers = other[0].numpy()
        kept = slice(None) if stacks else np.arange(len(one)) != token
        assert_allclose(one[kept], numbers[kept], rtol=0, atol=2e-5)
    for place, head in every_head(edited):
        layer, weights = edited.layers[place], edited.weights(place, head)
        if layer.kind == "decoder":
            continue
        column = weights[:, token] if layer.kind == "cross" else np.delete(weights[:, token], token)
        assert not column.any()
        assert layer.kind == "cross" or weights[token, token] > 0


def refused(ask):
    with pytest.raises(InputError) as refusal:
        ask()
    return refusal.value.code


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ([("off", 2, 0)], "models.no_layer"),
        ([("off", -1, 0)], "models.no_layer"),
        ([("even", 0, 4)], "models.no_head"),
        ([("cut", 0, 4, 1, 0)], "models.no_head"),
        ([("cut", 0, -2, 1, 0)], "models.no_head"),
        ([("cut", 0, 0, 99, 0)], "edits.no_edge"),
        ([("cut", 0, 0, 1, 99)], "edits.no_edge"),
        ([("cut", 0, 0, 1, 2)], "edits.not_seen"),
        ([("cut", 0, 0, 0, 0)], "edits.nothing_left"),
        ([("cut", 0, -1, 1, 0), ("cut", 0, 2, 1, 1)], "edits.nothing_left"),
        ([("mask", 0), ("cut", 1, 0, 1, 1)], "edits.nothing_left"),
        ([("mask", 99)], "edits.no_token"),
        ([("mask", -1)], "edits.no_token"),
        ([("burn", 1)], "edits.unknown"),
        ([("off", 1)], "edits.unknown"),
        ([("off", 1, "a")], "edits.unknown"),
        ([()], "edits.unknown"),
    ],
)
def test_what_a_model_cannot_do_is_refused(tiny, edits, code):
    model = tiny("gpt2")
    assert refused(lambda: captured(model, edits=edits)) == code
    if code != "edits.unknown":
        assert refused(lambda: check(edits_of(edits), captured(model).layers)) == code
        edited = captured(model, edits=[("mask", 4), ("cut", 1, 1, 5, 3)])
        assert refused(lambda: check(edits_of(edits), edited.layers)) == code


def test_a_source_of_one_token_cannot_be_masked(tiny):
    model = tiny("bart")
    n_tokens = len(captured(model).tokens)
    every = [("mask", token) for token in range(n_tokens)]
    assert refused(lambda: captured(model, edits=every)) == "edits.nothing_left"
    assert captured(model, edits=every[1:]).n_layers == 6


def test_a_model_off_the_interface_cannot_be_edited(tiny):
    assert refused(lambda: captured(tiny("falcon"), edits=[("mask", 1)])) == "models.no_ablation"


def test_heads_left_out_by_hand_and_by_edit_are_the_same(tiny):
    model = tiny("llama")
    one, other = captured(model, ablate=[(1, 2)]), captured(model, edits=[("off", 1, 2)])
    assert one.edits == other.edits
    assert one.ablated == other.ablated == ((1, 2),)
    assert_array_equal(one.likelihoods, other.likelihoods)
    assert not one.output(1, 2).any()
    both = captured(model, ablate=[(1, 2)], edits=[("off", 1, 2), ("mask", 2)])
    assert both.edits == edits_of([("off", 1, 2), ("mask", 2)])


def test_edits_are_written_and_read_as_links_have_them():
    for kind, places in PLACES.items():
        written = (kind, *range(len(places)))
        assert Edit.of(written).written == written
    assert edits_of([("mask", 1), ("mask", 1), Edit.of(("mask", 1))]) == (Edit.of(("mask", 1)),)


def test_an_edited_capture_comes_through_the_wire_as_it_was(tiny):
    import io

    edits = [("cut", 0, -1, 3, 1), ("mask", 2), ("off", 1, 0), ("even", 0, 1)]
    own, stream = captured(tiny("gpt2"), edits=edits), io.BytesIO()
    wire.write(stream, {"done": own})
    stream.seek(0)
    came = wire.read(io.BufferedReader(stream))["done"]
    assert came.edits == own.edits
    assert came.layers[1].silent == (0,)
    assert_array_equal(came.likelihoods, own.likelihoods)
    assert_array_equal(came.vectors[1], own.vectors[1])
    for place, head in every_head(own):
        assert_array_equal(came.weights(place, head), own.weights(place, head))


@given(data=st.data(), n_tokens=st.integers(1, 7), causal=st.booleans())
def test_what_is_hidden_is_what_was_cut_and_masked(data, n_tokens, causal):
    places = st.integers(0, n_tokens - 1)
    cuts = data.draw(st.lists(st.tuples(st.integers(-1, 1), places, places), max_size=4))
    masked = data.draw(st.lists(places, max_size=2, unique=True))
    themselves = data.draw(st.booleans())
    plain = Visible(n_query=n_tokens, n_key=n_tokens, ahead=0 if causal else None)
    edits = LayerEdits(cuts=tuple(cuts), masked=tuple(masked))
    after = edits.seen(plain, "self" if themselves else "cross")
    for head in range(2):
        table = plain.allowed().copy()
        for key in masked:
            table[np.arange(n_tokens) != key if themselves else slice(None), key] = False
        for of, query, key in cuts:
            if of in (-1, head):
                table[query, key] = False
        assert_array_equal(after.allowed(head), table)
        for query in range(n_tokens):
            assert_array_equal(after.row(query, head), table[query])
    assert_array_equal(after.own.allowed(), plain.allowed())
    assert after.everyone == (not causal and not cuts and not masked)


@pytest.fixture(scope="module")
def induction():
    return load_model("induction")


TWICE = "kq7.wzmb;xkq7.w"
"""What follows the second "w" is known from the first: "z"."""


def likely(capture, letter):
    (number,) = [token.id for token in capture.tokens if token.text == letter][:1]
    return float(capture.likelihoods[number])


def induction_heads(capture):
    """List the heads whose last query looks at what followed the same letter before."""
    after = len("kq7.w")
    return [pair for pair in every_head(capture) if capture.weights(*pair, rows=-1)[after] > 0.5]


def test_without_its_induction_heads_a_model_no_longer_repeats_itself(induction):
    plain = induction.capture(TWICE)
    heads = induction_heads(plain)
    assert heads
    assert all(layer == 1 for layer, _ in heads)
    assert plain.predictions[0].text == "z"
    assert plain.predictions[0].id == next(t.id for t in plain.tokens if t.text == "z")
    assert likely(plain, "z") > 0.8
    for change in ("off", "even"):
        without = induction.capture(TWICE, edits=[(change, *pair) for pair in heads])
        assert likely(without, "z") < 0.05
        one = [likely(induction.capture(TWICE, edits=[(change, *pair)]), "z") for pair in heads]
        assert likely(without, "z") < min(one)
        assert max(one) < likely(plain, "z")
    found = changes(plain, without)
    (letter,) = [each for each in found.foreseen if each.text == "z"]
    assert (letter.before, letter.after) == (likely(plain, "z"), likely(without, "z"))
    assert letter.rank_before == 1 < letter.rank_after
    assert found.moved > 0.8
    previous = next(note for note in catalogue()["induction"].heads if note.pattern == "previous")
    first = [likely(induction.capture(TWICE, edits=[("off", 0, head)]), "z") for head in range(4)]
    assert int(np.argmin(first)) == previous.head
    assert min(first) < 0.01 < 0.9 < max(first)
    last = len(TWICE) - 1
    cut = induction.capture(TWICE, edits=[("cut", 1, -1, last, len("kq7.w"))])
    assert likely(cut, "z") < 0.1
    masked = induction.capture(TWICE, edits=[("mask", len("kq7.w"))])
    assert likely(masked, "z") < 0.1
    assert_allclose(plain.likelihoods.sum(), 1, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5", "marian", "vit"])
def test_a_comparison_says_what_changed_where(tiny, family):
    model = tiny(family)
    plain = captured(model)
    same = changes(plain, captured(model))
    assert same.first is None
    assert same.largest == 0
    assert same.ranked() == []
    assert not same.final.any()
    assert_allclose(same.cosines, 1, atol=1e-6)
    assert same.moved in (0, None)

    told = []
    edited = captured(model, edits=[("off", 0, 1)])
    found = changes(plain, edited, lambda done, total: told.append((done, total)))
    assert told == [(number + 1, plain.n_layers) for number in range(plain.n_layers)]
    assert found.first == 1
    assert not found.weights[0].any()
    for place, head in every_head(plain):
        p, q = plain.weights(place, head), edited.weights(place, head)
        moved = np.abs(p.astype(float) - q).sum(axis=1).mean() / 2
        assert found.weights[place][head] == pytest.approx(moved, abs=1e-7)
        assert 0 <= found.weights[place][head] <= 1
    best = found.ranked()[0]
    assert found.weights[best[0]][best[1]] == found.largest > 0
    last = (
        (plain.vectors[-1], edited.vectors[-1])
        if plain.hidden is None
        else (plain.hidden, edited.hidden)
    )
    lengths = np.linalg.norm(last[1] - last[0], axis=1) / np.linalg.norm(last[0], axis=1)
    assert_allclose(found.final, lengths, rtol=1e-4)
    assert found.vectors.shape == (len(plain.vectors) - 1, len(plain.vectors[0]))
    if plain.likelihoods is not None:
        shares = [each.before for each in found.foreseen]
        assert {each.id for each in plain.predictions} <= {each.id for each in found.foreseen}
        assert max(shares) == pytest.approx(plain.predictions[0].probability, abs=1e-6)
        assert sum(each.rank_before == 1 for each in found.foreseen) == 1
        moved = np.abs(plain.likelihoods.astype(float) - edited.likelihoods).sum() / 2
        assert found.moved == pytest.approx(moved)


def test_runs_of_other_texts_are_not_compared(tiny):
    model = tiny("gpt2")
    with pytest.raises(ValueError, match="one model and one text"):
        changes(model.capture("the cat sat"), model.capture("the cat sat on"))


def test_vectors_of_long_texts_are_left_out(tiny, monkeypatch):
    from attnviz.models import model as module

    monkeypatch.setattr(module, "MOST_VECTORS", 10)
    model = tiny("gpt2")
    plain, edited = captured(model), captured(model, edits=[("off", 0, 0)])
    found = changes(plain, edited)
    assert plain.vectors == ()
    assert found.vectors is found.final is None
    assert found.largest > 0
    assert found.moved > 0


def cross_entropy(model, capture, edits):
    """Take the mean −ln p of each next token from an ordinary run of the network."""
    inputs = inputs_of(model, capture)
    ids = inputs.get("decoder_input_ids", inputs["input_ids"])[0]
    recorder = model._recorder(edits_of(edits))
    with torch.no_grad(), recorder.recording():
        likely = model.network(**inputs).logits[0].log_softmax(-1)
    return -float(likely[torch.arange(len(ids) - 1), ids[1:]].mean())


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5", "marian", "vit"])
def test_what_a_head_is_worth_is_what_changes_without_it(tiny, family):
    model, told = tiny(family), []
    plain = captured(model)
    read = (PICTURE,) if family == "vit" else (TEXT,)
    target = {"target": TARGET} if model.kind == "encoder_decoder" else {}
    found = worth(model, *read, **target, progress=lambda *now: told.append(now))
    told = [share for stage, share in told if stage == "ablate"]
    assert [len(heads) for heads in found.moved] == [layer.n_heads for layer in plain.layers]
    assert told == sorted(told)
    assert len(told) == sum(map(len, found.moved))
    place, head = found.ranked()[0]
    assert found.importance[place][head] == max(float(h.max()) for h in found.importance)
    without = changes(plain, captured(model, edits=[("off", place, head)]))
    assert found.moved[place][head] == pytest.approx(float(without.final.mean()), rel=1e-4)
    if family in ("bert", "vit"):
        assert found.loss is None
        assert found.losses == ()
        return
    assert found.loss == pytest.approx(cross_entropy(model, plain, ()), abs=1e-5)
    grown = cross_entropy(model, plain, [("off", place, head)]) - found.loss
    assert found.losses[place][head] == pytest.approx(grown, abs=2e-5)


def test_the_induction_model_needs_its_previous_token_head_most(induction):
    previous = next(note for note in catalogue()["induction"].heads if note.pattern == "previous")
    text = "kq7.wzmb;xfkq7.wzmb;xf"
    found = worth(induction, text)
    assert found.ranked()[0] == (0, previous.head)
    assert found.losses[0][previous.head] > 1


def test_a_model_off_the_interface_cannot_say_what_its_heads_are_worth(tiny):
    assert refused(lambda: worth(tiny("falcon"), TEXT)) == "models.no_ablation"
