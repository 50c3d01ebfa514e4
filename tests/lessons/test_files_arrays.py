import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.errors import InputError
from attnviz.lessons.files import Note, read_table

few = settings(max_examples=40, deadline=None)
dtypes = st.sampled_from(
    ["?", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "<i4", ">i8", "u1", ">u2", "<u8"]
)
shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=7)


def arrays():
    def elements(dtype):
        kind = np.dtype(dtype).kind
        return {"allow_nan": False, "allow_infinity": False} if kind == "f" else None

    return dtypes.flatmap(lambda d: hnp.arrays(d, shapes, elements=elements(d)))


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(save=np.savez_compressed, **named):
    file = io.BytesIO()
    save(file, **named)
    return file.getvalue()


def refusal(data, name="x.npy"):
    with pytest.raises(InputError) as caught:
        read_table(data, name)
    return caught.value.code.removeprefix("file.")


@few
@given(arrays(), st.booleans())
def test_an_array_is_read_as_it_was_saved(array, in_columns):
    array = np.asfortranarray(array) if in_columns else array
    (found,) = read_table(npy(array), "w_q.npy").matrices
    assert found.name == "w_q"
    np.testing.assert_array_equal(found.values, array.astype(float))


@few
@given(arrays(), arrays(), st.sampled_from([np.savez, np.savez_compressed]))
def test_each_array_of_a_file_keeps_its_name(first, second, save):
    contents = read_table(npz(save, w_q=first, w_k=second), "x.npz")
    assert [found.name for found in contents.matrices] == ["w_q", "w_k"]
    np.testing.assert_array_equal(contents.matrices[1].values, second.astype(float))


def test_heads_stand_side_by_side():
    array = np.arange(30).reshape(2, 3, 5)
    (found,) = read_table(npy(array), "x.npy").matrices
    np.testing.assert_array_equal(found.values, np.concatenate(list(array), axis=1))
    assert found.notes == (Note("file.note.heads", {"n_heads": 2}),)


def test_a_vector_is_one_row():
    (found,) = read_table(npy(np.arange(3)), "x.npy").matrices
    assert (found.values, found.notes) == (((0, 1, 2),), (Note("file.note.one_row"),))


def test_what_is_no_matrix_is_left_out_and_tokens_are_kept():
    data = npz(
        tokens=np.array(["我", "saw"]), x=np.eye(2), large=np.ones((300, 2)), o=np.array([{}])
    )
    contents = read_table(data, "x.npz")
    assert contents.tokens == ("我", "saw")
    assert [found.name for found in contents.matrices] == ["x"]
    left_out = [(each.name, each.reason.code) for each in contents.left_out]
    assert left_out == [("large", "file.too_many_rows"), ("o", "file.pickled")]


def test_vectors_may_be_called_tokens():
    contents = read_table(npz(tokens=np.eye(2)), "x.npz")
    assert (contents.tokens, contents.matrices[0].name) == ((), "tokens")


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.array([{}, 1], dtype=object), "pickled"),
        (np.ones((2, 2), complex), "complex"),
        (np.array([["a"]]), "text_array"),
        (np.zeros(3, "i4,f4"), "structured"),
        (np.zeros(3, "datetime64[D]"), "structured"),
        (np.array(1.0), "axes"),
        (np.ones((1, 1, 1, 1)), "axes"),
        (np.ones((2, 0)), "no_numbers"),
        (np.ones((9, 2, 16)), "too_many_columns"),
        (np.array([[1, np.nan]]), "infinite_cell"),
        (np.array([[1, np.inf]], np.float16), "infinite_cell"),
    ],
)
def test_an_array_that_is_no_matrix_says_why(array, code):
    assert refusal(npy(array)) == refusal(npz(x=array), "x.npz") == code


def test_numbers_that_a_file_only_promises_are_not_made_room_for():
    promised = npy(np.ones((8, 8))).replace(b"(8, 8), ", b"(120, 8)")
    assert refusal(promised) == "damaged"
    assert refusal(promised.replace(b"(120, 8)", b"(10**9,)")) == "damaged"
    assert refusal(npy(np.ones((8, 8))).replace(b"(8, 8), }   ", b"(8, 999999)}")) in (
        "damaged",
        "too_many_columns",
    )


def test_a_pickle_is_never_opened():
    assert refusal(b"\x80\x04\x95" + b"\0" * 20, "x.pkl") == "pickled"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model/data.pkl", b"\x80\x02")
    assert refusal(file.getvalue(), "model.npz") == "pickled"


def test_a_zip_bomb_is_refused_by_its_directory():
    data = npz(x=np.zeros((5_000, 5_000)))
    assert len(data) < 2**20
    assert refusal(data, "x.npz") == "too_large_inside"


def test_a_zip_bomb_with_a_lying_directory_is_not_inflated():
    data = npz(x=np.zeros((1_000, 1_000)))
    directory = data.rindex(b"PK\x01\x02")
    lie = data[: directory + 24] + (200).to_bytes(4, "little") + data[directory + 28 :]
    assert refusal(lie, "x.npz") == "damaged"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_packing_that_cannot_be_stopped_is_refused(method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("x.npy", npy(np.eye(2)))
    assert refusal(file.getvalue(), "x.npz") == "damaged"


def test_an_archive_cut_short_is_damaged():
    data = npz(x=np.eye(3))
    assert {refusal(data[:length], "x.npz") for length in (10, 50, len(data) - 5)} == {"damaged"}
