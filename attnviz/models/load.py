"""`load_model`: a key of the catalogue, a folder or a name of a model hub becomes a Model."""

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnviz.errors import InputError
from attnviz.models.catalogue import allowed, catalogue, fetches, may_fetch

os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
if not fetches():
    os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers as hf
from safetensors import SafetensorError
from transformers.models.auto import configuration_auto, modeling_auto

from attnviz.models import capture as _capture  # noqa: F401  registers our attention
from attnviz.models.conversion import bergamot as _bergamot  # noqa: F401  registers its class of model
from attnviz.models.conversion.convert import Progress, converted
from attnviz.models.hub import files, kept
from attnviz.models.induction.film import KEY, step_of
from attnviz.models.induction.moved import move_to
from attnviz.models.model import Model
from attnviz.models.pictures import Eye
from attnviz.models.recorder import FAST, OWN

hf.logging.set_verbosity_error()
hf.logging.disable_progress_bar()

FARTHEST = 1e-5
"""How far a weight may be from the model's own, beside what its scores lose in float32."""

_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".h5", ".msgpack")
_HEADS = ("ForCausalLM", "LMHeadModel")
_UNUSED = ("pooler", "lm_head", "classifier", "position_ids")


@dataclass(frozen=True)
class _Place:
    name: str
    path: str
    fetch: bool = False


def load_model(name: str = "default", *, progress: Progress | None = None) -> Model:
    """Load a model once, check it against its own eager attention, and give it.

    `name` is a key of the catalogue, a moment of the film such as "induction-420", a folder with
    config.json and safetensors, or a name of a model hub that ATTNVIZ_MODELS lists. `progress` is
    told "convert", "load" and "check".

    Raises:
        InputError: if there is no such model here, or it is none that can be captured.
    """
    tell = progress or (lambda stage, done: None)
    step = step_of(str(name))
    place = _found(str(name) if step is None else KEY, tell)
    tell("load", 0.1)
    if place.fetch and kept(place.path):
        with suppress(InputError):  # a part of it may be missing, which the hub has
            return _opened(replace(place, fetch=False), step, tell)
    return _opened(place, step, tell)


def _opened(place: _Place, step: int | None, tell: Progress) -> Model:
    """Read a model where it lies, or fetch it, and check it."""
    try:
        config = _config(place)
        kind = _kind(config, place.name)
        network = _network(place, config, kind)
        tell("load", 0.7)
        model = Model(
            name=place.name,
            kind=kind,
            network=network,
            tokenizer=None if kind == "vision" else _tokenizer(place),
            eye=_eye(place, config) if kind == "vision" else None,
        )
        if step is not None:
            move_to(model, step)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, SafetensorError) as reason:
        if isinstance(reason, RuntimeError) and "memory" in str(reason).lower():
            raise
        pickles = _pickles(place)
        if pickles and isinstance(reason, OSError):
            shown = ", ".join(pickles[:3])
            raise InputError("models.only_pickles", name=place.name, files=shown) from reason
        raise InputError("models.unreadable", name=place.name, reason=_short(reason)) from reason
    tell("check", 0.0)
    if not _agrees(model):
        model.fall_back()
    tell("check", 1.0)
    return model


def _pickles(place: _Place) -> list[str]:
    """List the weights that could run code, where a model has no others."""
    folder = Path(place.path)
    if folder.is_dir():
        names = [each.name for each in folder.iterdir()]
    else:
        names = list(files(place.path)) if place.fetch else []
    safe = any(name.endswith(".safetensors") for name in names)
    return [] if safe else sorted(name for name in names if name.endswith(_PICKLES))


def _agrees(model: Model) -> bool:
    if not model.network._can_set_attn_implementation():
        return False
    return model.check() <= FARTHEST + model.rounding


def _found(name: str, progress: Progress) -> _Place:
    if not allowed(name):
        raise InputError("models.not_allowed", name=name)
    entry = catalogue().get(name)
    if entry is not None:
        if entry.converter is not None:
            return _Place(entry.title, str(converted(entry, progress)))
        return _Place(entry.title, str(entry.checked_file().parent))
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise InputError("models.no_config", name=name)
        return _Place(folder.name, str(folder))
    if name.count("/") > 1 or name.startswith((".", "/", "~")) or "\\" in name:
        raise InputError("models.no_folder", name=name)
    return _Place(name, name, may_fetch(name))


