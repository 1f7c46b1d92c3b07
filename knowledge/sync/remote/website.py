"""Reads a web site: the pages of its sitemap, or those that its start page leads to.

Only one server is asked, as robots.txt lets us, one page after the other; a page that its server calls unchanged is not
sent again. Depth, number of pages, paths, time and bytes are limited, so that links without an end come to one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from knowledge.models import SourceItem
from knowledge.readers.types import UnreadableDocument
from knowledge.source_models import shown_address
from knowledge.sync.remote import crawl_rules
from knowledge.sync.remote.addresses import PAGE_MEDIA_TYPES, Scope, file_name, normalise
from knowledge.sync.remote.crawl_rules import PageRules
from knowledge.sync.remote.remote_listing import RemoteFile, RemoteListing, Spool, SpoolFull
from knowledge.sync.remote.source_errors import SourceUnavailable
from knowledge.sync.remote.web_client import CrawlStopped, WebClient, version_of
from lexic.egress import EgressRefused, FetchFailed, WebResponse

DEFAULT_DEPTH, MAX_DEPTH = 3, 6
DEFAULT_PAGES, MAX_PAGES = 200, 2_000
_MAX_SITEMAPS = 50
_MAX_KNOWN_LINKS = 500
_XML_TYPES = frozenset({"application/xml", "text/xml", "application/gzip", "application/x-gzip"})
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_GONE = frozenset({404, 410})


def list_website(
    location: str, options: Mapping[str, Any], *, known: Mapping[str, SourceItem], spool: Spool
) -> RemoteListing:
    """What the site holds now, compared with what is `known`. Raises `SourceUnavailable`."""
    return _Crawl(location, options, known=known, spool=spool).run()


@dataclass(kw_only=True)
class _Page:
    """A page that was fetched, or one that has not changed and whose links are known."""

    address: str
    path: Path | None = None
    sha256: str = ""
    media_type: str = ""
    version: dict[str, Any] = field(default_factory=dict)
    rules: PageRules = field(default_factory=PageRules)


class _Crawl:
    def __init__(
        self, location: str, options: Mapping[str, Any], *, known: Mapping[str, SourceItem], spool: Spool
    ) -> None:
        self.start, self.known, self.spool = location, known, spool
        self.max_depth: int = options.get("max_depth", DEFAULT_DEPTH)
        self.max_pages: int = options.get("max_pages", DEFAULT_PAGES)
        self.scope = Scope.around(location, include=options.get("include", ()), exclude=options.get("exclude", ()))
        self.client = WebClient()
        self.robots: Path | None = None
        self.seen: set[str] = set()
        self.listing = RemoteListing()
        self.fetched = 0

    def run(self) -> RemoteListing:
        self.robots = self._fetch_robots()
        first = self._fetch_start()
        try:
            if first.media_type in _XML_TYPES or self.start.endswith((".xml", ".xml.gz")):
                self._read_level(self._sitemap_addresses(first), follows_links=False)
            else:
                self._follow_links(first)
        except CrawlStopped as reason:
            self.listing.end_early(str(reason))
        except SpoolFull:
            self.listing.end_early("One sync fetches at most 500 MB; the next one continues.")
        return self.listing

    # --- Where it begins ---

    def _fetch_robots(self) -> Path | None:
        """The site's rules; None where it has none. Rules that cannot be read forbid everything."""
        parts = urlsplit(self.start)
        said = self._get_robots(f"{parts.scheme}://{parts.netloc}/robots.txt")
        if said.status != 200:
            return None
        path, _ = self.spool.keep(said.body[: 512 * 1024])
        try:
            answer = crawl_rules.check_robots(path, [self.start])
        except UnreadableDocument as error:
            raise SourceUnavailable("The site's robots.txt cannot be understood, so that nothing was read.") from error
        if self.start not in answer.allowed:
            raise SourceUnavailable("The site's robots.txt asks programs to leave this address alone.")
        self.client.wait_as_told(answer.delay)
        return path

    def _get_robots(self, url: str) -> WebResponse:
        try:
            said = self.client.get(url)
        except EgressRefused as error:
            raise SourceUnavailable(f"{shown_address(self.start)}: {error.message}") from error
        except (FetchFailed, CrawlStopped) as error:
            raise SourceUnavailable("The site's robots.txt cannot be fetched, so that nothing was read.") from error
        if said.status >= 500:
            raise SourceUnavailable("The site's robots.txt cannot be fetched, so that nothing was read.")
        return said

    def _fetch_start(self) -> _Page:
        item = self.known.get(self.start)
        said = self.client.get_first(self.start, version=_version_to_ask_with(item))
        found = normalise(said.url) or self.start
        if not self.scope.is_on_site(found):
            start, host = shown_address(self.start), urlsplit(found).hostname
            raise SourceUnavailable(f"{start} leads to another server, {host}, as a page to sign in does.")
        self.seen |= {self.start, found}
        if said.status == 304 and item:
            return _known_page(item)
        page = self._kept_page(found, said)
        if page.media_type in _HTML_TYPES:
            page.rules = crawl_rules.read_page_rules([(page.path, page.address)] if page.path else [])[0]
        if page.rules.asks_for_password:
            raise SourceUnavailable(f"{shown_address(self.start)} asks for a password.")
        return page

    def _sitemap_addresses(self, first: _Page) -> list[str]:
        """The pages of the sitemap and of those that it names, in their order. Raises `SourceUnavailable`."""
        pages: list[str] = []
        waiting, read = [first], {first.address}
        while waiting:
            page = waiting.pop(0)
            try:
                entries = crawl_rules.read_sitemap(page.path) if page.path else []
            except UnreadableDocument as error:
                raise SourceUnavailable(f"{shown_address(page.address)} is no sitemap that can be read.") from error
            pages += [address for kind, address in entries if kind == "page"]
            for kind, address in entries:
                if kind == "sitemap" and address not in read and self.scope.is_on_site(address):
                    read.add(address)
                    if len(read) > _MAX_SITEMAPS:
                        self.listing.end_early("The sitemap names more than 50 further ones.")
                    else:
                        waiting.append(self._kept_page(address, self.client.get_first(address)))
        return pages

    # --- Level by level ---

    def _follow_links(self, first: _Page) -> None:
        self._take(first)
        wanted = self._links_of([first])
        for depth in range(1, self.max_depth + 1):
            wanted = self._links_of(self._read_level(wanted, follows_links=depth < self.max_depth))
            if not wanted:
                return

    def _links_of(self, pages: Iterable[_Page]) -> list[str]:
        links: list[str] = []
        for page in pages:
            links += page.rules.links
            if page.rules.has_more_links:
                self.listing.end_early(f"{page.address} has more links than are followed.")
        return links

    def _read_level(self, addresses: Iterable[str], *, follows_links: bool) -> list[_Page]:
        """Fetch those that belong to the scope and were not seen. Returns those that lead on."""
        wanted = [one for one in dict.fromkeys(addresses) if one not in self.seen and self.scope.is_on_site(one)]
        wanted = [one for one in wanted if self.scope.holds(one)]
        self.seen.update(wanted)
        room = self.max_pages - self.fetched
        if len(wanted) > room:
            self.listing.end_early(f"It has more than {self.max_pages:,} pages; the rest was not read.")
        wanted = self._allowed(wanted[:room] if room > 0 else [])
        pages: list[_Page] = []
        try:
            for address in wanted:
                if page := self._fetch(address):
                    pages.append(page)  # noqa: PERF401  # what is there when one raises is kept
        finally:  # what was fetched counts, whatever ends it
            self._read_rules(pages)
            for page in pages:
                self._take(page)
        return pages if follows_links else []

    def _allowed(self, addresses: list[str]) -> list[str]:
        try:
            allowed = crawl_rules.check_robots(self.robots, addresses).allowed
        except UnreadableDocument:
            self.listing.end_early("The site's robots.txt cannot be understood.")
            return []
        reason = "the site's robots.txt asks programs to leave it alone"
        self.listing.left_out += [(address, reason) for address in addresses if address not in allowed]
        return [address for address in addresses if address in allowed]

    def _fetch(self, address: str) -> _Page | None:
        self.fetched += 1
        item = self.known.get(address)
        try:
            said = self.client.get(
                address, version=_version_to_ask_with(item), content_types={*PAGE_MEDIA_TYPES, *_XML_TYPES}
            )
        except (EgressRefused, FetchFailed) as error:
            self._not_read(address, error.message)
            return None
        if said.status == 304 and item:
            return _known_page(item)
        if said.status in _GONE:
            self.listing.gone.add(address)
            return None
        if said.status != 200:
            self._not_read(address, f"The server answered with status {said.status}.")
            return None
        return self._found_page(address, said)

    def _found_page(self, address: str, said: WebResponse) -> _Page | None:
        found = normalise(said.url) or address
        if found != address:
            if found in self.seen:
                return None
            self.seen.add(found)
            if not self.scope.holds(found) or not self._allowed([found]):
                self.listing.left_out.append((address, f"it leads to {found}"))
                return None
        if said.content_type not in PAGE_MEDIA_TYPES:
            self.listing.left_out.append((found, f"it is {said.content_type or 'of a kind that is not said'}"))
            return None
        return self._kept_page(found, said)

    def _kept_page(self, address: str, said: WebResponse) -> _Page:
        path, sha256 = self.spool.keep(said.body)
        version = version_of(said)
        return _Page(address=address, path=path, sha256=sha256, media_type=said.content_type, version=dict(version))

    def _read_rules(self, pages: list[_Page]) -> None:
        html = [page for page in pages if page.path and page.media_type in _HTML_TYPES]
        rules = crawl_rules.read_page_rules([(page.path, page.address) for page in html if page.path])
        for page, found in zip(html, rules, strict=True):
            page.rules = found

    def _not_read(self, address: str, reason: str) -> None:
        """Notes a page that could not be read. It may link to others, so pages that it linked to are not treated as
        gone."""
        self.listing.add_problem(address, reason)
        self.listing.kept[address] = reason
        self.listing.end_early("Not all pages could be read.")

    def _take(self, page: _Page) -> None:
        if page.path is None:
            self.listing.same.add(page.address)
        elif page.rules.asks_for_password:
            self._not_read(page.address, "It asks for a password.")
        elif page.rules.is_hidden:
            self.listing.left_out.append((page.address, "it asks programs not to keep it (noindex)"))
        elif self.scope.holds(page.address) and page.media_type in PAGE_MEDIA_TYPES:
            links = list(page.rules.links[:_MAX_KNOWN_LINKS])
            self.listing.files.append(
                RemoteFile(
                    path=page.address,
                    file_name=file_name(page.address, page.media_type),
                    content=page.path,
                    sha256=page.sha256,
                    url=page.address,
                    version=page.version | ({"links": links} if links else {}),
                )
            )


def _version_to_ask_with(item: SourceItem | None) -> Mapping[str, Any] | None:
    """None where not all links of the page were kept: its server sends it again, so that none of them is missed."""
    return item.version if item and len(item.version.get("links", [])) < _MAX_KNOWN_LINKS else None


def _known_page(item: SourceItem) -> _Page:
    links = item.version.get("links", [])
    return _Page(address=item.path, rules=PageRules(links=tuple(links)), version=item.version)
