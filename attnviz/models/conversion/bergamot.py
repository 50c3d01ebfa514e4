"""A small translation model of the Bergamot project: its decoder remembers instead of attending.

The encoder attends to itself, and the decoder to the encoder; what was written so far is kept in
one vector for each layer, which a gate updates (an SSRU). So there are no weights among the words
that are written. Written for transformers' attention interface, as its own models are.
"""

import math
from collections.abc import Callable
from typing import Any, no_type_check

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, MarianConfig, PreTrainedModel
from transformers.modeling_outputs import Seq2SeqLMOutput
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

_LONGEST_WAVE = 10_000


@no_type_check  # it takes more than its signature says
class BergamotConfig(MarianConfig):
    """The sizes of such a model; the last row of its vocabulary is the sign that starts."""

    model_type = "bergamot"


def eager_attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """Attend, and give the weights too."""
    scores = query @ key.transpose(2, 3) * scaling
    weights = (scores if attention_mask is None else scores + attention_mask).softmax(dim=-1)
    return (weights @ value).transpose(1, 2).contiguous(), weights


class Attention(nn.Module):
    """Heads that ask with one text and are answered by another, or by the same."""

    def __init__(self, config: BergamotConfig) -> None:
        super().__init__()
        self.config, self.is_causal = config, False
        self.n_heads, d_model = config.encoder_attention_heads, config.d_model
        self.scaling = (d_model // self.n_heads) ** -0.5
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    def forward(self, asking: Tensor, answering: Tensor) -> tuple[Tensor, Tensor | None]:
        """Give what the heads pass on, and their weights where the attention hands them out."""
        attend: Callable = ALL_ATTENTION_FUNCTIONS.get_interface(
            str(self.config._attn_implementation), eager_attention_forward
        )
        query, key, value = (
            project(text).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for project, text in (
                (self.q_proj, asking),
                (self.k_proj, answering),
                (self.v_proj, answering),
            )
        )
        out, weights = attend(self, query, key, value, None, scaling=self.scaling, dropout=0.0)
        return self.out_proj(out.flatten(2)), weights


class Encoding(nn.Module):
    """One layer of the encoder."""

    def __init__(self, config: BergamotConfig) -> None:
        super().__init__()
        self.self_attn = Attention(config)
        self.self_attn_layer_norm = nn.LayerNorm(config.d_model)
        self.fc1 = nn.Linear(config.d_model, config.encoder_ffn_dim)
        self.fc2 = nn.Linear(config.encoder_ffn_dim, config.d_model)
        self.final_layer_norm = nn.LayerNorm(config.d_model)

    def forward(self, hidden: Tensor) -> tuple[Tensor, Tensor | None]:
        """Attend, then think; give the weights too."""
        out, weights = self.self_attn(hidden, hidden)
        hidden = self.self_attn_layer_norm(hidden + out)
        return self.final_layer_norm(hidden + self.fc2(self.fc1(hidden).relu())), weights


class Decoding(nn.Module):
    """One layer of the decoder: a memory of what was written, then attention to the source."""

    def __init__(self, config: BergamotConfig) -> None:
        super().__init__()
        d_model = config.d_model
        self.memory = nn.Linear(d_model, d_model, bias=False)
        self.gate = nn.Linear(d_model, d_model)
        self.memory_layer_norm = nn.LayerNorm(d_model)
        self.encoder_attn = Attention(config)
        self.encoder_attn_layer_norm = nn.LayerNorm(d_model)
        self.fc1 = nn.Linear(d_model, config.decoder_ffn_dim)
        self.fc2 = nn.Linear(config.decoder_ffn_dim, d_model)
        self.final_layer_norm = nn.LayerNorm(d_model)

    def forward(self, hidden: Tensor, source: Tensor) -> tuple[Tensor, Tensor | None]:
        """Remember, attend to the source, then think; give the weights too."""
        kept, new = self.gate(hidden).sigmoid(), self.memory(hidden)
        memory, memories = torch.zeros_like(hidden[:, 0]), []
        for place in range(hidden.shape[1]):
            memory = kept[:, place] * memory + (1 - kept[:, place]) * new[:, place]
            memories.append(memory)
        hidden = self.memory_layer_norm(hidden + torch.stack(memories, dim=1).relu())
        out, weights = self.encoder_attn(hidden, source)
        hidden = self.encoder_attn_layer_norm(hidden + out)
        return self.final_layer_norm(hidden + self.fc2(self.fc1(hidden).relu())), weights


class BergamotModel(PreTrainedModel):
    """The whole model; one table of embeddings serves both texts and the output."""

    config_class = BergamotConfig
    main_input_name = "input_ids"
    _supports_sdpa = True

    def __init__(self, config: BergamotConfig) -> None:
        super().__init__(config)
        self.embeddings = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = nn.ModuleList(Encoding(config) for _ in range(config.encoder_layers))
        self.decoder = nn.ModuleList(Decoding(config) for _ in range(config.decoder_layers))
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size - 1))
        self.post_init()

    def forward(
        self,
        input_ids: Tensor,
        decoder_input_ids: Tensor,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        logits_to_keep: int = 0,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Score what may be written after each token that was."""
        source, own = self._encoded(input_ids)
        hidden, crossed = self._embedded(decoder_input_ids), []
        between = [hidden]
        for layer in self.decoder:
            hidden, weights = layer(hidden, source)
            crossed.append(weights)
            between.append(hidden)
        logits = nn.functional.linear(
            hidden[:, -logits_to_keep:], self.embeddings.weight[:-1], self.output_bias
        )
        return Seq2SeqLMOutput(
            logits=logits,
            decoder_hidden_states=tuple(between) if output_hidden_states else None,
            encoder_attentions=_known(own) if output_attentions else None,
            cross_attentions=_known(crossed) if output_attentions else None,
        )

    def generate(self, input_ids: Tensor, max_new_tokens: int = 48, **_: Any) -> Tensor:
        """Write the likeliest token each time, until the sign that ends."""
        source, _own = self._encoded(input_ids)
        written = torch.tensor([[self.config.decoder_start_token_id]])
        for _step in range(max_new_tokens):
            hidden = self._embedded(written)
            for layer in self.decoder:
                hidden, _weights = layer(hidden, source)
            logits = self.embeddings.weight[:-1] @ hidden[0, -1] + self.output_bias
            written = torch.cat([written, logits.argmax().reshape(1, 1)], dim=1)
            if written[0, -1] == self.config.eos_token_id:
                break
        return written

    def _encoded(self, input_ids: Tensor) -> tuple[Tensor, list[Tensor | None]]:
        hidden, own = self._embedded(input_ids), []
        for layer in self.encoder:
            hidden, weights = layer(hidden)
            own.append(weights)
        return hidden, own

    def _embedded(self, ids: Tensor) -> Tensor:
        d_model = self.config.d_model
        return self.embeddings(ids) * math.sqrt(d_model) + positions(ids.shape[1], d_model)


def _known(weights: list[Tensor | None]) -> tuple[Tensor, ...]:
    return tuple(each for each in weights if each is not None)


def positions(count: int, d_model: int) -> Tensor:
    """Give Marian's codes of the places, (place, d_model): all sines, then all cosines."""
    steps = torch.arange(d_model // 2) * (-math.log(_LONGEST_WAVE) / (d_model // 2 - 1))
    angles = torch.arange(count)[:, None] * steps.exp()
    return torch.cat([angles.sin(), angles.cos()], dim=1)


AutoConfig.register(BergamotConfig.model_type, BergamotConfig, exist_ok=True)
AutoModelForSeq2SeqLM.register(BergamotConfig, BergamotModel, exist_ok=True)
