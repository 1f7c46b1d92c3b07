"""Which files of a library import another one, and what a file imports: a list out of the metadata, each line cited.

A design file names what its source imports. Nothing is embedded and no model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db.models import Prefetch, Q

from knowledge.code_location import lines_of_span
from knowledge.models import Chunk, Page, RevisionQuerySet
from knowledge.sync.library_layout import DESIGN, SOURCE, item_places
from language.lazy_pattern import lazy_pattern
from plugins.models import PluginKind
from querying import releases
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.document_list import passage_of_chunk
from querying.answering.guard import refusal_answer
from querying.question import document_access
from querying.question.resolve import ResolvedQuestion
from querying.retrieval import retriever
from querying.sanitize import sanitize
from querying.types.answer import Answer, Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question
from querying.types.refusals import refusal_text

NO_IMPORTS = "no_imports"
_MAX_LISTED = 50
_SECTION = "Dependencies"
_NAME = r"[`'\"“]?(?P<{}>[\w$][\w./$-]{{0,200}})"
_FILE = rf"(?:the\s+)?(?:file\s+|module\s+)?{_NAME.format('target')}"
_FILE_OR_CLASS = rf"(?:the\s+)?(?:file\s+|module\s+|class\s+)?{_NAME.format('target')}"
_OF_FILE = rf"of\s+(?:the\s+)?(?:file\s+|module\s+)?{_NAME.format('other')}"
_ASKS_WHO_IMPORTS = lazy_pattern(
    rf"\b(?:what|which|who)\b[^?\n]{{0,40}}?\b(?:imports?|depends?\s+on)\s+{_FILE_OR_CLASS}"
    rf"|\b(?:dependents|importers)\s+{_OF_FILE}",
    re.IGNORECASE,
)
_ASKS_WHAT_IS_IMPORTED = lazy_pattern(
    rf"\bwhat\s+do(?:es)?\s+{_FILE}[`'\"”]?(?:\s+file|\s+module)?\s+(?:import|depend\s+on)\b"
    rf"|\b(?:dependencies|imports)\s+{_OF_FILE}",
    re.IGNORECASE,
)
_PRONOUNS = frozenset({"it", "this", "that", "them", "these"})


@dataclass(frozen=True, kw_only=True)
class _ImportLine:
    """A line of a design file that names an import: `page.text[start:end]` is the path."""

    source: str
    page: Page
    start: int
    end: int


def answer_from_imports(question: ResolvedQuestion) -> Answer | None:
    """The list that the question asks for, or the refusal that there is none; None where it asks for something else, or
    names no file of the library. Raises `EmbedderError` where the file is that of the turn before."""
    if question.release.plugin.kind != PluginKind.LIBRARY:
        return None
    wants_importers = _ASKS_WHO_IMPORTS.search(question.asked.text)
    found = wants_importers or _ASKS_WHAT_IS_IMPORTED.search(question.asked.text)
    if not found:
        return None
    pages = _pages(question)
    path = _find_file(question, pages, (found["target"] or found["other"]).rstrip("./-"))
    if not path:
        return None
    lines = list(_importer_lines(pages, path) if wants_importers else _imported_lines(pages, path))
    if not lines:
        why = (
            f"No file of the library imports {path}." if wants_importers else f"The library knows no import of {path}."
        )
        return replace(refusal_answer(NO_IMPORTS, text=refusal_text(question.release)), why=(why,))
    said = f"import{'s' * (len(lines) == 1)} {path}"
    lead = f"{len(lines)} file{'s' * (len(lines) > 1)} {said}" if wants_importers else f"{path} imports"
    named = [(one.source if wants_importers else one.page.text[one.start : one.end], one) for one in lines]
    return _as_answer(question, lead, named)


def _find_file(question: ResolvedQuestion, pages: RevisionQuerySet, target: str) -> str:
    """The path of the one source that is meant: by its path or the end of it, as a module, or by what it declares."""
    if target.lower() in _PRONOUNS:
        return _file_of_last_turn(question, pages)
    as_module = target.replace(".", "/")
    names = [target, as_module, f"{as_module}.py", f"{as_module}/__init__.py"]
    ends = Q()
    for name in names:
        ends |= Q(document__metadata__source=name) | Q(document__metadata__source__endswith=f"/{name}")
    sources = set(pages.filter(ends, document__doc_type=DESIGN).values_list("document__metadata__source", flat=True))
    if not sources:
        chunks = Chunk.objects.filter(section_path__contains=[target], document__doc_type=SOURCE)
        declaring = pages.filter(pk__in=chunks.values("page"))
        sources = set(declaring.values_list("repository_path", flat=True))
    return next(iter(sources)) if len(sources) == 1 else target if target in sources else ""


def _file_of_last_turn(question: ResolvedQuestion, pages: RevisionQuerySet) -> str:
    """The source that the best passage for the user's turn before is about."""
    earlier = question.earlier_user_turns
    if not earlier:
        return ""
    passages = retriever.retrieve(replace(question.asked, text=earlier[-1], context=()))
    found = pages.filter(document__in={one.document_id for one in passages})
    known = dict(found.values_list("document", "document__metadata__source"))
    return next((known[one.document_id] for one in passages if known.get(one.document_id)), "")


