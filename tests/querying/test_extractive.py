from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from language.sentences import sentence_spans
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.llms.extractive import compose
from querying.answering.llms.extractive.list_text import leaves_out_items
from querying.retrieval.markdown_tables import read_layout
from querying.types.evidence import Evidence, RangeMatch, Sentence, SubQuestion, TableCell
from querying.types.prompt import Prompt
from querying.types.refusals import REFUSAL
from tests.querying.passages import evidence, passage

MILD = passage("For mild exposure the nominal cover is 20 mm.", number=1)
SEVERE = passage("For severe exposure the nominal cover is 45 mm.", number=2)

MARKDOWN_TABLE = """**Table 2** Nominal cover by exposure

| Exposure | Nominal cover, not less than | Clause |
|---|---|---|
| Mild | 20 mm | 3.5 for bars up to 12 mm |
| Extreme | 75 mm | 3.1, and 3.6 for M35 and above |
"""
LABELLED_TABLE = """Exposure class | Minimum cover | Maximum w/c
Exposure class: XS1 | Minimum cover: 35 mm | Maximum w/c: 0.50
Exposure class: XS3 | Minimum cover: 45 mm | Maximum w/c: 0.45"""
EXCLUSIONS = """The following are not covered:

- Cosmetic surgery
- Travel for treatment abroad, unless it was approved before
- Massage"""


def prompt(*passages, recommendation: str = "", question: str = "cover?") -> Prompt:
    return Prompt(messages=(), question=question, evidence=evidence(*passages), recommendation=recommendation)


def read(text: str, *best: str) -> Evidence:
    """One passage, cut into its sentences; those that hold these words answer, the first ones better."""
    page = passage(text)
    spans = sentence_spans(text)
    headers = read_layout(text, spans).headers
    sentences = []
    for start, end in spans:
        ranks = [rank for rank, words in enumerate(best) if words in text[start:end]]
        score = 0.9 - 0.01 * ranks[0] if ranks else 0.3
        header = text[slice(*headers.get((start, end), (0, 0)))]
        sentences.append(Sentence(source=0, start=start, end=end, text=text[start:end], score=score, header=header))
    sentences.sort(key=lambda sentence: -sentence.score)
    return Evidence(passages=(page,), sentences=tuple(sentences), strength=0.9)


def answered(question: str, evidence: Evidence) -> list[CitedSentence]:
    """The pieces of the answer as verification leaves them; every citation stands on its page."""
    citer = CitationVerifier(evidence.passages)
    cited = [citer.cite(piece) for piece in compose(Prompt(messages=(), question=question, evidence=evidence))]
    for citation in citer.citations:
        begin = citation.start - citation.passage.start
        assert citation.passage.content[begin : begin + len(citation.excerpt)] == citation.excerpt
    return cited


def said(question: str, evidence: Evidence) -> list[str]:
    cited = answered(question, evidence)
    assert all(sentence.citations for sentence in cited)
    return [sentence.claim for sentence in cited]


def test_it_quotes_the_sentence_that_answers_with_its_source():
    assert compose(prompt(MILD)) == ["For mild exposure the nominal cover is 20 mm [Source 1]."]


def test_the_trees_recommendation_leads_with_the_sentence_that_bears_it_out():
    asked = prompt(MILD, SEVERE, recommendation="45 mm nominal cover")
    support = next(one for one in asked.evidence.sentences if "45 mm" in one.text)
    pieces = compose(replace(asked, support=support))
    assert pieces[:2] == ["The expert recommends:", "45 mm nominal cover [Source 2]."]


def test_a_recommendation_that_no_source_bears_out_is_not_stated():
    assert not any("60 mm" in piece for piece in compose(prompt(MILD, recommendation="60 mm nominal cover")))


def test_the_page_that_answers_best_comes_first_and_the_others_in_reading_order():
    best = passage("In severe exposure a beam has a cover of 45 mm.", number=9)
    third = passage("A footing in soil has 50 mm.", number=4)
    second = passage("Slabs in a dry room have 20 mm.", number=2)
    pieces = compose(prompt(best, third, second, question="What is the cover of a beam, a slab and a footing?"))
    assert [piece.split("[")[1] for piece in pieces] == ["Source 1].", "Source 3].", "Source 2]."]


