"""Small models of every family, made from a configuration and a seed: no weights to fetch.

They say nothing, but everything that holds for the capture of a large model holds for them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as hf

VOCABULARY = 320

_Sizes = dict[str, Any]
_WIDE: _Sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4}
_LONG: _Sizes = {"vocab_size": VOCABULARY, "max_position_embeddings": 96}
_BERT: _Sizes = _WIDE | _LONG | {"intermediate_size": 40}
_LLAMA: _Sizes = _BERT | {"num_key_value_heads": 2, "head_dim": 6, "pad_token_id": 0}
_STACKS: _Sizes = {"d_model": 24, "encoder_layers": 2, "decoder_layers": 2}
_STACKS |= {"vocab_size": VOCABULARY}
_STACKS |= {"encoder_attention_heads": 4, "decoder_attention_heads": 3, "encoder_ffn_dim": 40}
_STACKS |= {"decoder_ffn_dim": 40, "max_position_embeddings": 96, "pad_token_id": 0}
_STACKS |= {"eos_token_id": 1, "bos_token_id": 2, "decoder_start_token_id": 2}
_STACKS |= {"forced_eos_token_id": None}


def _bert() -> Any:
    return hf.BertModel(hf.BertConfig(**_BERT))


def _roberta() -> Any:
    return hf.RobertaModel(hf.RobertaConfig(**_BERT, pad_token_id=1))


def _distilbert() -> Any:
    config = hf.DistilBertConfig(
        vocab_size=VOCABULARY,
        max_position_embeddings=96,
        dim=24,
        n_layers=2,
        n_heads=4,
        hidden_dim=40,
    )
    return hf.DistilBertModel(config)


def _albert() -> Any:
    return hf.AlbertModel(hf.AlbertConfig(**_BERT, embedding_size=12))


def _modernbert() -> Any:
    sizes = _BERT | {"num_hidden_layers": 3, "local_attention": 6, "pad_token_id": 0}
    signs: _Sizes = {"bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
    return hf.ModernBertModel(hf.ModernBertConfig(**sizes, **signs))


def _deberta() -> Any:
    places: _Sizes = {"relative_attention": True, "position_buckets": 8, "share_att_key": True}
    places |= {"pos_att_type": ["p2c", "c2p"], "norm_rel_ebd": "layer_norm"}
    return hf.DebertaV2Model(hf.DebertaV2Config(**_BERT, **places))


def _mpnet() -> Any:
    return hf.MPNetModel(hf.MPNetConfig(**_BERT, pad_token_id=0))


def _roformer() -> Any:
    return hf.RoFormerModel(hf.RoFormerConfig(**_BERT, pad_token_id=0))


def _falcon() -> Any:
    return hf.FalconForCausalLM(hf.FalconConfig(**_WIDE, vocab_size=VOCABULARY))


def _bloom() -> Any:
    sizes: _Sizes = {"hidden_size": 24, "n_layer": 2, "n_head": 4, "bos_token_id": 0}
    return hf.BloomForCausalLM(hf.BloomConfig(vocab_size=VOCABULARY, eos_token_id=1, **sizes))


def _mpt() -> Any:
    sizes: _Sizes = {"d_model": 24, "n_layers": 2, "n_heads": 4, "max_seq_len": 96}
    return hf.MptForCausalLM(hf.MptConfig(vocab_size=VOCABULARY, **sizes))


def _gpt_neo() -> Any:
    sizes: _Sizes = {"hidden_size": 24, "num_layers": 2, "num_heads": 4, "window_size": 4}
    sizes |= {"attention_types": [[["global", "local"], 1]], "bos_token_id": 0, "eos_token_id": 1}
    return hf.GPTNeoForCausalLM(hf.GPTNeoConfig(**_LONG, **sizes))


def _xlnet() -> Any:
    sizes: _Sizes = {"d_model": 24, "n_layer": 2, "n_head": 4, "d_inner": 40}
    return hf.XLNetModel(hf.XLNetConfig(vocab_size=VOCABULARY, **sizes))


def _gpt2() -> Any:
    config = hf.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=96,
        n_embd=24,
        n_layer=2,
        n_head=4,
        bos_token_id=0,
        eos_token_id=1,
    )
    return hf.GPT2LMHeadModel(config)


def _llama() -> Any:
    return hf.LlamaForCausalLM(hf.LlamaConfig(**_LLAMA))


def _qwen() -> Any:
    return hf.Qwen3ForCausalLM(hf.Qwen3Config(**_LLAMA))


def _gemma() -> Any:
    sizes: _Sizes = {"sliding_window": 5, "query_pre_attn_scalar": 8}
    sizes |= {"attn_logit_softcapping": 2.0}
    return hf.Gemma2ForCausalLM(hf.Gemma2Config(**_LLAMA, **sizes))


def _mistral() -> Any:
    return hf.MistralForCausalLM(hf.MistralConfig(**_LLAMA, sliding_window=4))


def _gpt_oss() -> Any:
    experts: _Sizes = {"num_local_experts": 2, "num_experts_per_tok": 1, "sliding_window": 4}
    return hf.GptOssForCausalLM(hf.GptOssConfig(**_LLAMA, **experts))


def _t5() -> Any:
    sizes: _Sizes = {"d_model": 24, "d_kv": 6, "d_ff": 40, "num_layers": 2, "num_heads": 4}
    sizes |= {"vocab_size": VOCABULARY, "decoder_start_token_id": 0}
    return hf.T5ForConditionalGeneration(hf.T5Config(**sizes))


def _bart() -> Any:
    return hf.BartForConditionalGeneration(hf.BartConfig(**_STACKS))


def _marian() -> Any:
    return hf.MarianMTModel(hf.MarianConfig(**_STACKS))


def _vit() -> Any:
    return hf.ViTModel(hf.ViTConfig(**_WIDE, intermediate_size=40, image_size=16, patch_size=4))


TINY: dict[str, tuple[str, Callable[[], Any]]] = {
    "bert": ("encoder", _bert),
    "roberta": ("encoder", _roberta),
    "distilbert": ("encoder", _distilbert),
    "albert": ("encoder", _albert),
    "modernbert": ("encoder", _modernbert),
    "deberta": ("encoder", _deberta),
    "mpnet": ("encoder", _mpnet),
    "roformer": ("encoder", _roformer),
    "falcon": ("causal", _falcon),
    "bloom": ("causal", _bloom),
    "mpt": ("causal", _mpt),
    "gpt_neo": ("causal", _gpt_neo),
    "xlnet": ("causal", _xlnet),
    "gpt2": ("causal", _gpt2),
    "llama": ("causal", _llama),
    "qwen": ("causal", _qwen),
    "gemma": ("causal", _gemma),
    "mistral": ("causal", _mistral),
    "gpt_oss": ("causal", _gpt_oss),
    "t5": ("encoder_decoder", _t5),
    "bart": ("encoder_decoder", _bart),
    "marian": ("encoder_decoder", _marian),
    "vit": ("vision", _vit),
}
"""Each family: its kind, and how to make one."""

BY_ITSELF = {
    "deberta": "values",
    "mpnet": "hooked",
    "roformer": "hooked",
    "falcon": "hooked",
    "bloom": "hooked",
    "mpt": "hooked",
    "gpt_neo": "hooked",
    "xlnet": "weights",
}
"""Families that compute their attention by themselves, and what can be had of them."""


def tiny_network(family: str, seed: int = 0) -> Any:
    """Make a small model with random numbers that are the same for the same seed.

    They are large enough for weights that are far from even.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = TINY[family][1]().eval()
        with torch.no_grad():
            for name, parameter in network.named_parameters():
                if parameter.ndim > 1 and "embed_positions" not in name:  # Marian's are computed
                    parameter.normal_(0, 0.4 / parameter.shape[-1] ** 0.25)
    return network


def save_tiny(family: str, folder: Path, seed: int = 0) -> None:
    """Write a small model and a tokenizer for it, as `load_model(folder)` reads them."""
    from attnviz.models.tiny_tokenizers import tiny_tokenizer

    tiny_network(family, seed).save_pretrained(folder)
    if TINY[family][0] != "vision":
        tiny_tokenizer(family, VOCABULARY).save_pretrained(folder)
