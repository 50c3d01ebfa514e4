"""`python -m attnviz capture`: a real model without a browser."""

import json
from functools import partial

import numpy as np
import pytest

from attnviz.cli.options import COMMANDS, PICTURED, UNIT
from attnviz.models.catalogue import catalogue
from attnviz.models.load import load_model
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words
from attnviz.text.refused import refused

pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def said(command_line):
    return partial(command_line, "capture")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("tiny") / "bert"
    save_tiny("bert", place)
    return str(place)


@pytest.fixture
def saved(tmp_path) -> str:
    """Weights of another program: two layers of two heads, and their tokens beside them."""
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 2, 3)).astype(np.float32)
    weights[1, 1, 0] = [0, 0.125, 0.875]
    path = tmp_path / "weights.npz"
    np.savez(path, layer_0=weights[0], layer_1=weights[1], tokens=["I", "saw", "saws"])
    return str(path)


def test_an_empty_text_is_refused_and_no_example_stands_in_for_it(said, tmp_path):
    out = tmp_path / "page.html"
    status, _, err = said("--model", "induction", "--text", "", "--out", str(out))
    assert status != 0
    assert words("en")("said.cli.models.no_tokens") in err
    assert not out.exists()


# --- On the screen


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_strongest_links_are_printed_with_progress_beside_them(said, folder, language):
    status, out, err = said("--model", folder, "--text", "I saw a saw", "--lang", language)
    t = words(language)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("bert")
    assert t("cli.asked") in lines[1]
    values = [float(line.split()[0]) for line in lines[2:]]
    assert values == sorted(values, reverse=True)
    assert err.splitlines() == [
        t(f"models.stage.{stage}") for stage in ("load", "check", "capture")
    ]


def test_given_weights_are_opened_with_the_tokens_of_their_file(said, saved):
    status, out, err = said("--weights", saved, "--layer", "1", "--head", "1")
    assert (status, err) == (0, "")
    row = next(line.split() for line in out.splitlines() if "0.8750" in line)
    assert row == ["0.8750", "I₁", "saws₃"]


def test_tokens_may_be_typed(said, tmp_path):
    path = tmp_path / "w.npz"
    np.savez(path, layer_0=np.array([[[0.25, 0.75], [0.5, 0.5]]]))
    _, out, _ = said("--weights", str(path), "--tokens", "un due", "--key-tokens", "eins zwei")
    assert out.splitlines()[2].split() == ["0.7500", "un₁", "zwei₂"]


# --- Files


@pytest.mark.parametrize("ending", ["html", "npz", "csv"])
def test_a_file_is_written_by_its_ending(said, saved, tmp_path, ending):
    path = tmp_path / f"head.{ending}"
    status, out, _ = said("--weights", saved, "--layer", "1", "--head", "1", "--out", str(path))
    assert status == 0
    assert str(path) in out
    data = path.read_bytes()
    if ending == "html":
        assert b'"layer":1,"head":1' in data
    elif ending == "csv":
        assert "I,0.0,0.125,0.875" in data.decode("utf-8-sig")
    else:
        np.testing.assert_array_equal(np.load(path)["weights"][0], [0, 0.125, 0.875])
        again = said("--weights", str(path))
        assert (
            again[1].splitlines()[1:]
            == said("--weights", saved, "--layer", "1", "--head", "1")[1].splitlines()[1:]
        )


def test_words_are_written_where_they_are_asked_for(said, folder, tmp_path):
    path = tmp_path / "words.csv"
    said("--model", folder, "--text", "I saw a saw", "--unit", "words", "--out", str(path))
    names = path.read_text("utf-8-sig").splitlines()[0].split(",")
    assert [name for name in names if name in ("I", "saw", "a")] == ["I", "saw", "a", "saw"]


def test_a_picture_is_drawn(said, saved, tmp_path, monkeypatch, browser_type_launch_args):
    monkeypatch.setenv("CHROMIUM", browser_type_launch_args["executable_path"])
    path = tmp_path / "head.svg"
    assert said("--weights", saved, "--out", str(path))[0] == 0
    assert "who is asked" in path.read_text("utf-8")


