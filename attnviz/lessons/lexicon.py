"""A small lexicon: words with hand-made vectors of three small whole numbers.

The numbers say, each from −2 to 2:

1. grammar: how much a word is grammar (it, the, because) rather than a picture (cat, red);
2. leaning: how much it leans on a word beside it (a verb on its object, "the" on its noun), or,
   below 0, how much it says something about another word (tired, very);
3. naming: whether it names somebody (2) or something (1), or, below 0, an action or a quality.

So words of a kind lie near each other. The words of the first example came first: I, saw and a, in
Chinese 他, 會 and 開. A word that is not here gets random numbers, by the word and the seed alone.
"""

import hashlib
import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

# A kind of word, then words with their three numbers.
_ENGLISH = """
pronoun: i 1 0 2, you 1 -1 2, he 2 0 2, she 2 -1 2, it 2 0 1, we 1 -2 2, they 2 -2 2, me 1 1 2
determiner: a 1 1 0, an 1 1 0, the 2 1 0, this 2 2 1, that 2 2 0, my 1 1 1, your 1 2 1
determiner: every 1 2 0
preposition: on 2 2 -1, in 1 2 -1, at 1 1 -1, to 2 2 -2, with 1 2 -2, of 2 1 -2, from 1 1 -2
conjunction: and 2 0 0, because 2 0 -1, but 2 -1 0, so 2 -1 -1, when 2 0 -2, if 2 -1 -2
auxiliary: is 1 0 -1, was 1 0 -2, can 1 -1 -1, not 1 -2 -1, didn't 1 -1 -2, don't 1 -2 -2
verb: saw 0 1 1, see 0 1 -1, like 0 1 -2, love -1 1 -1, know 0 2 -1, said 0 2 -2, ate -1 2 -2
verb: eat -1 2 -1, chased -2 1 -2, crossed -2 1 -1, avoided -2 2 -1, left -2 2 -2, sat -1 0 -2
verb: slept -2 0 -2, think 0 0 -1
being: cat -1 0 2, dog -2 0 2, animal 0 0 2, man -1 -1 2, woman -2 -1 2, child -1 1 2
being: student 0 -1 2, teacher 0 -2 2, bird -2 1 2
thing: mat -2 0 1, street -1 0 1, book -2 -1 1, house -2 1 1, tree -1 -1 1, water -1 -2 1
thing: car -2 -2 1, machine -1 1 1, word 0 -1 1, time 0 0 1, journey 0 -2 1
quality: tired -1 -1 -1, hungry -2 -1 -1, happy -1 -2 -1, big -1 -2 0, small -2 -2 0
quality: red -2 -1 0, old -1 -1 0, wide -2 0 0, good 0 -2 0, new 0 -1 0
degree: too 1 -2 0, very 1 -1 0
"""
_CHINESE = """
pronoun: 我 2 0 2, 你 1 -1 2, 他 1 0 2, 她 2 -1 2, 牠 2 0 1, 它 2 -1 1, 我們 1 -2 2
pronoun: 他們 2 -2 2
determiner: 那 2 1 0, 這 2 2 1, 一 1 2 0, 個 1 2 1, 的 2 1 1
preposition: 在 2 2 -1, 從 1 1 -2, 到 2 2 -2, 跟 1 2 -2
conjunction: 和 2 0 0, 因為 2 0 -1, 但 2 -1 0, 但是 2 -1 0, 所以 2 -1 -1, 如果 2 -1 -2
auxiliary: 會 0 1 1, 是 1 0 -1, 很 1 0 -2, 了 1 0 0, 不 1 -2 -1, 沒 1 -1 -2, 要 1 -1 -1
verb: 開 1 1 0, 看 0 1 -1, 喜歡 0 1 -2, 愛 -1 1 -1, 學 0 2 -1, 學習 -1 2 -1, 吃 -1 2 -2
verb: 說 0 2 -2, 追 -2 1 -2, 過 -2 1 -1, 避開 -2 2 -1, 離開 -2 2 -2, 坐 -1 0 -2, 睡 -2 0 -2
verb: 想 0 0 -1
being: 貓 -1 0 2, 狗 -2 0 2, 動物 0 0 2, 人 -1 -1 2, 女人 -2 -1 2, 孩子 -1 1 2, 學生 0 -1 2
being: 老師 0 -2 2, 鳥 -2 1 2
thing: 墊子 -2 0 1, 街 -1 0 1, 書 -2 -1 1, 家 -2 1 1, 樹 -1 -1 1, 水 -1 -2 1, 車 -2 -2 1
thing: 機器 -1 1 1, 字 0 -1 1, 時間 0 0 1, 旅程 0 -2 1
quality: 累 -1 -1 -1, 餓 -2 -1 -1, 高興 -1 -2 -1, 大 -1 -2 0, 小 -2 -2 0, 紅 -2 -1 0
quality: 老 -1 -1 0, 寬 -2 0 0, 好 0 -2 0, 新 0 -1 0
degree: 太 1 -2 0, 也 1 -1 0
"""

Vector = tuple[float, float, float]


def _read(lines: str) -> dict[str, dict[str, Vector]]:
    kinds: dict[str, dict[str, Vector]] = {}
    for line in lines.strip().splitlines():
        kind, entries = line.split(": ")
        kinds.setdefault(kind, {}).update(map(_entry, entries.split(", ")))
    return kinds


def _entry(entry: str) -> tuple[str, Vector]:
    word, grammar, leaning, naming = entry.split()
    return word, (float(grammar), float(leaning), float(naming))


KINDS = {"en": _read(_ENGLISH), "zh-Hant": _read(_CHINESE)}
"""The lexicon by language and kind of word."""

LEXICON = {
    word: vector
    for kinds in KINDS.values()
    for words in kinds.values()
    for word, vector in words.items()
}

LARGEST = 2.0


def word_vectors(
    tokens: Sequence[str], d_model: int, seed: int
) -> tuple[Float[np.ndarray, "token d_model"], tuple[str, ...]]:
    """Give each token its vector, and whether it is hand-made ("typed") or "random".

    The same word has the same vector, however it is capitalised. The first three numbers of a word
    of the lexicon are its own; all others are random, from −2 to 2 with one decimal. A wider vector
    begins with the narrower one.
    """
    words = [word_of(token) for token in tokens]
    vectors = np.zeros((len(words), d_model))
    for row, word in enumerate(words):
        made = LEXICON.get(word, ())[:d_model]
        vectors[row] = seeded(word, d_model, seed, LARGEST)
        vectors[row, : len(made)] = made
    made_by_hand = (word in LEXICON and d_model <= 3 for word in words)
    return vectors, tuple("typed" if by_hand else "random" for by_hand in made_by_hand)


def word_of(token: str) -> str:
    """Give the form under which a token is looked up: one Unicode form, no capitals."""
    folded = unicodedata.normalize("NFC", token.replace("’", "'")).casefold()
    return unicodedata.normalize("NFC", folded)


def seeded(label: str, size: int, seed: int, largest: float) -> Float[np.ndarray, " size"]:
    """Give random numbers with one decimal, evenly spread from −largest to largest.

    They depend on the label and the seed alone, in every version of every library, so that a link
    shows the same picture for ever; more numbers begin with the same ones.
    """
    steps = round(largest * 10)
    name = f"{seed}\0{label}".encode("utf-8", "surrogatepass")
    draws = np.frombuffer(hashlib.shake_256(name).digest(4 * size), dtype="<u4")
    return (draws % (2 * steps + 1) - float(steps)) / 10