def test_sentences_of_one_page_are_quoted_as_they_stand_there():
    text = (
        "First the buyers of a house choose a place that they like. A survey costs 400 EUR. "
        "Then they decide on the year, because prices rise and fall."
    )
    found = read(text, "Then they decide", "First the buyers")
    assert said("How do buyers decide about a house?", found) == [
        "First the buyers of a house choose a place that they like.",
        "Then they decide on the year, because prices rise and fall.",
    ]


def test_what_bears_out_a_recommendation_stays_behind_it_also_where_better_stands_above_on_its_page():
    text = (
        "First the buyers of a house choose a place that they like. A survey costs 400 EUR. "
        "Then they decide on the year, because prices rise and fall."
    )
    found = read(text, "First the buyers", "Then they decide")
    support = next(one for one in found.sentences if "on the year" in one.text)
    question, said_first = "How do buyers decide about a house?", "Decide on the year."
    asked = Prompt(messages=(), question=question, evidence=found, recommendation=said_first, support=support)
    _, lead, first, *_ = compose(asked)
    assert lead.startswith("Decide on the year [Source 1]")
    assert first.startswith("Then they decide on the year")


def test_a_list_item_that_the_recommendation_says_word_for_word_is_not_said_again():
    text = "## Appointments\n\n- Appointments are made by telephone.\n- Walk-ins are seen from 8:00 to 9:00."
    found = replace(read(text, "made by telephone"), passages=(passage(text, section_path=("Appointments",)),))
    support = next(one for one in found.sentences if "by telephone" in one.text)
    said_first = "Appointments are made by telephone."
    asked = Prompt(messages=(), question="How do I come?", evidence=found, recommendation=said_first, support=support)
    assert compose(asked) == ["The expert recommends:", "Appointments are made by telephone [Source 1]."]


def test_each_of_several_questions_is_answered_in_their_order():
    text = "The invoice is due in May. It may be paid online. A retainer is a fee that is paid before the work begins."
    found = read(text, "is due in May")
    parts = [
        SubQuestion(text=words, sentences=tuple(sorted(found.sentences, key=lambda one: best not in one.text)))
        for words, best in (("What is a retainer", "A retainer"), ("when is the invoice due?", "due in May"))
    ]
    ranked = [
        replace(part, sentences=tuple(replace(one, score=0.9 - at / 10) for at, one in enumerate(part.sentences)))
        for part in parts
    ]
    asked = "What is a retainer, and when is the invoice due?"
    assert said(asked, replace(found, sub_questions=tuple(ranked))) == [
        "A retainer is a fee that is paid before the work begins.",
        "The invoice is due in May.",
    ]


def test_a_sentence_that_is_best_for_two_questions_answers_the_one_that_has_no_other():
    text = "A retainer is paid to the lawyer by the client. The retainer means a fee that comes before any work."
    found = read(text, "is paid to")
    parts = [
        SubQuestion(
            text=words,
            sentences=tuple(
                replace(one, score=first if "is paid to" in one.text else second) for one in found.sentences
            ),
        )
        for words, first, second in (("What is a retainer", 0.9, 0.88), ("who pays it?", 0.9, 0.5))
    ]
    assert said("What is a retainer and who pays it?", replace(found, sub_questions=tuple(parts))) == [
        "The retainer means a fee that comes before any work.",
        "A retainer is paid to the lawyer by the client.",
    ]


def test_what_goes_on_from_the_best_sentence_comes_before_the_same_from_elsewhere():
    text = "The plan covers physical therapy after operations and strokes. It includes visits to a therapist in town."
    elsewhere = passage("Therapy helps people who work.", number=2)
    found = read(text, "covers physical", "It includes")
    score = found.sentences[0].score
    other = Sentence(source=1, start=0, end=len(elsewhere.content), text=elsewhere.content, score=score - 0.005)
    sentences = (found.sentences[0], other, replace(found.sentences[1], score=score + 0.02))
    both = replace(found, passages=(*found.passages, elsewhere), sentences=sentences)
    assert said("What does the plan offer in therapy?", both)[:2] == [
        "The plan covers physical therapy after operations and strokes.",
        "It includes visits to a therapist in town.",
    ]


OPENING = "At Acme, we understand how important foot care is."
COVERED = "Foot care at Acme covers X-rays, custom orthotics and surgery on toenails."


