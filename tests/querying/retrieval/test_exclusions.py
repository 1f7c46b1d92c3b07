from __future__ import annotations

import pytest

from querying.retrieval.exclusions import excluded_words

INLAND = "A beam inside a dry building away from the coast has mild exposure and needs 20 mm."


@pytest.mark.parametrize(
    ("sentence", "question", "words"),
    [
        (INLAND, "What cover does a beam in a coastal building need?", "away from the coast has mild"),
        (INLAND, "Minimum cover for a beam on the coast?", "away from the coast has mild"),
        (INLAND, "What cover does a beam in a dry building need?", ""),
        (INLAND, "What cover does a beam away from the coast need?", ""),
        ("The plan pays for all glasses except sunglasses.", "Does the plan pay for sunglasses?", ""),
        (
            "Visas other than tourist visas take two weeks.",
            "How long does a tourist visa take?",
            "other than tourist visas take",
        ),
        ("The rule is not for employees on leave.", "Which rule is for managers?", ""),
    ],
)
def test_a_sentence_that_excludes_what_is_asked_about_says_so(sentence: str, question: str, words: str):
    assert excluded_words(sentence, question) == words
