"""What a model writes over its cache is what one pass over the whole text computes."""

import io

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnviz.attention.metrics import induction_score
from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.editing.edits import edits_of
from attnviz.models.load import load_model
from attnviz.models.repeats import SHORTEST, copies, doubled, foreknown, random_twice
from attnviz.models.worker import Worker
from attnviz.models.writing import write
from attnviz.models.written import MOST_READ, MOST_WRITTEN

TEXT = "the cat sat on the mat because it was"
FAMILIES = ["gpt2", "llama", "qwen", "gemma", "mistral", "gpt_oss", "falcon"]


@pytest.fixture(scope="module")
def shipped():
    return load_model("induction")


def whole_pass(model, ids, edits=()):
    """Run the model once over every token, without a cache."""
    network, recorder = model.network, model._recorder(edits_of(edits))
    with torch.inference_mode(), recorder.recording():
        out = network(input_ids=torch.tensor([ids]), use_cache=False)
    return out.logits[0].double(), recorder.layers


def refused(ask):
    with pytest.raises(InputError) as refusal:
        ask()
    return refusal.value


def model_of(tiny, shipped, family):
    return shipped if family == "induction" else tiny(family)


@pytest.mark.parametrize("family", [*(f for f in FAMILIES if f != "falcon"), "induction"])
@pytest.mark.parametrize("seed", [0, 7])
def test_rows_of_the_cached_run_are_those_of_one_pass(tiny, shipped, family, seed):
    model = model_of(tiny, shipped, family)
    found = write(model, TEXT, 14, seed=seed)
    ids = [token.id for token in found.tokens]
    _, layers = whole_pass(model, ids)
    assert len(found.rows) == len(layers)
    for at, layer in enumerate(layers):
        for step in range(len(found.steps)):
            query = found.n_read + step - 1
            for head in range(layer.n_heads):
                row = layer.weights(head, rows=query)
                assert_allclose(found.row(step, at, head), row[: query + 1], rtol=0, atol=1e-5)
                assert not found.rows[at][step, head, query + 1 :].any()


EDITS = [
    [("mask", 1)],
    [("mask", 0), ("mask", 4)],
    [("off", 0, 1), ("even", 1, 0)],
    [("cut", 0, -1, 5, 3), ("cut", 1, 1, 2, 1)],
    [("even", 0, 0), ("cut", 1, 0, 4, 2), ("mask", 2), ("off", 1, 1)],
]


@pytest.mark.parametrize("edits", EDITS, ids=str)
@pytest.mark.parametrize("family", [*(f for f in FAMILIES if f != "falcon"), "induction"])
def test_edits_hold_for_every_token_that_is_written(tiny, shipped, family, edits):
    model = model_of(tiny, shipped, family)
    found = write(model, TEXT, 14, edits=edits)
    ids = [token.id for token in found.tokens]
    logits, layers = whole_pass(model, ids, edits)
    shares = logits.softmax(dim=-1).numpy()
    for number, step in enumerate(found.steps):
        row = shares[found.n_read + number - 1]
        assert_allclose(step.probabilities, row[list(step.ids)], rtol=0, atol=1e-5)
    for at, layer in enumerate(layers):
        for step in range(len(found.steps)):
            query = found.n_read + step - 1
            for head in range(layer.n_heads):
                row = layer.weights(head, rows=query)
                assert_allclose(found.row(step, at, head), row[: query + 1], rtol=0, atol=1e-5)
    expected = [shares[place - 1, ids[place]] for place in range(1, found.n_read)]
    assert_allclose(found.expected, expected, rtol=0, atol=1e-5)
    plain = write(model, TEXT)
    assert np.abs(plain.expected - found.expected).max() > 1e-6


def test_edits_of_what_is_not_there_are_refused(tiny):
    model = tiny("llama")
    assert refused(lambda: write(model, TEXT, 3, edits=[("off", 9, 0)])).code == "models.no_layer"
    assert refused(lambda: write(model, TEXT, 3, edits=[("mask", 99)])).code == "edits.no_token"
    assert (
        refused(lambda: write(tiny("falcon"), TEXT, 3, edits=[("off", 0, 0)])).code
        == "models.no_ablation"
    )