def test_a_sentence_that_says_more_than_the_question_comes_before_an_opening_that_repeats_it():
    found = read(f"{OPENING} {COVERED}", "At Acme", "X-rays")
    assert said("What does Acme offer in foot care?", found) == [COVERED]


def test_a_sentence_elsewhere_that_says_more_stays_behind_the_page_that_answers():
    found = read("Foot care is part of the plan.", "Foot care")
    elsewhere = passage("Foot care in Leeds has X-rays, orthotics, nurses and surgeons.", number=2)
    other = Sentence(source=1, start=0, end=len(elsewhere.content), text=elsewhere.content, score=0.89)
    both = replace(found, passages=(*found.passages, elsewhere), sentences=(*found.sentences, other))
    assert said("What is foot care?", both) == ["Foot care is part of the plan.", elsewhere.content]


def test_where_one_fact_is_asked_for_what_else_a_sentence_says_counts_nothing():
    short, long = "Foot care began in 1998.", "Foot care at the clinic in Leeds grew with nurses and surgeons."
    assert said("When did foot care begin?", read(f"{short} {long}", "began", "Leeds"))[0] == short
    assert said("How is foot care done at the clinic?", read(f"{short} {long}", "began", "Leeds"))[0] == long


def test_a_line_that_leads_in_to_a_list_counts_with_what_the_list_says():
    listed = "The foot care of Acme covers these:\n\n- X-rays of toes\n- Custom orthotics\n- Surgery on ankles"
    opening = "Cover for foot care is here at Acme."
    assert said("What does foot care cover?", read(f"{opening}\n\n{listed}", "is here", "these:"))[0].startswith(
        "The foot care of Acme covers these: X-rays of toes; Custom orthotics"
    )


def test_a_sentence_below_a_title_with_all_the_words_still_needs_one_of_its_own():
    text = "The safety programme protects people at work.\n\nThank you for being part of the team today."
    found = read(text, "protects people", "Thank you")
    assert said("What does the safety programme do?", found) == ["The safety programme protects people at work."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Therefore, the beam needs a cover of 45 mm.", "The beam needs a cover of 45 mm."),
        ("However, the beam needs a cover of 45 mm.", "The beam needs a cover of 45 mm."),
        ("Thus the beam needs a cover of 45 mm.", "Thus the beam needs a cover of 45 mm."),
    ],
)
def test_a_word_that_ties_to_a_sentence_which_is_not_quoted_is_left_out(text: str, expected: str):
    assert compose(prompt(passage(text), question="What cover does the beam need?")) == [f"{expected[:-1]} [Source 1]."]


def test_a_word_that_ties_to_the_sentence_quoted_before_stays():
    text = "A beam in the open needs a cover of 45 mm. However, a beam that is painted may have a cover of 40 mm."
    found = read(text, "45 mm", "40 mm")
    assert said("What cover does a beam need?", found)[1].startswith("However, ")


def test_what_stands_on_the_page_right_before_the_best_sentence_stays_before_it():
    text = "Grade M35 is needed for the lesser cover. Then a beam may have 40 mm. Spacers are made of mortar."
    found = read(text, "40 mm", "Grade M35")
    assert said("What cover may a beam have?", found)[:2] == [
        "Grade M35 is needed for the lesser cover.",
        "Then a beam may have 40 mm.",
    ]


def test_what_says_the_same_in_other_words_is_not_said_again():
    one = passage("The plan covers massage therapy for employees and their families.", number=1)
    again = passage("Under this plan, massage therapy is covered for families and for employees as well.", number=2)
    assert len(compose(prompt(one, again, question="Is massage therapy covered?"))) == 1


def test_a_sentence_whose_it_nobody_can_see_yields_to_one_that_names_it():
    orphan = passage("It is usually paid on loans with a small deposit.", number=1)
    named = passage("Mortgage insurance is paid on loans with a small deposit.", number=2)
    [piece] = compose(prompt(orphan, named, question="When is insurance paid on loans?"))
    assert piece.startswith("Mortgage insurance")


def test_the_steps_of_a_procedure_are_quoted_whole():
    text = "To add bandwidth: 1. Open the console. \n2. Select the catalogue.\n3. Choose a server.\nBilling is monthly."
    [whole] = said("How is bandwidth added?", read(text, "bandwidth"))
    assert all(step in whole for step in ("Open the console", "Select the catalogue", "Choose a server"))
    assert "Billing" not in whole


