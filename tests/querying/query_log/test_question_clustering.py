"""Questions about the same thing come together, the same ones every time."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from django.core.cache import cache
from hypothesis import given
from hypothesis import strategies as st

from knowledge.embedders import get_embedder
from querying.query_log.question_clustering import EMBEDDER_NAME, SIMILARITY_THRESHOLD, group_similar, question_vectors


def rows(*angles: float) -> np.ndarray:
    """Unit vectors in the plane; within 45 degrees of each other they are alike."""
    turned = np.radians(angles)
    return np.stack([np.cos(turned), np.sin(turned)], axis=1).astype(np.float32)


def test_the_most_frequent_question_leads_its_topic() -> None:
    assert group_similar(rows(0, 10, 90), weights=[1, 3, 2]) == [[1, 0], [2]]


def test_of_equally_frequent_questions_the_most_central_leads() -> None:
    assert group_similar(rows(0, 30, 60), weights=[1, 1, 1]) == [[1, 0, 2]]


def test_a_question_goes_to_the_most_frequent_topic_that_is_near_enough() -> None:
    assert group_similar(rows(0, 35, 70), weights=[5, 1, 9]) == [[2, 1], [0]]


def test_nothing_has_no_topics() -> None:
    assert group_similar(np.empty((0, 2), np.float32), weights=[]) == []


@given(st.lists(st.tuples(st.floats(0, 360), st.integers(1, 5)), max_size=30))
def test_every_question_is_in_one_topic_and_near_to_its_leader(asked: list[tuple[float, int]]) -> None:
    vectors = rows(*(angle for angle, _ in asked)) if asked else np.empty((0, 2), np.float32)
    weights = [weight for _, weight in asked]
    found = group_similar(vectors, weights=weights)
    assert sorted(row for group in found for row in group) == list(range(len(asked)))
    assert found == group_similar(vectors, weights=weights)
    for leader, *others in found:
        assert all(vectors[leader] @ vectors[row] >= SIMILARITY_THRESHOLD - 1e-4 for row in others)
        assert all(weights[leader] >= weights[row] for row in others)


@pytest.fixture
def clean_cache() -> None:
    cache.clear()


@pytest.mark.usefixtures("clean_cache")
def test_a_question_is_embedded_once() -> None:
    texts = ["Minimum cover of a footing?", "Cover of a  footing, at least?", "Minimum cover of a footing?"]
    first = question_vectors(texts)
    with patch.object(type(get_embedder(EMBEDDER_NAME)), "embed_batch") as embed_batch:
        again = question_vectors(texts)
    assert embed_batch.call_count == 0
    assert np.array_equal(first, again)
    assert np.array_equal(first[0], first[2])


@pytest.mark.usefixtures("clean_cache")
def test_questions_about_the_same_thing_are_one_topic() -> None:
    texts = ["What is the minimum cover for footings?", "Who won the world cup?", "Minimum cover of a footing?"]
    assert group_similar(question_vectors(texts), weights=[2, 1, 1]) == [[0, 2], [1]]


def test_no_questions_have_no_vectors() -> None:
    assert len(question_vectors([])) == 0


@pytest.mark.usefixtures("clean_cache")
def test_a_lone_surrogate_and_a_very_long_question_are_no_trouble() -> None:
    assert question_vectors(["\ud800", "word " * 5000]).shape[0] == 2