@pytest.mark.parametrize("family", [*FAMILIES, "induction"])
def test_probabilities_are_those_of_one_pass(tiny, shipped, family):
    model = model_of(tiny, shipped, family)
    found = write(model, TEXT, 9)
    ids = [token.id for token in found.tokens]
    model.network.set_attn_implementation("eager") if family == "falcon" else None
    with torch.inference_mode():
        logits = model.network(input_ids=torch.tensor([ids]), use_cache=False).logits[0].double()
    shares = logits.softmax(dim=-1).numpy()
    for number, step in enumerate(found.steps):
        row = shares[found.n_read + number - 1]
        assert_allclose(step.probabilities, row[list(step.ids)], rtol=0, atol=1e-5)
        assert_allclose(step.probabilities.sum() + step.rest, 1, atol=1e-12)
        assert (np.diff(step.probabilities) <= 0).all()
    expected = [shares[place - 1, ids[place]] for place in range(1, found.n_read)]
    assert_allclose(found.expected, expected, rtol=0, atol=1e-5)
    for place in range(1, found.n_read):
        rank = 1 + int((shares[place - 1] > shares[place - 1, ids[place]]).sum())
        assert found.ranks[place - 1] == rank


@pytest.mark.parametrize("family", ["gpt2", "gemma", "induction"])
def test_the_likeliest_token_is_written_without_a_seed(tiny, shipped, family):
    model = model_of(tiny, shipped, family)
    found = write(model, TEXT, 10)
    for number, step in enumerate(found.steps):
        if step.written is not None:
            assert step.written == step.ids[0] == found.tokens[found.n_read + number].id
            assert step.written_probability == pytest.approx(step.probabilities[0])
            assert step.written_text == step.texts[0]
    assert found.ended == (found.steps[-1].written is not None)
    assert len(found.steps) == found.n_written + (not found.ended)


def test_a_seed_writes_the_same_again_and_another_one_something_else(shipped):
    ids = {
        seed: [token.id for token in write(shipped, "xq7 kfp", 20, seed=seed).tokens]
        for seed in (1, 2)
    }
    assert ids[1] != ids[2]
    assert ids[1] == [token.id for token in write(shipped, "xq7 kfp", 20, seed=1).tokens]


def test_drawn_tokens_come_as_often_as_they_are_likely(shipped):
    drawn = [write(shipped, "the cat sat. the ca", 1, seed=seed).steps[0] for seed in range(1, 61)]
    likeliest = sum(step.written == step.ids[0] for step in drawn) / len(drawn)
    assert abs(likeliest - drawn[0].probabilities[0]) < 0.2


@pytest.mark.parametrize("text", ["x", TEXT, "學而時習之", "<b>$x$</b>\n\ttwo"])
@pytest.mark.parametrize("family", ["gpt2", "gemma", "induction"])
def test_what_was_read_keeps_its_tokens(tiny, shipped, family, text):
    model = model_of(tiny, shipped, family)
    read = model.capture(text).tokens
    found = write(model, text, 6)
    assert found.n_read == len(read)
    assert [t.id for t in found.tokens[: len(read)]] == [t.id for t in read]
    assert [t.piece for t in found.tokens[: len(read)]] == [t.piece for t in read]
    assert all(token.text for token in found.tokens)
    assert all("\ufffd" not in text for step in found.steps for text in step.texts)


def test_nothing_is_written_where_no_tokens_are_asked_for(tiny):
    found = write(tiny("llama"), TEXT)
    assert found.n_written == 0
    assert len(found.steps) == 1
    assert found.steps[0].written is None
    assert found.steps[0].written_probability is None


def test_memory_is_a_row_for_each_step_and_no_table(tiny):
    found = write(tiny("gpt2"), TEXT, 8)
    for rows in found.rows:
        assert rows.shape == (len(found.steps), 4, len(found.tokens) + 1 - found.ended - 1)


def test_what_does_not_fit_is_refused(tiny, shipped):
    assert refused(lambda: write(shipped, "", 3)).code == "models.no_tokens"
    assert refused(lambda: write(tiny("bert"), TEXT, 3)).code == "models.no_writer"
    assert refused(lambda: write(tiny("t5"), TEXT, 3)).code == "models.no_writer"
    assert refused(lambda: write(shipped, TEXT, MOST_WRITTEN + 1)).code == (
        "models.too_many_written"
    )
    found = refused(lambda: write(shipped, "ab" * 45, 10))
    assert found.code == "models.no_room"
    assert found.values == {"n_read": 90, "n_tokens": 10, "most": min(MOST_READ, 96)}
    assert write(shipped, "ab" * 45, 6).n_written == 6


