"""An error in Python is a sentence in the language of the system, wherever it ends up."""

import copy
import pickle
import string
import subprocess
import sys
import traceback

import pytest

from attnviz.errors import InputError
from attnviz.text import LANGUAGES, catalogue, words
from attnviz.text.refused import key_of, refused

CODES = sorted(key.removeprefix("error.") for key in catalogue("en") if key.startswith("error."))
ELSEWHERE = sorted(key for key in catalogue("en") if key.startswith("said."))
LOCALES = {"en": "en_GB.UTF-8", "zh-Hant": "zh_TW.UTF-8"}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.fixture(params=LANGUAGES)
def language(request, monkeypatch) -> str:
    monkeypatch.setenv("LC_ALL", LOCALES[request.param])
    return request.param


@pytest.mark.parametrize("code", CODES)
def test_every_error_is_its_sentence(code, language):
    text = catalogue(language)[f"error.{code}"]
    values = {name: f"<{name}>" for name in placeholders(text)}
    assert str(InputError(code, **values)) == text.format(**values)


@pytest.mark.parametrize("key", ELSEWHERE)
def test_a_sentence_for_one_place_needs_no_other_values_than_the_error_has(key):
    _, where, code = key.split(".", 2)
    assert where in ("page", "cli")
    assert placeholders(catalogue("en")[key]) <= placeholders(catalogue("en")[f"error.{code}"])
    assert key_of(code, where) == key
    assert key_of(code) == f"error.{code}"


def test_a_traceback_ends_with_the_sentence(monkeypatch):
    monkeypatch.setenv("LC_ALL", LOCALES["en"])
    error = InputError("models.batch", n=3)
    (last,) = traceback.format_exception_only(error)
    assert last.strip().endswith(words("en")("error.models.batch", n=3))


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))]
)
def test_a_copy_is_the_same_error(again, monkeypatch):
    monkeypatch.setenv("LC_ALL", LOCALES["en"])
    error = InputError("models.batch", n=3)
    other = again(error)
    assert type(other) is InputError
    assert (other.code, other.values, str(other)) == ("models.batch", {"n": 3}, str(error))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("no.such.code", n=3), "no.such.code {'n': 3}"),
        (InputError("no.such.code"), "no.such.code"),
        (InputError("models.batch", m=3), "models.batch {'m': 3}"),
    ],
    ids=["no words", "no words and no values", "a value is missing"],
)
def test_what_has_no_sentence_still_says_what_it_is(error, said):
    assert str(error) == said


def test_a_number_is_written_as_people_write_it():
    said = refused("dropout.share", {"got": 0.1 + 0.2}, "en")
    assert said == words("en")("error.dropout.share", got="0.3")


def test_the_words_are_read_when_somebody_asks_for_them_and_not_before():
    code = "import sys, attnviz.errors; print('attnviz.text.refused' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
