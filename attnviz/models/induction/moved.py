"""The package's own model with the weights that it had at a moment of its training."""

import torch
from safetensors import safe_open

from attnviz.models.induction.film import FRAMES
from attnviz.models.model import Model


def move_to(model: Model, step: int) -> None:
    """Give the finished model the weights that it had after so many steps."""
    with safe_open(FRAMES, framework="pt") as frames, torch.no_grad():
        kept = set(frames.keys())
        for name, parameter in model.network.named_parameters():
            if f"{step}/{name}" in kept and parameter.requires_grad:
                parameter.copy_(frames.get_tensor(f"{step}/{name}"))
