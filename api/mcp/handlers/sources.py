"""Reads what a client can open again: a citation it was given, and a page it may read.

A citation is `lexic://answers/{query}/{source}`. The key that was given it may read its excerpt again, and nothing
more. The page around it, and `lexic://pages/{page}?start=&end=`, need a key that may read documents, of a person who
may read this one, as the page that shows sources to people (`querying.presentation.cited_pages.readable_page`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.utils import timezone

from accounts.models import ApiKey, Capability, may_read_documents
from api.mcp.principals import PAGE_CAPABILITIES, check_capability
from api.mcp.resources import format_place, page_uri, page_url
from knowledge.code_location import FilePlace, place_on_page
from knowledge.models import Page
from lexic.errors import InvalidInput, NotFound
from lexic.http.parameters import parse_natural
from plugins.models import Plugin
from plugins.slugs import parse_id
from querying.models import Query
from querying.presentation.cited_pages import readable_page
from querying.presentation.page_excerpts import word_end, word_start
from querying.presentation.page_viewer import document_status, title_and_section
from querying.presentation.source_previews import CONTEXT_LENGTH, MAX_SPAN
from querying.query_log.quotations import withhold_quotations

_MAX_URI_LENGTH = 2000
_URI_HINT = "Take the address of a citation from ask_expert, or of a passage from search_sources, as it is."

_CITATION_URI = re.compile(r"lexic://answers/([0-9a-f-]{36})/(src_[0-9]{1,3})")
_PAGE_URI = re.compile(r"lexic://pages/([0-9]{1,18})(?:\?([a-z0-9=&]{0,80}))?")
_PAGE_PATH = re.compile(r"/source/([0-9]{1,18})(?:[?#]|$)")


class UnknownSourceUri(NotFound):
    """There is no such source, or you may not read it."""

    code = "unknown_source"
    hint = _URI_HINT


class InvalidSourceUri(InvalidInput):
    """This is no address of a source."""

    code = "invalid_source"
    hint = _URI_HINT


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """An excerpt of a document, and the text around it.

    `before`, `after`, `page_uri` and `validity` are empty where only the excerpt may be read.
    """

    document: str
    document_id: str
    page: int | None
    page_label: str
    is_ocr: bool
    section: str
    excerpt: str
    url: str
    before: str = ""
    after: str = ""
    page_uri: str = ""
    validity: str = ""
    file: FilePlace | None = None

    @property
    def place(self) -> str:
        place = {"document": self.document, "page": self.page, "pageLabel": self.page_label, "section": self.section}
        return format_place(place)

    @property
    def text(self) -> str:
        """The place, the validity, and the excerpt with the text around it."""
        head = "\n".join(filter(None, [self.place, self.validity]))
        return f"{head}\n\n{self.before}{self.excerpt}{self.after}"


def find_source(address: str, *, key: ApiKey, context_length: int = CONTEXT_LENGTH) -> SourceText:
    """The source at this address: of a citation, of a page, or a citation's `url`.

    `context_length`: characters before and after. Raises `InvalidSourceUri`, `UnknownSourceUri`, `MissingCapability`.
    """
    if len(address) > _MAX_URI_LENGTH:
        raise InvalidSourceUri
    if match := _CITATION_URI.fullmatch(address):
        return _get_citation_source(match[1], match[2], key=key, context_length=context_length)
    if match := _PAGE_URI.fullmatch(address):
        return _get_page_source(int(match[1]), match[2] or "", key=key, context_length=context_length)
    path = address.removeprefix(settings.PUBLIC_URL)
    if path != address and (match := _PAGE_PATH.match(path)):
        return _get_page_source(int(match[1]), urlsplit(address).query, key=key, context_length=context_length)
    raise InvalidSourceUri


def _get_citation_source(query: str, source_id: str, *, key: ApiKey, context_length: int) -> SourceText:
    """A citation that was given to this very key, of a plugin that it may still ask and that may still quote it."""
    query_id = parse_id(query)
    if query_id is None:
        raise InvalidSourceUri
    check_capability(key, Capability.QUERY, Capability.READ)
    row = Query.objects.filter(pk=query_id, api_key=key, plugin__in=Plugin.objects.askable_by(key)).first()
    rows = withhold_quotations([row], viewer=key.owner) if row else []
    citation = next((one for row in rows for one in row.citations if one["id"] == source_id), None)
    if citation is None or citation.get("isWithheld"):
        raise UnknownSourceUri
    # The host is not compared: the server may have had another name when the address was written.
    match = _PAGE_PATH.search(citation["url"])
    page = _get_readable_page(int(match[1]), key) if match else None
    if page is not None:
        return _source_from_page(page, citation["start"], citation["end"], context_length=context_length)
    return SourceText(
        document=citation["document"],
        document_id=citation["documentId"],
        page=citation.get("page"),
        page_label=citation.get("pageLabel", ""),
        is_ocr=citation.get("ocr", False),
        section=citation.get("section", ""),
        excerpt=citation["excerpt"],
        url=citation["url"],
        file=FilePlace.from_json(citation),
    )


def _get_page_source(page_id: int, query: str, *, key: ApiKey, context_length: int) -> SourceText:
    """The page, from `start` to `end` of the address's query. What is no offset there counts as 0."""
    check_capability(key, *PAGE_CAPABILITIES)
    page = _get_readable_page(page_id, key)
    if page is None:
        raise UnknownSourceUri
    parameters = parse_qs(query, max_num_fields=10)
    texts = (parameters.get(name, ["0"])[0] for name in ("start", "end"))
    start, end = (parse_natural(text, max_digits=9) or 0 for text in texts)
    return _source_from_page(page, start, max(start, end), context_length=context_length)


def _get_readable_page(page_id: int, key: ApiKey) -> Page | None:
    return readable_page(page_id, principal=key) if may_read_documents(key) else None


def _source_from_page(page: Page, start: int, end: int, *, context_length: int) -> SourceText:
    start = min(start, len(page.text))
    end = min(end, len(page.text), start + MAX_SPAN)
    document = page.document
    names = title_and_section(page, start)
    return SourceText(
        document=names["title"],
        document_id=str(document.pk),
        page=page.number if document.page_count is not None else None,
        page_label=page.label,
        is_ocr=page.is_ocr,
        section=names["section"].replace(" › ", " > "),
        excerpt=page.text[start:end],
        url=page_url(page.pk, start=start, end=end),
        before=page.text[word_start(page.text, max(0, start - context_length), limit=start) : start],
        after=page.text[end : word_end(page.text, end + context_length, limit=end)],
        page_uri=page_uri(page.pk, start=start, end=end),
        validity=document_status(document, today=timezone.localdate())[1],
        file=place_on_page(page, start=start, end=end),
    )
