"""Models that compute their attention by themselves: the page says what can be had of them."""

import pytest
from numpy.testing import assert_allclose

from attnviz.models.load import load_model
from attnviz.models.projecting import output_matrix
from attnviz.models.read_otherwise import reading_of
from attnviz.models.tiny import save_tiny
from attnviz.models.worker import Loaded
from attnviz.text import LANGUAGES, words
from attnviz.ui import cached_models
from tests.pages.test_models import (
    drawn,
    opened,
    patient,  # noqa: F401  waits for the model
    weights_of,
)

TEXT = "the cat sat on the mat"


class Here:
    """Answers as the process of the models does, in this one."""

    def __init__(self, model):
        self.model = model

    def load(self, name, progress=None):
        own = {each: getattr(self.model, each) for each in ("kind", "tier", "difference")}
        return Loaded(name=name, most_tokens=self.model.most_tokens, **own)

    def capture(self, *texts, name, progress=None, **how):
        return self.model.capture(*texts, **how)

    def output_matrix(self, layer, *texts, name, progress=None, **how):
        return output_matrix(self.model, layer, texts, **how)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    def of(family: str) -> Here:
        place = tmp_path_factory.mktemp("tiny") / family
        save_tiny(family, place)
        return Here(load_model(str(place)))

    return {family: of(family) for family in ("bloom", "deberta")}


@pytest.fixture
def page(made, monkeypatch):
    """Open the page on one of the models, whose name is that of a hub."""

    def of(family: str, **link: str):
        monkeypatch.setenv("ATTNVIZ_MODELS", f"own/{family}")
        monkeypatch.setattr(cached_models, "models", lambda: made[family])
        return opened(model=f"own/{family}", t=TEXT, **link)

    return of


def badges(app) -> list[str]:
    return [each.value for each in app.markdown if "badge[" in each.value]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_badge_says_how_it_was_had(page, language):
    t = words(language)
    app = page("bloom", panel="map", lang=language)
    assert any(t("models.tier.hooked") in each for each in badges(app))
    assert not app.info
    app = page("deberta", panel="map", lang=language)
    assert any(t("models.tier.values") in each for each in badges(app))
    assert [each.value for each in app.info] == [t("models.values_only")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_weight_is_explained_where_scores_make_it_and_the_reason_told_where_not(page, language):
    t = words(language)
    app = page("bloom", panel="why", lang=language, q="3")
    assert not app.info
    assert any("0.4082" in each.value for each in app.markdown)  # the scale 1 / √6
    app = page("deberta", panel="why", lang=language, q="3")
    start = t("why.apart", apart="·").split("·")[0]
    assert any(each.value.startswith(start) for each in app.info)


@pytest.mark.parametrize("kind", ["value", "norm"])
def test_values_are_read_where_there_are_no_scores(page, made, kind):
    app = page("deberta", panel="readings", reading=kind, amount="1", lh="1.2")
    assert not app.error
    capture = made["deberta"].model.capture(TEXT)
    output = output_matrix(made["deberta"].model, 1, (TEXT,))
    wanted = reading_of(capture, 1, 2, kind, output=output).numbers
    shown = next(weights_of(data, arrays) for data, arrays in drawn(app) if len(arrays) >= 2)
    assert_allclose(shown, wanted, atol=wanted.max() / 60_000)


def test_nothing_can_be_changed_in_it_and_the_page_says_so(page):
    t = words("en")
    app = page("bloom", panel="edit")
    assert t("edit.weights_only") in [each.value for each in app.info]
