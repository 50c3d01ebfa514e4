"""The models that the product knows by a key, and the names that this machine allows.

ATTNVIZ_MODELS lists the names that may be loaded, set apart by commas; "*" allows every one, and
a name of a model hub that is listed may be fetched from there. Without it every model of the
catalogue is allowed, and to a program of one's own every folder too, but nothing is fetched.
ATTNVIZ_CACHE is the folder for converted weights.
"""

import functools
import hashlib
import os
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from attnviz.errors import InputError


@dataclass(frozen=True)
class HeadNote:
    """What one head does in this checkpoint: its mean over our sentences, and one to see it in.

    `asks` is the token of the sentence that shows it best, "" where any does.
    """

    pattern: str
    layer: int
    head: int
    mean: float
    sentence: str
    asks: str = ""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One model of the catalogue: where its weights come from, and what to try with it."""

    key: str
    title: str
    kind: str
    package: str
    version: str
    module: str
    weights: str
    sha256: str
    licence: str
    source: str
    size_mb: int
    reads: tuple[str, ...]
    sentences: tuple[str, ...]
    heads: tuple[HeadNote, ...] = ()
    converter: str | None = None

    @property
    def file(self) -> Path | None:
        """Where the weights lie, None where the package is not installed."""
        found = find_spec(self.module)
        for folder in (found.submodule_search_locations or ()) if found else ():
            file = Path(folder) / self.weights
            if file.is_file():
                return file
        return None

    @property
    def own(self) -> bool:
        """True where the weights come with this package, and are always there."""
        return self.package == "attnviz"

    @property
    def installed(self) -> bool:
        """True where the package with the weights is there."""
        return self.file is not None

    def checked_file(self) -> Path:
        """Give the file of the weights, once it is there and unchanged.

        Raises:
            InputError: if it is missing, or is not the file that was published.
        """
        file = self.file
        if file is None:
            raise InputError("models.not_installed", name=self.title, package=self.pinned)
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if found != self.sha256:
            raise InputError("models.changed_weights", name=self.title, package=self.pinned)
        return file

    @property
    def pinned(self) -> str:
        """Name the package with its version, as pip takes it."""
        return f"{self.package}=={self.version}"


@functools.cache
def catalogue() -> dict[str, Entry]:
    """Give the models by their keys, in the order in which they are offered."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {key: _entry(key, fields) for key, fields in table.items()}


def allowed_names() -> tuple[str, ...] | None:
    """List the names that ATTNVIZ_MODELS allows, None where it is not set."""
    listed = os.environ.get("ATTNVIZ_MODELS")
    if listed is None:
        return None
    return tuple(name.strip() for name in listed.split(",") if name.strip())


def allowed(name: str, *, folders: bool = True) -> bool:
    """Tell whether a model of this name may be loaded; `folders` where nothing is said of it."""
    names = allowed_names()
    if names is None:
        return name in catalogue() or folders
    return name in names or "*" in names


def may_fetch(name: str) -> bool:
    """Tell whether a model of this name may be fetched from a hub: only where it is listed."""
    return allowed_names() is not None and allowed(name) and name not in catalogue()


def fetches() -> bool:
    """Tell whether any model may be fetched; where none may, nobody asks the network."""
    here = (name in catalogue() or Path(name).is_dir() for name in allowed_names() or ())
    return not all(here)


def cache_folder() -> Path:
    """Give the folder in which converted weights are kept."""
    own = os.environ.get("ATTNVIZ_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "attnviz"


def _entry(key: str, fields: dict) -> Entry:
    heads = tuple(HeadNote(**each) for each in fields.pop("heads", ()))
    listed = {name: tuple(fields.pop(name)) for name in ("reads", "sentences")}
    return Entry(key=key, heads=heads, **listed, **fields)
