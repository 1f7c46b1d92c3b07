"""The addresses of what a client can open: a plugin, a citation it was given, and a page it may read.

`calls.expert_listings` and `calls.sources` read what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from mcp.types import ResourceTemplate

from knowledge.citation_url import source_path
from knowledge.page_names import page_name, section_below_title

MIME_TYPE = "text/plain"
EXPERTS, PAGES = "lexic://experts/", "lexic://pages/"
EXPERT_TEMPLATE = f"{EXPERTS}{{expert}}"
TEMPLATES = [
    ResourceTemplate(
        uri_template=EXPERT_TEMPLATE,
        name="expert",
        title="An expert that can be asked",
        description="`expert` is a slug: what it knows, its version, and its documents where this key may read them.",
        mime_type=MIME_TYPE,
    ),
    ResourceTemplate(
        uri_template="lexic://answers/{query}/{source}",
        name="citation",
        title="A citation of an answer you were given",
        description="`query` is the queryId of the answer, `source` the id of the citation, such as src_1.",
        mime_type=MIME_TYPE,
    ),
    ResourceTemplate(
        uri_template=f"{PAGES}{{page}}{{?start,end}}",
        name="page",
        title="The text of a page",
        description="As it was read, around the words from `start` to `end`; for keys that may read documents.",
        mime_type=MIME_TYPE,
    ),
]


def expert_uri(slug: str) -> str:
    return f"{EXPERTS}{slug}"


def citation_uri(query_id: str, source_id: str) -> str:
    return f"lexic://answers/{query_id}/{source_id}"


def page_uri(page_id: int, *, start: int, end: int) -> str:
    return f"{PAGES}{page_id}?start={start}&end={end}"


def page_url(page_id: int, *, start: int, end: int) -> str:
    return f"{settings.PUBLIC_URL}{source_path(page_id, start=start, end=end)}#cited"


def format_place(source: Mapping[str, Any]) -> str:
    """Document, page and section in one line. The section is named without the title of its document."""
    page = page_name(source.get("page"), source.get("pageLabel") or "", is_short=True)
    section = section_below_title(source.get("section") or "", source["document"])
    return ", ".join(part for part in (source["document"], page, section) if part)