def _importer_lines(pages: RevisionQuerySet, path: str) -> Iterator[_ImportLine]:
    importing = pages.filter(document__doc_type=DESIGN, document__metadata__dependencies__contains=[path])
    for page in importing.order_by("document__metadata__source"):
        yield from _lines_naming(page, [path])


def _imported_lines(pages: RevisionQuerySet, path: str) -> Iterator[_ImportLine]:
    for page in pages.filter(document__doc_type=DESIGN, document__metadata__source=path):
        yield from _lines_naming(page, page.document.metadata.get("dependencies", []))


def _lines_naming(page: Page, paths: Sequence[str]) -> Iterator[_ImportLine]:
    """For each path the line of the page's list that is this path."""
    listed: dict[str, int] = {}
    for item, start in item_places(page.text, _SECTION) if page.first_chunks else ():  # type: ignore[attr-defined]
        listed.setdefault(item, start)
    for path in paths:
        if path in listed:
            start = listed[path]
            yield _ImportLine(source=page.document.metadata["source"], page=page, start=start, end=start + len(path))


def _pages(question: Question) -> RevisionQuerySet:
    """The pages that this question may read, with their documents."""
    readable = Q(pk=None)
    for base in releases.bases_of(question):
        alive = Page.objects.alive_at(base.revision).filter(document__knowledge_base=base.knowledge_base_id)
        readable |= Q(pk__in=alive.values("pk"))
    first_chunks = Prefetch("chunks", Chunk.objects.filter(index=0), to_attr="first_chunks")
    pages = Page.objects.filter(readable).select_related("document").prefetch_related(first_chunks)
    allowed = document_access.combine_filters(question.options.filters, document_access.access_filters(question))
    return pages.filter(document__in=allowed.documents().values("pk")) if allowed else pages


def _as_answer(question: Question, lead: str, named: Sequence[tuple[str, _ImportLine]]) -> Answer:
    style = question.options.citation_style
    shown = named[:_MAX_LISTED]
    citations = tuple(_citation(number, line) for number, (_, line) in enumerate(shown, start=1))
    more = f"; the first {len(shown)} are" if len(shown) < len(named) else ""
    items = [f"- {sanitize(name)} [Source {number}]" for number, (name, _) in enumerate(shown, start=1)]
    text = render_sentence("\n".join([f"{sanitize(lead)}{more}:", "", *items]), style=style)
    return Answer(
        text=text + render_footnotes(citations, style=style),
        outcome=Outcome.ANSWERED,
        citations=citations,
        confidence=Confidence.HIGH,
    )


def _citation(number: int, line: _ImportLine) -> Citation:
    [chunk, *_] = line.page.first_chunks  # type: ignore[attr-defined]
    chunk.page, chunk.document = line.page, line.page.document
    excerpt = line.page.text[line.start : line.end]
    first_line, _ = lines_of_span(line.page.text, line.start, line.end)
    passage = replace(
        passage_of_chunk(chunk),
        start=line.start,
        end=line.end,
        content=excerpt,
        first_line=first_line,
        section_path=(_SECTION,),
    )
    return Citation(number=number, passage=passage, start=line.start, end=line.end, excerpt=excerpt, score=1.0)
