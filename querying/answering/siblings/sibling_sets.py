"""What stands side by side in the documents: rows of a table, labels of lines, parallel sections, things named in one
breath ("beams, slabs and columns"). They are mined from the passages that were found, in any language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from knowledge.readers.tables import CELL_SEPARATOR
from knowledge.search.passages import Passage
from language.lists import without_bullet
from querying.answering.siblings.words import Word, read_words, run_end, stems_of, text_of
from querying.retrieval.passage_tables import parse_cells

# A label is a short name at the beginning of a line, and not a sentence.
_MAX_LABEL_CHARACTERS, _MAX_LABEL_WORDS = 40, 4
_CONJUNCTIONS = frozenset(["and", "or", "und", "oder", "y", "o", "e", "et", "ou"])
_MAX_NAMED_WORDS = 3
Names = tuple[str, ...]


def row_name(row: str) -> str:
    """The name of a row of a table: its first cell; empty for another line."""
    cells = parse_cells(row) if CELL_SEPARATOR in row else []
    return cells[0].value if len(cells) > 1 else ""


def line_label(line: str) -> str:
    """ "Monstera" of "- Monstera: once a week"; empty where the line has none, or says nothing else."""
    label, colon, rest = without_bullet(line).partition(":")
    label = label.strip(" *_#")
    is_short = len(label) <= _MAX_LABEL_CHARACTERS and len(label.split()) <= _MAX_LABEL_WORDS
    says_more = bool(colon) and rest[:1] in " *_" and bool(rest.strip(" *_"))
    return label if is_short and says_more and CELL_SEPARATOR not in line else ""


def sibling_sets(passages: Sequence[Passage]) -> Iterator[Names]:
    """Names that stand for things of one kind, each set once."""
    for passage in passages:
        lines = passage.content.splitlines()
        for find in (row_name, line_label):
            names = tuple(dict.fromkeys(filter(None, map(find, lines))))
            if len(names) > 1:
                yield names
        for line in lines:
            yield from named_together(line)
    yield from parallel_headings(passages)


def named_together(text: str) -> Iterator[Names]:
    """The short names of an enumeration, such as "beams, slabs and columns"."""
    words = read_words(text)
    at = 0
    while at < len(words):
        names, at = _enumeration(words, at, text)
        if len(names) > 1:
            yield tuple(names)


def _enumeration(words: Sequence[Word], at: int, text: str) -> tuple[list[str], int]:
    """The names from this word on that are separated by commas, with a conjunction before the last one, and the word
    behind them."""
    names: list[str] = []
    while True:
        end = run_end(words, at, most=_MAX_NAMED_WORDS)
        if end == at:
            return [], at + 1
        names.append(text_of(words[at:end], text))
        if end == len(words):
            return [], end
        if words[end].text.casefold() in _CONJUNCTIONS:
            last = run_end(words, end + 1, most=_MAX_NAMED_WORDS)
            return ([*names, text_of(words[end + 1 : last], text)], last) if last > end + 1 else ([], end + 1)
        if text[words[end - 1].end : words[end].start].strip() != ",":
            return [], end
        at = end


def parallel_headings(passages: Sequence[Passage]) -> Iterator[Names]:
    """Headings of one level whose sections are of one kind: they share a word, or the labels of some lines."""
    by_level: dict[tuple[object, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for passage in passages:
        labels = {label.casefold() for line in passage.content.splitlines() if (label := line_label(line))}
        for level, heading in enumerate(passage.section_path):
            below = {part.casefold() for part in passage.section_path[level + 1 : level + 2]}
            by_level[(passage.document_id, *passage.section_path[:level])][heading] |= labels | below
    for headings in by_level.values():
        for heading, signs in headings.items():
            names = tuple(other for other in headings if _are_alike(heading, other, signs & headings[other]))
            if len(names) > 1:
                yield names


def _are_alike(one: str, other: str, shared_signs: set[str]) -> bool:
    return one == other or bool(shared_signs) or bool(stems_of(read_words(one)) & stems_of(read_words(other)))
