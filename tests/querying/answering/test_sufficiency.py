from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from language.terms import terms
from querying.answering.sufficiency import assess_sufficiency
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import score_evidence
from querying.types.evidence import Evidence, Sentence, TableCell
from tests.querying.passages import evidence, passage

PLAN = passage("The Northwind plan covers eye exams and glasses for every employee, up to 300 dollars in a year.")


@pytest.mark.parametrize(
    ("question", "lost", "reason"),
    [
        ("Does the plan cover eye exams?", 0.0, ""),
        ("Which eye exams does the plan never cover?", 0.2, "denies"),
        ("Does the plan cover 900 dollars of glasses?", 0.2, "900"),
        ("Do glasses of Acme Optics count for the plan?", 0.1, "“Acme Optics”"),
    ],
)
def test_signs_of_contradiction_weaken_the_evidence_and_say_why(question: str, lost: float, reason: str):
    judged = assess_sufficiency(question, evidence(PLAN), threshold=0.95)
    assert judged.score == pytest.approx(0.9 - lost)
    assert reason in " ".join(judged.why)


def test_what_no_passage_mentions_is_named():
    judged = assess_sufficiency("Does the plan cover galvanised dentures?", evidence(PLAN), threshold=0.95)
    assert "No passage mentions “galvanised”, “dentures”." in judged.why


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Can I bring dentures?", "No passage mentions “dentures”."),
        ("Can I bring my glasses?", "The nearest passage does not answer the question clearly enough."),
        ("What does error E5 of the plan mean?", "No passage mentions “error”, “E5”."),
        ("Are Dentures and dentures in the plan?", "No passage mentions “Dentures”."),
        ("Is the plan for Costa Rica?", "No passage mentions “Costa Rica”."),
    ],
)
def test_what_is_missing_is_named_in_whole_words_and_not_by_those_that_answers_seldom_repeat(question: str, why: str):
    found = evidence(PLAN, passage("E1 is shown where the form has 5 mistakes.", number=2))
    assert assess_sufficiency(question, found, threshold=0.95).why == (why,)


def test_a_code_is_mentioned_however_its_parts_are_joined():
    found = evidence(passage("Error E 5 of the plan is shown where the form is empty."))
    judged = assess_sufficiency("What does error E5 of the plan mean?", found, threshold=0.95)
    assert judged.why == ("The nearest passage does not answer the question clearly enough.",)


def test_many_codes_are_looked_for_in_one_reading():
    codes = [f"Q{number}" for number in range(3000)]
    found = evidence(passage("A form has 5 words. " * 5000))
    begun = process_time()
    judged = assess_sufficiency(f"Which of {' '.join(codes)} is a form?", found, threshold=0.95)
    assert process_time() - begun < 3
    assert codes[-1] in judged.why[0]


@pytest.mark.parametrize(
    ("asked", "said"), [("child", "Children"), ("children", "child"), ("knife", "knives"), ("tooth", "teeth")]
)
def test_a_word_is_mentioned_by_its_irregular_plural(asked: str, said: str):
    found = evidence(passage(f"{said} may use the board of the pool at any time of the day."))
    judged = assess_sufficiency(f"May a {asked} use the zirconium board?", found, threshold=0.99)
    assert "No passage mentions “zirconium”." in judged.why


def test_a_turn_that_adds_one_of_what_the_passages_have_several_of_is_not_new():
    found = evidence(passage("Children pay half the price of the single entry to the pool."))
    assert assess_sufficiency("And for a child?", found, threshold=0.1, new_words="child").passes


def test_what_is_missing_is_named_once_however_often_it_was_asked_for():
    judged = assess_sufficiency(
        "Does the plan cover dentures, dentures of Acme or Acme dentures?", evidence(PLAN), threshold=0.95
    )
    why = " ".join(judged.why)
    assert (why.count("dentures"), why.count("Acme")) == (1, 1)


def test_what_no_passage_mentions_is_not_said_of_the_nearest_one_again():
    judged = assess_sufficiency("Does the plan 47 cover eye exams?", evidence(PLAN), threshold=0.95)
    assert judged.why == ("No passage mentions “47”.",)
    assert judged.grounds.has_signs


def test_a_number_with_separators_is_not_named_in_pieces():
    judged = assess_sufficiency("Does the plan pay over $174,850?", evidence(PLAN), threshold=0.95)
    assert "“174”" not in " ".join(judged.why)
    assert "174850" in " ".join(judged.why)


