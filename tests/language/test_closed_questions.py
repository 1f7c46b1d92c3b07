from __future__ import annotations

import pytest

from language.closed_questions import is_closed_question


@pytest.mark.parametrize(
    "text",
    [
        "Can I park for 5 hours?",
        "is 3 cm of padding enough",
        "I have been here for 2 months, may I work from home?",
        "My basket is at 720 euros. Don't I get it free?",
        "Can't I park for five hours?",
        "Won’t I be fined?",
        "Am I too young at 12?",
        "We are twelve, and may we use the small room?",
    ],
)
def test_a_clause_that_begins_with_the_verb_wants_a_yes_or_a_no(text: str) -> None:
    assert is_closed_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "How long can I park?",
        "Which licence do I need for 10 hp?",
        "What discount do we get as 3 persons?",
        "The house will cost 650,000 EUR, which fee is due?",
        "Canned fish for 5 days",
        "",
    ],
)
def test_other_questions_want_something_else(text: str) -> None:
    assert not is_closed_question(text)
