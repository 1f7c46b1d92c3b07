"""Evidence about a sibling of what was asked is recognised where that is certain, and never otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from querying.answering.siblings.nearest_sibling import find_nearest_sibling
from querying.answering.siblings.same_place import Replaced
from querying.types.evidence import Evidence
from tests.querying.passages import evidence, passage


def nearest(question: str, *contents: str, section: str = "3 Cover", title: str = "Handbook") -> Replaced | None:
    found = [
        passage(one, number=at, section_path=(section,), document_title=title) for at, one in enumerate(contents, 1)
    ]
    return find_nearest_sibling(question, evidence(*found))


@pytest.mark.parametrize(
    ("question", "sentence", "asked", "found"),
    [
        (
            "What is the cover of a slab exposed to weather?",
            "A beam exposed to weather needs a cover of 45 mm.",
            "slab",
            "beam",
        ),
        (
            "What cover does a deck open to severe rain need?",
            "A slab open to severe rain needs a cover of 45 mm.",
            "deck",
            "slab",
        ),
        ("How wide is the canal bridge?", "The river bridge is 12 m wide.", "canal bridge", "river bridge"),
        ("When does the ferry to Oban leave?", "The ferry to Mallaig leaves at nine.", "Oban", "Mallaig"),
        ("How heavy is the R7 pump?", "The R4 pump has a weight of 80 kg.", "R7", "R4"),
        (
            "What does insurance class 4 cover?",
            "Insurance class 2 covers theft and fire.",
            "class 4",
            "class 2",
        ),
        (
            "What is the lowest court of the union?",
            "The highest court of the union sits in Bern.",
            "lowest court",
            "highest court",
        ),
        (
            "What must the Buyer pay on request?",
            "On the Buyer's request the Seller shall pay the freight.",
            "Buyer",
            "Seller",
        ),
        ("When is the pool open on Sunday?", "The pool is open on Monday from nine.", "Sunday", "Monday"),
        ("What does Harbour Gold cost?", "Harbour Silver costs 30 euros.", "Harbour Gold", "Harbour Silver"),
    ],
)
def test_another_name_in_the_same_place_is_a_sibling(question: str, sentence: str, asked: str, found: str):
    assert nearest(question, sentence) == Replaced(asked=asked, found=found)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How far may a beam sag?", "The deflection of a beam is at most 20 mm."),  # another wording
        ("What is the cover of a slab?", "The cover of a slab is 20 mm."),  # nothing is missing
        ("How do residents book the hall and the garden?", "The pool opens at nine."),  # all is
        ("Who repairs the lift at night?", "The staff fixes the elevator by day."),  # synonyms
        ("What is the car park's height limit in winter?", "The height limit is two metres."),  # nothing in its place
        ("How many days of leave do interns get?", "There are 12 days of leave."),
        ("Who pays the annual fee of a member?", "The club pays the yearly fee of each member."),
        ("To which table of the code does Table 4 correspond?", "It corresponds to Table 16 of the code."),
        ("Investment Portfolio Setup for beginners", "For beginners see the Investment Guide."),
        ("What is the idea string made of?", "The ideal string is made of steel."),
        ("When must Tenants pay the rent?", "Renters must pay the rent by the third day."),
        ("May Anna's team use the room?", "Each Team may use the room."),
        ("When is the library open on weekdays?", "The library is open on Monday to Friday from 9 to 17."),
        ("Can dogs be brought to the beach in summer?", "Dogs can be brought to the beach in July."),
        ("When was the right to vote extended to grant women seats?", "The right of citizens was extended in 1920."),
    ],
)
def test_what_may_be_another_wording_is_none(question: str, sentence: str):
    assert nearest(question, sentence) is None


@pytest.mark.parametrize(
    ("other", "are_siblings"),
    [
        ("Visitors park behind the house.", False),
        ("Visitors and Guests park behind the house.", True),
        ("- Guests: by the gate\n- Visitors: behind the house", True),
    ],
)
def test_two_words_for_a_role_are_siblings_only_where_the_documents_set_them_side_by_side(
    other: str, are_siblings: bool
):
    told = nearest("What must Visitors sign at the gate?", "Guests must sign the book at the gate.", other)
    assert told == (Replaced(asked="Visitors", found="Guests") if are_siblings else None)


@pytest.mark.parametrize(
    ("asked", "found"), [("Gold Members", "Silver Members"), ("Part-time Staff", "Full-time Staff")]
)
def test_two_kinds_of_one_role_are_siblings_wherever_they_stand(asked: str, found: str):
    told = nearest(f"What must {asked} sign at the gate?", f"{found} must sign the book at the gate.")
    assert told == Replaced(asked=asked, found=found)
    assert nearest("What must Hotel Visitors sign?", "Hotel Guests must sign the book.") is None


def test_a_row_of_another_name_is_one_where_its_column_is_asked_for():
    row = passage("| Beans | early May | 30 cm |")
    table = evidence(row)
    best = replace(table.sentences[0], header="| Plant | Sown | Spacing |")
    table = replace(table, sentences=(best,))
    assert find_nearest_sibling("What spacing do leeks need?", table) == Replaced(asked="leeks", found="Beans")
    assert find_nearest_sibling("Which pests harm leeks?", table) is None
    assert find_nearest_sibling("What spacing do beans need?", table) is None


def test_names_of_one_breath_are_siblings_wherever_they_stand():
    told = nearest(
        "Are dogs allowed in the library?",
        "In the café dogs are allowed on a lead.",
        "The house has a café, a library and a cinema.",
    )
    assert told is None  # articles: no enumeration of plain names
    told = nearest(
        "How often are hinges oiled?", "Rollers are oiled every week.", "Oil hinges, rollers and chains by hand."
    )
    assert told == Replaced(asked="hinges", found="rollers")


def test_names_of_one_breath_count_only_where_all_of_what_is_missing_is_said():
    told = nearest(
        "What are the benefits of a first-aid course?",
        "A course has many benefits and is affordable.",
        "The aid is convenient, affordable and first-aid.",
    )
    assert told is None


def test_the_label_of_a_line_among_others_is_a_sibling():
    lines = "Monstera: watered once a week in summer.\nCactus: watered once a month in summer."
    found = passage(lines, section_path=("Watering",))
    one = evidence(found)
    best = replace(one.sentences[0], text=lines.splitlines()[0], end=lines.index("\n"))
    one = replace(one, sentences=(best,))
    assert find_nearest_sibling("How often is the aloe watered in summer?", one) == Replaced(
        asked="aloe", found="Monstera"
    )


def of_sections(question: str, **texts: str) -> Replaced | None:
    found = [
        passage(text, number=at, section_path=("Visit", heading.replace("_", " ")))
        for at, (heading, text) in enumerate(texts.items(), 1)
    ]
    return find_nearest_sibling(question, evidence(*found))


def test_parallel_sections_are_siblings_and_others_are_not():
    parallel = {"Juno": "Weight: 23 kg\nBorn: 2019", "Pixel": "Born: 2021\nFood: dry"}
    assert of_sections("What is the weight of Pixel?", **parallel) == Replaced(asked="Pixel", found="Juno")
    houses = {"Mill_House": "Photos may be taken without flash.", "Glass_House": "It opens at ten."}
    assert of_sections("Are photos allowed to be taken in Glass House?", **houses) is not None
    others = {"Prices": "A ticket is 8 euros.", "Palm_Hall": "It opens at ten."}
    assert of_sections("What does a ticket for Palm Hall cost?", **others) is None


def test_a_file_of_code_is_none():
    code = passage("The K3 pump is 12 m wide.", path="pump.py")
    assert find_nearest_sibling("How wide is the K5 pump?", evidence(code)) is None


def test_without_evidence_there_is_none():
    assert find_nearest_sibling("How wide?", Evidence(passages=(), sentences=(), strength=0.0)) is None
