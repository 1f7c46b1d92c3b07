from __future__ import annotations

import pytest

from language.calendar_dates import dates_spoken_of, day_first_in, named_dates
from tests.linear_time import grows_linearly

POOL = "The outdoor pool is open from 15 May to 15 September."
TYRES = "Between November and March vehicles must have winter tyres."
CHANGE = "From 1 April the fee is 5 EUR."
PERMIT = "Permits bought before 1 July 2026 cost 60 EUR."
MARKET = "The market stands from 27 November to 3 January 2027."


def speaks_of(text: str, asked: str) -> bool:
    """Whether the text speaks of every date that is asked about; one at least is."""
    dates = [one.span for one in named_dates(asked)]
    assert dates, asked
    return all(any(span.overlaps(date) for span in dates_spoken_of(text)) for date in dates)


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        (POOL, "on 1 June", True),
        (POOL, "on June 1st", True),
        (POOL, "on 2026-06-01", True),
        (POOL, "in July", True),
        (POOL, "on 15 May and on 15 September 2026", True),
        (POOL, "on 14 May", False),
        (POOL, "in October", False),
        (TYRES, "in January", True),
        (TYRES, "on 31 March", True),
        (TYRES, "on 1 April", False),
        (TYRES, "in July", False),
        (CHANGE, "in June", True),
        (CHANGE, "on 31 March", False),
        ("Until 31 March it is 4 EUR.", "in February", True),
        ("Until 31 March it is 4 EUR.", "on 1 April", False),
        ("Until the end of March it is 4 EUR.", "on 31 March", True),
        ("Before March it is 4 EUR.", "in March", False),
        ("After 30 June it is 4 EUR.", "on 1 July", True),
        ("After 30 June it is 4 EUR.", "on 30 June", False),
        ("It is 4 EUR, 1 October or later.", "in November", True),
        ("The hall is closed 24–26 December.", "on 25 December", True),
        ("The hall is closed 24–26 December.", "on 27 December", False),
        ("The hall is closed between 1 and 15 June.", "on 8 June", True),
        ("The hall is closed on 1 and 15 June.", "on 8 June", False),
        ("The hall is closed in May and July.", "in June", False),
        ("Nov–Mar: 8 EUR", "in December", True),
        ("From Friday, 15 May to Sunday, 17 May", "on 16 May", True),
        ("From 15 May the pool is open until 15 September.", "in October", False),
        ("The lift opens on 1 December and closes on 10 April.", "in January", True),
        ("From: 1 May | To: 30 June | Price: 18 EUR", "on 12 June", True),
        (PERMIT, "on 30 June 2026", True),
        (PERMIT, "on 1 July 2026", False),
        ("It costs 60 EUR before 1 July 2026, and 85 EUR after 30 June 2026.", "on 3 August 2026", True),
        ("Apply on or before 31 March.", "on 31 March", True),
        ("The fee is 5 EUR on or after 1 April.", "on 1 April", True),
        ("As of 1 April the fee is 5 EUR.", "in June", True),
        ("As of 1 April the fee is 5 EUR.", "on 31 March", False),
        ("Apply no later than 31 March.", "on 1 February", True),
        ("Apply no later than 31 March.", "on 1 April", False),
        ("It is valid up to 31 March.", "in February", True),
        ("Prior to 1 July it is 4 EUR.", "on 30 June", True),
        ("Prior to 1 July it is 4 EUR.", "on 1 July", False),
        ("Since 1 April 2024 the fee is 5 EUR.", "in February", True),
        ("Since 1 April 2024 the fee is 5 EUR.", "in February 2024", False),
        ("The hall is closed on 24, 25 and 31 December.", "on 24 December", True),
        ("The hall is closed on December 24, 25 and 31.", "on 25 December", True),
        ("The hall is closed on 24, 25 and 31 December.", "on 30 December", False),
        ("Hedges may not be cut from 1 March until 30 September.", "on 10 June", True),
        ("Hedges may not be cut from March until September.", "in June", True),
        ("Mon 5 May – Fri 9 May: holidays", "on 7 May", True),
        ("From 28 February 2024 to 1 March 2024", "on 29 February 2024", True),
        ("Between 20 December and 10 January it is closed.", "on 1 January", True),
        ("In July 8 lifeguards work at the lake.", "on 20 July", True),
        ("January 10 EUR, July 25 EUR", "on 20 July", True),
        ("The test is on 19/01/2026.", "on 19 January 2026", True),
        ("The test is on 01/19/2026.", "on 19 January 2026", True),
        ("The test is on 05.06.2026.", "on 5 June 2026", True),
        ("It is open from 25/05/2026 to 13/09/2026.", "on 1 July 2026", True),
        ("It is open from 25/05/2026 to 13/09/2026.", "on 1 October 2026", False),
        ("The test is on 19 January 2026.", "on 19/01/2026", True),
        (MARKET, "on 6 December", True),
        (MARKET, "on 6 December 2026", True),
        (MARKET, "on 6 December 2027", False),
    ],
)
def test_a_range_of_dates_speaks_of_the_days_within_it(text: str, asked: str, expected: bool) -> None:
    assert speaks_of(text, asked) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The café is open from mid-May to mid-September.",
        "At the end of May the pool is filled.",
        "It is held in the first week of July.",
        "It is open from 1 May to 30 September, except on 15 August.",
        "The pool is not open until 15 May.",
        "You cannot swim before 15 May.",
        "Bulbs must not be planted or sown in beds before 1 March.",
        "Jan sat in the sun, and you may march to 5 houses.",
        "May I park here?",
        "May 3 people share a room?",
        "Version 12.45.2026 is 40/13/2026.",
        "Use 31 screws.",
    ],
)
def test_what_is_not_exact_says_nothing(text: str) -> None:
    assert dates_spoken_of(text) == ()


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("May I swim in May?", [((), "May", "")]),
        ("is it open on 5 may or in march", [(("5",), "may", ""), ((), "march", "")]),
        ("What was the fee in March 2025?", [((), "March", "2025")]),
        ("Is it open in early June?", []),
        ("Is it open about 1 June?", []),
        ("And what about 1 June?", [(("1",), "June", "")]),
        ("Can I pay before 1 June?", []),
        ("5 may be enough", []),
        ("May 3 people share a room in May?", [((), "May", "")]),
        ("Is it on 05/06/2026?", []),  # May or June
    ],
)
def test_a_question_names_dates_that_it_is_about(question: str, dates: list[object]) -> None:
    assert [(one.days, one.month, one.year) for one in named_dates(question)] == dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On 12/03/2026 and 25/07/2026.", True),
        ("On 12/03/2026 and 07/25/2026.", False),
        ("On 12/03/2026.", None),
        ("On 25/07/2026 and 07/25/2026.", None),
        ("On 12/03/2026 and 05/05/2026, see 1.2.2020.", None),
    ],
)
def test_dates_that_may_be_read_in_one_way_alone_tell_how_the_others_are_read(text: str, expected: bool | None) -> None:
    assert day_first_in(text) is expected


@pytest.mark.parametrize(
    "piece",
    [
        "from 1 May ",
        "May 3 people ",
        "12/03/2026 ",
        "1/",
        "1 ",
        "May ",
        "until the ",
        "1-",
        "1, ",
        "on or before Mon ",
        "between May and ",
    ],
)
def test_a_long_text_is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(dates_spoken_of, piece)


def test_letters_that_are_others_once_their_case_is_ignored_are_no_months() -> None:
    assert named_dates("ſeptember 2024, 5 ſep") == []
