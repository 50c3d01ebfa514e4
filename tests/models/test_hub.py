"""A name of a model hub becomes a model: fetched in a process of its own, from a hub made here."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from attnviz.errors import InputError
from attnviz.models.worker import Worker
from attnviz.text import catalogue as texts
from tests.models.hub import COMMIT, hub

# Whatever a process of these tests connects to, it is this machine.
GUARD = """
import socket
connect = socket.socket.connect
def only_here(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise SystemExit(f"asked for {address}")
    return connect(self, address)
socket.socket.connect = only_here
"""
SERVE = GUARD + "from attnviz.models.serve import main; main()"
NAMES = ("tiny/bert", "tiny/vit", "tiny/mpnet", "tiny/pickled", "tiny/coded", "tiny/nowhere")


@pytest.fixture(scope="module")
def served(folder, tmp_path_factory):
    """Run a hub with models that are good, of pickles alone, and with code of their own."""
    made = tmp_path_factory.mktemp("hub")
    pickled, coded = made / "pickled", made / "coded"
    shutil.copytree(folder("bert"), pickled)
    (pickled / "model.safetensors").unlink()
    torch.save({}, pickled / "pytorch_model.bin")
    shutil.copytree(folder("bert"), coded)
    config = json.loads((coded / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    (coded / "config.json").write_text(json.dumps(config))
    (coded / "evil.py").write_text(f"open({str(made / 'ran')!r}, 'w').write('ran')")
    good = {f"tiny/{name}": folder(name) for name in ("bert", "vit", "mpnet")}
    with hub(good | {"tiny/pickled": pickled, "tiny/coded": coded}) as running:
        yield running


@pytest.fixture(scope="module")
def home(served, tmp_path_factory):
    """Let processes ask this hub alone, and keep what they fetch in a new folder."""
    place = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        for name in [each for each in os.environ if each.lower().endswith("_proxy")]:
            patched.delenv(name)
        patched.delenv("HF_HUB_OFFLINE", raising=False)
        patched.setenv("HF_ENDPOINT", served.address)
        patched.setenv("HF_HOME", str(place))
        patched.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
        patched.setenv("ATTNVIZ_MODELS", ",".join(("default", *NAMES)))
        yield place


@pytest.fixture(scope="module")
def process(home):
    made = Worker((sys.executable, "-c", SERVE))
    yield made
    made.close()


@pytest.fixture
def worker(process, served):
    """Give the process in which models run, and forget what it asked the hub for before."""
    served.asked.clear()
    return process


def told(*names: str, folders: bool = False) -> list[str]:
    """Ask a process like that of the web pages which models read pictures, each name twice."""
    code = GUARD + (
        "import sys\n"
        "from attnviz.models.images import reads_pictures\n"
        f"for name in sys.argv[1:] * 2: print(name, reads_pictures(name, folders={folders}))\n"
        "print({'torch', 'transformers'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert lines[-1:] == ["set()"], run.stderr
    assert lines[: len(names)] == lines[len(names) : -1]
    return lines[: len(names)]


def refused(ask):
    with pytest.raises(InputError) as refusal:
        ask()
    assert f"error.{refusal.value.code}" in texts("en")
    return refusal.value


def test_a_name_of_the_hub_is_fetched_loaded_and_kept(worker, served, home, tiny, monkeypatch):
    loaded = worker.load("tiny/bert")
    assert (loaded.name, loaded.kind, loaded.tier) == ("tiny/bert", "encoder", "exact")
    assert loaded.difference < 2e-6
    came = worker.capture("the cat sat", name="tiny/bert")
    monkeypatch.delenv("ATTNVIZ_MODELS")
    own = tiny("bert").capture("the cat sat")
    assert [token.text for token in came.tokens] == [token.text for token in own.tokens]
    assert_array_equal(came.weights(1, 2), own.weights(1, 2))
    got = {path.rsplit("/", 1)[-1] for how, path in served.asked if how == "GET"}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= got
    kept = home / "hub" / "models--tiny--bert" / "snapshots" / COMMIT
    assert (kept / "model.safetensors").is_file()


def test_one_that_computes_its_attention_by_itself_comes_from_a_hub_too(worker):
    assert worker.load("tiny/mpnet").tier == "hooked"
    assert worker.capture("the cat sat", name="tiny/mpnet").layers[1].has_scores


def test_what_was_fetched_is_read_again_without_the_hub(worker, served, monkeypatch):
    worker.load("tiny/bert")
    served.asked.clear()
    again = Worker((sys.executable, "-c", SERVE))
    try:
        assert again.load("tiny/bert").tier == "exact"
    finally:
        again.close()
    assert served.asked == []


def test_weights_as_pickles_alone_are_refused_and_not_fetched(worker, served):
    error = refused(lambda: worker.load("tiny/pickled"))
    assert error.code == "models.only_pickles"
    assert error.values["name"] == "tiny/pickled"
    assert not [path for how, path in served.asked if how == "GET" and path.endswith(".bin")]


def test_code_of_its_own_is_neither_fetched_nor_run(worker, served):
    assert refused(lambda: worker.load("tiny/coded")).code == "models.own_code"
    assert not [path for _, path in served.asked if path.endswith(".py")]
    assert not (served.folders["tiny/coded"].parent / "ran").exists()


def test_a_name_that_the_hub_does_not_have_is_told(worker):
    error = refused(lambda: worker.load("tiny/nowhere"))
    assert (error.code, error.values["name"]) == ("models.not_fetched", "tiny/nowhere")


def test_a_name_that_is_not_listed_is_not_asked_for(worker, served):
    assert refused(lambda: worker.load("tiny/other")).code == "models.not_allowed"
    assert served.asked == []


def test_a_model_of_pictures_is_known_before_it_is_loaded(worker, served, home):
    assert told("tiny/vit", "tiny/bert", "tiny/nowhere", "tiny/other") == [
        "tiny/vit True",
        "tiny/bert False",
        "tiny/nowhere False",
        "tiny/other False",
    ]
    asked = [path for _, path in served.asked]
    assert asked.count("tiny/vit/resolve/main/config.json") == 1
    assert {path.rsplit("/", 1)[-1] for path in asked} == {"config.json"}
    assert not [path for path in asked if "other" in path]
    assert refused(lambda: worker.capture("a text", name="tiny/vit")).code == "models.needs_picture"
    assert worker.capture(np.zeros((9, 9, 3)), name="tiny/vit").grid == (4, 4)


def test_what_is_kept_tells_it_without_a_list_or_a_hub(worker, served, monkeypatch):
    worker.load("tiny/vit")
    served.asked.clear()
    monkeypatch.delenv("ATTNVIZ_MODELS")
    assert told("tiny/vit", folders=True) == ["tiny/vit True"]
    assert told("tiny/vit") == ["tiny/vit False"]
    assert served.asked == []


def test_where_the_hub_does_not_answer_a_name_is_taken_for_one_that_reads_texts(home, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert told("tiny/nowhere") == ["tiny/nowhere False"]
