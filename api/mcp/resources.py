"""What a client can open again: a citation it was given, and a page it may read.

A citation is `lexic://answers/{query}/{source}`. Whoever was given it may read its excerpt again, and nothing more. The
page around it, and `lexic://pages/{page}?start=&end=`, are for keys that may read documents, of people who may read
this one: the rule is that of the page that shows sources to people (`querying.presentation.page_viewer.readable_page`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from mcp.types import ResourceTemplate

from accounts.models import ApiKey, Capability
from api.mcp.principals import check_capability
from knowledge.models import Page
from lexic.errors import InvalidInput, NotFound
from plugins.models import Plugin
from querying.models import Query
from querying.presentation.page_viewer import document_status, readable_page, title_and_section

MIME_TYPE = "text/plain"
MAX_SPAN = 20_000
_CONTEXT_LENGTH = 1000
_MAX_URI_LENGTH = 2000

TEMPLATES = [
    ResourceTemplate(
        uri_template="lexic://answers/{query}/{source}",
        name="citation",
        title="A citation of an answer you were given",
        description="`query` is the queryId of the answer, `source` the id of the citation, such as src_1.",
        mime_type=MIME_TYPE,
    ),
    ResourceTemplate(
        uri_template="lexic://pages/{page}{?start,end}",
        name="page",
        title="The text of a page",
        description="As it was read, around the words from `start` to `end`; for keys that may read documents.",
        mime_type=MIME_TYPE,
    ),
]

_CITATION_URI = re.compile(r"lexic://answers/([0-9a-f-]{36})/(src_[0-9]{1,3})")
_PAGE_URI = re.compile(r"lexic://pages/([0-9]{1,18})(?:\?([a-z0-9=&]{0,80}))?")


class UnknownSource(NotFound):
    """There is no such source, or you may not read it."""

    code = "unknown_source"
    hint = "Take the address of a citation from ask_expert, or of a passage from search_sources, as it is."


class InvalidSourceUri(InvalidInput):
    """This is no address of a source."""

    code = "invalid_source"
    hint = "Take the address of a citation from ask_expert, or of a passage from search_sources, as it is."


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """Words of a document, and what stands around them where that may be read.

    `before`, `after`, `page_uri` and `standing` are empty where only the excerpt itself may be.
    """

    document: str
    document_id: str
    page: int | None
    section: str
    excerpt: str
    url: str
    before: str = ""
    after: str = ""
    page_uri: str = ""
    standing: str = ""

    @property
    def place(self) -> str:
        return format_place({"document": self.document, "page": self.page, "section": self.section})

    @property
    def text(self) -> str:
        """Where it stands, and the words with what stands around them."""
        head = "\n".join(filter(None, [self.place, self.standing]))
        return f"{head}\n\n{self.before}{self.excerpt}{self.after}"


def citation_uri(query_id: str, source_id: str) -> str:
    return f"lexic://answers/{query_id}/{source_id}"


def page_uri(page_id: int, *, start: int, end: int) -> str:
    return f"lexic://pages/{page_id}?start={start}&end={end}"


def page_url(page_id: int, *, start: int, end: int) -> str:
    return f"{settings.PUBLIC_URL}{reverse('source', args=[page_id])}?start={start}&end={end}#cited"


def format_place(of: Mapping[str, Any]) -> str:
    """Document, page and section in one line."""
    page = f"p. {of['page']}" if of.get("page") else ""
    section = of.get("section") or ""
    return ", ".join(part for part in (of["document"], page, section if section != of["document"] else "") if part)


def read_resource(uri: str, *, key: ApiKey) -> str:
    """The resource as text. Raises `NoSource`, `UnknownSource`, `MissingCapability`."""
    return find_source(uri, key=key).text


def find_source(address: str, *, key: ApiKey, around: int = _CONTEXT_LENGTH) -> SourceText:
    """The source at this address: of a citation, of a page, or a citation's `url`.

    `around`: how many characters before and after. Raises `NoSource`, `UnknownSource`, `MissingCapability`.
    """
    if len(address) > _MAX_URI_LENGTH:
        raise InvalidSourceUri
    if found := _CITATION_URI.fullmatch(address):
        return _get_citation_source(UUID(_check_uuid(found[1])), found[2], key=key, around=around)
    if found := _PAGE_URI.fullmatch(address):
        return _get_page_source(int(found[1]), _parse_span(found[2] or ""), key=key, around=around)
    if page_id := _page_id_of_own_url(address):
        return _get_page_source(page_id, _parse_span(urlsplit(address).query), key=key, around=around)
    raise InvalidSourceUri


def _check_uuid(text: str) -> str:
    if len(text.replace("-", "")) != 32:
        raise InvalidSourceUri
    return text


def _page_id_of_own_url(address: str) -> int | None:
    path = address.removeprefix(settings.PUBLIC_URL)
    found = re.match(r"/source/([0-9]{1,18})(?:[?#]|$)", path) if path != address else None
    return int(found[1]) if found else None


def _parse_span(query: str) -> tuple[int, int]:
    given = parse_qs(query, max_num_fields=10)
    start, end = (_parse_offset(given.get(name, ["0"])[0]) for name in ("start", "end"))
    return start, max(start, end)


def _parse_offset(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _get_citation_source(query_id: UUID, source_id: str, *, key: ApiKey, around: int) -> SourceText:
    """A citation that was given to this very key, of a plugin that it may still ask."""
    check_capability(key, Capability.QUERY, Capability.READ)
    asked = Query.objects.filter(pk=query_id, api_key=key, plugin__in=Plugin.objects.visible_to(key)).first()
    cited = next((one for one in asked.citations if one["id"] == source_id), None) if asked else None
    if cited is None:
        raise UnknownSource
    page = _get_readable_page(_page_id_of_own_url(cited["url"]) or _page_id_in_url(cited["url"]), key)
    if page is not None:
        return _source_from_page(page, (cited["start"], cited["end"]), around=around)
    return SourceText(
        document=cited["document"],
        document_id=cited["documentId"],
        page=cited.get("page"),
        section=cited.get("section", ""),
        excerpt=cited["excerpt"],
        url=cited["url"],
    )


def _page_id_in_url(url: str) -> int | None:
    """The page of an address that was written while this server had another name."""
    found = re.search(r"/source/([0-9]{1,18})(?:[?#]|$)", url)
    return int(found[1]) if found else None


def _get_page_source(page_id: int, span: tuple[int, int], *, key: ApiKey, around: int) -> SourceText:
    check_capability(key, Capability.READ, Capability.AUTHOR)
    page = _get_readable_page(page_id, key)
    if page is None:
        raise UnknownSource
    return _source_from_page(page, span, around=around)


def _get_readable_page(page_id: int | None, key: ApiKey) -> Page | None:
    if page_id is None or not may_read_documents(key):
        return None
    return readable_page(page_id, principal=key)


def may_read_documents(key: ApiKey) -> bool:
    """Whether the key may read documents at all."""
    return key.can(Capability.READ) or key.can(Capability.AUTHOR)


def _source_from_page(page: Page, span: tuple[int, int], *, around: int) -> SourceText:
    start, end = (min(offset, len(page.text)) for offset in span)
    end = min(end, start + MAX_SPAN)
    document = page.document
    known = title_and_section(page, start)
    return SourceText(
        document=known["title"],
        document_id=str(document.pk),
        page=page.number if document.page_count is not None else None,
        section=known["section"].replace(" › ", " > "),
        excerpt=page.text[start:end],
        url=page_url(page.pk, start=start, end=end),
        before=page.text[max(0, start - around) : start],
        after=page.text[end : end + around],
        page_uri=page_uri(page.pk, start=start, end=end),
        standing=document_status(document, today=timezone.localdate())[1],
    )
