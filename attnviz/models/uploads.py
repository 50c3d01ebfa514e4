"""A file of weights that another program computed, as a Capture: NPZ or JSON, without pickle."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from attnviz.errors import InputError
from attnviz.models.results import Capture

MOST_BYTES = 200_000_000
"""How large a file may be once it is unpacked."""
_TOKENS, _KEY_TOKENS = "tokens", "key_tokens"


def read_weights(data: bytes, name: str, *, nan_rows: str = "refuse") -> Capture:
    """Read arrays of weights by layer, and the `tokens` they belong to where the file has them.

    An NPZ holds one array for each layer (layer_0, blocks.0.attn.hook_pattern …), or `attentions`
    with all of them; a JSON file is an object with `attentions` and `tokens`. Without tokens the
    rows and columns are numbered. `nan_rows` "empty" takes a row of NaN for a query that may see
    nothing.

    Raises:
        InputError: if the file is none of these, or is too large.
    """
    if not data:
        raise InputError("models.file_empty", name=name)
    found = _npz(data, name) if data[:2] == b"PK" else _json(data, name)
    tokens, keys = found.pop(_TOKENS, None), found.pop(_KEY_TOKENS, None)
    if not found:
        raise InputError("models.file_nothing", name=name)
    attentions: Any = found["attentions"] if set(found) == {"attentions"} else found
    shape = _shape(attentions, name)
    own = _labels(tokens, shape[0])
    other = None if keys is None and shape[0] == shape[1] else _labels(keys, shape[1])
    return Capture.from_attentions(attentions, own, other, nan_rows=nan_rows)


def _npz(data: bytes, name: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as whole:
            size = sum(entry.file_size for entry in whole.infolist())
        if size > MOST_BYTES:
            raise InputError(
                "models.file_large", name=name, got=size // 1_000_000, most=MOST_BYTES // 1_000_000
            )
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError) as e:
        raise InputError("models.no_npz", name=name) from e


def _json(data: bytes, name: str) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8-sig"))
        if not isinstance(found, Mapping):
            raise InputError("models.file_kind", name=name)
        parts = {key: found[key] for key in ("attentions", _TOKENS, _KEY_TOKENS) if key in found}
        if "attentions" in parts:
            layers = parts["attentions"]
            parts["attentions"] = [
                None if each is None else np.array(each, float) for each in layers
            ]
        return parts
    except (UnicodeDecodeError, ValueError, TypeError, RecursionError) as reason:
        raise InputError("models.file_kind", name=name) from reason


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
