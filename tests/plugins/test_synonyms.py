from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from plugins.synonyms import check_synonyms, format_synonyms, parse_synonyms


@pytest.mark.parametrize("value", [[], [["w/c", "water-cement ratio"]], [["a", "b", "c"], ["d", "e"]]])
def test_groups_of_different_phrases_are_taken(value: object):
    check_synonyms(value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"w/c": "ratio"}, "a list of at most"),
        ("w/c", "a list of at most"),
        ([["a", "b"]] * 501, "a list of at most"),
        ([["a", "b"], "cd"], "Group 2: it must be a list of phrases."),
        ([["a", 1]], "Group 1: it must be a list of phrases."),
        ([["a"]], "Group 1: it needs two"),
        ([["Cover", "cover "]], "Group 1: it needs two"),
        ([["a", " "]], "Group 1: it needs two"),
        ([["a", "b" * 81]], "Group 1: a phrase has at most 80"),
    ],
)
def test_anything_else_is_a_problem_that_names_its_group(value: object, problem: str):
    with pytest.raises(ValidationError, match=problem):
        check_synonyms(value)


def test_synonyms_are_written_as_lines_and_read_as_they_were():
    groups = [["w/c", "water-cement ratio"], ["NC", "nominal cover"]]
    assert parse_synonyms("w/c = water-cement ratio\n\nNC=nominal cover\n") == groups
    assert parse_synonyms(format_synonyms(groups)) == groups
    assert parse_synonyms("") == []
