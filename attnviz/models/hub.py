"""What a model hub says of a model before it is loaded, and what is kept of it here."""

import contextlib
import functools
import json
import urllib.request
from pathlib import Path
from typing import Any

from attnviz.models.catalogue import may_fetch

_FILE = "config.json"
_SECONDS = 5.0
"""How long the hub is waited for; who asks it for the model itself is told why it has none."""
_MOST_BYTES = 2**20


def configuration(name: str) -> dict[str, Any] | None:
    """Give the configuration of a model of a hub, None where it cannot be had.

    It is read where it is kept from an earlier time; else the hub is asked, once for each name
    that may be fetched.
    """
    if name.count("/") != 1 or Path(name).exists():
        return None
    file = _kept(name)
    if file is not None:
        with contextlib.suppress(OSError, ValueError):
            return _table(file.read_bytes())
    return _asked(name) if may_fetch(name) else None


def kept(name: str) -> bool:
    """Tell whether a model of a hub, or a part of it, was fetched before."""
    return _kept(name) is not None


def files(name: str) -> tuple[str, ...]:
    """List the files of a model of a hub, none where they cannot be had."""
    from huggingface_hub import model_info

    with contextlib.suppress(OSError, ValueError):
        return tuple(each.rfilename for each in model_info(name).siblings or ())
    return ()


def _kept(name: str) -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:  # it comes with transformers, without which no model runs
        return None
    with contextlib.suppress(ValueError):  # a name that no hub would take
        found = try_to_load_from_cache(name, _FILE)
        return Path(found) if isinstance(found, str) else None
    return None


@functools.lru_cache(maxsize=64)
def _asked(name: str) -> dict[str, Any] | None:
    """Ask the hub for the configuration, once and without waiting for a hub that is not there."""
    try:
        from huggingface_hub import hf_hub_url
    except ImportError:
        return None
    with (
        contextlib.suppress(OSError, ValueError),
        urllib.request.urlopen(hf_hub_url(name, _FILE), timeout=_SECONDS) as answer,
    ):
        return _table(answer.read(_MOST_BYTES))
    return None


def _table(data: bytes) -> dict[str, Any] | None:
    found = json.loads(data)
    return found if isinstance(found, dict) else None
