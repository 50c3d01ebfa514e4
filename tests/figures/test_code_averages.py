"""The code of the means over the built-in sentences runs and gives the numbers of the table."""

import numpy as np
import pytest

from attnviz.figures.code_averages import numpy_averages, package_averages
from attnviz.models.corpus import averaged
from attnviz.models.listed import listed
from attnviz.models.load import load_model
from attnviz.models.tiny import save_tiny
from attnviz.text import LANGUAGES, words

TEXTS = ('I saw a "saw"', "Yes.", "It's one\\two, saw saw")


def run(code: str) -> dict:
    names: dict = {}
    exec(compile(code, "<panel>", "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore:Degrees of freedom")  # one text alone has a number
@pytest.mark.parametrize("family", ["bert", "gpt2", "bart"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_both_forms_give_the_means_and_spreads_of_the_table(tmp_path, family, language):
    save_tiny(family, tmp_path)
    t, model = words(language), load_model(str(tmp_path))
    captures = [model.capture(text) for text in TEXTS]
    wanted = averaged([listed(capture) for capture in captures])
    kinds = [captures[0].layers[each.mean.layer].kind for each in wanted]
    names = run(package_averages(str(tmp_path), TEXTS, "previous_share", t))
    assert names["means"] == [each.mean.previous_share for each in wanted]
    assert names["spreads"] == [each.spread("previous_share") for each in wanted]
    assert names["types"] == [each.mean.types for each in wanted]
    names = run(numpy_averages(str(tmp_path), TEXTS, t))
    own = [each for each, kind in zip(wanted, kinds, strict=True) if kind != "cross"]
    for name, get in (
        ("means", lambda each: each.mean.previous_share),
        ("spreads", lambda each: each.spread("previous_share")),
    ):
        expected = np.array([get(each) for each in own], dtype=float)
        np.testing.assert_allclose(names[name], expected, atol=1e-6)
