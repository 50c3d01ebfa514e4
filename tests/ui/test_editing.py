from dataclasses import replace

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.scene import scene_of
from attnviz.settings import Settings
from attnviz.ui import editing

HERO = Settings()
TWO_HEADS = Settings(n_heads=2, w_source="random", d_k=3, d_v=2, seed=7)
PAINTED = Settings(mask="custom", cells=("1011", "1100", "1110", "1111"))


def after(settings, edit, *arguments):
    """The scene that an edit leads to."""
    return scene_of(replace(settings, **edit(settings, scene_of(settings), *arguments)))


def test_typing_a_number_changes_that_number_alone():
    scene = scene_of(HERO)
    edited = replace(HERO, **editing.type_cell("vectors", scene, 1, 2, "−１．５"))
    expected = scene.inputs.copy()
    expected[1, 2] = -1.5
    np.testing.assert_array_equal(scene_of(edited).inputs, expected)
    assert scene_of(edited).token_sources[1] == "typed"


def test_typing_no_number_names_the_cell():
    with pytest.raises(InputError) as refused:
        editing.type_cell("w_k", scene_of(HERO), 2, 0, "abc")
    assert refused.value.code == "number.cell_unreadable"
    assert refused.value.values == {"row": 3, "column": 1, "text": "abc"}


def test_typing_into_one_matrix_keeps_the_others():
    scene = scene_of(HERO)
    edited = scene_of(replace(HERO, **editing.type_cell("w_q", scene, 0, 1, "5")))
    assert edited.projections.w_q[0, 0, 1] == 5
    np.testing.assert_array_equal(edited.projections.w_k, scene.projections.w_k)
    np.testing.assert_array_equal(edited.projections.w_v, scene.projections.w_v)


def test_a_pasted_block_lands_at_its_cell_and_grows_the_table():
    edited = after(HERO, editing.paste, "vectors", 3, 2, "7\t8\n9\t10")
    assert edited.inputs.shape == (5, 4)
    np.testing.assert_array_equal(edited.inputs[3:, 2:], [[7, 8], [9, 10]])
    np.testing.assert_array_equal(edited.inputs[:3, :3], scene_of(HERO).inputs[:3])
    assert edited.tokens == ("I", "saw", "a", "saw", "5")


def test_a_wider_table_of_vectors_leaves_the_attention_as_it_was():
    edited = after(HERO, editing.add, "vectors", "column")
    np.testing.assert_allclose(edited.trace.output, scene_of(HERO).trace.output, rtol=1e-12)


@pytest.mark.parametrize("settings", [HERO, TWO_HEADS])
@pytest.mark.parametrize("name", ["w_q", "w_k"])
def test_a_wider_query_matrix_widens_the_keys_of_every_head(settings, name):
    before, edited = scene_of(settings), after(settings, editing.add, name, "column")
    assert edited.projections.d_k == before.projections.d_k + 1
    np.testing.assert_allclose(edited.trace.scores, before.trace.scores, rtol=1e-12)


def test_a_removed_feature_leaves_every_matrix_of_every_head():
    edited = after(TWO_HEADS, editing.remove, "w_v", "column", 1)
    before = scene_of(TWO_HEADS)
    assert edited.projections.d_v == 1
    kept = np.delete(before.projections.w_v, 1, axis=2)
    np.testing.assert_array_equal(edited.projections.w_v, kept)


def test_a_removed_token_takes_its_vector_and_its_mask_along():
    edited = after(PAINTED, editing.remove, "vectors", "row", 1)
    assert edited.tokens == ("I", "a", "saw")
    np.testing.assert_array_equal(edited.inputs, scene_of(HERO).inputs[[0, 2, 3]])
    np.testing.assert_array_equal(edited.mask, [[1, 1, 1], [1, 1, 0], [1, 1, 1]])


def test_the_last_row_and_column_stay():
    one = replace(HERO, vectors=((1.0,),), w_source="identity")
    for axis in ("row", "column"):
        with pytest.raises(InputError, check=lambda error: "size.one_stays" in error.code):
            editing.remove(one, scene_of(one), "vectors", axis, 0)


def test_a_table_too_large_is_refused():
    with pytest.raises(InputError) as refused:
        editing.paste(HERO, scene_of(HERO), "w_q", 0, 0, "\t".join("1" * 17))
    assert refused.value.values == {"name": "d_k", "got": 17, "most": 16}


def test_one_more_token_keeps_all_others():
    edited = after(PAINTED, editing.add_token, "tomorrow")
    assert edited.tokens == ("I", "saw", "a", "saw", "tomorrow")
    np.testing.assert_array_equal(edited.inputs[:4], scene_of(HERO).inputs)
    assert edited.mask is not None
    assert edited.mask[:, 4].all()
    assert edited.token_sources[4] == "random"


def test_one_token_fewer_keeps_all_others_and_the_first_for_ever():
    edited = after(HERO, editing.remove_token)
    assert edited.tokens == ("I", "saw", "a")
    one = replace(HERO, sentence="I")
    assert after(one, editing.remove_token).tokens == ("I",)


def test_tokens_split_by_hand_keep_typed_vectors_in_place():
    typed = replace(HERO, vectors=((1.0, 2, 3), (4, 5, 6)), pieces=("ab", "cd"))
    edited = after(typed, editing.pieces, ("a", "b", "cd"))
    np.testing.assert_array_equal(edited.inputs[:2], [[1, 2, 3], [4, 5, 6]])
    assert edited.tokens == ("a", "b", "cd")


def test_another_sentence_fits_the_painted_mask_to_its_tokens():
    edited = after(PAINTED, editing.sentence, "the cat sat on the mat")
    assert edited.mask is not None
    np.testing.assert_array_equal(edited.mask[0], [1, 0, 1, 1, 1, 1])
    assert edited.mask[4:].all()


def test_a_mask_cell_is_one_or_zero():
    edited = replace(HERO, mask="custom", **editing.type_mask_cell(scene_of(HERO), 0, 3, "０"))
    np.testing.assert_array_equal(scene_of(edited).mask[0], [1, 1, 1, 0])
    with pytest.raises(InputError, check=lambda error: "not_zero_or_one" in error.code):
        editing.type_mask_cell(scene_of(HERO), 0, 3, "2")