def test_half_of_a_quotation_mark_is_not_left_behind():
    found = read("“Cover is what protects the steel. Nothing else does,” said the engineer.", "Cover is")
    assert said("What protects the steel?", found) == ["Cover is what protects the steel."]


def test_links_of_a_page_one_after_another_are_no_answer():
    links = "Apply for Benefits More Places to Use EBT About your EBT Card Safe Access the Cardholder Website"
    assert compose(prompt(passage(links), question="What is EBT?")) == [REFUSAL]


def test_the_same_words_are_quoted_once():
    twin = passage(MILD.content, number=3, document_title="Another copy")
    assert len(compose(prompt(MILD, twin))) == 1


def test_nothing_to_quote_is_a_refusal():
    assert compose(prompt()) == [REFUSAL]


# --- One sentence, unless a further one adds ----------------------------------------------------------------

SPACERS = """Spacers of mortar hold the bars at their cover.

Tying wire is of annealed steel.

The bars are tied with it at each crossing."""


def test_one_sentence_is_enough_where_the_others_answer_less():
    text = "Spacers are made of mortar. The bars are cut to length before. The formwork is oiled."
    assert said("What are spacers made of?", read(text, "mortar")) == ["Spacers are made of mortar."]


def test_a_further_sentence_is_quoted_where_it_has_words_of_the_question_that_the_first_lacks():
    found = read(SPACERS, "mortar", "annealed")
    assert len(said("What are spacers and tying wire made of?", found)) == 2


def test_it_never_quotes_more_than_a_few():
    text = "\n\n".join(f"Spacer number {n} is made of mortar and grit {n}." for n in range(12))
    assert len(said("What are spacers made of?", read(text, "Spacer"))) <= 5


def rated(*sections: tuple[str, list[tuple[str, float, float]]]) -> Evidence:
    """A passage for each heading; each of its sentences with its score and with its strength by its own words."""
    passages, sentences = [], []
    for source, (heading, rows) in enumerate(sections):
        passages.append(passage(" ".join(text for text, _, _ in rows), number=source + 1, section_path=(heading,)))
        start = 0
        for text, score, strength in rows:
            end = start + len(text)
            sentences.append(Sentence(source=source, start=start, end=end, text=text, score=score, strength=strength))
            start = end + 1
    sentences.sort(key=lambda one: -one.score)
    return Evidence(passages=tuple(passages), sentences=tuple(sentences), strength=0.7)


TERM = [("The warranty lasts 24 months from the day of purchase.", 0.74, 0.47), ("Rust is left out of it.", 0.73, 0.45)]
REPAIR = [("A repair takes ten working days from the day on which the machine arrives.", 0.67, 0.64)]


def test_what_only_a_heading_raises_does_not_go_before_what_answers_by_its_own_words():
    found = rated(("How long the warranty lasts", TERM), ("How to send it in", REPAIR))
    assert said("How long will the repair take?", found) == [REPAIR[0][0]]


def test_the_heading_decides_where_no_sentence_elsewhere_answers_much_better_by_its_own_words():
    near = [(REPAIR[0][0], 0.67, 0.52)]
    found = rated(("How long the warranty lasts", TERM), ("How to send it in", near))
    assert said("How long does it last?", found)[0] == TERM[0][0]


# --- What must be said together -----------------------------------------------------------------------------


def test_a_rule_comes_with_the_exception_that_follows_it():
    text = "The plan covers hearing aids. However, batteries are not covered. Ask your clinic for a list."
    assert said("Does the plan cover hearing aids?", read(text, "hearing aids")) == [
        "The plan covers hearing aids.",
        "However, batteries are not covered.",
    ]


def test_a_sentence_that_begins_with_it_brings_the_one_before():
    text = "Red lead primer is a paint for steel. It may be used on river piers alone."
    assert said("Where may primer be used?", read(text, "river piers")) == [
        "Red lead primer is a paint for steel.",
        "It may be used on river piers alone.",
    ]


def test_it_is_important_that_stands_for_nothing_before():
    text = "Primer dries slowly. It is important that the steel is dry before it is painted."
    assert said("Must the steel be dry?", read(text, "steel is dry")) == [
        "It is important that the steel is dry before it is painted."
    ]


def test_a_list_item_brings_the_line_that_may_turn_its_sense():
    [whole] = said("Is massage covered?", read(EXCLUSIONS, "Massage"))
    assert whole.startswith("The following are not covered: ")
    assert "Massage" in whole


