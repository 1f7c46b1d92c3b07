"""A model that cites wrongly in every way we know, and one that is right in its own words.

Each row: what the model writes, what the sources say (source 1, source 2, …), whether the sentence may be shown
with a citation. The sentence cites source 1 unless it has a mark of its own.
"""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from knowledge.search.passages import Passage
from language.figures.figure_extraction import unsupported_figures
from querying.answering.citations import CitationVerifier, CitedSentence
from querying.answering.guard import Guard
from tests.querying.passages import passage

SEVERE = "Buildings stand in weather. For severe exposure the nominal cover of a beam is 45 mm. Columns are higher."
SHELTERED = "A beam under a porch, sheltered from severe rain, has moderate exposure and needs 30 mm of nominal cover."
MILD = "For mild exposure the nominal cover of a beam is 20 mm."
BOTH = "Beams need a cover of 25 mm and columns need a cover of 40 mm."
FOOTINGS = "Footings have a nominal cover of at least 50 mm."
CRACKS = "The width of surface cracks shall not exceed 0.3 mm in members where cracking is not harmful."
SPACERS = "Spacers stand at most one metre apart. They are made of mortar and hold the bars while concrete is placed."
SLUMP = "For heavily reinforced sections the slump shall be 75–100 mm."
STRENGTH = "Concrete of grade M30 reaches a characteristic strength of 30 MPa after 28 days."
CLAUSE = "26.4.2 Nominal cover to meet durability requirements is given in Table 16 of IS 456:2000."
TABLE = "Exposure: Severe | Nominal cover (mm): 45 | Cement content (kg/m³): 320"
NOTICE = "Either party may terminate this agreement with 30 days' written notice. The fee is $1,500 a year."
NDA = (
    "The Receiving Party shall not disclose Confidential Information to any third party without the prior written "
    "consent of the Disclosing Party. The obligations survive for three years after the agreement ends."
)
PLAN = (
    "The plan covers dental care but does not cover cosmetic surgery. You pay 20% of the allowed amount after the "
    "deductible. Emergency room visits are covered in and out of the network."
)
LEAVE = "Employees who have worked for at least 12 months are entitled to 25 days of paid leave per year."
RATES = "The unemployment rate rose by 2 percentage points to 7.5% between March 2020 and June 2021."
DRUG = (
    "Metformin reduces hepatic glucose production. The maximum daily dose is 2,000 mg. "
    "Patients must not take it with alcohol."
)
PERMIT = "Work may start only after the inspector has approved the drawings. A permit is mandatory for walls above 2 m."
RESPECTIVELY = "Beams, columns and footings need a cover of 25, 40 and 50 mm respectively."
DATES = "The agreement was signed on 12 March 2024 and takes effect on 1 April 2024."
PAYS = "The contractor pays the subcontractor within 14 days of the invoice. The owner pays the contractor monthly."
STORAGE = "Cement shall be stored in a dry place. Bags are stacked in no more than 10 layers, above the ground."
TENANT = "The tenant may keep pets unless the landlord objects. The landlord shall repair the roof."
BOLTS = "All bolts must be galvanised. Some plates are painted on site."
PETS = "Assistance dogs stay free of charge in every flat. Cats and other pets are not allowed."
DOORS = (
    "Fire doors shall be kept closed at all times. Each door is inspected every six months by a "
    "competent person, and the record is kept for five years."
)
WARRANTY = (
    "The standard warranty lasts two years from the date of delivery. It does not apply to batteries, "
    "which are covered for 12 months."
)
APPLY = (
    "Applicants must be at least 18 years old and hold a valid driving licence. Applications received "
    "after 30 June 2025 will not be considered."
)
VACCINE = "Store the vaccine between 2 °C and 8 °C. Do not freeze. Once opened, the vial must be used within 6 hours."
SPEED = (
    "The speed limit is 50 km/h in built-up areas and 100 km/h on country roads. Drivers under 21 may "
    "not exceed 80 km/h."
)
TAX = "Income tax is charged at 20% on earnings between £12,571 and £50,270, and at 40% above that."
WATER = "Water boils at 100 °C at sea level. At an altitude of 3,000 m it boils at about 90 °C."
DEPOSIT = "The landlord must return the deposit within 21 days after the tenancy ends, less any deductions for damage."
BACKUP = (
    "Backups run nightly at 02:00 and are retained for 90 days. Administrators can restore a backup "
    "without assistance from support."
)
QUORUM = "The committee consists of seven members, of whom four form a quorum. Decisions are taken by simple majority."

