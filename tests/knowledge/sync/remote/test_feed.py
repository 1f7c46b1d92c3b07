"""The entries of a feed become documents."""

from __future__ import annotations

import pytest

from knowledge.models import Document, KnowledgeBase
from knowledge.sync.remote.source_errors import SourceUnavailable
from knowledge.sync.remote.source_settings import create_source
from knowledge.sync.runner import run_sync
from tests.knowledge.bases import alive
from tests.knowledge.sync.remote.servers import Site

pytestmark = pytest.mark.django_db


def rss(site: Site, *names: str) -> bytes:
    items = "".join(f"<item><title>On {name}</title><link>{site.url}/{name}</link></item>" for name in names)
    return f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>'.encode()


def test_an_entry_that_is_no_longer_listed_stays_until_its_page_is_gone(base: KnowledgeBase, site: Site) -> None:
    for name in ("boots", "gloves", "hats"):
        site.page(f"/{name}", f"<p>All about {name}.</p>", ETag=f'"{name}"')
    site.answer("/feed", 200, rss(site, "boots", "gloves"), Content_Type="application/rss+xml", ETag='"1"')
    source = create_source(base, kind="feed", location=f"{site.url}/feed")
    assert len(run_sync(source).added) == 2
    assert sorted(Document.objects.values_list("title", flat=True)) == ["On boots", "On gloves"]

    site.asked.clear()
    assert run_sync(source).unchanged == 2  # neither the feed nor its pages are sent again
    assert dict(site.asked)["/feed"]["If-None-Match"] == '"1"'

    site.answer("/feed", 200, rss(site, "hats"), Content_Type="application/rss+xml", ETag='"2"')
    del site.answers["/gloves"]
    report = run_sync(source)
    assert [path.removeprefix(site.url) for path in report.added] == ["/hats"]
    assert [path.removeprefix(site.url) for path in report.removed] == ["/gloves"]
    assert sorted(alive(base)) == ["All about boots.", "All about hats."]

    site.answer("/feed", 200, b"<html>Sign in</html>", Content_Type="text/html")
    with pytest.raises(SourceUnavailable, match="no RSS or Atom feed"):
        run_sync(source)
    assert len(alive(base)) == 2


def test_an_entry_that_leads_into_a_private_network_is_a_problem(base: KnowledgeBase, site: Site) -> None:
    atom = "<entry><title>x</title><link href='http://10.0.0.1/secret'/></entry>"
    feed = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>t</title>{atom}</feed>".encode()
    site.answer("/feed", 200, feed, Content_Type="application/atom+xml")
    report = run_sync(create_source(base, kind="feed", location=f"{site.url}/feed"))
    assert [problem.message for problem in report.problems] == ["This address may not be fetched."]
    assert not Document.objects.exists()
