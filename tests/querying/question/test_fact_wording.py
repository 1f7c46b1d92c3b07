"""The words that stated a tree's facts, where the pages say something else for them."""

from __future__ import annotations

from querying.question.fact_wording import options_of_unsaid_words
from trees.facts.extraction import Fact

PAGE = "Within the European Union you may work for up to 20 working days."


def fact(value: str | float | bool, span: str) -> Fact:
    return Fact(value=value, source="question", span=span)


def test_words_that_no_page_says_stand_for_the_option_of_the_tree() -> None:
    assert options_of_unsaid_words([fact("European Union", "Portugal")], [PAGE]) == {"Portugal": "European Union"}


def test_words_that_a_page_says_stay() -> None:
    assert options_of_unsaid_words([fact("European Union", "Portugal")], [PAGE, "So it is in Portugal."]) == {}
    assert options_of_unsaid_words([fact("EU", "european union")], [PAGE]) == {}


def test_a_number_that_the_tree_has_compared_need_not_be_on_a_page() -> None:
    assert options_of_unsaid_words([fact(17, "17 days"), fact(20, "20 days")], [PAGE]) == {"17 days": ""}


def test_yes_and_no_have_no_words_of_their_own() -> None:
    assert options_of_unsaid_words([fact(True, "galvanised")], [PAGE]) == {}