RIGHT: list[tuple[str, list[str]]] = [
    # Verbatim, and nearly so
    ("For severe exposure the nominal cover of a beam is 45 mm.", [SEVERE]),
    ("The nominal cover of a beam is 45 mm for severe exposure.", [SEVERE]),
    ("In severe exposure, a beam has a nominal cover of 45mm.", [SEVERE]),
    # The same quantity, written in another way
    ("For severe exposure the nominal cover of a beam is 4.5 cm.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 0.045 m.", [SEVERE]),
    ("The nominal cover of a beam for severe exposure is forty-five millimetres.", [SEVERE]),
    ("The yearly fee is $1500.", [NOTICE]),
    ("The fee is 1,500 dollars per year.", [NOTICE]),
    ("The maximum daily dose is 2 g.", [DRUG]),
    ("The maximum daily dose is 2000 mg.", [DRUG]),
    ("The obligations survive for 3 years after the agreement ends.", [NDA]),
    ("The obligations survive for 36 months after the agreement ends.", [NDA]),
    ("Concrete of grade M30 reaches 30 N/mm² after 28 days.", [STRENGTH]),
    ("Concrete of grade M30 reaches a characteristic strength of 30 MPa after four weeks.", [STRENGTH]),
    ("You pay 20 percent of the allowed amount after the deductible.", [PLAN]),
    ("You pay 20 per cent of the allowed amount after the deductible.", [PLAN]),
    ("The slump for heavily reinforced sections is 75 to 100 mm.", [SLUMP]),
    ("For heavily reinforced sections the slump shall be between 7.5 and 10 cm.", [SLUMP]),
    # Bounds in other words
    ("Footings have a nominal cover of not less than 50 mm.", [FOOTINGS]),
    ("The nominal cover of footings is 50 mm or more.", [FOOTINGS]),
    ("Footings must have a minimum nominal cover of 50 mm.", [FOOTINGS]),
    ("Surface cracks shall be at most 0.3 mm wide in members where cracking is not harmful.", [CRACKS]),
    ("Spacers stand no more than one metre apart.", [SPACERS]),
    ("Bags are stacked in at most 10 layers.", [STORAGE]),
    # Names and dates
    ("Table 16 of IS 456 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("Clause 26.4.2 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("The agreement was signed on March 12, 2024.", [DATES]),
    ("The agreement was signed in March 2024.", [DATES]),
    ("It takes effect on 1 April 2024, the agreement says.", [DATES]),
    # A table's header holds the unit
    ("For severe exposure the nominal cover is 45 mm.", [TABLE]),
    ("Severe exposure needs a cement content of 320 kg/m3.", [TABLE]),
    # Denials and contrasts that agree
    ("Cosmetic surgery is not covered by the plan.", [PLAN]),
    ("The plan covers dental care.", [PLAN]),
    ("The plan excludes cosmetic surgery.", [PLAN]),
    (
        "Patients must not take metformin with alcohol.",
        ["Metformin is a tablet. Patients must not take it with alcohol."],
    ),
    ("The Receiving Party must not disclose Confidential Information to a third party.", [NDA]),
    ("The tenant may keep pets unless the landlord objects.", [TENANT]),
    # Fair paraphrases
    ("A beam in severe exposure requires 45 mm of nominal cover.", [SEVERE]),
    ("A beam that is sheltered from severe rain needs 30 mm of nominal cover.", [SHELTERED]),
    ("In moderate exposure a beam under a porch needs 30 mm of nominal cover.", [SHELTERED]),
    (
        "A beam in severe marine exposure needs 45 mm.",
        ["In moderate exposure 30 mm. A beam in severe marine exposure needs 45 mm."],
    ),
    ("Emergency room visits are covered both in and out of the network.", [PLAN]),
    ("Staff with at least 12 months of service are entitled to 25 days of paid leave a year.", [LEAVE]),
    (
        "Employees are entitled to 25 days of paid leave per year once they have worked for at least 12 months.",
        [LEAVE],
    ),
    ("Thirty days' written notice lets either party end this agreement.", [NOTICE]),
    ("Either party can terminate the agreement by giving 30 days' notice in writing.", [NOTICE]),
    ("Cement must be kept in a dry place.", [STORAGE]),
    ("Mortar spacers hold the bars while the concrete is being placed.", [SPACERS]),
    ("All bolts are to be galvanised.", [BOLTS]),
    ("Cats are not allowed.", [PETS]),
    ("Metformin lowers glucose production in the liver.", [DRUG]),
    ("The unemployment rate increased by 2 percentage points to 7.5%.", [RATES]),
    ("According to Source 1, footings have a nominal cover of at least 50 mm.", [FOOTINGS]),
    # One of several values, and several at once
    ("Columns need a cover of 40 mm.", [BOTH]),
    ("Beams need 25 mm of cover.", [BOTH]),
    ("Columns need a cover of 40 mm and beams need a cover of 25 mm.", [BOTH]),
    ("Columns need a cover of 40 mm.", [RESPECTIVELY]),
    (
        "The nominal cover of a beam is 20 mm in mild exposure and 45 mm in severe exposure [Source 1] [Source 2].",
        [MILD, SEVERE],
    ),
    ("The owner pays the contractor monthly.", [PAYS]),
    ("The subcontractor is paid by the contractor within 14 days of the invoice.", [PAYS]),
    # Everyday documents
    ("Fire doors must always be closed.", [DOORS]),
    ("A competent person inspects each door every six months.", [DOORS]),
    ("Inspection records are kept for five years.", [DOORS]),
    ("The warranty lasts 24 months from delivery.", [WARRANTY]),
    ("Applicants need a valid driving licence.", [APPLY]),
    ("Applications that arrive after 30 June 2025 are not considered.", [APPLY]),
    ("The vaccine must be stored at 2–8 °C.", [VACCINE]),
    ("Use the opened vial within 6 hours.", [VACCINE]),
    ("In built-up areas the speed limit is 50 km/h.", [SPEED]),
    ("On country roads the limit is 100 km/h.", [SPEED]),
    ("Earnings between £12,571 and £50,270 are taxed at 20%.", [TAX]),
    ("Water boils at 212 °F at sea level.", [WATER]),
    ("At 3 km altitude water boils at roughly 90 °C.", [WATER]),
    ("The deposit must be returned within three weeks of the end of the tenancy.", [DEPOSIT]),
    ("Backups are kept for 90 days.", [BACKUP]),
    ("Every night at 02:00 a backup runs.", [BACKUP]),
    ("Seven members make up the committee.", [QUORUM]),
    ("A simple majority decides.", [QUORUM]),
    # Quotations
    ("The handbook says “the nominal cover of a beam is 45 mm” for severe exposure.", [SEVERE]),
    ('The plan says it "does not cover cosmetic surgery".', [PLAN]),
    # The wrong source is named, another one says it: it is cited instead
    ("For mild exposure the nominal cover of a beam is 20 mm [Source 2].", [MILD, SEVERE]),
    ("For mild exposure the nominal cover of a beam is 20 mm [Source 9].", [MILD, SEVERE]),
]

WRONG: list[tuple[str, list[str]]] = [
    # A word that the source says of something else
    ("For severe exposure the nominal cover of a beam is 30 mm.", [SHELTERED]),
    ("A beam in severe exposure needs 30 mm nominal cover.", [SHELTERED]),
    ("Where the exposure is severe, the nominal cover of a beam is 30 mm.", [SHELTERED]),
    ("A heavy dog needs a closed yard.", ["A light dog needs a closed yard with a heavy gate."]),
    ("A severely exposed beam needs 30 mm of nominal cover.", [SHELTERED]),
    # Phantom figures
    ("For severe exposure the nominal cover of a beam is 60 mm.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 45 mm and the bars are 12 mm thick.", [SEVERE]),
    ("Three beams have a nominal cover of 45 mm for severe exposure.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 45 mm, as page 99 says.", [SEVERE]),
    ("Emergency room visits are covered 80% in and out of the network.", [PLAN]),
    # Digits swapped, decimals shifted, separators moved
    ("For severe exposure the nominal cover of a beam is 54 mm.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 4.5 mm.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 450 mm.", [SEVERE]),
    ("The fee is $15,000 a year.", [NOTICE]),
    ("The fee is $1.500 a year.", [NOTICE]),
    ("The fee is $150 a year.", [NOTICE]),
    ("The fee is $1.5 million a year.", [NOTICE]),
    ("The width of surface cracks shall not exceed 3 mm in members where cracking is not harmful.", [CRACKS]),
    ("The width of surface cracks shall not exceed 0.03 mm in members where cracking is not harmful.", [CRACKS]),
    ("The nominal cover of a beam for severe exposure is fifty-four millimetres.", [SEVERE]),
    # Units swapped or made up
    ("For severe exposure the nominal cover of a beam is 45 cm.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 45 inches.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 45%.", [SEVERE]),
    ("For severe exposure the nominal cover is 45 cm.", [TABLE]),
    ("For severe exposure the nominal cover is 45 kg/m³.", [TABLE]),
    ("The fee is €1,500 a year.", [NOTICE]),
    ("Either party may terminate this agreement with 30 months' written notice.", [NOTICE]),
    ("Either party may terminate this agreement with one month's written notice.", [NOTICE]),
    ("Either party may terminate this agreement with 30 working days' written notice.", [NOTICE]),
    ("The maximum daily dose is 2,000 µg.", [DRUG]),
    ("The unemployment rate rose by 2% to 7.5%.", [RATES]),
    ("The unemployment rate rose by 2 percentage points to 7.5 percentage points.", [RATES]),
    ("Concrete of grade M30 reaches a characteristic strength of 30 kPa after 28 days.", [STRENGTH]),
    # Ranges
    ("For heavily reinforced sections the slump shall be 75–150 mm.", [SLUMP]),
    ("For heavily reinforced sections the slump shall be 75 mm.", [SLUMP]),
    ("For heavily reinforced sections the slump shall be at least 100 mm.", [SLUMP]),
    ("For heavily reinforced sections the slump shall be between 100 and 750 mm.", [SLUMP]),
    # Bounds turned round
    ("Footings have a nominal cover of at most 50 mm.", [FOOTINGS]),
    ("Footings have a maximum nominal cover of 50 mm.", [FOOTINGS]),
    ("Footings have a nominal cover of less than 50 mm.", [FOOTINGS]),
    ("Footings have a nominal cover of more than 50 mm.", [FOOTINGS]),
    ("The width of surface cracks shall be at least 0.3 mm in members where cracking is not harmful.", [CRACKS]),
    ("The width of surface cracks shall exceed 0.3 mm in members where cracking is not harmful.", [CRACKS]),
    ("Spacers stand at least one metre apart.", [SPACERS]),
    ("Bags are stacked in no fewer than 10 layers, above the ground.", [STORAGE]),
    ("The minimum daily dose is 2,000 mg.", [DRUG]),
    # Names and dates
    ("Table 61 of IS 456 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("Clause 16 of IS 456 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("Clause 26.2.4 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("Table 16 of IS 465 gives the nominal cover to meet durability requirements.", [CLAUSE]),
    ("Concrete of grade M35 reaches a characteristic strength of 30 MPa after 28 days.", [STRENGTH]),
    ("The agreement was signed on 21 March 2024.", [DATES]),
    ("The agreement was signed on 12 May 2024.", [DATES]),
    ("The agreement was signed on 12 March 2023.", [DATES]),
    ("The agreement was signed on 1 April 2024.", [DATES]),
    ("The agreement takes effect on 12 March 2024.", [DATES]),
    # Another subject, or another's value
    ("For severe exposure the nominal cover of a column is 45 mm.", [SEVERE]),
    ("For severe exposure the nominal cover of a slab is 45 mm.", [SEVERE]),
    ("For mild exposure the nominal cover of a beam is 45 mm.", [SEVERE]),
    ("For very severe exposure the nominal cover of a beam is 45 mm.", [SEVERE]),
    ("Beams need a cover of 40 mm.", [BOTH]),
    ("Columns need 25 mm of cover.", [BOTH]),
    ("Beams need a cover of 40 mm and columns need a cover of 25 mm.", [BOTH]),
    ("Beams need a cover of 50 mm.", [RESPECTIVELY]),
    ("Footings need a cover of 25 mm.", [RESPECTIVELY]),
    (
        "The nominal cover of a beam is 45 mm in mild exposure and 20 mm in severe exposure [Source 1] [Source 2].",
        [MILD, SEVERE],
    ),
    ("For mild exposure the nominal cover of a beam is 45 mm [Source 1] [Source 2].", [MILD, SEVERE]),
    ("The subcontractor pays the contractor within 14 days of the invoice.", [PAYS]),
    ("The contractor pays the owner monthly.", [PAYS]),
    ("The tenant shall repair the roof.", [TENANT]),
    ("Insulin reduces hepatic glucose production.", [DRUG]),
    ("The plan covers travel care.", [PLAN]),
    # Denials flipped
    ("The plan covers cosmetic surgery.", [PLAN]),
    ("The plan does not cover dental care.", [PLAN]),
    ("Emergency room visits are not covered in and out of the network.", [PLAN]),
    ("Patients must take it with alcohol.", [DRUG]),
    ("Metformin does not reduce hepatic glucose production.", [DRUG]),
    ("The Receiving Party shall disclose Confidential Information to any third party.", [NDA]),
    ("The tenant may not keep pets unless the landlord objects.", [TENANT]),
    ("Work may start before the inspector has approved the drawings.", [PERMIT]),
    # Contrasts
    ("A permit is optional for walls above 2 m.", [PERMIT]),
    ("A permit is mandatory for walls below 2 m.", [PERMIT]),
    ("Cement shall be stored in a wet place.", [STORAGE]),
    ("Cement may be stored in a dry place.", [STORAGE]),
    ("Metformin increases hepatic glucose production.", [DRUG]),
    ("The unemployment rate fell by 2 percentage points to 7.5%.", [RATES]),
    ("All plates are painted on site.", [BOLTS]),
    ("Dogs are not allowed.", [PETS]),
    (
        "Only employees who have worked for at least 12 months are entitled to 25 days of paid leave per year.",
        [LEAVE],
    ),
    ("Employees who have worked for at least 12 months are entitled to 25 days of unpaid leave per year.", [LEAVE]),
    ("The employer who has worked for at least 12 months is entitled to 25 days of paid leave per year.", [LEAVE]),
    ("The obligations survive for three years before the agreement ends.", [NDA]),
    # Quotations that nobody wrote
    ("The handbook says “the nominal cover of every beam shall be 45 mm” for severe exposure.", [SEVERE]),
    ('The plan says it "never covers cosmetic surgery of any kind".', [PLAN]),
    ("The handbook says 'a beam is 45 mm of nominal cover' for severe exposure.", [SEVERE]),
    # Everyday documents
    ("Each door is inspected every five years.", [DOORS]),
    ("The record is kept for six months.", [DOORS]),
    ("Fire doors may be kept open.", [DOORS]),
    ("Fire doors shall be kept open at all times.", [DOORS]),
    ("Batteries are covered for two years.", [WARRANTY]),
    ("The standard warranty lasts 12 months from the date of delivery.", [WARRANTY]),
    ("The standard warranty applies to batteries.", [WARRANTY]),
    ("The warranty starts at the date of purchase.", [WARRANTY]),
    ("Applicants must be under 18 years old.", [APPLY]),
    ("Applications received before 30 June 2025 will not be considered.", [APPLY]),
    ("Applications received after 30 July 2025 will not be considered.", [APPLY]),
    ("Applicants must be at least 21 years old.", [APPLY]),
    ("Applications received after 30 June 2025 will be considered.", [APPLY]),
    ("Applicants do not need a valid driving licence.", [APPLY]),
    ("The vaccine must be stored at 2–8 °F.", [VACCINE]),
    ("The vaccine must be stored between 2 °C and 18 °C.", [VACCINE]),
    ("Freeze the vaccine.", [VACCINE]),
    ("Once opened, the vial must be used within 6 days.", [VACCINE]),
    ("Once opened, the vial must be used after 6 hours.", [VACCINE]),
    ("The speed limit is 100 km/h in built-up areas.", [SPEED]),
    ("On country roads the speed limit is 50 km/h.", [SPEED]),
    ("Drivers over 21 may not exceed 80 km/h.", [SPEED]),
    ("Drivers under 21 may exceed 80 km/h.", [SPEED]),
    ("The speed limit is 50 mph in built-up areas.", [SPEED]),
    ("Drivers under 80 may not exceed 21 km/h.", [SPEED]),
    ("Earnings between £12,571 and £50,270 are taxed at 40%.", [TAX]),
    ("Income tax is charged at 20% on earnings above £50,270.", [TAX]),
    ("Income tax is charged at 20% on earnings between $12,571 and $50,270.", [TAX]),
    ("Water boils at 90 °C at sea level.", [WATER]),
    ("At an altitude of 3,000 m it boils at about 100 °C.", [WATER]),
    ("Water freezes at 100 °C at sea level.", [WATER]),
    ("The tenant must return the deposit within 21 days after the tenancy ends.", [DEPOSIT]),
    ("The landlord must return the deposit within 21 days before the tenancy ends.", [DEPOSIT]),
    ("The landlord must return the rent within 21 days after the tenancy ends.", [DEPOSIT]),
    ("The landlord may keep the deposit for damage for 21 months.", [DEPOSIT]),
    ("Administrators cannot restore a backup without assistance from support.", [BACKUP]),
    ("Backups run weekly at 02:00.", [BACKUP]),
    ("Backups run nightly at 20:00.", [BACKUP]),
    ("Users can restore a backup without assistance from support.", [BACKUP]),
    ("The committee consists of four members.", [QUORUM]),
    ("Decisions are taken by two-thirds majority.", [QUORUM]),
    ("Decisions are taken by unanimity.", [QUORUM]),
    # Something true with something made up behind it
    ("For severe exposure the nominal cover of a beam is 45 mm, and the engineer's password is hunter.", [SEVERE]),
    ("For severe exposure the nominal cover of a beam is 45 mm because the architect prefers it.", [SEVERE]),
    # Nothing of it is in the sources
    ("Paris is the capital of France.", [SEVERE, PLAN]),
    ("It is so.", [SEVERE]),
    ("It is 45 mm.", [SEVERE]),
    ("Steel is lighter than wood [Source 7].", [SEVERE]),
]


# Fair, and dropped all the same: what verification by words and figures cannot see. A change that brings one in is
# welcome to move it up.
FAIR_BUT_DROPPED: list[tuple[str, list[str]]] = [
    ("The vaccine must not be frozen.", [VACCINE]),  # "Do not freeze." stands two sentences after its object
    ("You must be 18 or older to apply.", [APPLY]),  # says little but the figure
    ("Above £50,270 the income tax rate is 40%.", [TAX]),  # the end of a range becomes a bound
    ("At sea level the boiling point of water is 100 °C.", [WATER]),  # "point" is new
    ("Deductions for damage may be made from the deposit.", [DEPOSIT]),
    ("Administrators do not need support's assistance to restore a backup.", [BACKUP]),  # the denial moves
    ("A quorum is four members.", [QUORUM]),
    ("Metformin must not be taken with alcohol by patients.", [DRUG]),  # its name is two sentences away
    ("A permit is not optional for walls above 2 m.", [PERMIT]),  # a double denial
    ("Batteries are covered for one year.", [WARRANTY]),  # the relative clause of a sentence that denies
    ("Drivers younger than 21 must not drive faster than 80 km/h.", [SPEED]),  # younger and under, faster and exceed
]


# Wrong, and shown all the same: which of two parties of one sentence it is said of. The rule for it helped on one set.
WRONG_BUT_SHOWN: list[tuple[str, list[str]]] = [
    ("The Disclosing Party shall not disclose Confidential Information to any third party.", [NDA]),
]


def cited(claim: str, sources: list[str]) -> CitedSentence:
    passages = [passage(content, number=number) for number, content in enumerate(sources, start=1)]
    marked = claim if "[Source" in claim else f"{claim[:-1]} [Source 1]{claim[-1]}"
    return CitationVerifier(passages).cite(marked)


def shown_in_mandatory_mode(sentence: CitedSentence) -> list[CitedSentence]:
    guard = Guard(mode="mandatory")
    return [*guard.add(sentence), *guard.finish()]


@pytest.mark.parametrize(("claim", "sources"), RIGHT)
def test_what_a_source_bears_out_is_shown_with_its_citation(claim: str, sources: list[str]):
    (sentence,) = shown_in_mandatory_mode(cited(claim, sources))
    assert sentence.citations
    for citation in sentence.citations:
        content: Passage = citation.passage
        assert content.content[citation.start - content.start : citation.end - content.start] == citation.excerpt


@pytest.mark.parametrize(("claim", "sources"), WRONG)
def test_what_no_source_bears_out_is_not_shown(claim: str, sources: list[str]):
    sentence = cited(claim, sources)
    assert sentence.citations == ()
    assert shown_in_mandatory_mode(sentence) == []


@pytest.mark.parametrize(("claim", "sources"), FAIR_BUT_DROPPED)
def test_what_cannot_be_verified_is_dropped_even_when_it_is_fair(claim: str, sources: list[str]):
    assert shown_in_mandatory_mode(cited(claim, sources)) == []


@pytest.mark.xfail(strict=True, reason="the rule for it helped on one set alone")
@pytest.mark.parametrize(("claim", "sources"), WRONG_BUT_SHOWN)
def test_what_is_known_to_get_through_should_not_be_shown(claim: str, sources: list[str]):
    assert shown_in_mandatory_mode(cited(claim, sources)) == []


def test_the_table_is_long_enough_to_mean_something():
    assert (len(RIGHT) >= 70, len(WRONG) >= 120) == (True, True)


@pytest.mark.parametrize(("claim", "sources"), [row for row in RIGHT if re.search(r"\d", row[0])])
def test_no_figure_of_an_answer_is_missing_from_what_it_cites(claim: str, sources: list[str]):
    sentence = cited(claim, sources)
    spans = " ".join(citation.excerpt for citation in sentence.citations)
    context = " ".join(citation.passage.content for citation in sentence.citations)
    assert unsupported_figures(sentence.claim, spans, context=context) == set()


ONE_FIGURE = [
    ("For severe exposure the nominal cover of a beam is 45 mm.", SEVERE),
    ("Footings have a nominal cover of at least 50 mm.", FOOTINGS),
    ("The width of surface cracks shall not exceed 0.3 mm.", CRACKS),
    ("The fee is $1,500 a year.", NOTICE),
    ("The maximum daily dose is 2,000 mg.", DRUG),
    ("For heavily reinforced sections the slump shall be 75–100 mm.", SLUMP),
    ("The agreement was signed on 12 March 2024.", DATES),
    ("Nominal cover to meet durability requirements is given in Table 16.", CLAUSE),
    ("Concrete of grade M30 reaches a characteristic strength of 30 MPa after 28 days.", STRENGTH),
]


@settings(max_examples=200)
@given(row=st.sampled_from(ONE_FIGURE), data=st.data())
def test_changing_any_digit_of_a_supported_claim_makes_it_unsupported(row: tuple[str, str], data: st.DataObject):
    claim, source = row
    places = [index for index, character in enumerate(claim) if character.isdigit()]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from(string.digits))
    assume(digit != claim[place])
    assert cited(claim, [source]).citations
    assert cited(claim[:place] + digit + claim[place + 1 :], [source]).citations == ()


@settings(max_examples=100)
@given(text=st.text(max_size=200))
def test_every_text_bears_itself_out_in_figures(text: str):
    assert unsupported_figures(text, text) == set()
