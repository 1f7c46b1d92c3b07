"""A search in private documents: passages with the words of the question in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.signed_in_request import SignedInRequest
from conversations.private_document_search import DocumentScope, UserDocumentSearch, find_user_passages
from knowledge.citation_url import source_path
from knowledge.documents.text_blocks import unwrap_lines
from knowledge.search.passages import Passage
from knowledge.search.query_words import MAX_QUERY_CHARACTERS
from language.terms import terms
from language.word_matching import TextSpan, matching_spans, split_at_matches
from lexic.errors import LexicError
from lexic.http.parameters import single_line
from querying.question.user_limits import check_user_limit
from workspace.document_collection import DocumentCollection

_MAX_PASSAGES = 10
_EXCERPT_CHARACTERS = 420


@dataclass(frozen=True, kw_only=True)
class FoundPassage:
    """A passage as it is shown: `pieces` are text, each with whether it is a word of the question."""

    title: str
    place: str
    url: str
    pieces: tuple[tuple[str, bool], ...]


def search_context(request: SignedInRequest, place: DocumentCollection) -> dict[str, Any]:
    """What the search for `q` of the address finds in these documents; `found` is None where nothing was asked."""
    question = single_line(request.GET.get("q", ""), max_length=MAX_QUERY_CHARACTERS)
    context: dict[str, Any] = {"question": question, "most_question": MAX_QUERY_CHARACTERS, "found": None}
    if not question:
        return context
    options = UserDocumentSearch(
        principal=request.user,
        text=question,
        scope=DocumentScope.PROJECT if place.project else DocumentScope.PERSONAL,
        project=place.project,
        top_k=_MAX_PASSAGES,
    )
    try:
        check_user_limit(request.user)
        passages = find_user_passages(options)
    except LexicError as error:
        return {**context, "search_error": error.message_with_hint}
    asked = set(terms(question))
    return {**context, "found": [_found_passage(passage, asked) for passage in passages]}


def _found_passage(passage: Passage, asked: Collection[str]) -> FoundPassage:
    return FoundPassage(
        title=passage.document_title,
        place=", ".join(filter(None, [passage.page_name, " › ".join(passage.section_path)])),
        url=f"{source_path(passage.page_id, start=passage.start, end=passage.end)}#cited",
        pieces=tuple(split_at_matches(excerpt(_without_headings(passage.content), asked), asked)),
    )


def _without_headings(content: str) -> str:
    """The text without Markdown headings, which the place of the passage names already."""
    lines = content.split("\n")
    body = "\n".join(line for line in lines if not line.startswith("#")).strip()
    return unwrap_lines(body or content)


def excerpt(text: str, asked: Collection[str]) -> str:
    """The part of the text that has the most of the words that were asked for, whole words of it."""
    if len(text) <= _EXCERPT_CHARACTERS:
        return text
    spans = matching_spans(text, asked)
    start = max(0, _densest_start(spans) - _EXCERPT_CHARACTERS // 5)
    start = text.find(" ", start) + 1 if start else 0
    end = start + _EXCERPT_CHARACTERS
    if end >= len(text):
        return f"… {text[start:]}"
    end = max(text.rfind(" ", start, end), start + 1)
    return f"{'… ' if start else ''}{text[start:end]} …"


def _densest_start(spans: Sequence[TextSpan]) -> int:
    """Where the window begins that holds the most of these spans, the first of several."""
    best, best_count, last = 0, 0, 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + _EXCERPT_CHARACTERS * 4 // 5:
            last += 1
        if last - first > best_count:
            best, best_count = start, last - first
    return best
