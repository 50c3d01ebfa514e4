"""Weights in another format, rewritten once as a folder that loads in a second."""

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BertConfig,
    Dinov2Config,
    PreTrainedConfig,
    PreTrainedTokenizerFast,
)

from attnviz.errors import InputError
from attnviz.models.catalogue import Entry
from attnviz.models.conversion import marian_binary, onnx_weights, q4_blocks
from attnviz.models.conversion.bergamot import BergamotConfig

Progress = Callable[[str, float], None]
"""Told the stage, a word, and how much of it is done, from 0 to 1."""

_NEEDS = ("gguf", "accelerate")

_SIDE = 224
"""Side of the pictures of a vision model: 16 × 16 patches of 14 × 14 points."""
_COLOURS = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
_OF_HEAD = 64
"""Numbers in a query of such a model, whatever its size."""

_HEADS = 8
"""Heads of a layer of a Bergamot model; its file says so only in words."""
_LONGEST_TEXT = 512


def converted(entry: Entry, progress: Progress) -> Path:
    """Give the folder of a converted model, made now if it is not there yet."""
    folder = entry.folder
    if entry.rewritten:
        return folder
    files = entry.checked_files()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        half = Path(tempfile.mkdtemp(prefix=f".{entry.key}-", dir=folder.parent))
    except OSError as reason:
        raise InputError("models.cannot_convert", name=entry.title, folder=folder) from reason
    try:
        _CONVERTERS[entry.converter or ""](files, half, progress)
        half.chmod(0o755)
        try:
            half.replace(folder)  # another process may have made the same folder meanwhile
        except OSError:
            if not entry.rewritten:
                raise
    except OSError as reason:
        raise InputError("models.cannot_convert", name=entry.title, folder=folder) from reason
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return folder


def _from_gguf(files: Sequence[Path], folder: Path, progress: Progress) -> None:
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
        from transformers import GgufConfig
    except ImportError as reason:
        raise InputError("models.needs_packages", packages=" ".join(_NEEDS)) from reason
    (file,) = files
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


def _from_q4(files: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Unpack an encoder in blocks of 4 bits; its tokenizer is a file of its own."""
    weights, pieces = files
    progress("convert", 0.05)
    found = q4_blocks.read(weights)
    progress("convert", 0.6)
    _save(folder, q4_blocks.bert_weights(found), BertConfig(**found.sizes), "BertModel")
    progress("convert", 0.8)
    ends = {"cls_token": "<s>", "bos_token": "<s>", "sep_token": "</s>", "eos_token": "</s>"}
    PreTrainedTokenizerFast(
        tokenizer_file=str(pieces),
        model_max_length=found.sizes["max_position_embeddings"],
        **ends,
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    ).save_pretrained(folder)
    progress("convert", 1.0)


def _from_onnx(files: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Take the backbone of a vision model out of an ONNX file; what is built on it is left out."""
    (file,) = files
    progress("convert", 0.05)
    found = onnx_weights.read(file)
    progress("convert", 0.5)
    stem = "backbone."
    weights = {name.removeprefix(stem): each for name, each in found.items() if stem in name}
    # The codes of the places have no name: one for the first token, one for each patch.
    first, places = sorted(
        (each for name, each in found.items() if "." not in name and each.ndim == 3), key=np.size
    )
    patches = weights["embeddings.patch_embeddings.projection.weight"]
    hidden, _, patch, _ = patches.shape
    resized = _resized(places, _SIDE // patch)
    weights["embeddings.position_embeddings"] = np.concatenate([first, resized], axis=1)
    layers = {name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}
    config = Dinov2Config(
        hidden_size=hidden,
        num_hidden_layers=len(layers),
        num_attention_heads=hidden // _OF_HEAD,
        mlp_ratio=len(weights["encoder.layer.0.mlp.fc1.bias"]) // hidden,
        image_size=_SIDE,
        patch_size=patch,
        use_mask_token=False,
    )
    _save(folder, weights, config, "Dinov2Model")
    (folder / "preprocessor_config.json").write_text(json.dumps(_COLOURS), "utf-8")
    progress("convert", 1.0)


def _from_marian(files: Sequence[Path], folder: Path, progress: Progress) -> None:
    """Unpack a translation model whose tokenizer lies beside it."""
    (file,) = files
    progress("convert", 0.05)
    found = marian_binary.read(file)
    weights = marian_binary.bergamot_weights(found)
    progress("convert", 0.5)
    pieces = Tokenizer.from_file(str(file.with_name("tokenizer.json")))
    vocabulary, hidden = weights["embeddings.weight"].shape
    end, start = 0, vocabulary - 1
    pieces.add_special_tokens(["</s>", "<unk>", "<pad>"])
    pieces.post_processor = TemplateProcessing(
        single="$A </s>", pair="$A $B </s>", special_tokens=[("</s>", end)]
    )
    signs = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, model_max_length=_LONGEST_TEXT, **signs
    ).save_pretrained(folder)
    inner = len(weights["encoder.0.fc1.bias"])
    config = BergamotConfig(
        vocab_size=vocabulary,
        d_model=hidden,
        encoder_layers=marian_binary.layers(found, "encoder"),
        decoder_layers=marian_binary.layers(found, "decoder"),
        encoder_attention_heads=_HEADS,
        decoder_attention_heads=_HEADS,
        encoder_ffn_dim=inner,
        decoder_ffn_dim=inner,
        max_position_embeddings=_LONGEST_TEXT,
        pad_token_id=start,
        decoder_start_token_id=start,
        eos_token_id=end,
        forced_eos_token_id=None,
    )
    _save(folder, weights, config, "BergamotModel")
    progress("convert", 1.0)


def _resized(codes: np.ndarray, side: int) -> np.ndarray:
    """Bring the codes of the places, (1, place, hidden), to side × side places."""
    own = round(codes.shape[1] ** 0.5)
    square = torch.tensor(codes.reshape(1, own, own, -1)).permute(0, 3, 1, 2)
    fitted = torch.nn.functional.interpolate(square, (side, side), mode="bicubic")
    return fitted.permute(0, 2, 3, 1).reshape(1, side * side, -1).numpy()


def _save(
    folder: Path, weights: Mapping[str, np.ndarray], config: PreTrainedConfig, of_class: str
) -> None:
    """Write weights in half precision, with the sizes and the class that they belong to."""
    halves = {name: np.ascontiguousarray(each, np.float16) for name, each in weights.items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
    config.architectures = [of_class]
    config.save_pretrained(folder)


_CONVERTERS: dict[str, Callable[[Sequence[Path], Path, Progress], None]] = {
    "gguf": _from_gguf,
    "marian": _from_marian,
    "onnx": _from_onnx,
    "q4": _from_q4,
}
