"""The package's own model as it was at a moment of its training."""

from attnviz.models.induction.film import moments, name_at
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
    return load_model(name_at(step))
