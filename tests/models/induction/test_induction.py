"""The model that the package carries: what it does, and how it learned to."""

import json
import socket

import numpy as np
import pytest
import torch
import transformers as hf

from attnviz.attention.patterns import induction_score, previous_share
from attnviz.models.catalogue import catalogue
from attnviz.models.induction import make
from attnviz.models.induction.film import FOLDER, FRAMES, moments
from attnviz.models.induction.frames import model_at
from attnviz.models.induction.make import LEAST_INDUCTION, LEAST_PREVIOUS, Plan
from attnviz.models.induction.signs import SIGNS, UNKNOWN, sign_tokenizer
from attnviz.models.load import load_model

NOTES = {note.pattern: note for note in catalogue()["induction"].heads}


@pytest.fixture(scope="module")
def model():
    return load_model("induction")


@pytest.fixture(scope="module")
def captures(model):
    """Random texts that are written twice, as the film's are, but none of the film's."""
    return [model.capture(text) for text in texts_written_twice(2026)]


def texts_written_twice(seed: int, size: int = 28, count: int = 12) -> list[str]:
    known = np.array(SIGNS[1:])
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(known, size)) * 2 for _ in range(count)]


def scores(captures, layer: int, head: int) -> tuple[float, float]:
    """The previous-token and the induction score of one head, its mean over the texts."""
    pairs = [
        (previous_share(weights), induction_score(weights, [token.id for token in each.tokens]))
        for each in captures
        for weights in [each.weights(layer, head)]
    ]
    previous, induction = np.mean(pairs, axis=0)
    return float(previous), float(induction)


def test_the_weights_are_those_of_the_catalogue():
    entry = catalogue()["induction"]
    assert entry.installed
    assert entry.checked_file() == FOLDER / "model.safetensors"
    assert (entry.kind, entry.licence) == ("causal", "MIT")


def test_what_is_shipped_is_small():
    assert (FOLDER / "model.safetensors").stat().st_size < 320_000
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 3_100_000
    assert FRAMES.stat().st_size < 3_000_000


def test_it_loads_without_a_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    loaded = load_model("induction")
    assert (loaded.kind, loaded.tier) == ("causal", "exact")
    assert loaded.difference < 1e-5


def test_it_is_an_ordinary_folder_of_transformers(model):
    network = hf.LlamaForCausalLM.from_pretrained(FOLDER, use_safetensors=True, dtype=torch.float32)
    text = texts_written_twice(5)[0]
    ids = hf.AutoTokenizer.from_pretrained(FOLDER)(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        likely = network(ids).logits[0, -1].softmax(dim=-1).max()
    assert model.capture(text).predictions[0].probability == pytest.approx(float(likely), rel=1e-4)


def test_there_is_nothing_but_attention(model):
    for name, parameter in model.network.named_parameters():
        assert (".mlp." in name) == (not parameter.any())


def test_one_head_looks_at_the_token_before_and_another_at_what_followed(captures):
    previous, induction = NOTES["previous"], NOTES["induction"]
    assert (previous.layer, induction.layer) == (0, 1)
    assert scores(captures, 0, previous.head)[0] >= LEAST_PREVIOUS
    assert scores(captures, 1, induction.head)[1] >= LEAST_INDUCTION


def test_the_heads_do_not_do_each_others_work(captures):
    assert scores(captures, 0, NOTES["previous"].head)[1] < 0.1
    assert scores(captures, 1, NOTES["induction"].head)[0] < 0.1


def test_the_catalogue_notes_what_the_finished_model_was_measured_to_do():
    last = moments()[-1]
    for pattern, note in NOTES.items():
        assert note.mean == pytest.approx(getattr(last, pattern)[note.layer][note.head], abs=0.005)
        assert note.mean == pytest.approx(getattr(last, f"best_{pattern}"), abs=0.005)


@pytest.mark.parametrize("pattern", ["previous", "induction"])
def test_the_sentence_of_a_note_shows_its_pattern(model, pattern):
    note = NOTES[pattern]
    place = 0 if pattern == "previous" else 1
    assert scores([model.capture(note.sentence)], note.layer, note.head)[place] > 0.7


def test_nobody_sees_what_comes_later(captures):
    for capture in captures[:3]:
        for layer in range(2):
            for head in range(4):
                weights = capture.weights(layer, head)
                assert not np.triu(weights, k=1).any()
                np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)


def test_it_goes_on_as_the_text_went_on_before(model):
    for text in texts_written_twice(7):
        half = len(text) // 2
        likely = model.capture(text[: half + 9]).predictions[0]
        assert likely.text == text[9]
        assert likely.probability > 0.5


