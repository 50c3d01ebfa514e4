"""`python -m attnviz metrics`: every number of every head without a browser."""

import csv
import io
import json
import statistics
from functools import partial

import numpy as np
import pyarrow.parquet as parquet
import pytest

from attnviz.cli.options import COMMANDS, TABLED
from attnviz.exports.head_tables import written
from attnviz.models.catalogue import catalogue
from attnviz.models.corpus import AVERAGED
from attnviz.models.listed import listed
from attnviz.models.load import load_model
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words
from attnviz.text.refused import refused

TEXTS = ("I saw a saw", "saw saw", "a saw I saw a saw")


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def said(command_line):
    return partial(command_line, "metrics")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("tiny") / "bert"
    save_tiny("bert", place)
    return str(place)


@pytest.fixture(scope="module")
def tables(folder) -> list:
    model = load_model(folder)
    return [listed(model.capture(text)) for text in TEXTS]


@pytest.fixture
def texts(tmp_path) -> str:
    path = tmp_path / "texts.txt"
    path.write_text("\n\n".join(TEXTS) + "\n", "utf-8")
    return str(path)


def rows_of(path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))


# --- One text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_printed_a_head_a_line(said, folder, tables, language):
    status, out, err = said("--model", folder, "--text", TEXTS[0], "--lang", language)
    t, lines = words(language), out.splitlines()
    assert status == 0
    assert len(lines) == 1 + len(tables[0])
    assert t("measure.previous_share") in lines[0]
    at = lines[1].split()
    assert at[0] == "0.0"
    assert at[3] == f"{tables[0][0].previous_share:.2f}"
    assert t("cli.reading", place=1, n=1) in err


def test_a_csv_has_every_number_of_every_head(said, folder, tables, tmp_path):
    path = tmp_path / "heads.csv"
    assert said("--model", folder, "--text", TEXTS[0], "--out", str(path))[0] == 0
    rows = rows_of(path)
    assert len(rows) == len(tables[0])
    for row, head in zip(rows, tables[0], strict=True):
        assert (row["layer"], row["head"]) == (str(head.layer), str(head.head))
        assert row["types"].split() == list(head.types)
        for name in AVERAGED:
            number = getattr(head, name)
            assert row[name] == ("" if number is None else repr(number))


def test_json_and_parquet_say_the_same_and_keep_what_is_not_there(said, folder, tmp_path):
    for ending in ("json", "parquet"):
        arguments = ("--model", folder, "--text", "saw", "--out", str(tmp_path / f"h.{ending}"))
        assert said(*arguments)[0] == 0
    lines = json.loads((tmp_path / "h.json").read_text("utf-8"))
    table = parquet.read_table(tmp_path / "h.parquet")
    assert table.to_pylist() == lines
    assert lines[0]["induction_score"] is None
    assert str(table.schema.field("induction_score").type) == "double"


# --- Several texts


def test_several_texts_give_means_with_their_count_and_deviation(
    said, folder, tables, texts, tmp_path
):
    path = tmp_path / "heads.json"
    status, _, err = said("--model", folder, "--file", texts, "--out", str(path))
    assert status == 0
    assert words("en")("cli.reading", place=3, n=3) in err
    for place, line in enumerate(json.loads(path.read_text("utf-8"))):
        assert line["n_texts"] == 3
        for name in AVERAGED:
            numbers = [getattr(table[place], name) for table in tables]
            there = [number for number in numbers if number is not None]
            assert line[f"{name}_n"] == len(there)
            if len(there) > 1:
                assert line[name] == pytest.approx(statistics.mean(there))
                assert line[f"{name}_sd"] == pytest.approx(statistics.stdev(there), abs=1e-9)


