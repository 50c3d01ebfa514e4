"""The package's own model as it was at a moment of its training."""

import torch
from safetensors import safe_open

from attnviz.models.film import FRAMES, moments
from attnviz.models.load import load_model
from attnviz.models.model import Model


def model_at(step: int) -> Model:
    """Load the model as it was after so many steps, one of those that `moments()` lists.

    Raises:
        ValueError: if no weights of that step were kept.
    """
    kept = [moment.step for moment in moments()]
    if step not in kept:
        raise ValueError(f"step must be one of {kept}, got {step}; the film has no other moments")
    model = load_model("induction")
    if step != kept[-1]:
        with safe_open(FRAMES, framework="pt") as frames, torch.no_grad():
            for name, parameter in model.network.named_parameters():
                if parameter.requires_grad and f"{step}/{name}" in frames.keys():  # noqa: SIM118
                    parameter.copy_(frames.get_tensor(f"{step}/{name}"))
    return model
