"""What a source's error says of its address: never the query, which may hold a secret."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from knowledge import tasks
from knowledge.models import KnowledgeBase, Source
from knowledge.source_models import shown_address
from knowledge.sync.remote import web_client
from knowledge.sync.remote.source_settings import create_source
from tests.knowledge.sync.remote.servers import Site, dripping

pytestmark = pytest.mark.django_db
PLACE = "/news?key=secret-of-alice"
PAGE, XML = {"Content-Type": "text/html"}, {"Content-Type": "application/xml"}
ANSWERS: dict[str, Any] = {
    "a status": (500, {}, b""),
    "silence": dripping,
    "another server": (302, {"Location": "http://localhost:9/login"}, b""),
    "a password": (200, PAGE, b"<form>Sign in<input type=password></form>"),
    "no sitemap and no feed": (200, XML, b"<<<"),
    "a feed without an entry": (200, XML, b"<rss version='2.0'><channel><title>News</title></channel></rss>"),
}


@pytest.mark.parametrize("kind", ["website", "feed"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_error_names_the_address_without_its_query(
    base: KnowledgeBase,
    site: Site,
    kind: str,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(web_client, "REQUEST_SECONDS", 1.0)
    site.answers[PLACE] = ANSWERS[answer]
    source = create_source(base, kind=kind, location=site.url + PLACE)
    with caplog.at_level(logging.WARNING):
        tasks.sync_source(source_id=source.pk)
    error = Source.objects.get().error
    assert "secret" not in error
    assert "secret" not in caplog.text
    assert not error or f"{site.url}/news" in error
    # A site whose start page has no links is synced: it has no error.
    assert error or (kind, answer) == ("website", "a feed without an entry")


def test_a_sitemap_that_another_one_names_is_named_without_its_query(base: KnowledgeBase, site: Site) -> None:
    index = f"<sitemapindex><sitemap><loc>{site.url}/pages.xml?key=secret</loc></sitemap></sitemapindex>"
    site.answer("/sitemap.xml", 200, index.encode(), Content_Type="application/xml")
    site.answer("/pages.xml?key=secret", 404)
    source = create_source(base, kind="website", location=f"{site.url}/sitemap.xml")
    tasks.sync_source(source_id=source.pk)
    assert Source.objects.get().error.startswith(f"{site.url}/pages.xml answers with status 404.")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://example.org/news?key=secret#part", "https://example.org/news"),
        ("https://alice:secret@example.org:8443/news@home", "https://example.org:8443/news@home"),
        ("https://alice:secret@example.org?key=secret", "https://example.org"),
        ("s3://books/rules", "s3://books/rules"),
    ],
)
def test_an_address_is_shown_without_query_name_and_password(address: str, shown: str) -> None:
    assert shown_address(address) == shown
    assert Source(kind="website", location=address).shown_location == shown