def test_every_text_can_have_its_own_lines(said, folder, tables, texts, tmp_path):
    path = tmp_path / "heads.csv"
    said("--model", folder, "--file", texts, "--each", "--out", str(path))
    rows = rows_of(path)
    assert [row["passage"] for row in rows[:: len(tables[0])]] == list(TEXTS)
    assert [row["text"] for row in rows[:: len(tables[0])]] == ["1", "2", "3"]
    second = rows[len(tables[0])]
    assert second["self_share"] == repr(tables[1][0].self_share)
    out = said("--model", folder, "--file", texts, "--each")[1]
    assert len(out.splitlines()) == 1 + len(rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_screen_says_over_how_many_texts(said, folder, texts, language):
    _, out, _ = said("--model", folder, "--file", texts, "--lang", language)
    assert out.splitlines()[0] == words(language)("cli.means", n=3)


def test_one_of_several_texts_that_cannot_be_read_is_left_out(said, folder, tmp_path):
    texts, out = tmp_path / "texts.txt", tmp_path / "heads.csv"
    texts.write_text("\n".join([TEXTS[0], "saw " * 5_000, TEXTS[1]]), "utf-8")
    status, _, told = said("--file", str(texts), "--model", folder, "--out", str(out))
    assert status == 0
    assert "Text 2 is left out: " in told
    assert {row["n_texts"] for row in rows_of(out)} == {"2"}


def test_texts_of_which_none_can_be_read_end_with_the_reason(said, folder, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(["saw " * 5_000] * 2), "utf-8")
    status, printed, told = said("--file", str(texts), "--model", folder)
    assert (status, printed) == (2, "")
    assert "Text 1 is left out: " in told


def test_texts_may_come_through_a_pipe(said, folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a saw\nI saw\n")))
    assert words("en")("cli.means", n=2) in said("--model", folder, "--file", "-")[1]


# --- Weights of another program


def test_weights_of_a_file_are_read_without_a_model(said, tmp_path):
    path, out = tmp_path / "w.npz", tmp_path / "heads.json"
    weights = np.array([[[1.0, 0, 0], [1, 0, 0], [0, 0.75, 0.25]]])
    np.savez(path, layer_0=weights, tokens=["I", "saw", "saws"])
    status, _, err = said("--weights", str(path), "--out", str(out))
    assert (status, err) == (0, "")
    (line,) = json.loads(out.read_text("utf-8"))
    assert line["previous_share"] == 0.875
    assert line["types"].split()[0] == "previous"


def test_tokens_may_be_typed_and_then_repeat(said, tmp_path):
    path, out = tmp_path / "w.npz", tmp_path / "heads.json"
    np.savez(path, layer_0=np.array([[[1.0, 0, 0], [0, 1, 0], [0.25, 0.75, 0]]]))
    said("--weights", str(path), "--tokens", "a b a", "--out", str(out))
    (line,) = json.loads(out.read_text("utf-8"))
    assert (line["induction_score"], line["duplicate_score"]) == (0.75, 0.25)


def test_weights_kept_as_float64_have_every_number_they_had_as_float32(said, tmp_path):
    weights = np.random.default_rng(0).dirichlet(np.full(40, 0.3), (2, 2, 40)).astype(np.float32)
    assert (np.abs(weights.sum(axis=-1, dtype=float) - 1) > 2e-8).any()  # beyond what float64 loses
    tables = []
    for name, data in (("single", weights), ("double", weights.astype(float))):
        out = tmp_path / f"{name}.json"
        np.savez(tmp_path / f"{name}.npz", layer_0=data[0], layer_1=data[1])
        assert said("--weights", str(tmp_path / f"{name}.npz"), "--out", str(out))[0] == 0
        tables.append(json.loads(out.read_text("utf-8")))
    for single, double in zip(*tables, strict=True):
        assert double["normalized_entropy"] == pytest.approx(single["normalized_entropy"])
        assert double["effective_tokens"] == pytest.approx(single["effective_tokens"], rel=1e-5)


def test_a_model_that_there_is_not_is_named_without_a_text(said):
    known = ", ".join(catalogue())
    status, _, err = said("--model", "nope")
    sentence = words("en")("error.models.unknown", name="nope", known=known)
    assert (status, err.splitlines()[-1]) == (2, sentence)


def test_a_part_of_a_long_text_can_be_read(said, folder):
    status, _, err = said("--model", folder, "--text", "saw " * 600)
    assert status == 2
    assert "--window 0" in err
    assert said("--model", folder, "--text", "saw " * 600, "--window", "0")[0] == 0


def test_a_spreadsheet_runs_no_text():
    assert b"'=1+1" in written([{"passage": "=1+1"}], "csv")


# --- Mistakes


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "code", "values"),
    [
        (["--fly"], "cli.unknown", {"got": "--fly", "command": "metrics"}),
        (
            ["--out", "x.zip"],
            "cli.ending",
            {"option": "--out", "known": ", ".join(TABLED), "got": "x.zip"},
        ),
        (["--text", "  "], "models.no_tokens", {}),
        (["--file", "no.txt"], "cli.cannot_read", {"path": "no.txt"}),
        (["--model", "./nowhere", "--text", "a"], "models.no_folder", {"name": "./nowhere"}),
        (["--weights", "no.npz"], "cli.cannot_read", {"path": "no.npz"}),
        (
            ["--text", "a", "--file", "b"],
            "cli.one_source",
            {"options": "--text, --file, --weights"},
        ),
        (["--model", "vit"], "models.needs_picture", {"name": "DINOv2-small"}),
    ],
)
def test_a_mistake_is_a_sentence_and_status_2(said, language, arguments, code, values):
    status, out, err = said(*arguments, "--lang", language)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1] == refused(code, values, language, "cli")


def test_a_file_that_is_no_text_is_refused(said, tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"\xff\xfe\x00bad")
    status, _, err = said("--file", str(path))
    assert (status, err.strip()) == (2, words("en")("error.cli.not_utf8", path=str(path)))
    path.write_text("\n \n", "utf-8")
    assert said("--file", str(path))[2].strip() == words("en")("said.cli.models.no_tokens")


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_names_every_option(said, language):
    _, out, _ = said("--help", "--lang", language)
    for option in COMMANDS["metrics"]:
        assert option.flag in out


def test_a_file_that_cannot_be_written_is_told_before_anything_is_read(said, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "folder.csv", tmp_path / "nowhere" / "x.csv"):
        status, written_out, told = said("--model", "induction", "--text", "a", "--out", str(path))
        t = words("en")
        assert status != 0
        assert not written_out
        assert told.strip() == t("error.cli.cannot_write", path=path)