def test_progress_goes_from_0_to_1_token_by_token(shipped):
    told = []
    write(shipped, TEXT, 4, progress=lambda stage, share: told.append((stage, share)))
    assert told == [("write", share) for share in (0, 0.25, 0.5, 0.75, 1)]


def test_what_was_written_goes_through_the_pipe(shipped):
    found, stream = write(shipped, TEXT, 5), io.BytesIO()
    wire.write(stream, {"done": found})
    stream.seek(0)
    came = wire.read(stream)["done"]
    assert came.tokens == found.tokens
    assert [step.texts for step in came.steps] == [step.texts for step in found.steps]
    assert came.steps[0].rest == found.steps[0].rest
    for own, other in zip(found.rows, came.rows, strict=True):
        assert_array_equal(own, other)
    with pytest.raises(ValueError, match="read-only"):
        came.rows[0][0, 0, 0] = 1


def test_a_text_of_one_token_goes_through_the_pipe(shipped):
    found, stream = write(shipped, "x", 2), io.BytesIO()
    wire.write(stream, {"done": found})
    stream.seek(0)
    came = wire.read(stream)["done"]
    assert (came.expected.shape, came.ranks.shape) == ((0,), (0,))
    assert came.ranks.dtype == found.ranks.dtype
    assert_array_equal(came.rows[1], found.rows[1])


def test_the_process_of_the_models_writes(shipped):
    worker, told = Worker(), []
    came = worker.write(TEXT, 3, name="induction", progress=lambda stage, share: told.append(stage))
    worker.close()
    own = write(shipped, TEXT, 3)
    assert [token.id for token in came.tokens] == [token.id for token in own.tokens]
    assert "write" in told


def brute_copies(ids):
    best = None
    for length in range(len(ids) // 2, SHORTEST - 1, -1):
        for first in range(len(ids)):
            for second in range(first + length, len(ids) - length + 1):
                if ids[first : first + length] == ids[second : second + length]:
                    return length
    return best


@given(st.lists(st.integers(0, 3), max_size=18))
def test_the_longest_copy_is_found(ids):
    found, length = copies(ids), brute_copies(ids)
    assert (found is None) == (length is None)
    if found is not None:
        one = ids[found.first : found.first + found.length]
        assert one == ids[found.second : found.second + found.length]
        assert found.first + found.length <= found.second
        assert found.length == length


@pytest.mark.parametrize("seed", range(3))
def test_the_second_copy_is_foretold_and_an_induction_head_does_it(shipped, seed):
    text = random_twice(seed, shipped.capture("ab").tokens)
    found = write(shipped, text)
    ids = [token.id for token in found.tokens]
    known = foreknown(found.expected, copies(ids))
    first, second = known.means
    assert known.copies.length >= 15
    assert first < 0.2 < 0.8 < second
    capture = shipped.capture(text)
    scores = {
        (at, head): induction_score(capture.weights(at, head), ids)
        for at, layer in enumerate(capture.layers)
        for head in range(layer.n_heads)
    }
    assert max(scores, key=scores.get)[0] == 1
    assert max(scores.values()) > 0.85


def test_the_first_token_of_a_text_was_not_foretold():
    known = foreknown(np.array([0.1, 0.2, 0.3, 0.4, 0.5]), copies([1, 2, 3, 1, 2, 3]))
    assert np.isnan(known.first[0])
    assert_allclose(known.first[1:], [0.1, 0.2])
    assert_allclose(known.second, [0.3, 0.4, 0.5])
    assert_allclose(known.means, [0.15, 0.45])


@pytest.mark.parametrize(
    ("text", "twice"),
    [("a b", "a b a b"), ("ab", "abab"), ("Stop.", "Stop. Stop."), ("貓坐著", "貓坐著貓坐著")],
)
def test_a_text_is_doubled(text, twice):
    assert doubled(f" {text} ") == twice
