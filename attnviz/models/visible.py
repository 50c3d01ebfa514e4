"""Who may see whom in a captured layer, and what is added to its scores: as little as says it."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from attnviz.attention.arrays import read_only


@dataclass(frozen=True, eq=False, kw_only=True)
class Visible:
    """Which keys a query may see: within a distance back and ahead, or where a table is True.

    None is no limit, so that nothing given lets everyone see everyone, and ahead=0 is a causal
    mask. Where there are more keys than queries the queries are the last of them.

    `cut` lists edges (head, query, key) that were cut on top of that, head -1 for all of them;
    `masked` lists keys that nobody sees, but for the query at the same place where `themselves`.
    """

    n_query: int
    n_key: int
    back: int | None = None
    ahead: int | None = None
    table: Bool[np.ndarray, "head query key"] | None = None
    cut: tuple[tuple[int, int, int], ...] = ()
    masked: tuple[int, ...] = ()
    themselves: bool = True

    @classmethod
    def of(cls, table: Bool[np.ndarray, "head query key"]) -> "Visible":
        """Find the rule behind a table, and keep the table only where there is none."""
        n_query, n_key = table.shape[-2:]
        if (table == table[:1]).all():
            table = table[:1]
            limits = _limits(table[0])
            if limits is not None:
                return cls(n_query=n_query, n_key=n_key, back=limits[0], ahead=limits[1])
        return cls(n_query=n_query, n_key=n_key, table=read_only(np.ascontiguousarray(table)))

    @classmethod
    def behind(cls, weights: Float[np.ndarray, "head query key"]) -> "Visible":
        """Take weights for causal where no head of a whole layer gives any to what comes later."""
        n_query, n_key = weights.shape[1:]
        causal = n_query == n_key > 1 and not np.triu(weights, 1).any()
        return cls(n_query=n_query, n_key=n_key, ahead=0 if causal else None)

    @property
    def everyone(self) -> bool:
        """True where every query sees every key."""
        return self.back is None and self.ahead is None and not self.tabled

    @property
    def tabled(self) -> bool:
        """True where more than the distance says who sees whom."""
        return self.table is not None or bool(self.cut) or bool(self.masked)

    @property
    def causal(self) -> bool:
        """True where nobody sees what comes later."""
        return self.ahead == 0

    def keys_of(self, first: int, last: int) -> slice:
        """Give the stretch of keys that the queries from first to last can see at most."""
        shift = self.n_key - self.n_query
        low = 0 if self.back is None else max(0, first + shift - self.back)
        high = self.n_key if self.ahead is None else min(self.n_key, last + shift + self.ahead + 1)
        return slice(min(low, self.n_key), max(high, 0))

    def hide(
        self,
        scores: Float[np.ndarray, "row column"],
        rows: Int[np.ndarray, " row"],
        keys: slice,
        head: int,
    ) -> None:
        """Write -inf, in place, where one of these queries may not see one of these keys."""
        if self.everyone or not len(rows):
            return
        self._hide_edits(scores, rows, keys, head)
        if self.table is not None:
            table = self.table[head if len(self.table) > 1 else 0]
            scores[~table[rows, keys]] = -np.inf
            return
        places = rows[:, None] + (self.n_key - self.n_query)
        if self.ahead is not None:
            start = max(keys.start, int(places.min()) + self.ahead + 1)
            columns = np.arange(start, keys.stop)
            scores[:, start - keys.start :][columns > places + self.ahead] = -np.inf
        if self.back is not None:
            stop = min(keys.stop, int(places.max()) - self.back)
            columns = np.arange(keys.start, stop)
            scores[:, : max(stop - keys.start, 0)][columns < places - self.back] = -np.inf

    def _hide_edits(
        self,
        scores: Float[np.ndarray, "row column"],
        rows: Int[np.ndarray, " row"],
        keys: slice,
        head: int,
    ) -> None:
        places = rows + (self.n_key - self.n_query) if self.themselves else np.full_like(rows, -1)
        for key in self.masked:
            if keys.start <= key < keys.stop:
                scores[places != key, key - keys.start] = -np.inf
        for of, query, key in self.cut:
            if of in (-1, head) and keys.start <= key < keys.stop:
                scores[rows == query, key - keys.start] = -np.inf

    @property
    def own(self) -> "Visible":
        """Who may see whom before any edge was cut or token masked."""
        return replace(self, cut=(), masked=())

    def row(self, query: int, head: int = 0) -> Bool[np.ndarray, " key"]:
        """Tell which keys one query may see."""
        scores = np.zeros((1, self.n_key), dtype=np.float32)
        self.hide(scores, np.array([query]), slice(0, self.n_key), head)
        return scores[0] == 0

    def allowed(self, head: int = 0) -> Bool[np.ndarray, "query key"]:
        """Write the rule out as a table."""
        scores = np.zeros((self.n_query, self.n_key), dtype=np.float32)
        self.hide(scores, np.arange(self.n_query), slice(0, self.n_key), head)
        return read_only(scores == 0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bias:
    """Numbers added to the scores: a table, or one number for each distance j - i.

    `by_distance` begins with the distance -(n_query - 1) and ends with n_key - 1.
    """

    table: Float[np.ndarray, "head query key"] | None = None
    by_distance: Float[np.ndarray, "head distance"] | None = None
    n_query: int = 0

    @classmethod
    def of(cls, table: Float[np.ndarray, "head query key"]) -> "Bias | None":
        """Keep one number for each distance where that says all; None where all are 0."""
        if not table.any():
            return None
        if np.array_equal(table[:, 1:, 1:], table[:, :-1, :-1]):
            down, across = table[:, :0:-1, 0], table[:, 0, :]
            distances = np.concatenate([down, across], axis=1)
            return cls(by_distance=read_only(distances), n_query=table.shape[1])
        return cls(table=read_only(np.ascontiguousarray(table)))

    def rows(
        self, rows: Int[np.ndarray, " row"], keys: slice, head: int
    ) -> Float[np.ndarray, "row column"]:
        """Give the numbers of some queries and a stretch of keys."""
        if self.table is not None:
            return self.table[head if len(self.table) > 1 else 0][rows, keys]
        if self.by_distance is None:
            raise ValueError("a Bias needs a table or by_distance, got neither; give it one")
        numbers = self.by_distance[head if len(self.by_distance) > 1 else 0]
        columns = np.arange(keys.start, keys.stop)
        return numbers[columns - rows[:, None] + self.n_query - 1]


def _limits(table: Bool[np.ndarray, "query key"]) -> tuple[int | None, int | None] | None:
    """Read (back, ahead) off a table whose rows are one stretch around the query, else None."""
    n_query, n_key = table.shape
    if table.all():
        return None, None
    counts = table.sum(axis=1)
    if not counts.all():
        return None
    first, last = table.argmax(axis=1), n_key - 1 - table[:, ::-1].argmax(axis=1)
    if (last - first + 1 != counts).any():
        return None
    places = np.arange(n_query) + n_key - n_query
    back, ahead = _limit(places - first, first > 0), _limit(last - places, last < n_key - 1)
    rule = Visible(n_query=n_query, n_key=n_key, back=back, ahead=ahead)
    return (back, ahead) if np.array_equal(rule.allowed(), table) else None


def _limit(distances: Int[np.ndarray, " query"], limited: Bool[np.ndarray, " query"]) -> int | None:
    return int(distances[limited].max()) if limited.any() else None