def test_without_the_previous_token_head_it_no_longer_knows_how_to_go_on(model):
    silenced = [(0, NOTES["previous"].head)]
    with_head, without = [], []
    for text in texts_written_twice(11):
        start = text[: len(text) // 2 + 9]
        with_head.append(model.capture(start).predictions[0].text == text[9])
        without.append(model.capture(start, ablate=silenced).predictions[0].text == text[9])
    assert np.mean(with_head) > 0.9
    assert np.mean(without) < 0.5


def test_every_character_is_a_token_of_its_own(model):
    text = "The cat, 7 mats;\nnaïve 貓 [ok]"
    tokens = model.capture(text).tokens
    assert [(token.start, token.end) for token in tokens] == [(i, i + 1) for i in range(len(text))]
    assert [text[token.start] for token in tokens if token.unknown] == ["ï", "貓"]
    assert tokens[0].piece == "t"
    assert len(SIGNS) == len(set(SIGNS)) == model.network.config.vocab_size == 64


def test_a_sign_that_is_written_as_a_name_is_read_letter_by_letter():
    tokenizer = sign_tokenizer(64)
    assert tokenizer.convert_ids_to_tokens(tokenizer("[pad]")["input_ids"]) == list("[pad]")
    assert tokenizer.decode(tokenizer("a b\nc.")["input_ids"]) == "a b\nc."
    assert tokenizer.unk_token == UNKNOWN


def test_the_film_goes_from_nothing_to_the_finished_model():
    film = moments()
    assert len(film) == 10
    assert [each.step for each in film] == sorted({each.step for each in film})
    assert film[0].step == 0
    assert film[0].best_previous < 0.15
    assert film[0].best_induction < 0.15
    assert make.accepted(film[-1])
    assert film[-1].loss < 1 < 4 < film[0].loss


def test_in_the_film_the_previous_token_head_begins_and_both_grow_together():
    film = moments()

    def doubled(name):
        return next(at for at, each in enumerate(film) if getattr(each, name) >= 2 * start[name])

    start = {name: getattr(film[0], name) for name in ("best_previous", "best_induction")}
    assert doubled("best_previous") < doubled("best_induction")
    assert all(
        each.best_previous > each.best_induction for each in film[: doubled("best_induction")]
    )
    for name in start:
        heights = np.array([getattr(each, name) for each in film])
        assert (np.maximum.accumulate(heights) - heights).max() < 0.02
        assert ((heights > 0.15) & (heights < 0.85)).sum() >= 3


@pytest.mark.parametrize("place", range(10))
def test_each_moment_of_the_film_is_what_its_weights_do(place):
    moment = moments()[place]
    again = make.measure(model_at(moment.step).network, moment.step, moment.loss)
    np.testing.assert_allclose(again.previous, moment.previous, atol=2e-3)
    np.testing.assert_allclose(again.induction, moment.induction, atol=2e-3)


def test_a_moment_that_was_not_kept_is_refused():
    with pytest.raises(ValueError, match="the film has no other moments"):
        model_at(1)


@pytest.fixture
def small(monkeypatch):
    """Few and short strings, so that a step takes no time."""
    monkeypatch.setattr(make, "BATCH", 3)
    monkeypatch.setattr(make, "LENGTH", 36)


def test_training_repeats_itself_for_a_seed(small):
    plan = Plan(seed=4, steps=2, every=1)
    one, two = make.train(plan), make.train(plan)
    other = make.train(Plan(seed=5, steps=2, every=1))
    assert [moment for moment, _ in one] == [moment for moment, _ in two]
    pairs = zip(one[-1][1].parameters(), two[-1][1].parameters(), strict=True)
    assert all(torch.equal(left, right) for left, right in pairs)
    assert one[-1][0].loss != other[-1][0].loss


def test_training_moves_the_attention_and_leaves_the_rest_at_zero(small):
    past = make.train(Plan(steps=2, every=1))
    assert [moment.step for moment, _ in past] == [0, 1, 2]
    before, after = past[0][1].state_dict(), past[-1][1].state_dict()
    for name in before:
        if "norm" not in name:  # these begin at 1, where float16 is too coarse for a single step
            assert torch.equal(before[name], after[name]) == (".mlp." in name)


def test_what_is_not_good_enough_is_not_saved(small, tmp_path, capsys):
    folder = tmp_path / "saved"
    assert make.main(["--steps", "1", "--folder", str(folder)]) == 1
    assert not folder.exists()
    assert "not saved" in capsys.readouterr().out


def test_what_is_accepted_is_saved_with_its_film(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(make, "accepted", lambda moment: True)
    assert make.main(["--steps", "2", "--seed", "3", "--folder", str(tmp_path)]) == 0
    assert "sha256" in capsys.readouterr().out
    record = json.loads((tmp_path / "film.json").read_text("utf-8"))
    assert record["plan"]["seed"] == 3
    assert [moment["step"] for moment in record["moments"]] == [0, 2]
    assert load_model(str(tmp_path)).capture("the cat").kind == "causal"


def test_a_string_for_training_has_one_piece_twice():
    signs, foretold = make.strings(np.random.default_rng(3), 40)
    assert signs.shape == foretold.shape == (40, 64)
    for row, known in zip(signs.tolist(), foretold, strict=True):
        places = np.flatnonzero(known)
        assert 4 <= len(places) <= 15
        assert (np.diff(places) == 1).all()
        piece = row[places[0] - 1 : places[-1] + 1]
        earlier = [row[i : i + len(piece)] for i in range(places[0] - len(piece))]
        assert piece in earlier


def test_a_film_keeps_both_ends_and_what_changed_between():
    flat, steep = [0.05] * 10, [0.2, 0.5, 0.8]
    past = [
        make.Moment(step=step, loss=1.0, previous=((score,),), induction=((0.0,),))
        for step, score in enumerate([*flat, *steep, *([0.9] * 10)])
    ]
    chosen = make.told(past, 6)
    assert (chosen[0], chosen[-1], len(chosen)) == (0, 22, 6)
    assert {10, 11, 12} <= set(chosen)
