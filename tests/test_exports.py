"""What is written reads back the same: JSON, NPZ, CSV and the settings that they keep."""

import csv
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attnviz.attention import MASKS, NORMALIZERS, POSITIONS
from attnviz.errors import InputError
from attnviz.exports.arrays import read_npz, to_npz
from attnviz.exports.documents import read_json, to_json
from attnviz.exports.records import LONGEST_LINK, Record, link_of, record_of
from attnviz.exports.tables import COLUMNS, read_csv, restored, safe, side_by_side, to_csv, to_grid
from attnviz.lessons.typed import parse_table
from attnviz.scene import scene_of
from attnviz.settings import Settings

HERO = Settings()
NUMBERS = st.floats(-1e6, 1e6)
TOKENS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=6)
WICKED = ("=1+1", "+1", "-1", "@SUM(A1)", "'", "'=1", "''-", " =1", "\u3000=1", "＝1", "a,b", '"')
READERS = {"json": (to_json, read_json), "npz": (to_npz, read_npz)}


@st.composite
def fields(draw) -> dict[str, object]:
    n_tokens, d_model = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    row = st.tuples(*[NUMBERS] * d_model)
    return dict(  # noqa: C408
        pieces=tuple(f"t{place}" for place in range(n_tokens)),
        vectors=draw(st.tuples(*[row] * n_tokens)),
        n_heads=draw(st.integers(1, 3)),
        d_k=draw(st.sampled_from([2, 4])),
        w_source="random",
        seed=draw(st.integers(0, 9)),
        normalizer=draw(st.sampled_from(sorted(NORMALIZERS))),
        mask=draw(st.sampled_from(sorted(MASKS))),
        positions=draw(st.sampled_from(sorted(POSITIONS))),
        scale=draw(st.sampled_from(["none", "sqrt_d_k"])),
    )


def kept(choices: Settings = HERO, language: str = "en") -> Record:
    return record_of(scene_of(choices, language), choices, language)


def assert_same_arrays(one: Record, other: Record, *, masks: bool = True) -> None:
    steps = [step for step in one.arrays if masks or step.array.dtype != bool]
    assert [step.name for step in other.arrays] == [step.name for step in steps]
    for step, read in zip(steps, other.arrays, strict=True):
        assert (read.axes, read.array.dtype) == (step.axes, step.array.dtype)
        assert_array_equal(read.array, step.array, strict=True)
        assert_array_equal(np.signbit(read.array), np.signbit(step.array))


# --- Round trips


@pytest.mark.parametrize("kind", READERS)
@given(fields())
@settings(max_examples=25, deadline=None)
def test_a_record_reads_back_the_same_and_computes_the_same_to_the_last_bit(kind, chosen):
    choices = Settings(**chosen)
    write, read = READERS[kind]
    record = kept(choices)
    back = read(write(record))
    assert (back.tokens, back.settings, back.language) == (record.tokens, choices, "en")
    assert_same_arrays(record, back)
    again = back.scene()
    assert_same_arrays(record, record_of(again, choices, "en"))


@given(fields())
@settings(max_examples=25, deadline=None)
def test_a_table_reads_back_its_numbers_and_tokens_exactly(chosen):
    record = kept(Settings(**chosen))
    back = read_csv(to_csv(record))
    assert back.tokens == record.tokens
    assert_same_arrays(record, back, masks=False)


@pytest.mark.parametrize("read", [read_json, read_npz])
def test_an_examples_tokens_come_back_in_their_language(read):
    write = {read_json: to_json, read_npz: to_npz}[read]
    back = read(write(kept(HERO, "zh-Hant")))
    assert back.tokens == back.scene().tokens == ("他", "會", "開", "會")


@pytest.mark.parametrize("read", [read_json, read_npz])
def test_more_numbers_than_a_link_holds_come_back_too(read):
    write = {read_json: to_json, read_npz: to_npz}[read]
    vectors = np.random.default_rng(0).normal(size=(64, 16))
    large = Settings(vectors=tuple(map(tuple, vectors.tolist())))
    assert link_of(large) == ""
    back = read(write(kept(large)))
    assert back.settings == large
    assert_array_equal(back.scene().inputs, vectors)


def test_a_link_is_given_where_it_is_short_enough():
    assert link_of(Settings(query=0, mask="causal")) == "?q=0&mask=causal"
    assert len(link_of(Settings(sentence="字" * 800))) in range(1, LONGEST_LINK + 1)


def test_arrays_that_were_read_cannot_be_changed():
    for write, read in READERS.values():
        weights = read(write(kept())).array("weights")
        with pytest.raises(ValueError, match="read-only"):
            weights[0, 0, 0] = 1


# --- What the files say


def test_json_writes_hero_numbers_in_full_and_minus_infinity_as_a_text():
    document = json.loads(to_json(kept(Settings(mask="causal"))))
    steps = {step["name"]: step for step in document["steps"]}
    assert document["link"] == "?mask=causal"
    assert steps["query"]["array"] == [[[-1, 0], [-1, 1], [1, 1], [-1, 1]]]
    assert steps["scores"]["axes"] == ["head", "query", "key"]
    assert steps["masked_scores"]["array"][0][0] == [-3, "-inf", "-inf", "-inf"]
    weights = json.loads(to_json(kept()))["steps"][-3]["array"][0][1]
    assert weights[2] == 0.5600527948339517


