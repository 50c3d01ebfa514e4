"""Weights in another format, rewritten once as a folder that loads in a second."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from attnviz.errors import InputError
from attnviz.models.catalogue import Entry, cache_folder

Progress = Callable[[str, float], None]
"""Told the stage, a word, and how much of it is done, from 0 to 1."""

_NEEDS = ("gguf", "accelerate")


def converted(entry: Entry, progress: Progress) -> Path:
    """Give the folder of a converted model, made now if it is not there yet."""
    folder = cache_folder() / "models" / f"{entry.key}-{entry.sha256[:12]}"
    if (folder / "config.json").is_file():
        return folder
    file = entry.checked_file()
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(prefix=f".{entry.key}-", dir=folder.parent))
    try:
        _from_gguf(file, half, progress)
        half.chmod(0o755)
        try:
            half.replace(folder)  # another process may have made the same folder meanwhile
        except OSError:
            if not (folder / "config.json").is_file():
                raise
    except OSError as reason:
        raise InputError("models.cannot_convert", name=entry.title, folder=folder) from reason
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return folder


def _from_gguf(file: Path, folder: Path, progress: Progress) -> None:
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
        from transformers import GgufConfig
    except ImportError as reason:
        raise InputError("models.needs_packages", packages=" ".join(_NEEDS)) from reason
    progress("convert", 0.05)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    progress("convert", 0.3)
    network: Any = AutoModelForCausalLM.from_pretrained(
        file.parent,
        gguf_file=file.name,
        quantization_config=GgufConfig(gguf_file=file.name, dequantize=True),
        dtype=torch.float32,
    )
    progress("convert", 0.8)
    # Plain numbers now; the loader's notes on their old form would forbid saving them.
    network.config.__dict__.pop("quantization_config", None)
    network.hf_quantizer, network.is_quantized = None, False
    network.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    progress("convert", 1.0)
