from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.figures.figure_extraction import extract_figures, numbers_with_units, unsupported_figures
from language.figures.quantities import read_quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("45mm", {"45": {"millimeter"}}),
        ("45 mm", {"45": {"millimeter"}}),
        ("clause 26.4.2 says 1,500 kg", {"26.4.2": {""}, "1500": {"kilogram"}}),
        ("30 beams and 30.0 m", {"30": {"", "meter"}}),
        ("50 CHF or C$ 60", {"50": {"swiss_franc"}, "60": {"canadian_dollar"}}),
        ("The fee is CHF 20.", {"20": {"swiss_franc"}}),
        ("no number", {}),
        ("M30 grade", {}),  # a designation, not a quantity
    ],
)
def test_numbers_are_read_with_the_unit_that_stands_by_them(text: str, expected: dict[str, set[str]]) -> None:
    assert numbers_with_units(text) == expected


@pytest.mark.parametrize(
    ("text", "unit"), [("USD 50", "US_dollar"), ("US$ 50", "US_dollar"), ("CHF 50", "swiss_franc"), ("Rs. 50", "rupee")]
)
def test_a_currency_may_stand_before_its_number(text: str, unit: str) -> None:
    assert [one.units for one in read_quantities(text)] == [(unit,)]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It is 45 mm.", "45mm of cover"),
        ("It is 4.5 cm.", "45 mm of cover"),
        ("It is 45 mm.", "Nominal cover (mm): 45"),
        ("It costs 1,500.", "1500 in all"),
        ("It costs 1,50,000 rupees.", "₹150000 in all"),
        ("It is 1500 mm.", "1 500 mm long"),
        ("It is 1.5 million.", "1,500,000 in all"),
        ("It costs $5k.", "The price is 5,000 dollars."),
        ("It is 25 mm, 40 mm and 50 mm.", "25, 40 and 50 mm"),
        ("It is 300 mm by 450 mm.", "300×450 mm"),
        ("It is 20 to 30 mm.", "20–30 mm"),
        ("It is 20–30 mm.", "at least 20 mm and at most 30 mm"),
        ("It is up to 30 mm.", "20–30 mm"),
        ("It is 0.5 inches.", "½ inch"),
        ("It is 1.5 inches.", "1½ inch"),
        ("There are 10^6 cycles.", "10⁶ cycles"),
        ("It is 2 kN.", "2 × 10³ N"),
        ("It is 32 °F.", "0 °C"),
        ("It lasts a week, that is 7 days.", "one week, 7 days"),
        ("It takes twenty-one days.", "21 days or three weeks"),
        ("It is two hundred and ten metres.", "210 m"),
        ("Two-thirds vote for it.", "two-thirds of the votes"),
        ("It is not less than 45 mm.", "at least 45 mm"),
        ("It is 45 mm or more.", "a minimum of 45 mm"),
        ("See Table 16.", "Tables 15, 16 and 17"),
        ("See clause 26.4.2.", "26.4.2 Nominal cover"),
        ("See IS 456.", "IS 456:2000"),
        ("Grade M 30 is used.", "M30 concrete"),
        ("It was in March 2024.", "on 12 March 2024"),
        ("It was in 2024.", "on 12 March 2024"),
        ("It was on 12 March 2024.", "on 12 March\n2024"),
        ("It was on 2024-03-12.", "on March 12th, 2024"),
        ("2. The cover is 45 mm.", "45 mm of cover"),  # the model numbers its sentences
        ("It rose by 1 percentage point.", "by 100 basis points"),
    ],
)
def test_a_figure_may_be_written_in_another_way(claim: str, source: str):
    assert unsupported_figures(claim, source) == set()


@pytest.mark.parametrize(
    ("text", "bound", "unit", "is_range"),
    [
        ("30 days\nor more", ">=", "day", False),
        ("30 days or\nmore", ">=", "day", False),
        ("at\nleast 30 days", ">=", "day", False),
        ("at least\n   30 days", ">=", "day", False),
        ("over\n30 days", ">", "day", False),
        ("not\nbe less than 30 days", ">=", "day", False),
        ("within six\nhours", "<=", "hour", False),
        ("It takes 30\ndays.", "", "day", False),
        ("7\nto 14 days", "", "day", True),
        ("between 7 and\n14 days", "", "day", True),
    ],
)
def test_a_line_break_parts_no_figure_from_its_bound_and_unit(text: str, bound: str, unit: str, is_range: bool) -> None:
    (found,) = extract_figures(text).quantities
    assert (found.bound, found.units, found.is_range) == (bound, (unit,), is_range)
    assert unsupported_figures(" ".join(text.split()), text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rooms: 30\nhours: 5", [("30", ""), ("5", "")]),
        ("Persons: 45\nAt least 5 EUR", [("45", ""), ("5 EUR", ">=")]),
        ("Lift: no\n5 rooms", [("5", "")]),
        ("Stay: 30 days\n\nor more", [("30 days", "")]),
    ],
)
def test_a_line_of_its_own_bounds_no_figure_of_another(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.written, one.bound) for one in extract_figures(text).quantities] == expected