def test_a_number_that_a_passage_writes_as_a_word_is_mentioned():
    weeks = passage("Ask for the journey at least eight weeks before it, and one day before a trip.")
    judged = assess_sufficiency("May I ask 8 weeks before the journey?", evidence(weeks), threshold=0.95)
    assert judged.score == pytest.approx(0.9)
    assert "8" not in " ".join(judged.why)
    assert assess_sufficiency("May I ask 1 day before?", evidence(weeks)).score == pytest.approx(0.9)


def test_a_number_in_words_is_said_of_the_passages_that_have_it():
    elsewhere = passage("The notice is four weeks.", number=2)
    judged = assess_sufficiency("Does the plan cover 4 eye exams?", evidence(PLAN, elsewhere), threshold=0.95)
    assert judged.why == ("The nearest passage does not mention 4.",)


@pytest.mark.parametrize(("time", "said"), [("20:00", "20:00"), ("8 pm", "8pm")])
def test_a_time_is_not_named_in_pieces(time: str, said: str):
    judged = assess_sufficiency(f"Does the plan cover eye exams at {time}?", evidence(PLAN), threshold=0.95)
    assert judged.why == (f"The nearest passage does not mention {said}.",)


@pytest.mark.parametrize(("asked", "has_signs"), [("on 1 June", False), ("in October", True)])
def test_a_month_within_the_dates_of_the_sentence_is_mentioned(asked: str, has_signs: bool):
    pool = passage("The pool is open from 15 May to 15 September.")
    question = f"Is the pool open {asked}?"
    found = score_evidence(
        turns=[WeightedTurn(text=question, weight=1.0)], passages=[pool], weights=dict.fromkeys(terms(question), 1.0)
    )
    judged = assess_sufficiency(question, found, threshold=0.99)
    assert judged.grounds.has_signs is has_signs
    assert ("mention" in " ".join(judged.why)) is has_signs


def test_a_name_that_the_question_repeats_is_said_once():
    question = "What does Contoso say about Contoso, and does Contoso cover the Northwind 47?"
    judged = assess_sufficiency(question, evidence(PLAN), threshold=0.95)
    assert " ".join(judged.why).count("Contoso") == 1
    names = assess_sufficiency("Does it cover Acme Optics or Acme Optics glasses?", evidence(PLAN), threshold=0.95)
    assert names.why == ("No passage mentions “Acme Optics”.",)


@pytest.mark.parametrize(("probability", "is_told"), [(0.1, True), (0.6, False), (None, False)])
def test_the_doubt_of_the_cross_encoder_is_a_reason(probability: float | None, is_told: bool):
    found = replace(evidence(PLAN), answer_probability=probability)
    judged = assess_sufficiency("Does the plan cover eye exams?", found, threshold=0.95)
    assert ("does not seem to answer" in " ".join(judged.why)) is is_told


def test_a_refusal_is_never_without_a_reason():
    judged = assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN), threshold=0.95)
    assert not judged.passes
    assert judged.why == ("The nearest passage does not answer the question clearly enough.",)


def test_a_passed_gate_needs_no_reason():
    judged = assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN), threshold=0.5)
    assert (judged.passes, judged.why) == (True, ())


def test_nothing_found_is_nothing_to_answer_from():
    judged = assess_sufficiency("Anything?", Evidence(passages=(), sentences=(), strength=0.0))
    assert not judged.passes
    assert judged.why == ("There is nothing about it in the documents.",)


def test_a_plugins_own_threshold_goes_before_the_default():
    assert assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN), threshold=None).passes
    assert not assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN), threshold=0.95).passes
    assert assess_sufficiency("Does the plan cover galvanised dentures?", evidence(PLAN), threshold=0.0).passes


def test_the_grounds_are_the_lead_over_another_passage_and_the_agreement_of_both_searches():
    other = passage("Dentures are covered by another plan.", number=2, lexical=0.7, cosine=0.5)
    grounds = assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN, other)).grounds
    assert grounds.score == pytest.approx(0.9)
    assert grounds.lead == pytest.approx(0.01)
    assert (grounds.agreement, grounds.has_signs) == (1, False)


def test_the_same_sentence_in_another_passage_is_no_rival():
    again = passage(PLAN.content, number=2)
    assert assess_sufficiency("Does the plan cover eye exams?", evidence(PLAN, again)).grounds.lead == pytest.approx(
        0.9
    )


COVER = passage("A beam inside a dry building needs a cover of 20 mm.")


