"""A web site becomes documents, and stays in step with them."""

from __future__ import annotations

import gzip

import pytest

from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync.remote import web_client
from knowledge.sync.remote import website as website_module
from knowledge.sync.remote.source_errors import SourceUnavailable
from knowledge.sync.remote.source_settings import create_source
from knowledge.sync.runner import preview_sync, run_sync
from knowledge.sync.sync_report import SyncReport
from tests.knowledge.bases import CountingEmbedder, alive
from tests.knowledge.sync.remote.servers import Site, dripping, endless

pytestmark = pytest.mark.django_db


def links(*paths: str) -> str:
    return "".join(f'<a href="{path}">more</a>' for path in paths)


@pytest.fixture
def handbook(site: Site) -> Site:
    site.page("/", f"<title>Handbook</title><p>Welcome to the site.</p>{links('/boots', '/gloves#x', '/maps.zip')}")
    site.page("/boots", f"<title>Boots</title><p>Wear boots.</p>{links('/laces', '/?utm_source=mail')}", ETag='"b1"')
    site.page("/gloves", "<title>Gloves</title><p>Wear gloves.</p>")
    site.page("/laces", "<title>Laces</title><p>Tie the laces.</p>")
    return site


def website(base: KnowledgeBase, site: Site, path: str = "/", **options: object) -> Source:
    return create_source(base, kind="website", location=site.url + path, options=options)


def relative(site: Site, addresses: object) -> list[str]:
    return [str(one).removeprefix(site.url) for one in addresses]  # type: ignore[attr-defined]


def synced(source: Source, **options: bool) -> SyncReport:
    source.refresh_from_db()
    return run_sync(source, **options)


def test_its_pages_become_documents_with_their_addresses(base: KnowledgeBase, handbook: Site) -> None:
    report = synced(website(base, handbook))
    assert relative(handbook, report.added) == ["/", "/boots", "/gloves", "/laces"]
    assert (report.problems, report.partly) == ((), "")
    document = Document.objects.get(title="Boots")
    assert (document.url, document.status) == (f"{handbook.url}/boots", "ready")
    assert not document.is_public
    assert "/maps.zip" not in handbook.paths
    assert "Wear gloves." in alive(base)


def test_its_small_pages_are_read_in_one_run_of_the_model(
    base: KnowledgeBase, handbook: Site, embedder: CountingEmbedder
) -> None:
    batches: list[int] = []
    embedder.trouble = lambda: batches.append(1)
    told: list[tuple[int, int]] = []
    run_sync(website(base, handbook), on_progress=lambda done, total: told.append((done, total)))
    base.refresh_from_db()
    assert (len(batches), base.revision) == (1, 1)
    assert told == [(number, 4) for number in range(1, 5)]


