"""What the settings put on the screen: tokens, vectors, matrices and the attention they make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from attnviz.attention.arrays import read_only
from attnviz.attention.attend import attend_again, attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.attention.masks import MASKS
from attnviz.attention.projections import Projections
from attnviz.attention.trace import HeadTrace, MultiHeadTrace
from attnviz.errors import InputError
from attnviz.lessons.examples import EXAMPLES, Example
from attnviz.lessons.matrices import MatrixSource, Sizes, numbers, score_parameters, together
from attnviz.lessons.sentences import split_sentence, visible
from attnviz.settings import (
    MAX_DIMS,
    MAX_TOKENS,
    NORMALIZER_FIELDS,
    POSITION_FIELDS,
    RANGES,
    Move,
    Settings,
)

DIGITS_TOKENS = 12
"""Up to this many tokens, every cell of a matrix has room for its digits."""

WITH_LIMIT = frozenset({"softmax", "topk", "sparsemax", "entmax15", "entmax", "hardmax"})
"""The normalizers that take temperature 0: the limit, where the best keys share equally."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """One layer of self-attention with everything that it is computed from.

    `token_sources` and `head_sources` say of each token and head whether its numbers are "typed"
    by hand, "trained" on the page Train, "random" (from `seed`) or the "identity"; `output_source`
    says it of W^o, "" without one. `mask` is None where everyone may see everyone. `query`, `key`
    and `head` are what is looked at: indices that exist, `key` None where no column is chosen.
    """

    tokens: tuple[str, ...]
    inputs: Float[np.ndarray, "token d_model"]
    projections: Projections
    choices: HeadChoices
    mask: Bool[np.ndarray, "token token"] | None
    positions: str | Float[np.ndarray, "token d_model"]
    token_sources: tuple[str, ...]
    head_sources: tuple[str, ...]
    output_source: str
    seed: int
    query: int = 0
    key: int | None = None
    head: int = 0

    @property
    def weight_source(self) -> str:
        """Where the matrices come from: "random" if any is, "identity" only if all are."""
        return together({*self.head_sources, self.output_source} - {""})

    @property
    def digits_fit(self) -> bool:
        """True when every cell has room for its digits."""
        return len(self.tokens) <= DIGITS_TOKENS

    @cached_property
    def trace(self) -> MultiHeadTrace:
        """The attention, computed once."""
        return attend_heads(
            self.inputs, self.projections, self.choices, mask=self.mask, positions=self.positions
        )

    def nudged(self, token: int, amount: float) -> Float[np.ndarray, " token"]:
        """Add an amount to every number of one input; give how far each output moves, ‖Δb‖."""
        inputs = self.inputs.copy()
        inputs[token] += amount
        moved = attend_heads(
            inputs, self.projections, self.choices, mask=self.mask, positions=self.positions
        )
        return np.linalg.norm(moved.output - self.trace.output, axis=1)

    def dragged(self, moves: Sequence[Move], head: int) -> HeadTrace:
        """Attend with the q, k and v of one head where they were dragged to.

        A move of a token that is not there, or of a vector without a plane (d ≠ 2), is left out.
        """
        trace = self.trace.head(head)
        tables = {"q": trace.query, "k": trace.key, "v": trace.value}
        moved = {symbol: table.copy() for symbol, table in tables.items()}
        fitting = [
            (symbol, token, tip)
            for symbol, token, *tip in moves
            if token < len(self.tokens) and tables[symbol].shape[1] == len(tip)
        ]
        for symbol, token, tip in fitting:
            moved[symbol][token] = tip
        if not fitting:
            return trace
        return attend_again(trace, query=moved["q"], key=moved["k"], value=moved["v"])

    def at(self, settings: Settings) -> "Scene":
        """Look where these settings look; the trace is shared, not computed again."""
        n_tokens, n_heads = len(self.tokens), self.projections.n_heads
        moved = replace(
            self,
            query=min(settings.query, n_tokens - 1),
            key=None if settings.key is None or settings.key >= n_tokens else settings.key,
            head=min(settings.head, n_heads - 1),
        )
        if "trace" in self.__dict__:
            moved.__dict__["trace"] = self.trace
        return moved


def scene_of(settings: Settings, language: str = "en") -> Scene:
    """Build the scene of some settings; the language chooses the names of an example's tokens.

    Raises:
        InputError: if the settings do not fit together.
    """
    for name in settings.out_of_range():
        least, most = RANGES.get(name, ("", ""))
        got = getattr(settings, name)
        raise InputError("setting.out_of_range", name=name, got=got, least=least, most=most)
    if settings.example not in EXAMPLES:
        raise InputError("example.unknown", got=settings.example, known=", ".join(EXAMPLES))
    example = EXAMPLES[settings.example]
    tokens, inputs, token_sources = _tokens_and_inputs(settings, example, language)
    sizes = _sizes(settings, example, inputs.shape[1])
    typed = {name: getattr(settings, name) for name in ("w_q", "w_k", "w_v", "w_o")}
    source = MatrixSource(settings.w_source, typed, example.projections, settings.seed)
    made = source.matrices(sizes)
    positions = _positions(settings, example, len(tokens), sizes)
    return Scene(
        tokens=tokens,
        inputs=read_only(inputs),
        projections=made.projections,
        choices=_choices(settings, positions, sizes.d_k),
        mask=_mask(settings, len(tokens)),
        positions=positions,
        token_sources=token_sources,
        head_sources=made.head_sources,
        output_source=made.output_source,
        seed=settings.seed,
    ).at(settings)


def with_example(settings: Settings, example: str) -> Settings:
    """Start an example afresh, with the settings it needs; how it is looked at stays."""
    chosen = EXAMPLES[example]
    kept = ("language", "step", "digits", "notation", "present", "predict", "panel")
    fields = {name: getattr(settings, name) for name in kept}
    fields |= {"example": example, "query": chosen.query, **chosen.settings}
    return Settings(**fields)


def _tokens_and_inputs(
    settings: Settings, example: Example, language: str
) -> tuple[tuple[str, ...], np.ndarray, tuple[str, ...]]:
    """Give the tokens, their vectors, and where each vector comes from."""
    tokens = _own_tokens(settings)
    typed = _typed_vectors(settings, len(tokens))
    d_model = settings.d_model or (example.inputs if typed is None else typed).shape[1]
    words = tokens or example.tokens["en"]  # in any language: it must not change a number
    made, sources = example.vectors_of(words, d_model, settings.seed)
    names = tokens or example.tokens_in(language)
    if typed is None:
        return names, made, sources
    by = "trained" if settings.w_source == "trained" else "typed"
    if typed.shape != made.shape:
        names = tuple(f"a{place}".translate(_SUPERSCRIPTS) for place in range(1, len(typed) + 1))
        return names, typed, (by,) * len(typed)
    untouched = (typed == made).all(axis=1)
    kept = zip(sources, untouched, strict=True)
    return names, typed, tuple(source if same else by for source, same in kept)


def _own_tokens(settings: Settings) -> tuple[str, ...]:
    """Give the tokens that a person chose, none for the example's."""
    if not settings.pieces:
        sentence = settings.sentence.strip()
        return split_sentence(sentence, settings.split) if sentence else ()
    if len(settings.pieces) > MAX_TOKENS:
        raise InputError("text.too_long", n_tokens=len(settings.pieces), most=MAX_TOKENS)
    tokens = tuple(map(visible, settings.pieces))
    if "" in tokens:
        raise InputError("text.empty_token", place=tokens.index("") + 1)
    return tokens


