"""The sibling that a refusal names ("gives this for beams; you asked about slabs"), when the refusal is shown again.

The words of a page are not kept with an answer: what is kept says where they stand, and whoever may read the page sees
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from knowledge.citation_url import source_path
from lexic.phrases import in_language
from querying.answering.siblings.sibling_text import document_place, sibling_sentence
from querying.json_format import cited_page_id
from querying.presentation.cited_pages import CitedPages
from querying.question.answer_language import answer_language
from querying.types.answer import NearestSibling
from querying.types.question import Question


def stored_sibling(about: NearestSibling | None, question: Question) -> dict[str, Any] | None:
    """What an answer keeps of it: the words of a heading, which name the place, or where the page has the words."""
    if about is None:
        return None
    passage = about.passage
    start, end = about.span or (0, 0)
    return {
        "asked": about.asked,
        "found": "" if about.span else about.found,
        "start": start,
        "end": end,
        "document": passage.document_title,
        "page": passage.page_number,
        "pageLabel": passage.page_label,
        "url": source_path(passage.page_id, start=passage.start, end=passage.end),
        "language": answer_language(question),
    }


def named_sibling(stored: Mapping[str, Any] | None, pages: CitedPages) -> Iterator[str]:
    """The sentence that names the sibling; none where the viewer may not read its page, or the page is gone."""
    if not stored or "language" not in stored or (page := cited_page_id(stored)) not in pages.readable:
        return
    text = pages.texts.get(page, "")
    if found := stored["found"] or text[stored["start"] : stored["end"]]:
        place = document_place(stored["document"], stored["page"], stored["pageLabel"])
        yield in_language(sibling_sentence(asked=stored["asked"], found=found, place=place), stored["language"])