@pytest.mark.parametrize(
    ("claim", "source", "lacking"),
    [
        ("It is 54 mm.", "45 mm of cover", {"54 mm"}),
        ("It is 45 %.", "45 mm of cover", {"45 %"}),
        ("It is 45 cm.", "Nominal cover (mm): 45", {"45 cm"}),
        ("It is 45 mm.", "Cover shall be 45.", {"45 mm"}),
        ("It is 320 mm.", "Cover (mm): 45 | Cement (kg/m³): 320", {"320 mm"}),
        ("It is 1.500 mm.", "1,500 mm", {"1.500 mm"}),
        ("It is 500 mm.", "1 500 mm", {"500 mm"}),
        ("It is 20 mm.", "20–30 mm", {"20 mm"}),
        ("It is 20–40 mm.", "20–30 mm", {"20-40 mm"}),
        ("It is at most 45 mm.", "at least 45 mm", {"45 mm"}),
        ("It is more than 45 mm.", "at least 45 mm", {"45 mm"}),
        ("It is less than 45 mm.", "45 mm", {"45 mm"}),
        ("It is -5 °C.", "5 °C", {"-5 °C"}),
        ("It is 5 mm.", "45 ± 5 mm", {"5 mm"}),
        ("It takes 30 days.", "30 working days", {"30 days"}),
        ("It takes a month, 1 month.", "30 days", {"1 month"}),
        ("It rose by 5%.", "by 5 percentage points", {"5%"}),
        ("It costs $40.", "€40", {"$40"}),
        ("40 beams stand.", "25 beams and 40 columns", {"40"}),
        ("See Table 16.", "Clause 16", {"Table 16"}),
        ("See Annex B.", "Annex A", {"Annex B"}),
        ("Grade M25 is used.", "M30 concrete", {"Grade M25"}),
        ("The ratio is 1:2:4.", "1:3:6", {"1:2:4"}),
        ("It opens at 9:00 am.", "It opens at 8:00 a.m. and closes at 9:00 p.m.", {"9:00am"}),
        ("It was on 12 March 2024.", "in March 2024", {"12 March 2024"}),
        ("It ends before 1 April 2024.", "after 1 April 2024", {"1 April 2024"}),
        ("Use it after 6 hours.", "within 6 hours", {"6 hours"}),
        ("There are three of them.", "there are many", {"three"}),
    ],
)
def test_a_figure_must_stand_in_the_source_in_its_unit_and_under_its_bound(claim: str, source: str, lacking: set[str]):
    assert unsupported_figures(claim, source) == lacking


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Die Mindestdicke der Platte beträgt 0,9 mm.", "Die Mindestdicke der Platte beträgt 0,5 mm."),
        ("Die Dicke der Platte beträgt 12,9 mm.", "Die Dicke der Platte beträgt 12,5 mm."),
        ("Die Breite der Platte beträgt 12,9.", "Die Breite der Platte beträgt 12,5."),
        ("Der Eintritt kostet 3,90 Euro.", "Der Eintritt kostet 3,50 Euro."),
        ("Es kostet €3,90.", "Es kostet €3,50."),
        ("Die Quote beträgt 5,9 %.", "Die Quote beträgt 5,5 %."),
        ("La entrada cuesta 3,90 euros.", "La entrada cuesta 3,50 euros."),
        ("Der Preis beträgt 1.234,99 Euro.", "Der Preis beträgt 1.234,56 Euro."),
        ("Der Preis beträgt 1.234.999 Euro.", "Der Preis beträgt 1.234.567 Euro."),
        ("Der Preis beträgt 1.234.567,99 Euro.", "Der Preis beträgt 1.234.567,89 Euro."),
        ("Der Preis beträgt 1.5 Euro.", "Der Preis beträgt 1.500 Euro."),
        ("Le prix est de 234,56 euros.", "Le prix est de 1 234,56 euros."),
        ("Die Spannweite beträgt 2,5-9,5 m.", "Die Spannweite beträgt 2,5-7,5 m."),
        ("It is 12,9 mm thick.", "It is 12,5 mm thick."),
        ("Levels 1,9 and 3 are open.", "Levels 1,2 and 3 are open."),
    ],
)
def test_another_fraction_behind_a_decimal_comma_is_another_figure(claim: str, source: str):
    assert unsupported_figures(claim, source)
    assert not unsupported_figures(claim, claim)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Der Preis beträgt 1.500 Euro.", "Der Preis beträgt 1500 Euro."),
        ("Der Preis beträgt 1.500 Euro.", "The price of the plate is 1,500 Euro."),
        ("Der Preis beträgt 1.234,50 Euro.", "The price is € 1,234.50."),
        ("Der Balken ist 12,50 m lang.", "Der Balken ist 12,5 m lang."),
        ("Die Länge beträgt 0,5 m.", "Die Länge beträgt 500 mm."),
        ("Le prix est de 1 234,56 euros.", "Le prix est de 1234,56 euros."),
        ("Levels 1, 2 and 3 are open.", "Levels 1,2 and 3 are open."),
        ("Levels 1,2 and 3 are open.", "Levels 1, 2 and 3 are open."),
        ("Preis: 1500 Euro", "Der Preis der Platte beträgt 1.500 Euro."),
        ("Der Preis der Platte beträgt 1500 Euro.", "Preis: 1.500 Euro"),  # in the language of the claim
    ],
)
def test_numbers_are_read_as_their_language_writes_them(claim: str, source: str):
    assert unsupported_figures(claim, source) == set()


