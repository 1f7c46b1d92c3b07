"""Beside a sentence from the library of a codebase: the lines of code that the question is about, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from knowledge.search.passages import Passage
from knowledge.sync.library_layout import source_of_path
from querying.answering.llms.extractive.statements import MAX_STATEMENT_CHARACTERS
from querying.types.evidence import Evidence, Sentence

MAX_PLACES = 2
# A file that fits less than this share of what the best one does is not shown beside it (docs/evaluation.md).
_MIN_FIT_SHARE = 0.7


def is_from_library(evidence: Evidence) -> bool:
    """Whether a file of a repository was read."""
    return any(passage.path for passage in evidence.passages)


def code_places(evidence: Evidence, *, quoted: Sequence[Sentence]) -> list[Sentence]:
    """For the files that fit the question best, and are not quoted yet, what declares the place that fits. Last comes
    the code of a file whose design file is quoted."""
    paths = {evidence.passages[one.source].path for one in quoted}
    sources = {source_of_path(path) for path in paths}
    least = _MIN_FIT_SHARE * max(passage.score for passage in evidence.passages)
    others = _places(evidence, lambda passage: source_of_path(passage.path) not in sources and passage.score >= least)
    described = _places(evidence, lambda passage: passage.path in sources - paths)
    return [*islice(others, MAX_PLACES), *islice(described, 1)]


def _places(evidence: Evidence, is_wanted: Callable[[Passage], bool]) -> Iterator[Sentence]:
    """One of each file, the best first."""
    known: set[str] = set()
    for source, passage in sorted(enumerate(evidence.passages), key=lambda pair: -pair[1].score):
        file = source_of_path(passage.path)
        if not passage.path or file in known or file.endswith(".md") or not is_wanted(passage):
            continue
        best_sentence = next((one for one in evidence.sentences if one.source == source), None)
        if place := next(_declarations(source, passage), best_sentence):
            known.add(file)
            yield place


def _declarations(source: int, passage: Passage) -> Iterator[Sentence]:
    """The lines of the passage that name what it declares."""
    name = passage.section_path[-1] if passage.section_path else ""
    for start, end in passage.sentence_spans() if name and passage.source_type == "code" else ():
        text = passage.content[start:end]
        if name in text and len(text) <= MAX_STATEMENT_CHARACTERS and not text.startswith(("@", "#", "//")):
            yield Sentence(source=source, start=start, end=end, text=text, score=passage.score)