def test_a_list_is_quoted_whole_where_several_things_are_asked_for():
    assert said("What are the services that are not covered?", read(EXCLUSIONS, "following")) == [
        "The following are not covered: Cosmetic surgery; Travel for treatment abroad, unless it was approved "
        "before; Massage."
    ]


WARRANTY = """It does not cover:

- parts that wear: baskets and filter cartridges;
- damage from lime, where the machine was not descaled;
- damage from frost or from distilled water."""


def test_an_item_below_others_is_quoted_in_one_sentence_with_a_lead_in_that_denies():
    (whole,) = answered("Is frost damage covered?", read(WARRANTY, "frost"))
    assert whole.text == "It does not cover: damage from frost or from distilled water [Source 1] [Source 2]."
    assert [one.excerpt for one in whole.citations] == [
        "It does not cover:",
        "- damage from frost or from distilled water.",
    ]


def test_no_mark_stands_between_a_lead_in_and_the_first_items_of_a_long_list():
    items = "\n".join(
        f"- damage number {number} from what the owner has done to it {'again ' * 30}" for number in range(9)
    )
    (whole,) = answered("What does it not cover?", read(f"It does not cover:\n\n{items}", "It does not cover"))
    assert whole.claim.startswith("It does not cover: damage number 0 from")
    assert whole.claim.endswith("again again.")
    assert len(whole.citations) == 4


# --- Tables -------------------------------------------------------------------------------------------------


def test_what_is_said_of_these_exceptions_brings_the_list_of_them_first():
    text = (
        "Four exceptions are usual:\n\n- what is public;\n- what the receiver knew before;\n\n"
        "An agreement without these exceptions is a trap."
    )
    found = answered("What are the usual exceptions?", read(text, "these exceptions"))
    assert found[0].text.startswith("Four exceptions are usual:")
    assert "what is public" in " ".join(said.text for said in found)
    assert found[-1].text.startswith("An agreement without these exceptions")


def test_these_people_bring_no_list_that_the_question_does_not_ask_for():
    text = "Four exceptions are usual:\n\n- what is public;\n- what was known;\n\nAsk these people for a waiver first."
    found = answered("Whom do I ask for a waiver?", read(text, "these people"))
    assert [said.text for said in found] == ["Ask these people for a waiver first [Source 1]."]


def test_a_row_is_quoted_in_words_with_its_headers_and_cited_as_it_stands():
    [row] = answered("What is required for XS3?", read(LABELLED_TABLE, "XS3"))
    assert row.claim == "Exposure class XS3 — minimum cover: 45 mm; maximum w/c: 0.45."
    assert [one.excerpt for one in row.citations] == ["Exposure class: XS3 | Minimum cover: 45 mm | Maximum w/c: 0.45"]


def test_the_cell_that_is_asked_for_is_quoted_with_its_row_and_column():
    table = """Source | 2011 | 2012 | 2013
Source: Customs Duties . . . . | 2011: 29,519 | 2012: 30,307 | 2013: 31,815
Source: Income Taxes . . . . | 2011: 1,091 | 2012: 1,132 | 2013: 1,316"""
    [cell] = answered("What came in as customs duties in fiscal 2013?", read(table, "Customs"))
    assert cell.claim == "Source Customs Duties — 2013: 31,815."
    assert [one.excerpt for one in cell.citations] == [table.splitlines()[1]]


def test_the_cell_that_the_evidence_names_is_quoted_whatever_words_its_column_shares():
    row = "Month: May | Highest (°C): 21.6 | Lowest (°C): 3.2 | Mean wind (m/s): 2.9"
    found = read(row, "May")
    named = TableCell(head="Lowest (°C)", value="3.2", wording="Weather. Month: May, Lowest (°C): 3.2")
    found = replace(found, sentences=tuple(replace(one, cell=named) for one in found.sentences))
    assert said("How cold did it get in May?", found) == ["Month May — lowest (°C): 3.2."]


def test_a_caption_with_its_unit_is_no_answer():
    page = passage(
        "Table 1. Receipts\n[In millions of dollars]\nYear: 2011 | Receipts of the year: 2,303",
        section_path=("Table 1. Receipts",),
    )
    found = read(page.content, "Table 1", "2011")
    found = Evidence(passages=(page,), sentences=found.sentences, strength=0.9)
    assert said("What are the receipts?", found) == ["Year 2011 — receipts of the year: 2,303."]


