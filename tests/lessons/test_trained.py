"""Matrices and vectors that were trained say so, until one of their numbers is changed by hand."""

from dataclasses import replace

import pytest

from attnviz.lessons.matrices import together
from attnviz.scene import scene_of
from attnviz.settings import Settings, from_query
from attnviz.ui import editing

TRAINED = Settings(
    pieces=("I", "saw"),
    vectors=((0.5, 1.0), (1.5, -2.0)),
    w_source="trained",
    n_heads=1,
    d_k=2,
    d_v=2,
    w_q=((0.25, 1.0), (0.5, 2.0)),
    w_k=((0.75, 1.0), (0.5, 2.0)),
    w_v=((1.25, 1.0), (0.5, 2.0)),
    w_o=((1.75, 1.0), (0.5, 2.0)),
)


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ({"trained"}, "trained"),
        ({"trained", "identity"}, "trained"),
        ({"trained", "typed"}, "typed"),
        ({"trained", "random"}, "random"),
    ],
)
def test_several_sources_together(sources, said):
    assert together(sources) == said


def test_what_was_trained_is_used_and_says_so():
    scene = scene_of(TRAINED)
    assert scene.projections.w_q.tolist() == [[[0.25, 1.0], [0.5, 2.0]]]
    assert (scene.weight_source, scene.output_source) == ("trained", "trained")
    assert scene.token_sources == ("trained", "trained")


def test_a_link_keeps_it():
    assert from_query(TRAINED.to_query()) == (TRAINED, ())


@pytest.mark.parametrize("name", ["w_q", "vectors"])
def test_a_number_changed_by_hand_ends_it(name):
    scene = scene_of(TRAINED)
    changed = scene_of(replace(TRAINED, **editing.type_cell(name, scene, 0, 0, "9")))
    assert changed.weight_source == "typed"
    assert changed.token_sources == ("typed", "typed")
    grown = scene_of(replace(TRAINED, **editing.add_token(TRAINED, scene, "we")))
    assert "trained" not in {grown.weight_source, *grown.token_sources}
