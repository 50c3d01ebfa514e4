"""What runs in the process of the models: one request after the other, from its standard input."""

import gc
import os
from collections import OrderedDict
from typing import Any

import torch

from attnviz.errors import InputError
from attnviz.models import wire
from attnviz.models.editing.ablating import Ablation
from attnviz.models.induction.film import step_of
from attnviz.models.load import load_model
from attnviz.models.model import Model
from attnviz.models.projecting import output_matrix
from attnviz.models.writing import write

MOST_MODELS = 2


class Server:
    """Loads models, keeps the last ones used, and answers requests with them."""

    def __init__(self, out: wire.Sink) -> None:
        self._out = out
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._ablations: OrderedDict[int, Ablation] = OrderedDict()
        self._number = 0

    def answer(self, request: wire.Message) -> None:
        """Answer one request: with what it asks for, or with why it cannot be had."""
        self._number = request["number"]
        try:
            self._say({"done": self._do(request)})
        except InputError as error:
            values = {name: _plain(value) for name, value in error.values.items()}
            self._say({"error": error.code, "values": values})
        except MemoryError:
            self._give_memory_back()
            self._say({"error": "models.memory", "values": {}})
        except RuntimeError as error:
            if "memory" not in str(error).lower():
                raise
            self._give_memory_back()
            self._say({"error": "models.memory", "values": {}})

    def _do(self, request: wire.Message) -> Any:
        if request["do"] in ("slopes", "without"):
            return self._ablated(request)
        model = self._model(request["name"])
        if request["do"] == "load":
            return {
                "name": model.name,
                "kind": model.kind,
                "tier": model.tier,
                "difference": model.difference,
                "most_tokens": model.most_tokens,
            }
        if request["do"] == "write":
            return write(model, *request["texts"], **request["how"], progress=self._tell)
        self._tell("capture", 0.0)
        own = {name: request[name] for name in ("ablate", "window", "edits")}
        if request["do"] == "output":
            return output_matrix(model, request["layer"], request["texts"], **own)
        return model.capture(*request["texts"], **own)

    def _ablated(self, request: wire.Message) -> Any:
        """Do one part of the long work on every head; others may ask between two parts."""
        work = request["work"]
        if work not in self._ablations:
            while len(self._ablations) >= MOST_MODELS:
                self._ablations.popitem(last=False)
            self._tell("capture", 0.0)
            model, texts = self._model(request["name"]), request["texts"]
            self._ablations[work] = Ablation(model, *texts, window=request["window"])
        found = self._ablations[work]
        if request["do"] == "slopes":
            slopes = found.slopes(lambda share: self._tell("slope", share))
            return {"counts": found.counts, "loss": found.loss, "slopes": slopes}
        run = found.without(*request["head"])
        if request["last"]:
            del self._ablations[work]
        return run

    def _model(self, name: str) -> Model:
        if name not in self._models:
            if step_of(name) is not None:  # one moment of a film gives way to the next
                self._models = OrderedDict(
                    (key, each) for key, each in self._models.items() if step_of(key) is None
                )
            while len(self._models) >= MOST_MODELS:
                self._models.popitem(last=False)
            gc.collect()
            self._models[name] = load_model(name, progress=self._tell)
        self._models.move_to_end(name)
        return self._models[name]

    def _tell(self, stage: str, done: float) -> None:
        self._say({"stage": stage, "share": done})

    def _say(self, message: wire.Message) -> None:
        wire.write(self._out, message | {"number": self._number})

    def _give_memory_back(self) -> None:
        self._models.clear()
        self._ablations.clear()
        gc.collect()


def main() -> None:
    """Serve until the other side closes; what libraries print goes to standard error."""
    torch.set_num_threads(int(os.environ.get("ATTNVIZ_THREADS", "1")))
    _limit_memory()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = Server(out)
    asked = os.fdopen(os.dup(0), "rb")
    while (request := wire.read(asked)) is not None:
        server.answer(request)


def _limit_memory() -> None:
    most = os.environ.get("ATTNVIZ_MODEL_MEMORY_GB")
    if most:
        import resource  # no such limit on Windows

        limit = int(float(most) * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)


if __name__ == "__main__":
    main()
