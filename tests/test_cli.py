"""`python -m attnviz`: the same numbers and the same sentences without a browser."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnviz.cli import commands, main
from attnviz.cli.inputs import settings_of
from attnviz.cli.options import COMMANDS, ENDINGS
from attnviz.errors import InputError
from attnviz.exports.arrays import read_npz
from attnviz.exports.bundles import read_bundle
from attnviz.exports.documents import read_json
from attnviz.exports.tables import read_csv
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.text import LANGUAGES, words

ROOT = Path(__file__).parent.parent


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def said(command_line):
    return command_line


# --- A trace on the screen


def test_the_hero_is_printed_when_nothing_is_asked(said):
    status, out, err = said("trace")
    assert (status, err) == (0, "")
    assert out.splitlines()[1:4] == [
        "        I₁  saw₂    a₃  saw₄     Σ",
        "  I₁  0.04  0.32  0.32  0.32  1.00",
        "saw₂  0.03  0.21  0.56  0.21  1.00",
    ]


def test_chinese_letters_are_set_two_columns_wide(said):
    _, out, _ = said("trace", "--lang", "zh-Hant", "--digits", "2")
    assert out.splitlines()[1:3] == [
        "      他₁   會₂   開₃   會₄     Σ",
        "他₁  0.04  0.32  0.32  0.32  1.00",
    ]


def test_every_head_is_printed(said):
    _, out, _ = said("trace", "--text", "one two", "--heads", "3")
    assert out.count("Σ") == 3


def test_a_link_gives_the_view_that_it_opens_and_options_change_it():
    link = "https://example.org/steps?mask=causal&q=0&lang=zh-Hant"
    assert settings_of({"link": link}) == Settings(mask="causal", query=0, language="zh-Hant")
    changed = settings_of({"link": "mask=causal", "mask": "window", "query": "3", "scale": "0.5"})
    assert changed == Settings(mask="window", query=2, scale=0.5)


def test_the_language_is_the_options_or_the_links_or_the_systems(said, monkeypatch):
    assert "他₁" in said("trace", "--link", "?lang=zh-Hant")[1]
    assert "saw₂" in said("trace", "--link", "?lang=zh-Hant", "--lang=en")[1]
    monkeypatch.setenv("LC_ALL", "zh_TW.UTF-8")
    assert "他₁" in said("trace")[1]


# --- Numbers of one's own


def test_matrices_are_read_from_files_and_sizes_follow_them(tmp_path):
    (tmp_path / "x.csv").write_text("1;0,5\n0;1\n2;2\n", "utf-8")
    (tmp_path / "wq.tsv").write_text("1\t2\t3\t4\n0\t1\t0\t1\n", "utf-8")
    np.save(tmp_path / "wv.npy", np.ones((2, 6)))
    options = {"vectors": "x.csv", "wq": "wq.tsv", "wv": "wv.npy"}
    given = {name: str(tmp_path / file) for name, file in options.items()}
    scene = scene_of(settings_of(given | {"heads": "2"}))
    assert_array_equal(scene.inputs, [[1, 0.5], [0, 1], [2, 2]])
    assert scene.trace.query.shape == (2, 3, 2)
    assert scene.trace.value.shape == (2, 3, 3)
    assert_array_equal(scene.trace.projections.w_q[1], [[3, 4], [0, 1]])


def test_numbers_may_be_typed_on_the_command_line():
    typed = settings_of({"vectors": "1 0 2; 0 1 1", "wq": "1 0; 0 1; −1 0"})
    assert typed.vectors == ((1, 0, 2), (0, 1, 1))
    assert (typed.w_q, typed.w_source, typed.d_k) == (((1, 0), (0, 1), (-1, 0)), "typed", 2)


def test_numbers_may_come_through_a_pipe(monkeypatch, said):
    pipe = io.TextIOWrapper(io.BytesIO(b"I,1,0\nsaw,0,1\n"))
    monkeypatch.setattr("sys.stdin", pipe)
    _, out, _ = said("trace", "--vectors", "-")
    assert "saw₂" in out


def test_what_was_written_can_be_given_again(said, tmp_path):
    path = str(tmp_path / "trace.npz")
    said("trace", "--out", path)
    again = settings_of({"vectors": path, "wq": path, "wk": path, "wv": path})
    assert_array_equal(scene_of(again).trace.weights, scene_of(Settings()).trace.weights)


def test_a_file_with_several_matrices_must_name_the_right_one(said, tmp_path):
    np.savez(tmp_path / "two.npz", one=np.eye(2), other=np.eye(2))
    status, _, err = said("trace", "--vectors", str(tmp_path / "two.npz"))
    assert status == 2
    assert "one, other" in err


# --- Files out


@pytest.mark.parametrize(
    ("ending", "read"), [("json", read_json), ("npz", read_npz), ("zip", read_bundle)]
)
def test_a_written_file_opens_the_same_scene(said, tmp_path, monkeypatch, ending, read):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    path = tmp_path / f"trace.{ending}"
    status, out, _ = said("trace", "--text", "我 愛 你", "--mask", "causal", "--out", str(path))
    assert status == 0
    assert str(path) in out
    wanted = Settings(sentence="我 愛 你", mask="causal")
    record = read(path.read_bytes())
    assert record.settings == wanted
    assert_array_equal(record.array("weights"), scene_of(wanted).trace.weights)
    assert settings_of({"open": str(path), "mask": "window"}) == replace(wanted, mask="window")


def test_csv_and_html_are_written(said, tmp_path):
    table, page = tmp_path / "t.csv", tmp_path / "t.html"
    said("trace", "--out", str(table))
    said("trace", "--out", str(page), "--lang", "zh-Hant")
    assert read_csv(table.read_bytes()).tokens == ("I", "saw", "a", "saw")
    html = page.read_text("utf-8")
    assert '<html lang="zh-Hant">' in html
    assert "import numpy" in html


def test_the_picture_is_of_the_weights_or_of_the_step_asked_for(
    said, tmp_path, browser_type_launch_args, monkeypatch
):
    monkeypatch.setenv("CHROMIUM", browser_type_launch_args["executable_path"])
    weights, step = tmp_path / "w.svg", tmp_path / "s.svg"
    assert said("trace", "--out", str(weights))[0] == 0
    assert said("trace", "--out", str(step), "--step", "query")[0] == 0
    assert "who is asked" in weights.read_text("utf-8")
    assert "who is asked" not in step.read_text("utf-8")


# --- Mistakes


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "code", "values"),
    [
        (["fly"], "cli.command", {"known": ", ".join(COMMANDS), "got": "fly"}),
        (["trace", "--fly"], "cli.unknown", {"got": "--fly", "command": "trace"}),
        (["trace", "stray"], "cli.unknown", {"got": "stray", "command": "trace"}),
        (["trace", "--heads"], "cli.no_value", {"option": "--heads"}),
        (
            ["trace", "--heads", "x"],
            "cli.number",
            {"option": "--heads", "low": 0, "high": 8, "got": "x"},
        ),
        (
            ["trace", "--query", "0"],
            "cli.number",
            {"option": "--query", "low": 1, "high": 64, "got": "0"},
        ),
        (
            ["trace", "--query", "9"],
            "cli.number",
            {"option": "--query", "low": 1, "high": 4, "got": "9"},
        ),
        (
            ["trace", "--score", "x"],
            "cli.choice",
            {"option": "--score", "known": "dot, cosine, additive, bilinear", "got": "x"},
        ),
        (["trace", "--scale", "x"], "cli.value", {"option": "--scale", "got": "x"}),
        (["trace", "--link", "?heads=99"], "cli.link", {"keys": "heads"}),
        (["trace", "--link", "text=" + "x" * 1_000_000], "cli.link", {"keys": "text"}),
        (["trace", "--vectors", "no.csv"], "cli.no_file", {"option": "--vectors", "got": "no.csv"}),
        (["trace", "--vectors", "1 2; 3"], "number.ragged", {"row": 2, "expected": 2, "got": 1}),
        (["trace", "--vectors", str(ROOT)], "cli.cannot_read", {"path": ROOT}),
        (["trace", "--text", "\u202e"], "text.empty", {}),
        (
            ["trace", "--wq", "1 0; 0 1", "--vectors", "1 2 3"],
            "weights.shape",
            {"name": "W^q", "expected": "3 × 2", "got": "2 × 2"},
        ),
        (
            ["trace", "--out", "x.doc"],
            "cli.ending",
            {"known": ", ".join(ENDINGS), "got": "x.doc"},
        ),
        (["trace", "--out", "/nowhere/x.json"], "cli.cannot_write", {"path": "/nowhere/x.json"}),
        (
            ["run", "--port", "x"],
            "cli.number",
            {"option": "--port", "low": 1, "high": 65535, "got": "x"},
        ),
    ],
)
def test_a_mistake_is_a_sentence_on_stderr_and_status_2(said, language, arguments, code, values):
    status, out, err = said(*arguments, "--lang", language)
    assert (status, out) == (2, "")
    assert err == words(language)(f"error.{code}", **values) + "\n"


def test_an_unknown_language_is_a_mistake(said):
    status, _, err = said("trace", "--lang", "fr")
    assert status == 2
    assert "en, zh-Hant" in err


def test_a_name_that_no_file_can_have_is_no_traceback():
    for name in ("a" * 10_000, "a\0b"):
        with pytest.raises(InputError) as refused:
            settings_of({"vectors": name})
        assert refused.value.code == "cli.no_file"


# --- Help and the app


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_is_in_both_languages_and_names_every_option(said, language):
    t = words(language)
    assert t("cli.about") in said("--help", "--lang", language)[1]
    for command, options in COMMANDS.items():
        status, out, _ = said(command, "--help", "--lang", language)
        assert status == 0
        assert t("cli.options") in out
        assert t(f"cli.{command}") in out
        for option in options:
            assert option.flag in out
    assert said()[1] == said("--help")[1]


def test_python_m_attnviz_is_this_command_line():
    command = [sys.executable, "-m", "attnviz", "trace", "--scale", "x", "--lang", "en"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("--scale cannot be")


def test_run_starts_the_app_of_the_project(monkeypatch):
    started = []
    monkeypatch.setattr(commands.os, "chdir", lambda folder: None)
    monkeypatch.setattr(commands.os, "name", "posix")
    monkeypatch.setattr(commands.os, "execv", lambda program, call: started.extend(call))
    monkeypatch.setattr(commands.subprocess, "call", lambda call: 0)
    main(["run", "--port", "8600", "--address", "0.0.0.0"])
    assert started[1:] == [
        *("-m", "streamlit", "run", "app.py"),
        *("--server.port=8600", "--server.address=0.0.0.0"),
    ]


def test_without_the_pages_run_says_where_they_are(said, monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "_ROOT", tmp_path)
    status, _, err = said("run")
    assert (status, err) == (2, words("en")("error.cli.no_app") + "\n")


def test_json_holds_chinese_as_it_is_written(said, tmp_path):
    path = tmp_path / "t.json"
    said("trace", "--lang", "zh-Hant", "--out", str(path))
    assert json.loads(path.read_text("utf-8"))["tokens"] == ["他", "會", "開", "會"]
    assert "會" in path.read_text("utf-8")
