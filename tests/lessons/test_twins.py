import numpy as np

from attnviz.lessons.twins import twins


def test_twins_are_the_first_two_equal_tokens():
    inputs = np.array([[1.0, 0], [0, 1], [2, 2], [0, 1]])
    same = twins(inputs, np.array([[1.0], [5], [6], [5]]))
    assert same is not None
    assert (same.first, same.second, same.alike) == (1, 3, True)


def test_twins_tell_how_far_their_outputs_differ():
    found = twins(np.ones((2, 3)), np.array([[1.0, 2.0], [1.5, 1.75]]))
    assert found is not None
    assert (found.difference, found.alike) == (0.3125**0.5, False)


def test_no_twins_where_all_tokens_differ():
    assert twins(np.eye(3), np.eye(3)) is None
