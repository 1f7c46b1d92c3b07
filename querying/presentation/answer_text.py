"""The text of an answer as people read it: its marks as links to the sources, its path, and why it is that sure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext, gettext_lazy

from knowledge.code_location import lines_text
from knowledge.page_names import section_below_title, shown_page_name
from querying.answering.citation_styles import CITATION_MARK
from querying.models import Query

_PUNCTUATION = re.compile(r"[.,;:!?]{1,3}")
# What the guard took a step down for (`querying.answering.guard`).
_WEAKNESS_PHRASES = {
    "conflicting_sources": gettext_lazy("one step down because sources contradict each other"),
    "unsupported_number": gettext_lazy("one step down because it has a number that none of its sources has"),
    "unsure_number": gettext_lazy(
        "one step down because text recognition (OCR) is not sure of a number in what it cites"
    ),
    "out_of_force": gettext_lazy("one step down because what it cites is not in force"),
    "phantom_citations": gettext_lazy("one step down because it named a source that was not read"),
    "doubtful_support": gettext_lazy(
        "one step down because the page behind the recommendation may speak of something else"
    ),
    "unsupported_recommendation": gettext_lazy(
        "one step down because no page supports what the expert's tree recommends"
    ),
    "weak_evidence": gettext_lazy("one step down because what was found is too weak to answer from"),
    "incomplete_list": gettext_lazy("one step down because it leaves out items of a list"),
    "other_lists": gettext_lazy("one step down because other lists may be meant as well"),
    "self_refusal": gettext_lazy("one step down because it says itself that it does not know"),
}


@dataclass(frozen=True, kw_only=True)
class SourceLink:
    """A citation of an answer. `url` opens its page on this site, whatever the public address of the site is."""

    document: str
    place: str
    excerpt: str
    url: str


@dataclass(frozen=True, kw_only=True)
class TextSegment:
    """Text, or the mark of a source when `source` is its number."""

    text: str
    source: int | None = None


def source_link(citation: Mapping[str, Any]) -> SourceLink:
    """The citation, from its JSON."""
    document, section = str(citation.get("document", "")), str(citation.get("section") or "")
    page = shown_page_name(citation.get("page"), citation.get("pageLabel", ""))
    lines = _lines_text(citation)
    url = urlsplit(str(citation.get("url", "")))
    return SourceLink(
        document=document,
        place=", ".join(filter(None, (page, section_below_title(section, document), lines))),
        excerpt=str(citation.get("excerpt", "")),
        url=f"{url.path}?{url.query}" if url.query else url.path,
    )


def _lines_text(citation: Mapping[str, Any]) -> str:
    first = citation.get("startLine")
    return lines_text(first, citation["endLine"]) if first else ""


def answer_segments(text: str, *, source_count: int) -> list[TextSegment]:
    """The text, cut at the marks of its sources, with the dashes of a list as bullets.

    A mark stands at the word before it, without the space or line end that the text has there, and after a full
    stop: `so [Source 1].` becomes `so`, `.`, `1`.
    """
    cut = _cut_at_marks(text.replace("\n- ", "\n• "), source_count=source_count)
    segments = list(_marks_after_punctuation(cut))
    return [
        replace(segment, text=segment.text.rstrip())
        if after and (after.source or _PUNCTUATION.fullmatch(after.text))
        else segment
        for segment, after in zip_longest(segments, segments[1:])
    ]


def _cut_at_marks(text: str, *, source_count: int) -> Iterator[TextSegment]:
    """What only looks like the mark of a source stays text."""
    for position, part in enumerate(CITATION_MARK.split(text)):
        is_mark = position % 2 == 1
        if is_mark and 1 <= int(part) <= source_count:
            yield TextSegment(text=part, source=int(part))
        elif is_mark:
            yield TextSegment(text=f"[Source {part}]")
        elif part:
            yield TextSegment(text=part)


def _marks_after_punctuation(segments: Iterable[TextSegment]) -> Iterator[TextSegment]:
    marks: list[TextSegment] = []
    for segment in segments:
        if segment.source is not None:
            marks.append(segment)
            continue
        stop = _PUNCTUATION.match(segment.text) if marks else None
        if stop:
            yield TextSegment(text=stop[0])
        yield from marks
        marks = []
        yield replace(segment, text=segment.text[stop.end() :]) if stop else segment
    yield from marks


def path_steps(path: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What each node of the path asked or is called, and what was known or decided there."""
    return [(str(step.get("label") or step.get("node", "")), _step_text(step)) for step in path]


def _step_text(step: Mapping[str, Any]) -> str:
    """What was decided, or else what was known. A condition shows the fact that it looked at, not that it held."""
    result, value = str(step.get("result") or ""), str(step.get("value", ""))
    return value if value and result in ("true", "false") else result or value


def explain_logged_confidence(query: Query) -> str:
    """How the confidence of a logged answer was made: where it started (`querying.answering.confidence`), and the steps
    that the guard took from there. The number of citations is not used.

    The row keeps the score of the evidence; the other two signals are named without their figures.
    """
    if not query.citations:
        return gettext("Low, because it cites no source.")
    steps = [_start_of_confidence(query)]
    if weakness := _WEAKNESS_PHRASES.get(query.reason):
        steps.append(str(weakness))
    if query.decided_node:
        steps.append(gettext("one step up because the tree decided with all its facts given"))
    return f"{'; '.join(steps)}."


def _start_of_confidence(query: Query) -> str:
    if query.evidence_score is None:
        return gettext("No passages were weighed")
    values = {"score": f"{query.evidence_score:.2f}"}
    if query.probability is None:
        return (
            gettext(
                "Estimated by fixed rules, not calibrated for this plugin, from three signs: the best passage scores "
                "%(score)s out of 1, how far it is ahead of the next one, and whether both searches find it first"
            )
            % values
        )
    values["probability"] = f"{query.probability:.2f}"
    return (
        gettext(
            "Calibrated on this plugin's golden questions: right with probability %(probability)s, from three signs: "
            "the best passage scores %(score)s out of 1, how far it is ahead of the next one, and whether both "
            "searches find it first"
        )
        % values
    )
