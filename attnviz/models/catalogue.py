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
from attnviz.models.induction.film import KEY, step_of


@dataclass(frozen=True)
class HeadNote:
    """What one head does in this checkpoint: its mean over our sentences, and one to see it in.

    `asks` is the token of the sentence that shows it best, "" where any does. A vision model has a
    key of our drawings instead of a sentence, and `asks` is a patch of it.
    """

    pattern: str
    layer: int
    head: int
    mean: float
    sentence: str = ""
    asks: str = ""
    picture: str = ""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One file of a model, in a package that is installed without what it says it needs.

    `sha256` is that of the file; `hashes` are those of the packages that hold it, one for each
    kind of machine.
    """

    title: str
    package: str
    version: str
    module: str
    weights: str
    sha256: str
    hashes: tuple[str, ...] = ()

    @property
    def file(self) -> Path | None:
        """Where the file lies, None where the package is not installed."""
        found = find_spec(self.module)
        for folder in (found.submodule_search_locations or ()) if found else ():
            file = Path(folder) / self.weights
            if file.is_file():
                return file
        return None

    @property
    def own(self) -> bool:
        """True where the file comes with this package, and is always there."""
        return self.package == "attnviz"

    @property
    def pinned(self) -> str:
        """Name the package with its version, as pip takes it."""
        return f"{self.package}=={self.version}"

    def unchanged(self, file: Path) -> Path:
        """Give the file back, if it is the one that was published."""
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if found != self.sha256:
            raise InputError("models.changed_weights", name=self.title, package=self.pinned)
        return file


@dataclass(frozen=True, kw_only=True)
class Entry(Part):
    """One model of the catalogue: where its weights come from, and what to try with it.

    `also` are files that its own package lacks: the tokenizer may come in another one.
    """

    key: str
    kind: str
    licence: str
    source: str
    size_mb: int
    reads: tuple[str, ...]
    sentences: tuple[str, ...]
    heads: tuple[HeadNote, ...] = ()
    also: tuple[Part, ...] = ()
    converter: str | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every file that the model is made of."""
        return (self, *self.also)

    @property
    def folder(self) -> Path:
        """Where the weights lie once they are rewritten."""
        return cache_folder() / "models" / f"{self.key}-{self.sha256[:12]}"

    @property
    def rewritten(self) -> bool:
        """True where the weights were rewritten before; their packages are not needed then."""
        return self.converter is not None and (self.folder / "config.json").is_file()

    @property
    def installed(self) -> bool:
        """True where the weights are there, rewritten or in their packages."""
        return self.rewritten or all(part.file is not None for part in self.parts)

    def checked_files(self) -> list[Path]:
        """Give the files of the model, once they are there and unchanged.

        Raises:
            InputError: if one is missing, or is not the file that was published.
        """
        missing = " ".join(part.pinned for part in self.parts if part.file is None)
        if missing:
            raise InputError("models.not_installed", name=self.title, package=missing, key=self.key)
        return [part.unchanged(file) for part in self.parts if (file := part.file)]

    def checked_file(self) -> Path:
        """Give the file of the weights, once everything is there and unchanged."""
        return self.checked_files()[0]


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
    if step_of(name) is not None:  # the own model on its way is the own model
        return allowed(KEY)
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
    also = tuple(_part(fields["title"], each) for each in fields.pop("also", ()))
    listed = {name: tuple(fields.pop(name, ())) for name in ("reads", "sentences", "hashes")}
    return Entry(key=key, heads=heads, also=also, **listed, **fields)


def _part(title: str, fields: dict) -> Part:
    return Part(title=title, hashes=tuple(fields.pop("hashes")), **fields)
