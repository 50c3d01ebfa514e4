"""A text that is too long for a model: refused, or read part by part."""

import pytest

from attnviz.errors import InputError


def long_text(model) -> str:
    return " ".join(["hello"] * (model.most_tokens + 40))


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_the_parts_of_a_long_text_follow_each_other_to_its_end(tiny, family):
    model = tiny(family)
    seen, window = 0, 0
    while True:
        capture = model.capture(long_text(model), window=window)
        assert capture.stretch is not None
        first, last, n_tokens = capture.stretch
        assert first == seen + 1
        assert len(capture.tokens) <= model.most_tokens
        seen, window = last, window + 1
        if last == n_tokens:
            break
    assert window > 1
    assert model.capture(long_text(model), window=99).stretch == (first, last, n_tokens)


def test_a_text_that_fits_is_read_whole(tiny):
    model = tiny("bert")
    assert model.capture("hello there", window=3).stretch is None


def test_without_a_window_a_long_text_is_refused(tiny):
    model, long = tiny("bert"), long_text(tiny("bert"))
    with pytest.raises(InputError) as refused:
        model.capture(long)
    assert refused.value.code == "models.too_long"
    assert "window=0" in str(refused.value)
    with pytest.raises(InputError) as refused:
        model.capture("hello", long, window=0)  # two texts have no parts
    assert refused.value.code == "models.too_long_whole"


def test_a_part_is_what_stands_there_in_the_text(tiny):
    model = tiny("bert")
    text = " ".join(f"word{place}" for place in range(model.most_tokens))
    capture = model.capture(text, window=1)
    own = [token for token in capture.tokens if not token.special]
    part = capture.texts[0]
    assert part in text
    assert own[0].start == 0
    assert own[-1].end == len(part)
