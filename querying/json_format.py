"""The JSON of answers and events. The API, the command line and the pages all encode with these functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings

from knowledge.citation_url import source_path
from knowledge.code_location import place_as_json
from knowledge.search.passages import Passage
from lexic.phrases import in_language
from querying.answering import confidence
from querying.answering.siblings.sibling_text import describe_sibling, place_of
from querying.question.answer_language import answer_language
from querying.types.answer import Answer, Citation, Clarification, NearestSibling, Outcome
from querying.types.events import Delta, Done, Event, Failed, Status
from querying.types.question import CitationStyle, Options, Question


def answer_as_json(answer: Answer, *, question: Question) -> dict[str, Any]:
    """The whole answer: the five keys of the specification, then what Lexic adds."""
    options, release = question.options, question.release
    show_citations = options.include_citations
    if show_citations is None:
        show_citations = options.citation_style != CitationStyle.OFF
    about = _readable_sibling(answer)
    language = answer_language(question) if about else ""
    return {
        "answer": answer.text,
        "citations": [citation_as_json(c) for c in answer.citations] if show_citations else [],
        "decisionPath": list(answer.decision_path) if options.include_decision_path else [],
        "confidence": answer.confidence.value,
        "confidenceBasis": _basis_as_json(answer, question),
        "pluginVersion": release.version or release.plugin.version,
        "outcome": answer.outcome.value,
        "reason": answer.reason or None,
        "why": [*([in_language(describe_sibling(about), language)] if about else []), *answer.why],
        "about": sibling_as_json(about, language=language) if about else None,
        "nearest": [_passage_as_json(one, shows_text=one.page_id in answer.readable_nearest) for one in answer.nearest],
        "clarification": clarification_as_json(answer.clarification) if answer.clarification else None,
        "queryId": str(question.id),
        "release": str(release),
        "usage": {
            "promptTokens": answer.usage.prompt_tokens,
            "completionTokens": answer.usage.completion_tokens,
        },
    }


def _basis_as_json(answer: Answer, question: Question) -> dict[str, Any] | None:
    """What the confidence of an answer is made of; None for what is no answer."""
    if answer.basis is None or answer.outcome != Outcome.ANSWERED:
        return None
    probability = answer.basis.probability
    return {
        "calibrated": answer.basis.is_calibrated,
        "probability": None if probability is None else round(probability, 2),
        "explanation": in_language(confidence.explain_confidence(answer.basis), answer_language(question)),
    }


def _readable_sibling(answer: Answer) -> NearestSibling | None:
    """What the nearest passage is about, where the caller may read its page: its words are the page's."""
    about = answer.about
    return about if about and about.passage.page_id in answer.readable_nearest else None


def sibling_as_json(about: NearestSibling, *, language: str) -> dict[str, str]:
    return {"asked": about.asked, "found": about.found, "place": in_language(place_of(about.passage), language)}


def _passage_as_json(passage: Passage, *, shows_text: bool) -> dict[str, Any]:
    """A place to look next, with its closest sentence where the caller may read the page. It is not verified as an
    answer."""
    place = {
        "document": passage.document_title,
        "page": passage.page_number,
        "pageLabel": _page_label(passage),
        "ocr": passage.is_ocr or None,
        "section": " > ".join(passage.section_path) or None,
        "excerpt": passage.content if shows_text else None,
        "documentId": str(passage.document_id),
        "score": round(passage.score, 4),
        **place_as_json(passage.file_place()),
    }
    return {key: value for key, value in place.items() if value is not None}


def _page_label(passage: Passage) -> str | None:
    return passage.page_label or None if passage.page_number else None


def citation_as_json(citation: Citation) -> dict[str, Any]:
    """A citation. `page` and `section` are left out where the source has none: never a made-up page. `pageLabel` is
    what people call the page, where that is not its number; `ocr` is there, and true, where the text of the page was
    recognised on a picture. Of a file of a repository it names the path, the lines, the
    hash and the commit."""
    passage = citation.passage
    shown: dict[str, Any] = {
        "id": f"src_{citation.number}",
        "document": passage.document_title,
        "page": passage.page_number,
        "pageLabel": _page_label(passage),
        "ocr": passage.is_ocr or None,
        "section": " > ".join(passage.section_path) or None,
        "excerpt": citation.excerpt,
        "documentId": str(passage.document_id),
        "start": citation.start,
        "end": citation.end,
        "url": source_url(citation),
        "score": citation.score,
        **place_as_json(citation.file_place),
    }
    return {key: value for key, value in shown.items() if value is not None}


def source_url(citation: Citation) -> str:
    """The address of the frozen page with the span highlighted, for whoever may read it."""
    path = source_path(citation.passage.page_id, start=citation.start, end=citation.end)
    return f"{settings.PUBLIC_URL}{path}#cited"


def clarification_as_json(clarification: Clarification) -> dict[str, Any]:
    return {
        "question": clarification.question,
        "options": list(clarification.options),
        "field": clarification.field,
        "token": clarification.token,
    }


def event_as_json(event: Event, *, question: Question) -> dict[str, Any]:
    """One event of the stream. `type` is status, delta, error or done."""
    if isinstance(event, Status):
        return {"type": "status", "status": event.step.value, "message": event.message}
    if isinstance(event, Delta):
        return {"type": "delta", "text": event.text}
    if isinstance(event, Failed):
        return failed_as_json(event)
    assert isinstance(event, Done)
    return {"type": "done", **answer_as_json(event.answer, question=question)}


def failed_as_json(failed: Failed) -> dict[str, Any]:
    """The error as the last event of a stream."""
    return {"type": "error", "error": failed.error, "code": failed.code, "hint": failed.hint}


def options_as_json(options: Options) -> dict[str, Any]:
    return {
        "citationMode": options.citation_style.value,
        "includeDecisionPath": options.include_decision_path,
        "maxSources": options.max_sources,
        # Dates and ids become text.
        "filters": json.loads(json.dumps(_set_conditions(asdict(options.filters)), default=str))
        if options.filters
        else None,
        "timezone": options.timezone,
    }


def _set_conditions(conditions: dict[str, Any]) -> dict[str, Any]:
    """The conditions of `Filters` that are set."""
    given = {name: value for name, value in conditions.items() if value not in (None, (), False)}
    return {
        name: [_set_conditions(part) for part in value] if name in ("all_of", "any_of", "none_of") else value
        for name, value in given.items()
    }


def cited_page_id(citation: Mapping[str, Any]) -> int:
    """The id of the page that the citation's address opens; 0 where it has none."""
    last = str(citation.get("url", "")).partition("?")[0].rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else 0
