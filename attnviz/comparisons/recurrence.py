"""A recurrent network beside self-attention: who waits for whom, and what is left of the past."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import read_only

WIDTH = 8
READERS = ("rnn", "both", "attention")
"""Who reads the sequence: an RNN, one in each direction, or self-attention."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One step of a recurrent network: h_t = tanh(h_(t−1) W^h + x_t W^x), from h_0 = 0."""

    w_hidden: Float[np.ndarray, "width width"]
    w_input: Float[np.ndarray, "width width"]

    @classmethod
    def drawn(cls, width: int, radius: float | int, seed: int) -> "Cell":
        """Draw a cell whose W^h has the spectral radius `radius`: its largest |eigenvalue|."""
        rng = np.random.default_rng(seed)
        w_hidden, w_input = rng.normal(size=(2, width, width))
        w_hidden = w_hidden * (radius / np.abs(np.linalg.eigvals(w_hidden)).max())
        return cls(read_only(w_hidden), read_only(w_input / (2 * np.sqrt(width))))

    def states(self, inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width"]:
        """Run through the inputs; each state needs the one before it."""
        state, states = np.zeros(len(self.w_hidden)), np.empty(inputs.shape)
        for step, x in enumerate(inputs):
            state = np.tanh(state @ self.w_hidden + x @ self.w_input)
            states[step] = state
        return states

    def jacobians(self, inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "n width width"]:
        """Give ∂h_t/∂x_1 at each step, exactly: one product of matrices more at each step."""
        slopes = 1 - self.states(inputs) ** 2
        found = [slopes[0][:, None] * self.w_input.T]
        for slope in slopes[1:]:
            found.append(slope[:, None] * (self.w_hidden.T @ found[-1]))
        return np.stack(found)


def drawn_inputs(n: int, width: int, seed: int) -> Float[np.ndarray, "{n} {width}"]:
    """Draw inputs; more of them begin with the same ones."""
    return np.random.default_rng([seed, 1]).normal(size=(n, width))


@dataclass(frozen=True, eq=False)
class Head:
    """One head of self-attention, as wide as the cell beside it."""

    w_q: Float[np.ndarray, "width width"]
    w_k: Float[np.ndarray, "width width"]
    w_v: Float[np.ndarray, "width width"]

    @classmethod
    def drawn(cls, width: int, seed: int) -> "Head":
        """Draw the three matrices."""
        drawn = np.random.default_rng([seed, 2]).normal(size=(3, width, width)) / np.sqrt(width)
        return cls(*map(read_only, drawn))

    def weights(self, inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, " n"]:
        """Give how the last input looks at all of them: softmax(q kᵀ / √d)."""
        scores = (inputs @ self.w_k) @ (inputs[-1] @ self.w_q) / np.sqrt(inputs.shape[1])
        raised = np.exp(scores - scores.max())
        return raised / raised.sum()

    def jacobian(self, inputs: Float[np.ndarray, "n width"]) -> Float[np.ndarray, "width width"]:
        """Give ∂b_n/∂x_1 of the last output, exactly: through the value, and through the weights.

        With one input alone, b_1 = x_1 W^v.
        """
        weights, root = self.weights(inputs), np.sqrt(inputs.shape[1])
        values = inputs @ self.w_v
        output = weights @ values
        by_key = np.outer(values[0] - output, self.w_k @ (inputs[-1] @ self.w_q)) / root
        if len(inputs) == 1:
            return self.w_v.T.copy()
        return weights[0] * (self.w_v.T + by_key)


@dataclass(frozen=True, eq=False)
class Survival:
    """How much of x_1 is in what stands at place t: ‖∂·/∂x_1‖₂, against its value at place 1."""

    radius: float | int
    seed: int
    rnn: Float[np.ndarray, " n"]
    attention: Float[np.ndarray, " n"]
    weights: Float[np.ndarray, " n"]
    """α′ of the last of t inputs for x_1: it stands there to be read."""

    @classmethod
    def of(cls, n: int, radius: float | int, seed: int, width: int = WIDTH) -> "Survival":
        """Run a drawn cell and a drawn head over the same drawn inputs."""
        inputs = drawn_inputs(n, width, seed)
        cell, head = Cell.drawn(width, radius, seed), Head.drawn(width, seed)
        rnn = np.linalg.norm(cell.jacobians(inputs), ord=2, axis=(1, 2))
        seen = [inputs[: t + 1] for t in range(n)]
        attention = np.array([np.linalg.norm(head.jacobian(each), ord=2) for each in seen])
        weights = np.array([head.weights(each)[0] for each in seen])
        shares = rnn / rnn[0], attention / attention[0], weights
        return cls(radius, seed, *map(read_only, shares))


def powers(n: int, radius: float | int) -> Float[np.ndarray, "{n}"]:
    """Give radius⁰, radius¹, …: what a rule of thumb leaves of x_1 at each place."""
    return np.power(float(radius), np.arange(n))


def ready(n: int, tick: int, reader: str) -> Bool[np.ndarray, "{n}"]:
    """Tell which of n outputs are finished after so many steps that must wait for each other.

    An RNN finishes one a step. One in each direction has an output where both have been; then it
    takes n steps as well. Self-attention finishes all in its first step.

    Raises:
        ValueError: if there is no such reader.
    """
    if reader not in READERS:
        raise ValueError(f"reader must be one of {READERS}, got {reader!r}")
    place = np.arange(n)
    if reader == "attention":
        return np.full(n, tick >= 1)
    return (place < tick) & ((reader == "rnn") | (place >= n - tick))


def finished_after(n: int, reader: str) -> int:
    """Count the steps until all n outputs are there."""
    return next(tick for tick in range(n + 1) if ready(n, tick, reader).all())
