"""Reads an RSS or Atom feed: the page of each of its entries.

A feed names its newest entries alone, so an entry that is no longer there is not gone: its page is asked for, and is
gone where its server says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge.models import SourceItem
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import UnreadableDocument
from knowledge.source_models import shown_address
from knowledge.sync.remote import crawl_rules
from knowledge.sync.remote.addresses import PAGE_MEDIA_TYPES, file_name, normalise
from knowledge.sync.remote.remote_listing import RemoteFile, RemoteListing, Spool, SpoolFull
from knowledge.sync.remote.source_errors import SourceEmpty, SourceUnavailable
from knowledge.sync.remote.web_client import CrawlStopped, WebClient, version_of
from lexic.egress import EgressRefused, FetchFailed

DEFAULT_ENTRIES, MAX_ENTRIES = 200, 2_000
_FEED = "knowledge.readers.web.feed:read_feed"
_GONE = frozenset({404, 410})
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


def list_feed(
    location: str,
    options: Mapping[str, Any],
    *,
    known: Mapping[str, SourceItem],
    state: Mapping[str, Any],
    spool: Spool,
) -> RemoteListing:
    """The pages of the feed's entries, and of those that were read before. Raises `SourceUnavailable`."""
    client, listing = WebClient(), RemoteListing(is_whole=False)
    entries = _read_entries(client, location, state, spool=spool, listing=listing)
    most = options.get("max_pages", DEFAULT_ENTRIES)
    if len(entries) > most:
        listing.partly = f"It has more than {most:,} entries; the rest was not read."
    wanted = dict(list(entries.items())[:most])
    older = [path for path, item in known.items() if path not in wanted and item.document]
    try:
        for address in [*wanted, *older]:
            _read_entry(client, address, wanted.get(address, ""), known.get(address), listing=listing, spool=spool)
    except CrawlStopped as reason:
        listing.end_early(str(reason))
    except SpoolFull:
        listing.end_early("One sync fetches at most 500 MB; the next one continues.")
    listing.same.update(path for path in older if path not in listing.gone and not _is_listed(listing, path))
    return listing


def _is_listed(listing: RemoteListing, path: str) -> bool:
    return path in listing.kept or any(one.path == path for one in listing.files)


def _read_entries(
    client: WebClient, location: str, state: Mapping[str, Any], *, spool: Spool, listing: RemoteListing
) -> dict[str, str]:
    """Addresses with their titles; none where the feed has not changed."""
    said = client.get_first(location, version=state)
    if said.status == 304:
        listing.state = dict(state)
        return dict(state.get("entries", []))
    path, _ = spool.keep(said.body)
    try:
        values = list(confined_call(_FEED, path, arguments={}))
    except UnreadableDocument as error:
        raise SourceUnavailable(f"{shown_address(location)} is no RSS or Atom feed that can be read.") from error
    pairs = [one for one in values if isinstance(one, list) and len(one) == 2 and all(isinstance(x, str) for x in one)]
    entries = {clean: title[:300] for address, title in pairs if (clean := normalise(address))}
    if not entries:
        raise SourceEmpty(f"The feed {shown_address(location)} has no entry with an address.")
    listing.state = {**version_of(said), "entries": [list(one) for one in entries.items()]}
    return entries


def _read_entry(
    client: WebClient, address: str, title: str, item: SourceItem | None, *, listing: RemoteListing, spool: Spool
) -> None:
    try:
        said = client.get(address, version=item.version if item else None, content_types=PAGE_MEDIA_TYPES)
    except (EgressRefused, FetchFailed) as error:
        _keep(listing, address, error.message)
        return
    if said.status == 304:
        listing.same.add(address)
    elif said.status in _GONE:
        listing.gone.add(address)
    elif said.status != 200:
        _keep(listing, address, f"The server answered with status {said.status}.")
    elif said.content_type not in PAGE_MEDIA_TYPES:
        listing.left_out.append((address, f"it is {said.content_type or 'of a kind that is not said'}"))
    else:
        path, sha256 = spool.keep(said.body)
        rules = crawl_rules.read_page_rules([(path, address)])[0] if said.content_type in _HTML_TYPES else None
        if rules and rules.asks_for_password:
            _keep(listing, address, "It asks for a password.")
            return
        name = file_name(address, said.content_type)
        version = version_of(said)
        listing.files.append(
            RemoteFile(
                path=address, file_name=name, content=path, sha256=sha256, url=address, title=title, version=version
            )
        )


def _keep(listing: RemoteListing, address: str, reason: str) -> None:
    listing.add_problem(address, reason)
    listing.kept[address] = reason
