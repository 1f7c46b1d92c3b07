"""What is found in the catalogue, in which order, and what the facets count."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from marketplace.catalogue.listing_query import (
    MAX_DOMAINS,
    ListingQuery,
    ListingSort,
    TrustFilter,
    UseFilter,
    parse_listing_query,
    parse_words,
)
from marketplace.catalogue.listing_search import search_listings
from marketplace.models import Listing
from plugins.models import Plugin
from tests.marketplace.catalogue.made import listed, scorecard

pytestmark = pytest.mark.django_db
OPERATORS = ["'", "\\", "':*", "a:*b", "!!", "(|)", "&", "<->", '"', '-"', "-", "%s", "\x00a", "a'b"]


def names(**fields: object) -> list[str]:
    return [one.plugin.name for one in search_listings(ListingQuery(**fields)).listings]  # type: ignore[arg-type]


@pytest.fixture
def shelf(alice: User) -> None:
    """Three that have little in common."""
    listed(
        alice,
        "Concrete cover and durability",
        tagline="Nominal cover, exposure classes and laps for reinforced concrete.",
        domain="structural-engineering",
        tags=["concrete", "IS 456"],
        card=scorecard(99, 100),
        is_shared=True,
        embed=True,
    )
    listed(
        alice,
        "NDA review in 17 points",
        tagline="Reads a draft against seventeen positions.",
        domain="contract-law",
        description="Confidentiality agreements: term, carve-outs, injunctions.",
        tags=["contracts"],
        card=scorecard(8, 10),
        public_chat=True,
        embed=True,
    )
    listed(
        alice,
        "Outpatient billing",
        tagline="Visit levels, modifiers and timely filing.",
        domain="clinic-billing",
        tags=["medicare", "contracts"],
        embed=True,
    )


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("concrete cover", "Concrete cover and durability"),
        ("cover of concrete members", "Concrete cover and durability"),
        ("durab", "Concrete cover and durability"),  # half typed
        ("Durability", "Concrete cover and durability"),
        ("confidentiality agreement", "NDA review in 17 points"),
        ("injunction", "NDA review in 17 points"),
        ("filing of claims for patients", "Outpatient billing"),
        ("medicare", "Outpatient billing"),
    ],
)
def test_words_find_what_has_them(shelf: None, words: str, first: str) -> None:
    assert names(words=words)[0] == first


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("how thick must concrete over rebar be", "Concrete cover and durability"),
        ("secrecy contract between companies", "NDA review in 17 points"),
        ("doctor visit insurance payment codes", "Outpatient billing"),
        ("confidentialty agrement", "NDA review in 17 points"),  # mistyped
        ("contract revieew", "NDA review in 17 points"),
    ],
)
def test_meaning_finds_what_has_other_words(shelf: None, words: str, first: str) -> None:
    assert names(words=words)[:1] == [first]


def test_what_is_about_something_else_is_not_found(shelf: None) -> None:
    assert names(words="feeding tropical fish") == []
    assert names(words="xkcd qwrtz") == []


def test_a_listing_without_a_vector_is_found_by_its_words(alice: User) -> None:
    listed(alice, "Fire safety of stairs")
    assert names(words="stairs") == ["Fire safety of stairs"]


def test_the_name_weighs_more_than_the_description(alice: User) -> None:
    listed(alice, "General handbook", description="It also speaks of scaffolds.")
    listed(alice, "Scaffolds")
    assert names(words="scaffold") == ["Scaffolds", "General handbook"]


def test_quotation_marks_and_minus_mean_what_they_mean_elsewhere(shelf: None) -> None:
    assert names(words='"timely filing"') == ["Outpatient billing"]
    assert names(words='"filing timely"') == []
    assert "Outpatient billing" not in names(words="contracts -medicare")
    assert names(words="-concrete", sort=ListingSort.NAME) == ["NDA review in 17 points", "Outpatient billing"]


def test_what_went_off_the_air_is_not_found(shelf: None) -> None:
    Plugin.objects.filter(name__startswith="NDA").update(is_published=False)
    found = search_listings(ListingQuery())
    assert (found.total, "Contract law" in found.facets.domains) == (2, False)


def test_facets_narrow_and_count_what_the_others_let_through(shelf: None) -> None:
    found = search_listings(ListingQuery(domains=("Contract law", "Clinic billing"), tags=("contracts",)))
    assert found.total == 2
    assert found.facets.domains == {"Clinic billing": 1, "Contract law": 1}
    assert found.facets.tags == {"contracts": 2, "medicare": 1}
    assert found.facets.trust == {"any": 2, "measured": 1, "right": 0}
    assert found.facets.uses == {"api": 2, "chat": 1, "install": 0}


def test_every_facet_narrows(shelf: None) -> None:
    assert names(trust=TrustFilter.RIGHT) == ["Concrete cover and durability"]
    assert names(trust=TrustFilter.MEASURED) == ["Concrete cover and durability", "NDA review in 17 points"]
    assert names(uses=(UseFilter.CHAT,)) == ["NDA review in 17 points"]
    assert names(uses=(UseFilter.INSTALL,)) == ["Concrete cover and durability"]
    assert names(uses=(UseFilter.CHAT, UseFilter.INSTALL)) == []
    assert len(names(uses=(UseFilter.API,))) == 3
    assert names(tags=("contracts", "medicare")) == ["Outpatient billing"]


def test_few_questions_are_not_95_percent_right(alice: User) -> None:
    listed(alice, "Plugin, nine of nine", card=scorecard(9, 9, refused=(0, 0)))
    listed(alice, "Plugin, ten of ten", card=scorecard(10, 10, refused=(0, 0)))
    listed(alice, "Plugin, nineteen of twenty", card=scorecard(19, 20, refused=(0, 0)))
    listed(alice, "Plugin, eighteen of twenty", card=scorecard(18, 20, refused=(0, 0)))
    right = ["Plugin, nineteen of twenty", "Plugin, ten of ten"]
    for words in ("", "plugin"):
        assert sorted(names(words=words, trust=TrustFilter.RIGHT)) == right
        assert search_listings(ListingQuery(words=words)).facets.trust["right"] == 2


def test_facets_count_what_was_searched_for(shelf: None) -> None:
    assert search_listings(ListingQuery(words="concrete cover")).facets.domains == {"Structural engineering": 1}


def test_more_questions_weigh_more_than_a_higher_share_of_few(alice: User) -> None:
    listed(alice, "Three of three", card=scorecard(3, 3, refused=(0, 0)))
    listed(alice, "117 of 120", card=scorecard(117, 120, refused=(0, 0)))
    listed(alice, "Not measured")
    assert names(sort=ListingSort.RIGHT) == ["117 of 120", "Three of three", "Not measured"]


def test_it_is_sorted_as_asked(shelf: None) -> None:
    Listing.objects.filter(domain="Clinic billing").update(asked=9)
    assert names(sort=ListingSort.ASKED)[0] == "Outpatient billing"
    assert names(sort=ListingSort.NAME) == sorted(names())
    assert names(sort=ListingSort.NEWEST)[0] == "Outpatient billing"
    assert names(sort=ListingSort.BEST) == names(sort=ListingSort.RIGHT)  # nothing to fit to


def test_pages_hold_everything_once(alice: User) -> None:
    for number in range(7):
        listed(alice, f"Plugin {number}")
    pages = [search_listings(ListingQuery(), offset=offset, limit=3) for offset in (0, 3, 6, 9)]
    assert [page.total for page in pages] == [7] * 4
    assert [len(page.listings) for page in pages] == [3, 3, 1, 0]
    assert len({one.pk for page in pages for one in page.listings}) == 7


@pytest.mark.parametrize("rows", [1, 5])
def test_it_takes_two_statements_however_much_there_is(alice: User, rows: int, django_assert_num_queries) -> None:
    for number in range(rows):
        listed(alice, f"Plugin {number}", card=scorecard())
    with django_assert_num_queries(2):
        for one in search_listings(ListingQuery(words="plugin")).listings:
            assert [one.plugin.name, one.author, one.release.version, one.release.scorecard["golden_total"]]


def test_what_is_sent_is_bounded() -> None:
    many = [f"domain {number}" for number in range(500)]
    found = parse_listing_query(
        {"q": ["x " * 5000], "domain": many, "tag": many, "trust": ["?"], "use": ["?"], "sort": ["?"]}
    )
    assert len(found.words) <= 200
    assert (len(found.domains), len(found.tags)) == (MAX_DOMAINS, 10)
    assert (found.trust, found.uses, found.sort) == (TrustFilter.ANY, (), None)
    assert len(parse_words("a " * 1000).plain) == 16


def test_an_address_says_it_all_again() -> None:
    one = ListingQuery(
        words="a & b",
        domains=("Law",),
        tags=("x y",),
        trust=TrustFilter.RIGHT,
        uses=(UseFilter.CHAT,),
        sort=ListingSort.NAME,
    )
    assert one.query() == "q=a+%26+b&domain=Law&tag=x+y&trust=right&use=chat&sort=name"
    assert one.query(tags=(), words="") == "domain=Law&trust=right&use=chat&sort=name"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=3))
def test_whatever_is_typed_is_only_looked_for(db: None, words: str, choices: list[str]) -> None:
    found = search_listings(parse_listing_query({"q": [words], "domain": choices, "tag": choices}))
    assert found.total == 0


@pytest.mark.parametrize(
    "words", ["'", "\\", "':*", "a:*b", "!!", "(|)", "&", "<->", '"', '-"', "-", "%s", "\x00a", "a'b"]
)
def test_operators_of_the_database_are_words_like_others(shelf: None, words: str) -> None:
    search_listings(parse_listing_query({"q": [words]}))