def test_what_changed_is_read_again_and_what_did_not_is_not_sent(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    synced(source)
    handbook.page("/gloves", "<title>Gloves</title><p>Wear thick gloves.</p>")
    handbook.page("/new", "<title>New</title><p>Wear a hat.</p>")
    handbook.page("/laces", f"<title>Laces</title><p>Tie the laces.</p>{links('/new')}")
    handbook.asked.clear()
    before = Document.objects.get(title="Gloves")
    report = synced(source)
    assert relative(handbook, report.added) == ["/new"]
    assert relative(handbook, report.changed) == ["/gloves", "/laces"]
    asked = dict(handbook.asked)
    assert asked["/boots"]["If-None-Match"] == '"b1"'
    assert report.unchanged == 2
    assert Document.objects.get(title="Gloves").pk == before.pk
    assert "Wear thick gloves." in alive(base)
    source.refresh_from_db()
    assert relative(handbook, source.report["changes"]["changed"]) == ["/gloves", "/laces"]


def test_what_is_gone_is_retired_and_reported(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    synced(source)
    del handbook.answers["/gloves"]
    report = synced(source)
    assert relative(handbook, report.removed) == ["/gloves"]
    assert not Document.objects.present().filter(title="Gloves").exists()
    assert Document.objects.get(title="Gloves").removed_in is not None


def test_a_page_that_moved_keeps_its_document(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    synced(source)
    known = Document.objects.get(title="Laces")
    handbook.answers["/knots"] = handbook.answers.pop("/laces")
    handbook.page("/boots", f"<title>Boots</title><p>Wear boots.</p>{links('/knots')}", ETag='"b2"')
    report = synced(source)
    assert (report.added, report.removed) == ((), ())
    assert [relative(handbook, pair) for pair in report.renamed] == [["/laces", "/knots"]]
    known.refresh_from_db()
    assert known.url == f"{handbook.url}/knots"


@pytest.mark.parametrize("outage", ["empty", "login", "elsewhere", "error", "no links"])
def test_an_outage_retires_nothing_and_says_why(base: KnowledgeBase, handbook: Site, outage: str) -> None:
    source = website(base, handbook)
    for number in range(4):
        handbook.page(f"/more{number}", f"<p>Rule {number}.</p>")
    handbook.page("/laces", f"<p>Tie them.</p>{links(*(f'/more{n}' for n in range(4)))}")
    synced(source)
    kept = sorted(alive(base))
    if outage == "empty":
        handbook.page("/", "")
    elif outage == "login":
        for path in list(handbook.answers):
            handbook.page(path, "<form>Sign in<input type=password></form>")
    elif outage == "elsewhere":
        handbook.answer("/", 302, Location="http://localhost:9/login")
    elif outage == "error":
        handbook.answer("/", 502)
    else:
        handbook.page("/", "<p>Down for maintenance.</p>")
    if outage in ("empty", "no links"):
        report = synced(source)
        assert not report.removed
        assert report.held.startswith("7 of its 8 documents are not there any more. None was retired")
    else:
        with pytest.raises(SourceUnavailable) as raised:
            synced(source)
        source.refresh_from_db()
        assert source.error == raised.value.message_with_hint
    texts = [text for text in sorted(alive(base)) if text != "Down for maintenance."]
    assert texts == [text for text in kept if text in texts]
    assert len(texts) >= 7


def test_one_answer_in_place_of_many_pages_is_not_believed(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    synced(source)
    kept = alive(base)
    for path in ("/boots", "/gloves", "/laces"):
        handbook.page(path, "<p>Please accept our terms first.</p>", ETag='"terms"')
    report = synced(source)
    assert (report.changed, report.removed) == ((), ())
    assert relative(handbook, [path for path, _ in report.kept]) == ["/boots", "/gloves"]
    assert alive(base) == kept


def test_a_person_confirms_that_most_of_it_is_gone(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    for number in range(6):
        handbook.page(f"/more{number}", f"<p>Rule {number}.</p>")
    handbook.page("/laces", f"<p>Tie them.</p>{links(*(f'/more{n}' for n in range(6)))}")
    synced(source)
    handbook.page("/", "<title>Handbook</title><p>Only this is left.</p>")
    assert synced(source).held
    report = synced(source, allow_empty=True)
    assert len(report.removed) == 9
    assert alive(base) == ["Only this is left."]


def test_robots_txt_is_obeyed(base: KnowledgeBase, handbook: Site) -> None:
    handbook.answer("/robots.txt", 200, b"User-agent: *\nDisallow: /gl*\nDisallow: /lac", Content_Type="text/plain")
    report = synced(website(base, handbook))
    assert relative(handbook, report.added) == ["/", "/boots"]
    assert {"/gloves", "/laces"}.isdisjoint(handbook.paths)
    assert len(report.left_out) == 2
    handbook.answer("/robots.txt", 503)
    with pytest.raises(SourceUnavailable, match=r"robots\.txt cannot be fetched"):
        synced(Source.objects.get())


def test_a_page_that_asks_not_to_be_kept_is_left_out(base: KnowledgeBase, handbook: Site) -> None:
    handbook.page("/gloves", '<meta name="robots" content="NoIndex"><p>Wear gloves.</p>')
    report = synced(website(base, handbook))
    assert relative(handbook, [path for path, _ in report.left_out]) == ["/gloves"]


def test_a_sitemap_names_the_pages(base: KnowledgeBase, handbook: Site) -> None:
    index = f"<sitemapindex><sitemap><loc>{handbook.url}/pages.xml.gz</loc></sitemap></sitemapindex>"
    locations = "".join(f"<url><loc>{handbook.url}{path}</loc></url>" for path in ("/boots", "/gloves"))
    packed = gzip.compress(f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{locations}</urlset>".encode())
    handbook.answer("/sitemap.xml", 200, index.encode(), Content_Type="application/xml")
    handbook.answer("/pages.xml.gz", 200, packed, Content_Type="application/gzip")
    source = website(base, handbook, "/sitemap.xml")
    assert relative(handbook, synced(source).added) == ["/boots", "/gloves"]
    assert "/laces" not in handbook.paths
    handbook.answer("/sitemap.xml", 200, b"<urlset></urlset>", Content_Type="application/xml")
    with pytest.raises(SourceUnavailable, match="gives nothing"):
        synced(source)
    assert len(alive(base)) == 2


def test_links_without_an_end_come_to_one(base: KnowledgeBase, site: Site) -> None:
    def month(handler: object) -> tuple[int, dict[str, str], bytes]:
        number = int(handler.path.rpartition("/")[2] or 0) + 1  # type: ignore[attr-defined]
        body = f"<p>Month {number}.</p>{links(f'/calendar/{number}', f'/calendar/a/a/a/a/{number}')}"
        return 200, {"Content-Type": "text/html"}, body.encode()

    for number in range(30):
        site.answers[f"/calendar/{number}"] = month
    site.page("/", links("/calendar/0"))
    report = synced(website(base, site, max_depth=6, max_pages=5))
    assert relative(site, report.added) == ["/", *(f"/calendar/{number}" for number in range(5))]
    assert report.partly == "It has more than 5 pages; the rest was not read."


def test_paths_and_depth_are_limited(base: KnowledgeBase, handbook: Site) -> None:
    report = synced(website(base, handbook, max_depth=1, exclude=["/gl"]))
    assert relative(handbook, report.added) == ["/", "/boots"]


def test_a_page_of_many_links_is_asked_for_again_and_none_of_its_pages_is_retired(
    base: KnowledgeBase, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website_module, "_MAX_KNOWN_LINKS", 3)
    paths = [f"/rule{number}" for number in range(8)]
    for path in paths:
        site.page(path, f"<p>This is {path}.</p>", ETag=f'"{path}"')
    site.page("/", links("/index"), ETag='"start"')
    site.page("/index", f"<p>All rules.</p>{links(*paths)}", ETag='"index"')
    source = website(base, site)
    synced(source)
    site.asked.clear()
    report = synced(source)
    assert (report.removed, report.changed, report.partly) == ((), (), "")
    asked = dict(site.asked)
    assert "If-None-Match" not in asked["/index"]
    assert all("If-None-Match" in asked[path] for path in ("/", *paths))
    del site.answers["/rule7"]
    assert relative(site, synced(source).removed) == ["/rule7"]


def test_a_page_with_more_links_than_are_followed_retires_nothing(base: KnowledgeBase, site: Site) -> None:
    for path in ("/boots", "/gloves"):
        site.page(path, f"<p>This is {path}.</p>")
    site.page("/", links("/boots", "/gloves"))
    source = website(base, site)
    synced(source)
    site.page("/", links("/boots", *(f"https://elsewhere.example/{number}" for number in range(2_000)), "/gloves"))
    report = synced(source)
    assert not report.removed
    assert report.partly == f"{site.url}/ has more links than are followed."


def test_nothing_leads_into_a_private_network(base: KnowledgeBase, handbook: Site) -> None:
    handbook.answer("/gloves", 302, Location="http://169.254.169.254/latest/meta-data/")
    handbook.answer("/laces", 302, Location="http://10.0.0.1/")
    report = synced(website(base, handbook))
    assert relative(handbook, report.added) == ["/", "/boots"]
    assert {problem.message for problem in report.problems} == {"This address may not be fetched."}


def test_a_bomb_a_flood_and_a_drip_are_problems_of_one_page(
    base: KnowledgeBase, handbook: Site, monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1024 * 1024  # type: ignore[attr-defined]
    monkeypatch.setattr(web_client, "REQUEST_SECONDS", 1.0)
    bomb = gzip.compress(b"0" * 50 * 1024 * 1024)
    handbook.answer("/boots", 200, bomb, Content_Type="text/html", Content_Encoding="gzip")
    handbook.answers["/gloves"] = endless
    handbook.answers["/drip"] = dripping
    handbook.page("/", f"<p>Welcome.</p>{links('/boots', '/gloves', '/drip')}")
    report = synced(website(base, handbook))
    assert relative(handbook, report.added) == ["/"]
    assert [problem.message for problem in report.problems] == [
        "What the address returned is too large.",
        "What the address returned is too large.",
        "The address took too long to answer.",
    ]
    assert report.partly


def test_a_page_in_another_encoding_is_read_as_it_says(base: KnowledgeBase, handbook: Site) -> None:
    source = website(base, handbook)
    synced(source)
    body = '<meta charset="windows-1252"><title>Gloves</title><p>Größe beachten.</p>'.encode("windows-1252")
    handbook.answer("/gloves", 200, body, Content_Type="text/html")
    assert relative(handbook, synced(source).changed) == ["/gloves"]
    assert "Größe beachten." in alive(base)


def test_a_preview_changes_nothing(base: KnowledgeBase, handbook: Site, embedder: CountingEmbedder) -> None:
    source = website(base, handbook)
    report = preview_sync(source)
    assert len(report.added) == 4
    assert not Document.objects.exists()
    assert not source.items.exists()