def test_a_row_of_a_markdown_table_is_told_with_its_headers():
    (row,) = answered("What is the nominal cover in extreme exposure?", read(MARKDOWN_TABLE, "Extreme"))
    assert row.claim.startswith("Exposure Extreme — nominal cover, not less than: 75 mm")
    assert [one.excerpt for one in row.citations] == ["| Extreme | 75 mm | 3.1, and 3.6 for M35 and above |"]


def test_a_rows_headers_count_as_its_words():
    text = f"{MARKDOWN_TABLE}\nExtreme weather is common at the coast."
    best = said("What nominal cover has extreme exposure?", read(text, "Extreme"))
    assert any("75 mm" in piece for piece in best)


def test_a_header_row_and_the_line_under_it_are_no_answer():
    assert compose(Prompt(messages=(), question="cover?", evidence=read(LABELLED_TABLE.split("\n")[0]))) != []
    pieces = said("What is the cover by exposure class?", read(LABELLED_TABLE, "Exposure class |", "XS1"))
    assert all("35 mm" in piece or "45 mm" in piece for piece in pieces)


# --- Nothing answers ----------------------------------------------------------------------------------------


def test_headings_questions_lines_of_contents_and_pointers_are_no_answers():
    nothing = [
        "Nominal cover in mild exposure",
        "What is the nominal cover in mild exposure?",
        "4.1 Nominal cover in mild exposure .......... 12",
        "See Table 2 for the nominal cover.",
        "## Nominal cover is 20 mm",
        "|---|---|---|---|---|---|---|---|",
    ]
    assert compose(prompt(*(passage(text, number=at) for at, text in enumerate(nothing, start=1)))) == [REFUSAL]


@pytest.mark.parametrize(
    "text",
    [
        "• Mild exposure: 20 mm of cover",
        "Nominal cover in mild exposure: 20 mm",
        "Job Title: Vice President of Sales Department: Sales & Marketing Reporting To: Chief Executive Officer",
    ],
)
def test_list_items_and_named_values_are_answers(text: str):
    assert compose(prompt(passage(text))) == [f"{text.removeprefix('• ')} [Source 1]."]


def test_a_sentence_with_a_blank_to_be_filled_in_is_an_answer_and_a_line_to_be_signed_is_none():
    made = "This Agreement is made between The University, whose address is Senate House, and ____________."
    signed = "Signed for and on behalf of the University ____________ Date ____________"
    [piece] = compose(prompt(passage(made), passage(signed, number=2), question="What is the address?"))
    assert piece.startswith("This Agreement is made between The University, whose address is Senate House")


def test_the_number_of_a_clause_stays_where_the_words_alone_would_not_stand():
    [piece] = compose(prompt(passage("5. Consistent with clause 4, cover is 20 mm in a dry room.")))
    assert piece.endswith("cover is 20 mm in a dry room [Source 1].")


def test_a_heading_that_runs_into_its_sentence_is_left_out():
    page = passage("3 COVER - Beams\nBeams in a dry room have a cover of 20 mm.", section_path=("3 COVER - Beams",))
    sentence = Sentence(source=0, start=0, end=len(page.content), text=page.content, score=0.9)
    found = Evidence(passages=(page,), sentences=(sentence,), strength=0.9)
    assert said("cover?", found) == ["Beams in a dry room have a cover of 20 mm."]


