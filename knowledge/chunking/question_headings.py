"""Questions with answers line by line: "Q: Who can join?" over "A: Anyone." A question is the heading of its answer,
which often repeats none of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.readers.types import CAPTION_LEVEL, Heading
from language.sentences import sentences_by_block

_MARKS = r"[*_]{0,3}"
# "Q:", "Q1.", "Frage 3:", in bold letters of Markdown or not.
_LABEL = rf"{_MARKS}(?P<label>[^\W\d_]{{1,10}})[ ]?(?P<number>\d{{0,3}})[.:)]{_MARKS}\s{{1,4}}"
_ANY_LABEL = re.compile(_LABEL)
_LABELLED_QUESTION = re.compile(rf"{_LABEL}{_MARKS}(?P<title>\S[^\n]{{2,200}}[?？]){_MARKS}")
_BOLD_QUESTION = re.compile(r"(?P<marks>\*\*|__)(?P<title>[^*_\n]{2,200}[?？])(?P=marks):?")
# One pair of lines may look so by chance.
_MIN_PAIRS = 2


@dataclass(frozen=True, kw_only=True)
class QuestionHeading(Heading):
    """A question, and where its answer ends on the page."""

    end: int


@dataclass(frozen=True)
class _Line:
    """A line without the white space around it, and where it starts. `label` is empty where it has none."""

    start: int
    text: str
    label: str
    number: str


def question_headings(text: str, *, page: int) -> list[QuestionHeading]:
    """The questions of the page that stand right over their answers, where there are several of one kind."""
    lines = list(_placed_lines(text))
    found = sorted({*_labelled_pairs(lines), *_bold_pairs(lines)}, key=lambda pair: pair[0].start)
    after = [question.start for question, _, _ in found[1:]] + [len(text)]
    return [
        QuestionHeading(
            page=page,
            start=question.start,
            level=CAPTION_LEVEL,
            title=title.strip(),
            end=_answer_end(text, answer.start, limit),
        )
        for (question, answer, title), limit in zip(found, after, strict=False)
    ]


def _placed_lines(text: str) -> Iterator[_Line]:
    at = 0
    for line in text.splitlines(keepends=True):
        if bare := line.strip():
            found = _ANY_LABEL.match(bare)
            label, number = (found["label"], found["number"]) if found else ("", "")
            yield _Line(at + line.find(bare), bare, label, number)
        at += len(line)


def _labelled_pairs(lines: Sequence[_Line]) -> Iterator[tuple[_Line, _Line, str]]:
    """Questions and answers whose labels are used for nothing else on the page: minutes and steps use theirs for other
    lines, or have other ones than an FAQ."""
    labelled = Counter(line.label for line in lines)
    pairs = [
        (question, answer, asked["title"])
        for question, answer in pairwise(lines)
        if (asked := _LABELLED_QUESTION.fullmatch(question.text))
        and not _LABELLED_QUESTION.fullmatch(answer.text)
        and _are_labels_of_a_pair(question, answer)
    ]
    kinds = Counter((question.label, answer.label) for question, answer, _ in pairs)
    for question, answer, title in pairs:
        count = kinds[question.label, answer.label]
        if count >= _MIN_PAIRS and labelled[question.label] == labelled[answer.label] == count:
            yield question, answer, title


def _are_labels_of_a_pair(question: _Line, answer: _Line) -> bool:
    """ "Q" and "A", or words with the same number: "Frage 1" and "Antwort 1". "A" and "B" are items of a list, and
    other words are names, or what people are at a meeting."""
    if not answer.label or question.label == answer.label or question.number != answer.number:
        return False
    if len(question.label) == len(answer.label) == 1:
        return ord(answer.label) != ord(question.label) + 1
    return bool(question.number)


def _bold_pairs(lines: Sequence[_Line]) -> Iterator[tuple[_Line, _Line, str]]:
    pairs = [
        (question, answer, asked["title"])
        for question, answer in pairwise(lines)
        if not question.label
        and (asked := _BOLD_QUESTION.fullmatch(question.text))
        and not _BOLD_QUESTION.fullmatch(answer.text)
    ]
    if len({title for _, _, title in pairs}) >= _MIN_PAIRS:
        yield from pairs


def _answer_end(text: str, start: int, limit: int) -> int:
    """The end of the paragraph that answers, with the list right below it."""
    end = start
    for block in sentences_by_block(text[start:limit]):
        begins, ends = start + block[0][0], start + block[-1][1]
        is_item = not text[begins].isalpha()  # a bullet or a number
        is_apart = text.count("\n", end, begins) > 1 and not text.endswith(":", start, end)
        if end > start and (not is_item or is_apart):
            break
        end = ends
    return end


def with_question_headings(text: str, headings: Sequence[Heading], *, page: int) -> list[Heading]:
    """The headings of a page with those of its questions, in order; a line that is a heading already stays one."""
    asked = question_headings(text, page=page) if "?" in text or "？" in text else []
    taken = {_line_start(text, heading.start) for heading in headings}
    return sorted([*headings, *(one for one in asked if _line_start(text, one.start) not in taken)], key=_start)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _start(heading: Heading) -> int:
    return heading.start
