"""Small tokenizers of the three kinds that models have, learned from a few sentences."""

from typing import Any

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

_SENTENCES = (
    "the animal did not cross the street because it was too tired",
    "a cat sat on the mat and a dog sat on the cat",
    "attention weights add up to one in every row",
    "the king met the queen and she smiled",
)
_WORD_PIECES = ("bert", "distilbert", "albert", "deberta", "mpnet", "roformer")
_SENTENCE_PIECES = ("t5", "marian", "gemma")


def tiny_tokenizer(family: str, size: int) -> Any:
    """Learn a tokenizer of the kind that the family uses."""
    if family in _WORD_PIECES:
        return _word_pieces(size)
    return _sentence_pieces(size) if family in _SENTENCE_PIECES else _bytes(size)


def _word_pieces(size: int) -> Any:
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=signs, show_progress=False)
    tokenizer.train_from_iterator(_SENTENCES, trainer)
    ends = [(sign, tokenizer.token_to_id(sign)) for sign in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    return _wrapped(tokenizer, named | {"cls_token": "[CLS]", "sep_token": "[SEP]"})


def _bytes(size: int) -> Any:
    signs = ["<pad>", "<eos>", "<bos>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=signs,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_SENTENCES, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return _wrapped(tokenizer, {"pad_token": "<pad>", "eos_token": "<eos>", "bos_token": "<bos>"})


def _sentence_pieces(size: int) -> Any:
    signs = ["<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=signs, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(_SENTENCES, trainer)
    end = [("</s>", tokenizer.token_to_id("</s>"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=end
    )
    return _wrapped(tokenizer, {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"})


def _wrapped(tokenizer: Tokenizer, signs: dict[str, str]) -> Any:
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=96, **signs)