@settings(max_examples=60)
@given(
    lines=st.lists(
        st.text(alphabet="ab1 |:.-*()?\n•", min_size=1, max_size=60)
        | st.sampled_from(["It is so here.", "However, not then.", "The following:", "- an item of it", "| a | b 1 |"]),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_the_page_says_the_answer_is_its_words(lines: list[str]):
    text = "\n".join(lines)
    if text.strip():
        answered("a b 1", read(text, "a"))


def test_a_row_of_figures_alone_answers_with_its_headers() -> None:
    header, row = "| Persons | Discount |", "| 6–9 | 5 % |"
    found = read(f"{header}\n| --- | --- |\n{row}\n| 10–19 | 10 % |\n", row)
    rows = tuple(replace(one, header=header) if one.text[2].isdigit() else one for one in found.sentences)
    (answer,) = answered("discount for a group of 7?", replace(found, sentences=rows))
    assert answer.text == "Persons 6–9 — discount: 5 % [Source 1]."


def test_a_sentence_whose_ranges_leave_the_number_out_is_not_quoted() -> None:
    half, nothing = "From 7 to 14 days before, half is refunded.", "Fewer than 7 days before, nothing is refunded."
    found = read(f"{half} {nothing}", half, nothing)
    first, second = found.sentences
    sentences = (first, replace(second, ranges=RangeMatch(excluded=frozenset({"10"}))))
    cited = answered("refund if I cancel 10 days before?", replace(found, sentences=sentences))
    assert [one.text for one in cited] == ["From 7 to 14 days before, half is refunded [Source 1]."]


CHANGES = """### Removed

- Export to the old format. Use CSV instead.
- The tutorial for beginners.

Nothing else went away."""


def under(heading: str, evidence: Evidence) -> Evidence:
    return replace(evidence, passages=(replace(evidence.passages[0], section_path=(heading,)),))


def test_an_item_is_quoted_with_the_heading_that_its_list_stands_under():
    found = under("Removed", read(CHANGES, "Export to the old format"))
    assert said("can I still export?", found)[0] == "Removed: Export to the old format."
    last = under("Removed", read(CHANGES, "tutorial"))
    assert said("is there a tutorial for beginners?", last) == ["Removed: The tutorial for beginners."]


def test_a_line_without_a_list_below_it_gets_no_heading():
    found = under("Removed", read(CHANGES, "Nothing else"))
    assert said("what went away?", found)[0] == "Nothing else went away."


def test_a_short_line_that_leads_in_to_a_list_is_quoted_with_all_of_it():
    text = "Guests must not:\n\n- hang washing over the railing\n- light a barbecue of any kind\n- move the furniture"
    (sentence,) = answered("what must I not do?", read(text, "Guests must not"))
    assert sentence.claim.rstrip(".").splitlines() == text.replace("\n\n", "\n").splitlines()


def test_one_item_is_quoted_without_those_between_it_and_the_lead_in():
    text = (
        "Please follow these steps in the week before:\n1. Tell us about all medicines that you take.\n"
        "2. Have a shower on the morning of the operation."
    )
    quoted = " ".join(said("when do I shower?", read(text, "Have a shower")))
    assert "shower" in quoted
    assert "medicines" not in quoted


def test_two_items_of_one_list_are_quoted_under_one_lead_in():
    text = "The board pays for:\n- paint and brushes\n- a new roof over the shed\n- cleaning of the shed's gutters"
    found = read(text, "roof over the shed", "gutters")
    quoted = said("Who pays for the roof of the shed and its gutters?", found)
    assert sum("The board pays for" in one for one in quoted) == 1
    assert all(any(words in one for one in quoted) for words in ("roof", "gutters"))


ANSWERS = """Q: How long may I keep a tool?
A: Seven days. You can extend it once by another week.

Q: Can you deliver?
A: Not at present."""


def test_a_short_answer_under_a_question_is_quoted_without_its_label():
    found = under("Can you deliver?", read(ANSWERS, "Not at present"))
    assert said("do you deliver?", found) == ["Not at present."]


def test_what_goes_on_from_a_short_answer_comes_behind_it():
    found = under("How long may I keep a tool?", read(ANSWERS, "extend it once"))
    assert said("how long may I keep it?", found) == [
        "Seven days.",
        "You can extend it once by another week.",
    ]


def test_a_question_of_the_page_is_never_the_answer():
    found = read("**Q: Can you deliver the tools to my house?**\nA: Not at present.", "Can you deliver")
    assert not any("Can you deliver" in piece for piece in compose(Prompt(messages=(), question="?", evidence=found)))


def test_what_stands_below_a_list_begins_a_line_of_its_own():
    text = (
        "Guests of the flat must not:\n\n- hang washing over the railing\n- light a barbecue of any kind\n\n"
        "Guests must also keep quiet between ten and seven."
    )
    found = read(text, "Guests of the flat must not", "keep quiet")
    parts = (
        SubQuestion(text="What is forbidden?", sentences=found.sentences),
        SubQuestion(text="and when is it quiet?", sentences=read(text, "keep quiet").sentences),
    )
    pieces = compose(Prompt(messages=(), question="?", evidence=replace(found, sub_questions=parts)))
    assert len(pieces) == 2
    assert pieces[1].startswith("\nGuests must also keep quiet")


TWO_LISTS = """Allowed on board:
- folding bicycles of any size
- dogs on a lead
Forbidden on board:
- glass bottles of any size
- fireworks and open flames"""


def test_a_line_below_a_list_that_leads_in_to_the_next_is_no_part_of_an_item():
    found = read(TWO_LISTS, "folding bicycles", "dogs on a lead")
    assert said("what may I take?", found) == [
        "Allowed on board: folding bicycles of any size; dogs on a lead.",
    ]
    other = read(TWO_LISTS, "glass bottles")
    assert said("may I take glass bottles?", other) == ["Forbidden on board: glass bottles of any size."]


def test_a_list_is_not_quoted_where_a_short_line_over_another_list_fits_better():
    question = Prompt(messages=(), question="What is allowed?", evidence=read(TWO_LISTS, "Allowed", "Forbidden"))
    assert "Forbidden" not in " ".join(compose(question))
    short = TWO_LISTS.replace(" of any size", "", 1)
    question = replace(question, evidence=read(short, "Allowed", "Forbidden"))
    assert compose(question) == [REFUSAL]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_short_line_that_leads_in_to_a_list_is_no_answer_by_itself(gap: str):
    lines = ["You may bring:", "- dogs", "- bicycles", "You may not bring:", "- glass", "- fireworks"]
    for best in ("You may bring", "You may not bring", "- bicycles", "- fireworks"):
        found = read(gap.join(lines), best)
        assert compose(Prompt(messages=(), question="What may I bring?", evidence=found)) == [REFUSAL]


def test_an_item_that_leads_in_to_others_ends_the_list():
    text = (
        "You are welcome to bring:\n- dogs that are kept on a lead\n- You may not bring any of these:\n"
        "- glass bottles of any size\n- fireworks and open flames"
    )
    found = read(text, "welcome to bring")
    assert said("what may I bring?", found) == ["You are welcome to bring: dogs that are kept on a lead."]
    other = read(text, "glass bottles")
    assert said("may I bring glass bottles?", other) == [
        "You may not bring any of these: glass bottles of any size.",
    ]


def test_an_item_behind_those_of_a_list_within_it_has_the_lead_in_of_the_outer_list():
    text = (
        "In the first week please do not:\n- Use any of these on the wound:\n  - soap with perfume in it\n"
        "- drive a car or ride a bicycle"
    )
    quoted = " ".join(said("may I drive a car?", read(text, "drive a car")))
    assert quoted == "In the first week please do not: drive a car or ride a bicycle."
    assert said("may I use soap?", read(text, "soap")) == ["Use any of these on the wound: soap with perfume in it."]


def test_a_heading_is_not_said_of_items_behind_what_may_be_another_heading():
    text = "Exclusions\n\n- wear and tear of the boat\n- rust\nCovered items\n- theft of the whole boat"
    found = under("Exclusions", read(text, "theft of the whole boat"))
    assert not any("Exclusions" in piece for piece in said("is theft of the boat covered?", found))


def test_items_of_several_sentences_count_once_and_a_list_that_is_cut_is_known_as_such():
    words = ["tape", "gloves", "plasters", "scissors", "tweezers", "bandages", "iodine", "cotton", "needles", "a mask"]
    text = "The first-aid kit must hold:\n" + "".join(f"- {word} in a bag. It is kept dry.\n" for word in words)
    (whole,) = answered("what must the kit hold?", read(text, "must hold"))
    assert all(word in whole.claim for word in words)
    assert not leaves_out_items(whole.citations)
    longer = text + "".join(f"- item {word} too. It is kept dry.\n" for word in words)
    (cut,) = answered("what must the kit hold?", read(longer, "must hold"))
    assert cut.claim.count("- ") == 12
    assert leaves_out_items(cut.citations)


def test_a_short_sentence_after_a_question_in_running_text_is_no_answer():
    text = "Do you need to park? Call us. The club house is in Mill Lane."
    for evidence_read in (read(text, "Call us"), under("Do you need to park?", read(text, "Call us"))):
        assert said("is there a car park?", evidence_read) == ["The club house is in Mill Lane."]
    wrapped = read(text.replace("? Call", "?\nCall"), "Call us")
    assert "Call us." not in said("is there a car park?", wrapped)