@pytest.mark.parametrize(
    ("question", "probability", "is_sign"),
    [
        ("What cover does a prestressed beam inside a dry building need?", 0.2, True),
        ("What cover does a prestressed beam inside a dry building need?", 0.3, False),
        ("What cover does a prestressed beam inside a dry building need?", None, False),
        ("What cover does a beam inside a dry building need?", 0.2, False),
        ("What cover does a prestressed beam inside a dry building that is near to the coast need?", 0.2, False),
    ],
)
def test_one_missing_thing_is_a_sign_where_the_cross_encoder_doubts(
    question: str, probability: float | None, is_sign: bool
):
    found = replace(evidence(COVER), strength=0.6, answer_probability=probability)
    judged = assess_sufficiency(question, found)
    assert (judged.grounds.has_signs, judged.passes) == (is_sign, not is_sign)


def test_the_doubt_about_a_missing_thing_is_told_once():
    found = replace(evidence(COVER), strength=0.6, answer_probability=0.1)
    why = assess_sufficiency("What cover does a prestressed beam inside a dry building need?", found).why
    assert why.count("The nearest passage does not seem to answer the question.") == 1


def test_both_searches_agree_where_each_prefers_another_passage_with_the_best_sentence():
    first = passage(PLAN.content, lexical=0.9, cosine=0.4)
    second = passage(f"Ask us. {PLAN.content}", number=2, lexical=0.5, cosine=0.8)
    assert assess_sufficiency("Does the plan cover eye exams?", evidence(first, second)).grounds.agreement == 2


@pytest.mark.parametrize(("beside", "weakest"), [("Dogs are welcome in some flats.", 0.0), ("Ask us.", 0.9)])
def test_a_thing_that_another_sentence_of_the_passage_names_is_not_matched_by_its_like(beside: str, weakest: float):
    said = "Cats and other pets are not allowed."
    read = evidence(passage(f"{said} {beside}"))
    found = replace(read, sentences=(replace(read.sentences[0], text=said, end=len(said), weakest=0.9),))
    assert assess_sufficiency("Are dogs allowed?", found).grounds.weakest == weakest


def test_the_grounds_say_how_much_stronger_the_evidence_is_by_another_sentence():
    found = evidence(passage("Ask at the desk."), passage("Season tickets are sold at the desk.", number=2))
    titled, other = found.sentences
    found = replace(found, sentences=(replace(titled, strength=0.4), replace(other, strength=0.7)))
    assert assess_sufficiency("Where are tickets sold?", found).grounds.lag == pytest.approx(0.3)
    row = replace(titled, strength=0.4, cell=TableCell(head="Sold", value="desk", wording="Tickets: sold: desk"))
    found = replace(found, sentences=(row, replace(other, strength=0.7)))
    assert assess_sufficiency("Where are tickets sold?", found).grounds.lag == 0


def test_a_sign_is_among_the_grounds():
    assert assess_sufficiency("Which eye exams does the plan never cover?", evidence(PLAN)).grounds.has_signs


def test_the_day_whose_rules_are_asked_for_need_not_be_mentioned():
    read = passage("The nominal cover of a beam is 45 mm.")
    asked = assess_sufficiency("What is the nominal cover of a beam, as in force on 1 March 2019?", evidence(read))
    assert not asked.grounds.has_signs


@pytest.mark.parametrize(
    "question", ["Isn't it so that the plan covers eye exams?", "I'm asking about eye exams in the plan"]
)
def test_what_only_looks_like_a_denial_or_a_name_is_no_sign(question: str):
    assert not assess_sufficiency(question, evidence(PLAN)).grounds.has_signs


def test_a_denial_is_no_sign_in_a_conversation():
    question = "Which eye exams does the plan never cover?"
    assert assess_sufficiency(question, evidence(PLAN)).grounds.has_signs
    assert not assess_sufficiency(question, evidence(PLAN), new_words=question).grounds.has_signs


def test_words_that_a_turn_adds_and_no_passage_says_are_a_reason_and_named():
    judged = assess_sufficiency(
        "Does the plan cover zeppelins?", evidence(PLAN), threshold=0.0, new_words="and zeppelins?"
    )
    assert not judged.passes
    assert any("“zeppelins”" in reason for reason in judged.why)


