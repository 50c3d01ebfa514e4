"""Chinese texts have one word for each thing, the one of the field in Taiwan."""

import re

import pytest

from attnviz.text import catalogue

LITERAL = re.compile(
    r"\{[^}]*\}|`[^`]*`|\$[^$]*\$"  # placeholders, code, formulas
    r"|--[\w-]+( \S*\"[^\"]*\")?|\w+_tokens|\b\w+\.\w+\(\w*\)|[\w-]+\.\S*\.\S*"  # options and calls
    r"|[(（]([A-Za-z_頭]+, )*[A-Za-z_]+[)）]"  # axes of an array, and glosses such as 列(row)
)
"""What a text quotes as it is written elsewhere; `tokens` is the name of a field in a file."""

ONE_WORD = {
    "詞元": r"(?i)\btoken\b|符記|標記元",
    "查詢": r"(?i)\bquer(y|ies)\b|查尋",
    "鍵": r"(?i)\bkeys?\b",
    "值": r"(?i)\bvalues?\b",
    "頭": r"(?i)\bheads?\b|注意力頭",
    "權重": r"(?i)\bweights?\b|權值",
    "內積": "點積|點乘",
    "歸一化": "規範化|標準化|(?i:softmax) ?化",
    "遮罩": "屏蔽|掩碼|遮蔽",
    "層": "圖層|層級",
    "資料": "數據",
}
"""The word that is used, and the others that are not."""


@pytest.mark.parametrize("word", ONE_WORD)
def test_a_thing_has_one_word(word):
    wrong = {
        key: text
        for key, text in catalogue("zh-Hant").items()
        if re.search(ONE_WORD[word], LITERAL.sub("", text))
    }
    assert not wrong, f"{word}: {wrong}"


@pytest.mark.parametrize("word", ["詞元", "查詢", "鍵", "值", "頭", "權重", "遮罩", "層"])
def test_the_word_is_the_one_in_use(word):
    assert any(word in text for text in catalogue("zh-Hant").values())


def test_a_forbidden_word_would_be_found():
    said = "這個 token 的注意力頭，寫成 `tokens` 與 {token}"
    assert re.search(ONE_WORD["詞元"], LITERAL.sub("", said))
    assert not re.search(
        ONE_WORD["詞元"], LITERAL.sub("", "寫成 `tokens` 與 {token}，另給 key_tokens")
    )
    assert re.search(ONE_WORD["頭"], said)
