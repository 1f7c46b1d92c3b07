"""The words that stated a tree's facts, where the pages say something else for them."""

from __future__ import annotations

from querying.question.fact_wording import options_of_unsaid_words

PAGE = "Within the European Union you may work for up to 20 working days."


def test_words_that_no_page_says_stand_for_the_option_of_the_tree() -> None:
    assert options_of_unsaid_words({"Portugal": ["European Union"]}, [PAGE]) == {"Portugal": "european union"}


def test_words_that_a_page_says_stay() -> None:
    assert options_of_unsaid_words({"Portugal": ["European Union"]}, [PAGE, "So it is in Portugal."]) == {}


def test_words_stay_where_no_page_says_the_option_either() -> None:
    assert options_of_unsaid_words({"part-time": ["Less than 20 hours"]}, ["Members are insured at work."]) == {}


def test_words_that_state_two_facts_stand_for_what_the_pages_say_of_both() -> None:
    options = {"Portugal": ["European Union", "Schengen area", "EEA"]}
    assert options_of_unsaid_words(options, [PAGE, "The Schengen area."]) == {
        "Portugal": "european union schengen area"
    }


def test_a_number_that_the_tree_has_compared_need_not_be_on_a_page() -> None:
    assert options_of_unsaid_words({"17 days": [], "20 days": []}, [PAGE, "20 days"]) == {"17 days": ""}


def test_a_number_is_said_where_its_unit_stands_beside_it() -> None:
    texts = [PAGE, "Ask 10 weeks before."]
    assert options_of_unsaid_words({"10 days": []}, texts) == {"10 days": ""}
    assert options_of_unsaid_words({"10 days": []}, [*texts, "It takes 10 days."]) == {}
