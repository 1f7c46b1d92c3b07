"""GET /api/marketplace and what is below it: for anybody, and never more than the pages show."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from lexic_sdk import Lexic

from accounts.models import User
from api.marketplace.serializers import MarketplaceSearchParameters
from knowledge.models import Document, KnowledgeBase
from marketplace.listings.update_listing import update_listing
from marketplace.models import DayOfPlugin, Listing
from plugins.models import Plugin, Release
from tests.api.people import code_of
from tests.marketplace.catalogue.made import listed, scorecard
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db

FACETS = {"domains", "tags", "trust", "uses"}


@pytest.fixture
def cover(alice: User) -> Listing:
    """With a source, on the marketplace."""
    listing = listed(
        alice,
        "Concrete cover",
        slug="cover",
        domain="structural-engineering",
        tags=["Concrete"],
        tagline="Nominal cover.",
        system_prompt="secret persona",
        card=scorecard(117, 120, refused=(30, 30)),
        is_shared=True,
    )
    base = KnowledgeBase.objects.create(owner=alice, plugin=listing.plugin, name="Cover", revision=1)
    Document.objects.create(knowledge_base=base, title="IS 456", source_type="pdf", page_count=114, added_in=1)
    Document.objects.create(knowledge_base=base, title="Secret draft", source_type="pdf", added_in=2)
    Release.objects.create(
        plugin=listing.plugin,
        version="2.0.0",
        notes="Reads IS 456.",
        system_prompt="secret persona",
        limits="secret limits",
        scorecard=scorecard(118, 120, refused=(30, 30)),
        knowledge=[{"knowledge_base": base.pk, "revision": 1, "embedder": "local"}],
    )
    update_listing(listing.plugin)
    return Listing.objects.get(pk=listing.pk)


def get(path: str = "", **parameters: Any) -> Any:
    return Client().get(f"/api/marketplace{path}", parameters)


def slugs(**parameters: Any) -> list[str]:
    answer = get(**parameters)
    assert answer.status_code == 200, answer.content
    return [row["slug"] for row in answer.json()["results"]]


def test_lx_061_anybody_lists_what_is_published(cover: Listing, alice: User) -> None:
    Plugin.objects.create(owner=alice, name="Draft", domain="x")
    said = get().json()
    assert (said["count"], said["next"], said["previous"]) == (1, None, None)
    (row,) = said["results"]
    assert row["url"].endswith("/marketplace/cover")
    assert (row["slug"], row["version"], row["author"], row["domain"]) == (
        "cover",
        "2.0.0",
        "Alice",
        "structural-engineering",
    )
    assert row["answered"] == {"right": 118, "total": 120, "low": 0.9413, "high": 0.9954}
    assert row["sources"] == {"documents": 1, "pages": 114, "newest": None, "superseded": 0}
    assert said["facets"].keys() == FACETS


def test_nothing_that_is_not_public_is_said(cover: Listing) -> None:
    for path in ("", "/cover", "/cover/stats"):
        assert "secret" not in get(path).content.decode().lower()


def test_it_is_searched_and_narrowed_as_on_the_page(cover: Listing, alice: User) -> None:
    listed(alice, "Fire doors", slug="fire", domain="fire-safety", public_chat=True)
    assert slugs(q="nominal cover") == ["cover"]
    assert slugs(domain=["fire-safety", "nothing"]) == ["fire"]
    assert slugs(tag="concrete") == ["cover"]
    assert slugs(trust="right") == ["cover"]
    assert slugs(use="chat") == ["fire"]
    assert slugs(sort="name") == ["cover", "fire"]
    assert slugs(q="feeding tropical fish") == []


def test_pages_follow_one_another(alice: User) -> None:
    for number in range(5):
        listed(alice, f"Plugin {number}", slug=f"plugin-{number}")
    seen, address = [], "/api/marketplace?limit=2&sort=name&domain=testing"
    for _ in range(3):
        page = Client().get(address).json()
        seen += [row["slug"] for row in page["results"]]
        address = page["next"]
    assert seen == [f"plugin-{number}" for number in range(5)]
    assert address is None
    assert len(Client().get(page["previous"]).json()["results"]) == 2


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"cursor": "nonsense"}, "invalid_cursor"),
        ({"cursor": "bz0tMQ=="}, "invalid_cursor"),
        ({"limit": 0}, "invalid"),
        ({"limit": 1000}, "invalid"),
        ({"q": "x" * 201}, "invalid"),
        ({"sort": "price"}, "invalid"),
        ({"trust": "all"}, "invalid"),
        ({"use": ["api", "rent"]}, "invalid"),
        ({"domain": ["x"] * 21}, "invalid"),
        ({"serch": "cover"}, "invalid"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters: dict[str, Any], code: str) -> None:
    assert code_of(get(**parameters), 400) == code


def test_a_plugin_says_all_that_is_public_of_it(cover: Listing) -> None:
    for reference in ("cover", cover.pk):
        said = get(f"/{reference}").json()
        assert [one["title"] for one in said["documents"]] == ["IS 456"]
        assert [one["version"] for one in said["releases"]] == ["2.0.0", "1.0.0"]
        assert said["releases"][0]["scorecard"]["answered"] == [118, 120]
        assert said["citationMode"] == "mandatory"


def test_lx_092_its_stats_are_what_was_counted(cover: Listing) -> None:
    today = timezone.now().astimezone(UTC).date()
    for ago, asked in ((0, 3), (1, 5), (40, 100)):
        DayOfPlugin.objects.create(
            plugin=cover.plugin, day=today - timedelta(days=ago), asked=asked, answered=asked - 1, refused=1
        )
    said = get("/cover/stats").json()
    assert [day["asked"] for day in said["days"]] == [5, 3]
    assert said["outcomes"] == {"asked": 8, "answered": 6, "refused": 2, "clarified": 0, "failed": 0}
    assert said["scorecard"]["golden_passed"] == 148
    assert said["reviews"] == {"relied": 0, "care": 0, "wrong": 0}
    assert get("/cover/stats", days=41).json()["outcomes"]["asked"] == 108
    assert code_of(get("/cover/stats", days=366), 400) == "invalid"


@pytest.mark.parametrize("path", ["", "/stats"])
def test_what_is_not_published_is_not_there(cover: Listing, path: str) -> None:
    Plugin.objects.filter(pk=cover.pk).update(is_published=False)
    for reference in ("cover", cover.pk, "nothing"):
        assert code_of(get(f"/{reference}{path}"), 404) == "unknown_plugin"


@pytest.mark.parametrize("rows", [1, 4])
def test_lists_take_two_statements(alice: User, rows: int, django_assert_num_queries) -> None:
    for number in range(rows):
        listed(alice, f"Plugin {number}", slug=f"plugin-{number}", card=scorecard())
    with django_assert_num_queries(2):
        get()
    with django_assert_num_queries(4):  # the listing, what its release pins, documents, releases
        get("/plugin-0")
    with django_assert_num_queries(2):
        get("/plugin-0/stats")


def test_an_address_that_reads_too_much_waits(cover: Listing, settings: Any) -> None:
    settings.READER_PER_MINUTE = 2
    headers = {"REMOTE_ADDR": "203.0.113.77"}
    answers = [Client().get("/api/marketplace/cover", **headers) for _ in range(3)]
    # The minute may turn in between, but then there are two at most in each.
    assert {answer.status_code for answer in answers[:1]} == {200}
    refused = [answer for answer in answers if answer.status_code == 429]
    for answer in refused:
        assert code_of(answer, 429) == "rate_limited"
        assert 1 <= int(answer["Retry-After"]) <= 60


def test_a_key_is_not_needed_and_not_looked_at(cover: Listing) -> None:
    assert Client().get("/api/marketplace", HTTP_AUTHORIZATION="Bearer nonsense").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_python_client_lists_them_all_over_http(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        listed(alice, f"Plugin {number}", slug=f"plugin-{number}", tags=["x"], tagline="A line.")
    # Small pages, so that there are two.
    monkeypatch.setattr(MarketplaceSearchParameters._declared_fields["limit"], "default", 2)
    with asgi_server() as url, Lexic("lx_" + "a" * 43, base_url=url) as client:
        found = client.plugins()
    assert sorted(one.slug for one in found) == ["plugin-0", "plugin-1", "plugin-2"]
    assert {(one.domain, one.version, one.tagline, *one.tags) for one in found} == {
        ("testing", "1.0.0", "A line.", "x")
    }
