"""A file of weights that another program computed, as a Capture: NPZ or JSON, without pickle."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.models.results import Capture

MOST_BYTES = 200_000_000
"""How large a file may be once it is unpacked, where anybody may send one."""
_DAMAGED = (OSError, ValueError, EOFError, KeyError, NotImplementedError)
_DAMAGED += (zipfile.BadZipFile, zlib.error)
_QUERY_TOKENS, _KEY_TOKENS = ("tokens", "query_tokens"), "key_tokens"


def read_weights(
    data: bytes,
    name: str,
    *,
    tokens: Sequence[str] = (),
    key_tokens: Sequence[str] = (),
    nan_rows: str = "refuse",
    most: int | None = MOST_BYTES,
) -> Capture:
    """Read arrays of weights by layer, and the `tokens` they belong to where the file has them.

    An NPZ holds one array for each layer (layer_0, blocks.0.attn.hook_pattern …), or `attentions`
    with all of them; a JSON file is an object with `attentions` and `tokens`. Those that are given
    here go before those of the file; without any the rows and columns are numbered. `nan_rows`
    "empty" takes a row of NaN for a query that may see nothing.

    Raises:
        InputError: if the file is none of these, or unpacks to more than `most` bytes.
    """
    if not data:
        raise InputError("models.file_empty", name=name)
    found = _npz(data, name, most) if data[:2] == b"PK" else _json(data, name)
    saved = [found.pop(each, None) for each in (*_QUERY_TOKENS, _KEY_TOKENS)]
    if not found:
        raise InputError("models.file_nothing", name=name)
    attentions: Any = found["attentions"] if set(found) == {"attentions"} else found
    n_query, n_key = _shape(attentions, name)
    queries, keys = _sides(saved, tokens, key_tokens)
    own = _labels(queries, n_query)
    other = None if keys is None and n_query == n_key else _labels(keys, n_key)
    return Capture.from_attentions(
        attentions, own, None if other == own else other, nan_rows=nan_rows
    )


def _sides(
    saved: Sequence[Any], tokens: Sequence[str], key_tokens: Sequence[str]
) -> tuple[Any, Any]:
    """Choose who asks and who is asked; those of a file belong together."""
    own, asking, asked = saved
    if tokens:
        return tokens, key_tokens or None
    return (own if asking is None else asking), (key_tokens or asked)


def _npz(data: bytes, name: str, most: int | None) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as whole:
            size = sum(entry.file_size for entry in whole.infolist())
        if most is not None and size > most:
            raise InputError(
                "models.file_large", name=name, got=size // 1_000_000, most=most // 1_000_000
            )
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except _DAMAGED as wrong:
        raise InputError("models.no_npz", name=name) from wrong


def _json(data: bytes, name: str) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as wrong:
        raise InputError("models.file_kind", name=name) from wrong
    if not isinstance(found, Mapping):
        raise InputError("models.file_kind", name=name)
    names = ("attentions", *_QUERY_TOKENS, _KEY_TOKENS)
    parts = {key: found[key] for key in names if key in found}
    if "attentions" in parts:
        if not isinstance(parts["attentions"], list):
            raise InputError("models.file_kind", name=name)
        parts["attentions"] = [_table(each) for each in parts["attentions"]]
    return parts


def _table(written: Any) -> np.ndarray | None:
    """Read the lists of one layer; None is a layer without weights."""
    try:
        return None if written is None else np.array(written, float)
    except (ValueError, TypeError) as wrong:
        raise InputError("models.not_numbers") from wrong


def _shape(attentions: Any, name: str) -> tuple[int, int]:
    """Find how many query and key tokens there are, from the first array."""
    arrays = attentions.values() if isinstance(attentions, Mapping) else attentions
    for array in arrays:
        if array is not None and np.ndim(array) >= 2:
            return np.shape(array)[-2], np.shape(array)[-1]
    raise InputError("models.file_nothing", name=name)


def _labels(tokens: Any, n: int) -> list[str]:
    if tokens is None:
        return [str(place + 1) for place in range(n)]
    return [str(token) for token in np.asarray(tokens).ravel().tolist()]
