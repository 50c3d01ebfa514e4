"""The tokenizer of the package's own model: one token for each character."""

from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

UNKNOWN = "[UNK]"
SIGNS = (UNKNOWN, " ", "\n", *"abcdefghijklmnopqrstuvwxyz0123456789.,;:!?'\"()[]-_/+*=<>&%#@$")
"""The vocabulary; capitals are read as small letters, everything else as unknown."""


def sign_tokenizer(longest: int) -> Any:
    """Make a tokenizer that reads up to `longest` characters and knows where each one stood."""
    numbers = {sign: number for number, sign in enumerate(SIGNS)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token=UNKNOWN, model_max_length=longest
    )
