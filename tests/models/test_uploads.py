"""Weights from a file: what can be read, and a sentence for all else."""

import io
import json
import zipfile

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.models.uploads import MOST_BYTES, read_weights


def weights(n_heads: int, n: int, m: int | None = None, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(m or n), (n_heads, n)).astype(np.float32)


def npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def test_an_npz_of_layers_is_read_with_its_tokens():
    first, second = weights(2, 3), weights(4, 3, seed=1)
    data = npz(layer_0=first, layer_1=second, tokens=np.array(["I", "saw", "<b>"]))
    capture = read_weights(data, "weights.npz")
    assert [layer.n_heads for layer in capture.layers] == [2, 4]
    assert [token.text for token in capture.tokens] == ["I", "saw", "<b>"]
    np.testing.assert_allclose(capture.weights(1, 3), second[3])


def test_one_array_of_all_layers_is_read_and_numbered():
    stacked = np.stack([weights(2, 3), weights(2, 3, seed=1)])
    capture = read_weights(npz(attentions=stacked), "all.npz")
    assert capture.n_layers == 2
    assert [token.text for token in capture.tokens] == ["1", "2", "3"]


def test_json_holds_attentions_and_tokens():
    found = {"attentions": [weights(1, 2).tolist(), None], "tokens": ["a", "b"]}
    capture = read_weights(json.dumps(found).encode(), "weights.json")
    assert capture.n_layers == 1
    assert [token.text for token in capture.tokens] == ["a", "b"]


def test_key_tokens_name_the_columns_of_cross_attention():
    data = npz(
        layer_0=weights(2, 2, 3), tokens=np.array(["x", "y"]), key_tokens=np.array(list("abc"))
    )
    capture = read_weights(data, "cross.npz")
    assert [token.text for token in capture.query_tokens(0)] == ["x", "y"]
    assert [token.text for token in capture.key_tokens(0)] == ["a", "b", "c"]


def test_what_head_to_npz_wrote_has_its_tokens_again():
    asked = np.array(["x", "y", "z"])
    capture = read_weights(npz(weights=weights(1, 3), query_tokens=asked, key_tokens=asked), "h")
    assert [token.text for token in capture.tokens] == ["x", "y", "z"]
    assert capture.query_tokens(0) is capture.key_tokens(0)


def test_tokens_that_are_given_go_before_those_of_the_file():
    data = npz(layer_0=weights(1, 2), tokens=np.array(["a", "b"]), key_tokens=np.array(["c", "d"]))
    capture = read_weights(data, "w.npz", tokens=["x", "y"])
    assert [token.text for token in capture.key_tokens(0)] == ["x", "y"]
    capture = read_weights(data, "w.npz", tokens=["x", "y"], key_tokens=["z", "z"])
    assert [token.text for token in capture.key_tokens(0)] == ["z", "z"]


def test_a_file_of_ones_own_may_be_larger(monkeypatch):
    monkeypatch.setattr("attnviz.models.uploads.MOST_BYTES", 10)
    assert read_weights(npz(layer_0=weights(1, 3)), "w.npz", most=None).n_layers == 1


def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("layer_0.npy", bytes(MOST_BYTES + 1))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "models.file_empty"),
        (b"\x89PNG\r\n", "models.file_kind"),
        (b"[1, 2]", "models.file_kind"),
        (b'{"tokens": ["a"]}', "models.file_nothing"),
        (b'{"attentions": "x"}', "models.file_kind"),
        (b'{"attentions": [[[[1, 0], [1]]]]}', "models.not_numbers"),
        (b'{"attentions": [[[["a"]]]]}', "models.not_numbers"),
        (b'{"attentions": [[[[1]]], [[[1, 0], [0, 1]]]]}', "models.not_these_tokens"),
        (b'{"attentions": [[[[1, 0], [NaN, 0.5]]]]}', "models.nan"),
        (b"PK\x03\x04 no zip", "models.no_npz"),
        (npz(tokens=np.array(["a"])), "models.file_nothing"),
        (b"{" * 100_000, "models.file_kind"),
        (npz(layer_0=weights(1, 2) * 3), "models.not_weights"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value,
)
def test_what_holds_no_weights_gets_a_sentence(data, code):
    with pytest.raises(InputError) as refused:
        read_weights(data, "x")
    assert refused.value.code == code


def test_a_bomb_is_refused_before_it_is_unpacked():
    with pytest.raises(InputError) as refused:
        read_weights(bomb(), "bomb.npz")
    assert refused.value.code == "models.file_large"


def test_pickled_arrays_are_refused():
    stream = io.BytesIO()
    np.savez(stream, layer_0=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError) as refused:
        read_weights(stream.getvalue(), "pickled.npz")
    assert refused.value.code == "models.no_npz"


def test_a_row_of_nan_is_refused_or_read_as_a_query_that_may_see_nothing():
    weights = np.full((1, 2, 2), 0.5)
    weights[0, 1] = np.nan
    data = npz(layer_0=weights)
    with pytest.raises(InputError, check=lambda error: "models.nan" in error.code):
        read_weights(data, "w.npz")
    found = read_weights(data, "w.npz", nan_rows="empty").weights(0, 0)
    np.testing.assert_array_equal(found, [[0.5, 0.5], [0, 0]])