# --- Mistakes


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "code", "values"),
    [
        (["--fly"], "cli.unknown", {"got": "--fly", "command": "capture"}),
        (["--layer", "x"], "cli.place", {"option": "--layer", "got": "x"}),
        (["--head", "-1"], "cli.place", {"option": "--head", "got": "-1"}),
        (
            ["--unit", "letters"],
            "cli.choice",
            {"option": "--unit", "known": ", ".join(UNIT.known), "got": "letters"},
        ),
        (
            ["--out", "x.zip"],
            "cli.ending",
            {"option": "--out", "known": ", ".join(PICTURED), "got": "x.zip"},
        ),
        (["--text", "  "], "models.no_tokens", {}),
        (["--window", "x"], "cli.place", {"option": "--window", "got": "x"}),
        (
            ["--weights", "no.npz", "--nan-rows", "drop"],
            "cli.choice",
            {"option": "--nan-rows", "known": "refuse, empty", "got": "drop"},
        ),
        (["--model", "./nowhere", "--text", "a"], "models.no_folder", {"name": "./nowhere"}),
        (["--weights", "no.npz"], "cli.cannot_read", {"path": "no.npz"}),
    ],
)
def test_a_mistake_is_a_sentence_and_status_2(said, language, arguments, code, values):
    status, out, err = said(*arguments, "--lang", language)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == refused(code, values, language, "cli")


def test_a_head_must_be_there(said, saved):
    status, _, err = said("--weights", saved, "--layer", "99")
    sizes = {"layer": 99, "n_layers": 2, "last": 1}
    assert (status, err.strip()) == (2, words("en")("error.models.no_layer", **sizes))
    status, _, err = said("--weights", saved, "--layer", "1", "--head", "2")
    sizes = {"layer": 1, "head": 2, "n_heads": 2, "last": 1}
    assert (status, err.strip()) == (2, words("en")("error.models.no_head", **sizes))


def test_a_file_that_is_no_npz_is_refused(said, tmp_path):
    path = tmp_path / "w.npz"
    files = ((b"PK\x03\x04 damaged", "no_npz"), (b"not numpy", "file_kind"), (b"", "file_empty"))
    for data, code in files:
        path.write_bytes(data)
        status, _, err = said("--weights", str(path))
        assert (status, err.strip()) == (2, words("en")(f"error.models.{code}", name="w.npz"))
    np.save(tmp_path / "w.npy", np.eye(2))
    assert said("--weights", str(tmp_path / "w.npy"))[0] == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("arguments", [(), ("--text", "I saw a saw")])
def test_a_model_that_there_is_not_is_named_with_and_without_a_text(said, language, arguments):
    status, _, err = said("--model", "nope", *arguments, "--lang", language)
    known = ", ".join(catalogue())
    sentence = words(language)("error.models.unknown", name="nope", known=known)
    assert (status, err.splitlines()[-1]) == (2, sentence)


def test_a_long_text_is_refused_with_the_option_that_reads_a_part_of_it(said, folder):
    text = "saw " * 600
    status, _, err = said("--model", folder, "--text", text)
    assert status == 2
    assert "--window 0" in err.splitlines()[-1]
    status, out, _ = said("--model", folder, "--text", text, "--window", "1")
    assert status == 0
    capture = load_model(folder).capture(text, window=1)
    assert capture.stretch is not None
    first, last, n_tokens = capture.stretch
    sizes = {"first": first, "last": last, "n_tokens": n_tokens, "most": len(capture.tokens)}
    assert out.splitlines()[-1] == words("en")("models.cut", **sizes)


def test_what_a_row_of_nan_is_can_be_said(said, tmp_path):
    path = tmp_path / "w.json"
    path.write_text('{"attentions": [[[[1, 0], [NaN, NaN]]]], "tokens": ["a", "b"]}', "utf-8")
    status, _, err = said("--weights", str(path))
    assert status == 2
    assert "--nan-rows empty" in err
    status, out, _ = said("--weights", str(path), "--nan-rows", "empty")
    assert status == 0
    assert len(out.splitlines()) == 3  # the title, the heading, and the only weight


def test_weights_without_tokens_are_numbered(said, tmp_path):
    path = tmp_path / "w.npz"
    np.savez(path, layer_0=np.array([[[0.25, 0.75], [0.5, 0.5]]]))
    status, out, _ = said("--weights", str(path))
    assert (status, out.splitlines()[2].split()) == (0, ["0.7500", "1₁", "2₂"])


@pytest.mark.parametrize("command", ["capture", "metrics"])
def test_both_commands_read_weights_as_npz_and_json_and_by_their_former_name(
    command_line, saved, tmp_path, command
):
    arrays = np.load(saved)
    layers = [arrays[f"layer_{place}"].tolist() for place in (0, 1)]
    path = tmp_path / "w.json"
    path.write_text(json.dumps({"attentions": layers, "tokens": arrays["tokens"].tolist()}))
    ways = (("--weights", saved), ("--weights", str(path)), ("--attentions", saved))
    said = [command_line(command, *way) for way in ways]
    assert said[0] == said[1] == said[2]
    assert said[0][0] == 0
    assert "--attentions" not in command_line(command, "--help")[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_names_every_option(said, language):
    _, out, _ = said("--help", "--lang", language)
    for option in COMMANDS["capture"]:
        assert option.flag in out
    assert words(language)("cli.model_head") in out
