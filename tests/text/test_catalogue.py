"""Both languages say the same: the same keys with the same placeholders, all of them used."""

import re
import string
from pathlib import Path

import pytest

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS, SCORES
from attnviz.lessons.examples import EXAMPLES
from attnviz.text import LANGUAGES, catalogue, language_of, words

ROOT = Path(__file__).parent.parent.parent
SOURCES = [*ROOT.glob("attnviz/**/*.py"), *ROOT.glob("pages/*.py")]
OTHERS = [language for language in LANGUAGES if language != "en"]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_keys(language):
    assert set(catalogue(language)) == set(catalogue("en"))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("key", sorted(catalogue("en")))
def test_a_text_has_the_same_placeholders_in_every_language(language, key):
    assert placeholders(catalogue(language)[key]) == placeholders(catalogue("en")[key])


@pytest.mark.parametrize("language", OTHERS)
def test_row_and_column_are_printed_in_both_tongues(language):
    for text in catalogue(language).values():
        other_words = re.sub("並列|列出|行程", "", text)
        assert not re.search(r"[第一二三四每\d} ][列行](?!\()", other_words), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_choice_of_a_table_has_a_name(language):
    tables = {"score": SCORES, "normalizer": NORMALIZERS, "mask": MASKS, "position": POSITIONS}
    for table, choices in tables.items():
        for key in choices:
            assert words(language)(f"{table}.{key}")
    for key in EXAMPLES:
        assert words(language)(f"example.{key}.title")


def test_every_error_code_in_the_source_has_a_sentence():
    codes = {
        code
        for file in SOURCES
        for code in re.findall(r"InputError\(\s*\"([\w.]+)\"", file.read_text("utf-8"))
    }
    assert codes
    assert {f"error.{code}" for code in codes} <= set(catalogue("en"))


def test_every_text_is_used():
    source = "\n".join(file.read_text("utf-8") for file in SOURCES)
    written = set(re.findall(r"[\"']([\w.]+)[\"']", source))
    composed = [  # t(f"normalizer.{key}") uses every normalizer.…
        re.compile(re.sub(r"\\\{.*?\\\}", ".+", re.escape(text)))
        for text in re.findall(r"f[\"']([\w.]+\.[^\"']*\{[^\"']+)[\"']", source)
    ]
    for key in catalogue("en"):
        known = key in written or key.removeprefix("error.") in written
        assert known or any(pattern.fullmatch(key) for pattern in composed), key


def test_nobody_writes_words_for_people_in_python():
    chinese = re.compile(r"[\u4e00-\u9fff]")
    rooms = ("lessons", "text")  # example sentences and the names of the languages
    for file in SOURCES:
        if not any(f"attnviz/{room}" in file.as_posix() for room in rooms):
            assert not chinese.search(file.read_text("utf-8")), file


def test_every_chinese_reader_gets_chinese():
    assert [language_of(locale) for locale in ("zh-TW", "zh-CN", "en-GB", "de", None)] == [
        "zh-Hant",
        "zh-Hant",
        "en",
        "en",
        "en",
    ]
