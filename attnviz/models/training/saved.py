"""A trained model as a file of weights."""

from safetensors.numpy import save

from attnviz.models.training.learning import Learner, Snapshot


def weights_file(learner: Learner, found: Snapshot) -> bytes:
    """Write all numbers of a model as safetensors, with what they were trained for beside them."""
    plan = learner.plan
    about = {
        "task": learner.task.key,
        "words": " ".join(learner.task.names["en"]),
        "tags": " ".join(learner.task.tags),
        "heads": str(learner.heads),
        "step": str(found.step),
        "seed": str(plan.seed),
        "learning_rate": repr(learner.rate),
        "frozen": plan.frozen,
    }
    return save(dict(found.parameters), metadata=about)