def test_npz_opens_without_pickle_and_holds_the_hero_weights():
    with np.load(io.BytesIO(to_npz(kept())), allow_pickle=False) as arrays:
        np.testing.assert_allclose(
            arrays["weights"][0, 1], [0.0279, 0.2060, 0.5601, 0.2060], atol=5e-5
        )
        assert json.loads(arrays["metadata"].tobytes())["tokens"] == ["I", "saw", "a", "saw"]


def test_csv_is_one_tidy_table_that_excel_reads_as_unicode():
    data = to_csv(kept(HERO, "zh-Hant"))
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert tuple(rows[0]) == COLUMNS
    weight = next(r for r in rows if (r["step"], r["row"], r["column"]) == ("weights", "2", "3"))
    assert (weight["row_token"], weight["column_token"], weight["head"]) == ("會", "開", "1")
    assert float(weight["value"]) == 0.5600527948339517


def test_numbers_below_zero_stay_numbers_and_minus_infinity_is_no_formula():
    text = to_csv(kept(Settings(mask="causal"))).decode("utf-8-sig")
    values = {row["value"] for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert "-3.0" in values
    assert "−∞" in values
    assert "-inf" not in values


def test_a_matrix_is_written_as_it_is_typed():
    two_heads = scene_of(Settings(n_heads=2, w_source="random")).trace.projections
    whole = side_by_side(two_heads.w_q)
    assert whole.shape == (3, 4)
    assert_array_equal(parse_table(to_grid(whole).decode()), whole)
    assert_array_equal(whole[:, 2:], two_heads.w_q[1])


# --- Formulas in a spreadsheet


@pytest.mark.parametrize("token", WICKED[:4] + WICKED[5:10] + ("\t=1", "\r=1", " \tx", "\n"))
def test_a_cell_that_a_spreadsheet_would_run_gets_an_apostrophe(token):
    assert safe(token) == "'" + token


@given(st.one_of(TOKENS, st.sampled_from(WICKED), st.text("'=+-@ \t\r\nx", max_size=5)))
def test_a_safe_cell_starts_no_formula_and_gives_its_text_back(token):
    cell = safe(token)
    assert restored(cell) == token
    assert cell[:1] not in set("=+-@\t\r")


@given(st.lists(st.one_of(st.sampled_from(WICKED), TOKENS), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_any_tokens_survive_a_table(tokens):
    try:
        record = kept(Settings(pieces=tuple(tokens)))
    except InputError:  # a token that cannot be seen
        return
    assert read_csv(to_csv(record)).tokens == record.tokens


# --- Files that something else wrote


def packed(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, metadata=np.array([{"a": 1}], dtype=object))
    return file.getvalue()


STRANGE = {
    "nothing": b"",
    "text": b"hello",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "pickle": pickle.dumps([1]),
    "pickled npz": pickled(),
    "other json": b'{"a": [1, 2]}',
    "deep json": b"[" * 100_000,
    "list": b"[1]",
    "wrong format": b'{"format": "x", "version": 1, "steps": []}',
    "ragged": to_json(kept()).replace(b"[1.0, 0.0, 2.0]", b"[1.0, 0.0]"),
    "newer": to_json(kept()).replace(b'"version": 1', b'"version": 2'),
    "huge number": to_json(kept()).replace(b"[1.0, 0.0, 2.0]", b"[1" + b"0" * 5000 + b", 0, 0]"),
    "bad table": to_json(kept(Settings(vectors=((1.0,),)))).replace(b"[[1.0]]}", b'[["x"]]}'),
    "empty npz": packed(),
    "damaged npz": to_npz(kept())[:-30],
    "other npz": packed(a=b"x"),
    "other csv": b"a,b\r\n1,2\r\n",
    "a cell twice": to_csv(kept()) + to_csv(kept()).splitlines()[-1] + b"\r\n",
    "a cell missing": b"\r\n".join(to_csv(kept()).splitlines()[:-2]) + b"\r\n",
    "far cell": to_csv(kept()) + b"output,,query,999999999,,d_model,9999999999,,1\r\n",
    "short row": to_csv(kept()) + b"weights,1\r\n",
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("read", [read_json, read_npz, read_csv])
def test_a_file_that_is_none_is_refused_with_a_sentence(read, name):
    with pytest.raises(InputError) as refused:
        read(STRANGE[name])
    assert refused.value.code == "export.unreadable"


def test_a_setting_that_cannot_be_read_is_named():
    with pytest.raises(InputError) as refused:
        read_json(to_json(kept(Settings(n_heads=2))).replace(b'"heads": "2"', b'"heads": "99"'))
    assert (refused.value.code, refused.value.values) == ("export.settings", {"keys": "heads"})


def test_what_grows_beyond_all_bounds_when_unpacked_is_refused_unopened():
    with pytest.raises(InputError) as refused:
        read_npz(packed(a=bytes(65 * 2**20)))
    assert refused.value.code == "export.too_large"


def test_a_record_without_settings_makes_no_scene():
    with pytest.raises(ValueError, match="settings"):
        read_csv(to_csv(kept())).scene()
