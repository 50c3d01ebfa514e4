"""The maths of attention, on numpy arrays alone.

    attend.py          the whole formula, line by line: `attend`, `attend_heads`; read it first
    choices.py         HeadChoices: which score, which scale, which normalizer
    projections.py     Projections: W^q, W^k, W^v, W^o of every head
    scores.py          SCORES: how well a key answers a query
    masks.py           MASKS: who may see whom
    normalizers.py     NORMALIZERS: from scores to weights
    positions.py       POSITIONS: how a layer learns the order of its tokens
    position_codes.py  the formulas of waves, rotations, slopes and buckets behind them
    linear.py          linear attention, which needs no (query, key) matrix
    trace.py           HeadTrace, MultiHeadTrace: every array on the way, in order, read-only
    ancestry.py        where one single weight comes from
    metrics.py         weights as numbers: lists every metric, and the files that hold them
    patterns.py        how much attention lies on a pattern: previous token, copies, induction
    arrays.py          what comes in is checked and copied, what goes out is locked

Inputs may be lists or arrays. float32 stays float32, float16 becomes float32, all else is computed
in float64.
"""

from attnviz.attention import metrics
from attnviz.attention.ancestry import Ancestry, ancestry
from attnviz.attention.attend import attend, attend_again, attend_heads
from attnviz.attention.choices import HeadChoices
from attnviz.attention.linear import LinearTrace, linear_attend
from attnviz.attention.masks import MASKS
from attnviz.attention.normalizers import NORMALIZERS
from attnviz.attention.positions import POSITIONS
from attnviz.attention.projections import Projections
from attnviz.attention.scores import SCORES
from attnviz.attention.trace import HeadTrace, MultiHeadTrace, Step

__all__ = [
    "MASKS",
    "NORMALIZERS",
    "POSITIONS",
    "SCORES",
    "Ancestry",
    "HeadChoices",
    "HeadTrace",
    "LinearTrace",
    "MultiHeadTrace",
    "Projections",
    "Step",
    "ancestry",
    "attend",
    "attend_again",
    "attend_heads",
    "linear_attend",
    "metrics",
]
