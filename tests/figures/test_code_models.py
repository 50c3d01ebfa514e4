"""The code of the page Models: it runs as it stands, and gives the numbers that are shown."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from attnviz.attention.heads import head_distances
from attnviz.figures import code_models
from attnviz.figures.code_models import Shown
from attnviz.models.explained import explained
from attnviz.models.listed import listed, similar
from attnviz.models.load import load_model
from attnviz.models.model import Model
from attnviz.models.projecting import output_matrix
from attnviz.models.read_otherwise import reading_of
from attnviz.models.tiny import save_tiny
from attnviz.models.views import hidden_mass, mixed, view, without
from attnviz.text import LANGUAGES, words

TEXT, OTHER = 'The "king" met the queen\n and she smiled.', "A second <b>text</b>."
T = words("en")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Callable[[str], tuple[str, Model]]:
    @cache
    def made(family: str) -> tuple[str, Model]:
        if family == "induction":
            return family, load_model(family)
        place = tmp_path_factory.mktemp("tiny") / family
        save_tiny(family, place)
        return str(place), load_model(str(place))

    return made


def shown_of(name: str, model: Model, *texts: str, target: str = "", **how) -> Shown:
    capture = model.capture(*texts, target=target or None)
    plain = Shown(model=name, capture=capture, heads=((0, 0),), rows=(), columns=())
    what = replace(plain, target=target, **how)
    made = view(capture, *what.heads[0], unit=what.unit, part=what.part, specials=what.specials)
    return replace(what, rows=made.query_places, columns=made.key_places)


def run(code: str) -> dict:
    names: dict = {}
    exec(compile(code, "<panel>", "exec"), names)
    return names


def both(shown: Shown, name: str, *arguments) -> tuple[dict, ...]:
    return tuple(
        run(getattr(code_models, f"{form}_{name}")(shown, *arguments, T))
        for form in ("package", "transformers")
    )


FAMILIES = ("bert", "gpt2", "llama", "induction")


@pytest.mark.parametrize("family", FAMILIES)
def test_both_forms_give_the_weights_of_a_head(tiny, family):
    shown = shown_of(*tiny(family), TEXT, heads=((1, 1),))
    for names in both(shown, "map"):
        np.testing.assert_allclose(names["weights"], shown.capture.weights(1, 1), atol=1e-5)


@pytest.mark.parametrize("mixing", ["mean", "max"])
@pytest.mark.parametrize("hidden", [(), (0, 2)])
def test_words_parts_several_heads_and_hidden_keys_are_in_the_code(tiny, mixing, hidden):
    how = {"heads": ((0, 1), (1, 0)), "mixing": mixing, "unit": "words", "specials": False}
    shown = shown_of(*tiny("bert"), TEXT, OTHER, part="ab", **how)
    keys = tuple(shown.columns[at] for at in hidden)
    shown = replace(shown, hidden=keys)
    views = [
        view(shown.capture, *pair, unit="words", part="ab", specials=False) for pair in shown.heads
    ]
    wanted = mixed([without(each, keys) if keys else each for each in views], mixing)
    for names in both(shown, "map"):
        np.testing.assert_allclose(names["weights"], wanted.weights, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "layer"), [("marian", 0), ("marian", 2), ("marian", 3), ("t5", 3)]
)
def test_both_stacks_and_what_is_between_them_have_their_code(tiny, family, layer):
    shown = shown_of(*tiny(family), TEXT, target="O gato preto.", heads=((layer, 1),))
    for names in both(shown, "map"):
        np.testing.assert_allclose(names["weights"], shown.capture.weights(layer, 1), atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "marian"])
def test_the_largest_weight_of_every_head(tiny, family):
    shown = shown_of(*tiny(family), TEXT)
    capture = shown.capture
    wanted = [
        [float(capture.weights(at, head).max()) for head in range(layer.n_heads)]
        for at, layer in enumerate(capture.layers)
    ]
    for names in both(shown, "largest"):
        for got, expected in zip(names["largest"], wanted, strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-5)


def test_what_the_hidden_keys_had(tiny):
    shown = replace(shown_of(*tiny("bert"), TEXT, heads=((1, 0),)), hidden=(0, 3))
    wanted = hidden_mass(view(shown.capture, 1, 0), (0, 3))
    for names in both(shown, "hidden"):
        np.testing.assert_allclose(names["masses"], wanted, atol=1e-5)


def test_the_numbers_of_the_table(tiny):
    shown = shown_of(*tiny("gpt2"), TEXT)
    wanted = listed(shown.capture)
    names = run(code_models.package_measure(shown, "normalized_entropy", T))
    np.testing.assert_allclose(
        names["numbers"], np.array([each.normalized_entropy for each in wanted], float)
    )
    names = run(code_models.transformers_previous(shown, T))
    previous = np.array([each.previous_share for each in wanted], float)
    np.testing.assert_allclose(np.concatenate(names["numbers"]), previous, atol=1e-5)


@pytest.mark.parametrize("family", ["bert", "marian"])
def test_how_far_apart_heads_are(tiny, family):
    shown = shown_of(*tiny(family), TEXT)
    found = similar(shown.capture, 0)
    names = run(code_models.package_similar(shown, 0, T))
    np.testing.assert_allclose(names["distances"], found.distances)
    names = run(code_models.transformers_similar(shown, found.heads, found.step, T))
    stack = np.stack([shown.capture.weights(*pair) for pair in found.heads])
    np.testing.assert_allclose(names["distances"], head_distances(stack), atol=2e-3)


@pytest.mark.parametrize("kind", ["weight", "value", "norm", "rollout", "flow"])
def test_readings_are_in_the_code(tiny, kind):
    name, model = tiny("bert")
    shown = shown_of(name, model, "The king met", heads=((1, 0),))
    row = 2 if kind == "flow" else None
    names = run(code_models.package_reading(shown, kind, row, T))
    if kind != "norm":
        wanted = reading_of(shown.capture, 1, 0, kind, row=row)
        np.testing.assert_allclose(names["numbers"], wanted.numbers)
    assert (names["numbers"] >= 0).all()
    shares = run(code_models.package_reading(shown, kind, row, T, shares=True))["numbers"]
    rows = shares.sum(axis=1)
    np.testing.assert_allclose(rows[rows > 0], 1, atol=1e-5)


def test_rollout_without_the_package(tiny):
    shown = shown_of(*tiny("gpt2"), TEXT, heads=((1, 1),))
    names = run(code_models.transformers_rollout(shown, T))
    wanted = reading_of(shown.capture, 1, 1, "rollout").numbers
    np.testing.assert_allclose(names["rollout"], wanted, atol=1e-5)
    np.testing.assert_allclose(names["weights"], shown.capture.weights(1, 1), atol=1e-5)


@pytest.mark.parametrize(
    ("family", "query", "key"), [("bert", 3, 1), ("llama", 3, 1), ("gpt2", 1, 3)]
)
def test_why_one_weight_in_numpy_and_through_the_package(tiny, family, query, key):
    shown = shown_of(*tiny(family), TEXT, heads=((1, 1),))
    found = explained(shown.capture.layers[1], 1, query, key)
    scores = shown.capture.masked_scores(1, 1, rows=query)
    names = run(code_models.numpy_why(found, scores, key, T))
    assert names["score"] == pytest.approx(found.score, rel=1e-6)
    assert names["weight"] == pytest.approx(found.weight, abs=1e-6)
    assert run(code_models.package_why(shown, query, key, T))["found"].weight == found.weight


def test_edits_and_files_have_their_numbers_and_the_package(tiny, tmp_path, monkeypatch):
    name, model = tiny("bert")
    plain = shown_of(name, model, TEXT)
    edited = replace(plain, capture=model.capture(TEXT, edits=[("even", 0, 0)]))
    assert plain.alone
    assert not edited.alone
    names = run(code_models.package_map(edited, T))
    np.testing.assert_allclose(names["weights"], edited.capture.weights(0, 0))
    weights = plain.capture.weights(0, 0)
    np.testing.assert_array_equal(run(code_models.numpy_map(weights, 0, T))["weights"], weights)
    np.savez(
        tmp_path / "weights.npz",
        layer_0=weights[None],
        tokens=np.array(list("abcdefghijklmnopqrstuvwxyz")[: len(weights)]),
    )
    monkeypatch.chdir(tmp_path)
    from attnviz.models.uploads import read_weights

    given = read_weights((tmp_path / "weights.npz").read_bytes(), "weights.npz")
    opened = replace(plain, capture=given)
    assert not opened.alone
    np.testing.assert_allclose(run(code_models.package_map(opened, T))["weights"], weights)


def test_every_number_of_an_edited_run_has_its_code(tiny):
    name, model = tiny("bert")
    edits = [("even", 0, 0), ("mask", 2)]
    captured = model.capture(TEXT, edits=edits)
    edited = replace(shown_of(name, model, TEXT, heads=((1, 0),), hidden=(1, 3)), capture=captured)
    seen = view(captured, 1, 0)
    largest = run(code_models.package_largest(edited, T))["largest"]
    assert largest[1][1] == pytest.approx(float(captured.weights(1, 1).max()))
    masses = run(code_models.package_hidden(edited, T))["masses"]
    np.testing.assert_allclose(masses, hidden_mass(seen, (1, 3)))
    numbers = run(code_models.package_measure(edited, "next_share", T))["numbers"]
    assert numbers == [each.next_share for each in listed(captured)]
    found = run(code_models.package_similar(edited, 0, T))["distances"]
    np.testing.assert_allclose(found, similar(captured, 0).distances)
    matrix = output_matrix(model, 1, (TEXT,), edits=edits)
    for kind in ("norm", "rollout"):
        wanted = reading_of(captured, 1, 0, kind, output=matrix).numbers
        names = run(code_models.package_reading(edited, kind, None, T))
        np.testing.assert_allclose(names["numbers"], wanted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_of_a_model_of_the_catalogue_runs_in_every_language(tiny, language):
    shown = shown_of(*tiny("induction"), "abcabc", heads=((1, 0),))
    for write in (code_models.package_map, code_models.transformers_map):
        names = run(write(shown, words(language)))
        np.testing.assert_allclose(names["weights"], shown.capture.weights(1, 0), atol=1e-5)