def _config(place: _Place) -> Any:
    """Read what kind of model it is; code that comes with a model is never run."""
    options = {"local_files_only": not place.fetch}
    try:
        fields, _ = hf.PreTrainedConfig.get_config_dict(place.path, **options)
    except OSError as reason:
        if Path(place.path).is_dir():
            raise
        code = "models.not_fetched" if place.fetch else "models.unknown"
        raise InputError(code, name=place.name, known=", ".join(catalogue())) from reason
    if not fields:
        raise InputError("models.unknown", name=place.name, known=", ".join(catalogue()))
    if fields.get("model_type") not in configuration_auto.CONFIG_MAPPING:
        code = "auto_map" in fields
        raise InputError("models.own_code" if code else "models.unknown_type", name=place.name)
    if "auto_map" in fields:
        raise InputError("models.own_code", name=place.name)
    return hf.AutoConfig.from_pretrained(place.path, **options)


def _kind(config: Any, name: str) -> str:
    nested = hasattr(config, "text_config") and hasattr(config, "vision_config")
    if nested or hasattr(config, "num_mel_bins"):
        raise InputError("models.other_input", name=name)
    if any(each.endswith("EncoderModel") for each in config.architectures or ()):
        return "encoder"
    if getattr(config, "is_encoder_decoder", False):
        return "encoder_decoder"
    if hasattr(config, "patch_size") and hasattr(config, "image_size"):
        return "vision"
    masked = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING
    causal = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING
    writes = _writes(config) or (type(config) in causal and type(config) not in masked)
    return "causal" if writes else "encoder"


def _writes(config: Any) -> bool:
    return any(each.endswith(_HEADS) for each in config.architectures or ())


def _class_for(config: Any, kind: str) -> Any:
    alone = [each for each in config.architectures or () if each.endswith("EncoderModel")]
    if alone and hasattr(hf, alone[0]):
        return getattr(hf, alone[0])
    return _auto_class(config, kind)._model_mapping[type(config)]


def _auto_class(config: Any, kind: str) -> Any:
    if kind == "causal" and _writes(config):
        return hf.AutoModelForCausalLM
    two = modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
    if kind == "encoder_decoder" and type(config) in two:
        return hf.AutoModelForSeq2SeqLM
    return hf.AutoModel


def _network(place: _Place, config: Any, kind: str) -> Any:
    """Load with our attention chosen from the start: the fused kernel where the family knows it."""
    of_class = _class_for(config, kind)
    if not of_class._can_set_attn_implementation():
        return _loaded(place, config, kind, "eager")
    return _loaded(place, config, kind, FAST if of_class._supports_sdpa else OWN)


def _loaded(place: _Place, config: Any, kind: str, implementation: str) -> Any:
    network, found = _class_for(config, kind).from_pretrained(
        place.path,
        attn_implementation=implementation,
        dtype=torch.float32,
        use_safetensors=True,
        local_files_only=not place.fetch,
        output_loading_info=True,
    )
    missing = [key for key in found["missing_keys"] if not any(part in key for part in _UNUSED)]
    if missing:
        raise InputError(
            "models.incomplete", name=place.name, n=len(missing), first=sorted(missing)[0]
        )
    return network.eval()


def _tokenizer(place: _Place) -> Any:
    return hf.AutoTokenizer.from_pretrained(place.path, local_files_only=not place.fetch)


def _eye(place: _Place, config: Any) -> Eye:
    from transformers.image_processing_base import ImageProcessingMixin

    try:
        seen, _ = ImageProcessingMixin.get_image_processor_dict(
            place.path, local_files_only=not place.fetch
        )
    except OSError:
        seen = {}
    colours = {"mean": seen.get("image_mean"), "deviation": seen.get("image_std")}
    set_colours = {name: tuple(value) for name, value in colours.items() if value}
    return Eye(side=_one(config.image_size), patch=_one(config.patch_size), **set_colours)


def _one(size: Any) -> int:
    return int(size[0] if isinstance(size, list | tuple) else size)


def _short(reason: BaseException) -> str:
    return str(reason).strip().split("\n")[0][:200]