@pytest.mark.parametrize("other", ["1.5 Euro", "1,5 Euro", "1500 Euro"])
def test_a_number_in_no_known_language_that_may_be_two_must_be_written_the_same(other: str):
    assert unsupported_figures("Preis: 1.500 Euro", "Preis: 1.500 Euro") == set()
    assert unsupported_figures(f"Preis: {other}", "Preis: 1.500 Euro") == {other}
    assert unsupported_figures("Preis: 1.500 Euro", f"Preis: {other}") == {"1.500 Euro"}


def test_an_english_list_without_spaces_is_no_fraction():
    assert [quantity.number for quantity in extract_figures("Levels 1,2 and 3 of 1,000").quantities] == [
        "1",
        "2",
        "3",
        "1000",
    ]


def test_a_tables_header_elsewhere_on_the_page_may_name_the_unit():
    row, page = "Severe | 45", "Exposure | Nominal cover (mm)\nSevere | 45"
    assert unsupported_figures("It is 45 mm.", row) == {"45 mm"}
    assert unsupported_figures("It is 45 mm.", row, context=page) == set()


@given(st.text(max_size=300))
def test_every_text_bears_out_its_own_numbers(text: str) -> None:
    assert unsupported_figures(text, text) == set()


@given(st.text(alphabet=st.sampled_from("0123456789 ,.-–/:^x%$€mk()±½⁶toandMay"), max_size=120))
def test_no_text_of_figures_breaks_the_reader(text: str) -> None:
    extract_figures(text)


def test_hostile_text_is_read_in_one_pass():
    for hostile in (
        "1,",
        "1,2",
        "1.234,",
        "1 ",
        "1/",
        "1:",
        "1.1",
        "20-30 to ",
        "x 10^",
        "Table 1, ",
        "three and ",
        "March 1 ",
        "IS-",
    ):
        extract_figures(hostile * (20_000 // len(hostile)))


@pytest.mark.parametrize(
    "text", ["fıve days", "FİVE days", "5 mıllion", "sectıon 5", "untıl 1 April 2024", "ſeptember 2024", "artİcle 5"]
)
def test_letters_that_are_others_once_their_case_is_ignored_are_read_too(text: str) -> None:
    extract_figures(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [("two and a half hours", 2.5), ("one and a half hours", 1.5), ("twenty-two and a half kg", 22.5)],
)
def test_a_half_belongs_to_the_number_before_it(text: str, number: float) -> None:
    (found,) = extract_figures(text).quantities
    assert (found.low, found.written) == (number, text)


def test_several_hundred_are_no_hundred() -> None:
    assert extract_figures("It costs several hundred euros, or a couple of thousand.").quantities == ()
