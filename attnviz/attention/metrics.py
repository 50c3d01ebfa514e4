"""Weights as numbers: every metric, by its name. `from attnviz import metrics`.

They take any weights: numpy arrays, lists, tensors; those of a trace, of a capture, of another
program. Each works on (query, key), most on (head, query, key) too.

    rows.py             one number a query: entropy; how far two rows are apart
    shares.py           one number a head: how much lies on some pairs or tokens, how far away
    patterns.py         one number a head: previous, induction and duplicate tokens
    readings.py         all of that for one head, with the types whose rule it keeps
    heads.py            how far heads are apart, and a map of them
    rollout.py flow.py  from the first layer to the last
    norms.py            weights times the length of what they carry
    effective.py        the part of the weights that reaches the output
    head_importance.py  how much a model needs each head
"""

from attnviz.attention.effective import effective_attention
from attnviz.attention.flow import flow
from attnviz.attention.head_importance import (
    ablation_importance,
    gradient_importance,
    head_gradients,
    per_layer,
    rank_agreement,
)
from attnviz.attention.heads import (
    comparable_heads,
    head_distances,
    head_divergences,
    head_map,
    map_share,
    nearest_heads,
)
from attnviz.attention.norms import (
    LayerNorm,
    carried_mixing,
    carried_norms,
    mixing_ratio,
    norm_weighted,
    norm_weighted_by_head,
)
from attnviz.attention.patterns import duplicate_score, induction_score, previous_share
from attnviz.attention.readings import HEAD_TYPES, HeadReading, Rule, head_reading, head_table
from attnviz.attention.rollout import mixing, rollout, rollout_by_layer
from attnviz.attention.rows import (
    cosine,
    distributions,
    effective_tokens,
    entropy,
    jensen_shannon,
    kl,
    top1_agreement,
    total_variation,
)
from attnviz.attention.shares import (
    mean_distance,
    next_share,
    self_share,
    share,
    sink_share,
    token_share,
)

__all__ = [
    "HEAD_TYPES",
    "HeadReading",
    "LayerNorm",
    "Rule",
    "ablation_importance",
    "carried_mixing",
    "carried_norms",
    "comparable_heads",
    "cosine",
    "distributions",
    "duplicate_score",
    "effective_attention",
    "effective_tokens",
    "entropy",
    "flow",
    "gradient_importance",
    "head_distances",
    "head_divergences",
    "head_gradients",
    "head_map",
    "head_reading",
    "head_table",
    "induction_score",
    "jensen_shannon",
    "kl",
    "map_share",
    "mean_distance",
    "mixing",
    "mixing_ratio",
    "nearest_heads",
    "next_share",
    "norm_weighted",
    "norm_weighted_by_head",
    "per_layer",
    "previous_share",
    "rank_agreement",
    "rollout",
    "rollout_by_layer",
    "self_share",
    "share",
    "sink_share",
    "token_share",
    "top1_agreement",
    "total_variation",
]