def _typed_vectors(settings: Settings, n_tokens: int) -> np.ndarray | None:
    """Check the typed vectors, against the number of tokens where there is one."""
    if not settings.vectors:
        return None
    vectors = numbers("vectors", settings.vectors)
    rows, width = vectors.shape
    if rows > MAX_TOKENS:
        raise InputError("text.too_long", n_tokens=rows, most=MAX_TOKENS)
    if width > MAX_DIMS:
        raise InputError("size.too_large", name="d_model", got=width, most=MAX_DIMS)
    if n_tokens and rows != n_tokens:
        raise InputError("vectors.count", n_tokens=n_tokens, got=rows)
    if settings.d_model and width != settings.d_model:
        raise InputError("vectors.width", d_model=settings.d_model, got=width)
    return vectors


def _sizes(settings: Settings, example: Example, d_model: int) -> Sizes:
    own = example.projections
    n_heads = settings.n_heads or own.n_heads
    return Sizes(
        n_heads=n_heads,
        n_kv_heads=settings.n_kv_heads or n_heads,
        d_model=d_model,
        d_k=settings.d_k or own.d_k,
        d_v=settings.d_v or own.d_v,
    )


def _positions(
    settings: Settings, example: Example, n_tokens: int, sizes: Sizes
) -> str | np.ndarray:
    """Give the key of a position code, or a table of vectors to add."""
    if settings.positions == "example":
        table = example.positions(n_tokens)
        return "none" if table is None else _of_width(table, sizes.d_model)
    if settings.positions == "learned" and settings.position_vectors:
        table = numbers("position_vectors", settings.position_vectors)
        if len(table) < n_tokens:
            raise InputError("positions.table_short", rows=len(table), n_tokens=n_tokens)
        return _of_width(table[:n_tokens], sizes.d_model)
    if settings.positions == "rotary" and sizes.d_k % 2:
        raise InputError("positions.rotary_odd", d_k=sizes.d_k)
    if settings.positions == "t5":
        _check_t5(settings)
    return settings.positions