def test_a_number_of_a_tables_caption_is_not_missed_in_its_rows():
    found = evidence(passage("Month: December | Retail trade: 15,495.5"))
    cell = TableCell(head="Retail trade", value="15,495.5", wording="Employees: 2014. December, Retail trade: 15,495.5")
    captioned = replace(found, sentences=(replace(found.sentences[0], cell=cell),))
    asked = "retail trade in December 2014, in thousands"
    assert assess_sufficiency(asked, found).grounds.has_signs
    assert not assess_sufficiency(asked, captioned).grounds.has_signs


def test_the_nearest_passages_are_cut_to_their_best_sentences_and_come_in_the_order_of_these():
    first = replace(passage("Desks are free. Chairs are booked."), start=100, end=134)
    second = passage("Rooms are booked by the hour.", number=2)
    unread = passage("Lamps are free.", number=3)
    chairs = Sentence(source=0, start=16, end=34, text="Chairs are booked.", score=0.2)
    rooms = Sentence(source=1, start=0, end=29, text=second.content, score=0.3)
    found = Evidence(passages=(first, second, unread), sentences=(rooms, chairs), strength=0.1)
    nearest = assess_sufficiency("How do I book a room?", found).nearest
    assert [(one.content, one.start, one.end) for one in nearest] == [
        (second.content, second.start, second.end),
        ("Chairs are booked.", 116, 134),
        (unread.content, unread.start, unread.end),
    ]


def test_a_file_of_code_that_is_near_stays_whole():
    code = replace(passage("def book(): ...  # Books a room."), path="rooms.py")
    said = Sentence(source=0, start=0, end=5, text="def b", score=0.1)
    assert assess_sufficiency("What books?", Evidence(passages=(code,), sentences=(said,), strength=0.1)).nearest == (
        code,
    )


def test_a_row_with_nothing_in_the_column_that_is_asked_for_is_a_sign():
    rows = {"| Tomatoes | mid March | |": 0.3, "| Tomatoes | mid March | 50 cm |": 0.0}
    for row, lost in rows.items():
        table = evidence(passage(row))
        best = replace(table.sentences[0], header="| Plant | Sown | Spacing |")
        judged = assess_sufficiency("What spacing do tomatoes need?", replace(table, sentences=(best,)), threshold=0.95)
        assert judged.score == pytest.approx(0.9 - lost)
        assert ("The nearest row of a table has nothing under “spacing”." in judged.why) is bool(lost)


def test_an_empty_column_is_named_in_the_words_of_the_question():
    """Whoever is refused may not be one who may read the page."""
    table = evidence(passage("| Tomatoes | mid March | |"))
    best = replace(table.sentences[0], header="| Plant | Sown | Spacing that Mr Hollis keeps secret |")
    found = replace(table, sentences=(best,))
    judged = assess_sufficiency("What spacing do tomatoes need?", found, threshold=0.95)
    assert "The nearest row of a table has nothing under “spacing”." in judged.why
    assert "Hollis" not in " ".join(judged.why)


def test_evidence_about_a_sibling_is_weaker_and_says_what_it_is_about():
    about = passage("A beam exposed to weather needs a cover of 45 mm.")
    judged = assess_sufficiency("What is the cover of a slab exposed to weather?", evidence(about), threshold=0.75)
    assert (judged.passes, judged.score, judged.grounds.has_signs) == (False, pytest.approx(0.7), True)
    assert judged.about
    assert (judged.about.asked, judged.about.found) == ("slab", "beam")
    start, end = judged.about.span or (0, 0)
    assert about.content[start - about.start : end - about.start] == "beam"
    assert assess_sufficiency("What is the cover of a beam exposed to weather?", evidence(about), threshold=0.75).passes


def test_words_that_ask_for_a_column_are_no_words_that_no_passage_says() -> None:
    row = passage("Course: Pottery | Price: €95")
    found = evidence(row)
    asked = replace(found, sentences=(replace(found.sentences[0], asked_words=frozenset(terms("cost"))),))
    follow_up = {"threshold": 0.1, "new_words": "How much does it cost?"}
    assert not assess_sufficiency("How much does pottery cost?", found, **follow_up).passes
    assert assess_sufficiency("How much does pottery cost?", asked, **follow_up).passes


def test_an_empty_cell_that_is_asked_for_in_other_words_makes_the_evidence_weaker() -> None:
    found = evidence(passage("Group: Table tennis | Venue: Gym"))
    empty = replace(found, sentences=(replace(found.sentences[0], is_cell_empty=True),))
    full, judged = (assess_sufficiency("Who coaches table tennis?", one, threshold=0.99) for one in (found, empty))
    assert judged.score < full.score - 0.2
    assert "The nearest row of a table has nothing under “coaches”." in judged.why
