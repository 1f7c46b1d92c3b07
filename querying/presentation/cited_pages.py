"""The only way to the text of cited pages, for the site, the public chat, the sandbox and the API.

`PageQuerySet.visible_to` alone decides who may read a page. Everybody else sees the words that the answer cites, and
nothing around them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Principal, User
from knowledge.models import Page
from querying.json_format import cited_page_id
from querying.presentation.answer_text import source_link
from querying.presentation.quoted_rows import has_rows, without_bars

_HEADING = re.compile(r"^#{1,6} .*$\n*", re.MULTILINE)
# Characters of the page that are shown on either side of a cited span.
_MARGIN_CHARACTERS = 90


def readable_page(page_id: int, *, principal: Principal | None) -> Page | None:
    """The page, for those who may read its text; a principal of None is anybody at all."""
    pages = Page.objects.visible_to(principal).select_related("document__knowledge_base")
    return pages.filter(pk=page_id).first()


def readable_page_ids(page_ids: Collection[int], *, viewer: User | None) -> frozenset[int]:
    """The pages that the viewer, or anybody at all (None), may read. One statement."""
    readable = Page.objects.visible_to(viewer).filter(pk__in=page_ids)
    return frozenset(readable.values_list("pk", flat=True))


@dataclass(frozen=True, kw_only=True)
class QuotedCitation:
    """A cited span in its page. `before`, `after` and `url` are empty where the viewer may not read the page. With
    `has_rows` each line stands alone, for it is a row of a table. `language` is the document's; empty if not known."""

    number: int
    before: str
    excerpt: str
    after: str
    place: str
    url: str
    has_rows: bool = False
    language: str = ""


@dataclass(frozen=True, kw_only=True)
class CitedPages:
    """The texts of the pages that answers cite. All of them are compared with; only `readable` ones are shown."""

    texts: Mapping[int, str]
    readable: Collection[int]
    # Of their documents, as far as they are known.
    languages: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def load(cls, answers: Sequence[Mapping[str, Any]], *, viewer: User | None) -> CitedPages:
        """The pages of these answers (`querying.json_format`), for a viewer or for anybody (None), and of the passages
        that are named as near. Two statements, or none where there is no page."""
        cited, near = (
            {cited_page_id(place) for answer in answers for place in answer.get(name) or []} - {0}
            for name in ("citations", "nearest")
        )
        readable = readable_page_ids(cited | near, viewer=viewer) if cited | near else frozenset()
        compared = cited | (near & readable)
        pages = Page.objects.filter(pk__in=compared).values_list("pk", "text", "document__language") if compared else ()
        rows = list(pages)
        return cls(
            texts={pk: text for pk, text, _ in rows},
            readable=readable,
            languages={pk: language for pk, _, language in rows},
        )

    def has_excerpt(self, citation: Mapping[str, Any]) -> bool:
        """Whether the excerpt is on its page, word for word, where the citation says. One that is withheld was checked
        when it was logged."""
        if citation.get("isWithheld"):
            return True
        text = self.texts.get(cited_page_id(citation))
        start, end = int(citation.get("start", 0)), int(citation.get("end", 0))
        return text is not None and text[start:end] == citation.get("excerpt")

    def quote(self, number: int, citation: Mapping[str, Any]) -> QuotedCitation:
        """The citation with the words around it, as far as the viewer may read them."""
        source, page_id = source_link(citation), cited_page_id(citation)
        text = self.texts[page_id] if page_id in self.readable and not citation.get("isWithheld") else ""
        start, end = int(citation.get("start", 0)), int(citation.get("end", 0))
        # In a source of code what looks like a heading is a comment.
        begin, stop = _section_around(text, start, end) if text and not citation.get("path") else (0, len(text))
        before, after = text[begin:start], text[end:stop]
        if len(before) > _MARGIN_CHARACTERS:
            before = f"… {before[-_MARGIN_CHARACTERS:].partition(' ')[2]}"
        if len(after) > _MARGIN_CHARACTERS:
            after = f"{after[:_MARGIN_CHARACTERS].rpartition(' ')[0]} …"
        is_table = not citation.get("path") and has_rows(source.excerpt)
        if is_table:
            before, after = without_bars(before), without_bars(after)
        return QuotedCitation(
            number=number,
            before=before,
            excerpt=without_bars(source.excerpt) if is_table else source.excerpt,
            after=after,
            place=", ".join(part for part in (source.document, source.place) if part),
            url=source.url if text else "",
            has_rows=is_table,
            language=self.languages.get(page_id, ""),
        )


def _section_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the text begins and ends that may be shown around the span. It stands under the same heading; the heading
    itself is named beside it, and the next heading begins another subject."""
    first_line = text.rfind("\n", 0, max(0, start - _MARGIN_CHARACTERS)) + 1
    headings = [found.end() for found in _HEADING.finditer(text, first_line, start)]
    following = _HEADING.search(text, end, end + _MARGIN_CHARACTERS)
    return (headings[-1] if headings else 0), (following.start() if following else len(text))