def _of_width(table: np.ndarray, d_model: int) -> np.ndarray:
    if table.shape[1] != d_model:
        raise InputError("positions.width", d_model=d_model, got=table.shape[1])
    return table


def _check_t5(settings: Settings) -> None:
    """Half of the buckets of a direction hold one distance each; farther ones need the others."""
    least = 4 if settings.bidirectional else 2
    if settings.n_buckets < least:
        raise InputError("positions.t5_buckets", got=settings.n_buckets, least=least)
    least_distance = settings.n_buckets // least + 1
    if settings.max_distance < least_distance:
        raise InputError("positions.t5_distance", got=settings.max_distance, least=least_distance)


def _choices(settings: Settings, positions: str | np.ndarray, d_k: int) -> HeadChoices:
    if settings.temperature == 0 and settings.normalizer not in WITH_LIMIT:
        raise InputError("temperature.no_limit", normalizer=settings.normalizer)
    parameters = score_parameters(settings.score, d_k, settings.seed)
    for name in NORMALIZER_FIELDS.get(settings.normalizer, ()):
        parameters[f"normalizer.{name}"] = getattr(settings, name)
    for name in POSITION_FIELDS.get(positions, ()) if isinstance(positions, str) else ():
        if name != "position_vectors":
            parameters[f"position.{name}"] = getattr(settings, name)
    return HeadChoices(
        score=settings.score,
        scale=settings.scale,
        normalizer=settings.normalizer,
        temperature=settings.temperature,
        parameters=parameters,
    )


def _mask(settings: Settings, n_tokens: int) -> np.ndarray | None:
    """Give who may attend to whom, None where everyone may."""
    if settings.mask == "everyone":
        return None
    return _MASK_OF[settings.mask](settings, n_tokens)


def _window(settings: Settings, n_tokens: int) -> np.ndarray:
    return MASKS["window"](n_tokens, n_tokens, settings.radius)


def _global_tokens(settings: Settings, n_tokens: int) -> np.ndarray:
    there = [token for token in settings.global_tokens if token < n_tokens]
    return MASKS["global_tokens"](_window(settings, n_tokens), there)


def _padding(settings: Settings, n_tokens: int) -> np.ndarray:
    return MASKS["padding"](n_tokens, np.arange(n_tokens) < n_tokens - settings.padding)


def _graph(settings: Settings, n_tokens: int) -> np.ndarray:
    """Without painted edges each token is joined to its neighbours."""
    chain = np.abs(np.subtract.outer(np.arange(n_tokens), np.arange(n_tokens))) == 1
    return MASKS["graph"](_cells(settings, chain), settings.self_loops)


def _custom(settings: Settings, n_tokens: int) -> np.ndarray:
    return MASKS["custom"](_cells(settings, np.ones((n_tokens, n_tokens), dtype=bool)))


def _cells(settings: Settings, unpainted: np.ndarray) -> np.ndarray:
    if not settings.cells:
        return unpainted
    lengths = {len(settings.cells), *map(len, settings.cells)}
    if lengths != {len(unpainted)}:
        raise InputError("mask.cells", n_tokens=len(unpainted), got=len(settings.cells))
    return np.array([[cell == "1" for cell in row] for row in settings.cells])


_MASK_OF: dict[str, Callable[[Settings, int], np.ndarray]] = {
    "causal": lambda s, n: MASKS["causal"](n, n, s.align),
    "window": _window,
    "causal_window": lambda s, n: MASKS["causal_window"](n, n, s.radius, s.align),
    "dilated": lambda s, n: MASKS["dilated"](n, n, s.steps, s.gap),
    "padding": _padding,
    "global_tokens": _global_tokens,
    "block": lambda s, n: MASKS["block"](n, n, s.block_size),
    "graph": _graph,
    "custom": _custom,
}
