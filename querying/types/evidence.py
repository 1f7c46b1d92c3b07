"""What was found for a question: passages, their sentences, and how well each of them answers."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from knowledge.search.passages import Passage
from knowledge.search.wording import ENGLISH_WORDING, Wording

# In mandatory mode, evidence weaker than this is not answered from. A plugin may set its own threshold.
SUFFICIENCY_THRESHOLD = 0.45


@dataclass(frozen=True, kw_only=True)
class RangeMatch:
    """How the ranges and bounds of a sentence fit the quantities of a question.

    `included` are the stems of those that lie in one, or that a limit decides; `excluded` those of numbers that lie in
    none, though another sentence has one for them. `numbers` are the values that lie in a range, plainly, and `wording`
    is the question with the ranges in their place; empty where none is. `days` are the stems of the days of the week
    and the dates that are asked about and that the sentence speaks of ("Monday to Friday" speaks of Wednesday, "15 May
    to 15 September" of July), `other_days` all of those asked about where it speaks of others alone. `is_beside_asked`:
    it does, and the sentence or row beside it speaks of those asked about. `is_date_unclear`: it speaks of those asked
    about if the day of "12/03/2026" is the one, and of others if it is the other one.
    """

    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    wording: str = ""
    days: frozenset[str] = frozenset()
    other_days: frozenset[str] = frozenset()
    is_beside_asked: bool = False
    is_date_unclear: bool = False


NO_RANGE_MATCH = RangeMatch()


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """The cell of a row that is asked for: the head of its column, what it says, and both with the row's name and the
    table's caption as a sentence."""

    head: str
    value: str
    wording: str


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a passage, `passages[source].content[start:end]`, how well it answers, 0 to 1, and how well it
    matches the word of the question that it matches least, 0 to 1.

    `strength` is that of evidence by this sentence alone, of which titles are no part; `ranges` says which of the
    question's quantities it has a range for; `header` is the header row of a row of a Markdown table; `cell` is the
    cell of a row that is asked for, where one fits. `value_rows` names the table of a row that is asked for by what its
    cells say, together with the others of this table. `asked_words` are the stems of the question that ask for a cell
    of a row in other words than its head, None where no cell is asked for so; `is_cell_empty` says that there is
    nothing in it.
    """

    source: int  # index into the passages that were read
    start: int
    end: int
    text: str
    score: float
    weakest: float = 1.0
    strength: float = 1.0
    ranges: RangeMatch = NO_RANGE_MATCH
    header: str = ""
    cell: TableCell | None = None
    value_rows: str = ""
    asked_words: frozenset[str] | None = None
    is_cell_empty: bool = False


def best_first(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """The sentences by their scores; equal ones as they stand in the passages."""
    return tuple(sorted(sentences, key=lambda one: (-one.score, one.source, one.start)))


@dataclass(frozen=True, kw_only=True)
class SubQuestion:
    """One of several questions in a text, and all sentences, best first, by how well each answers this one."""

    text: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, kw_only=True)
class ListPart:
    """What one page has of a list: spans (start, end) of `passages[source].content`. `before` are the sentences right
    above the first item; the items follow them with nothing in between. Prose that tells the steps has no items."""

    source: int
    items: tuple[tuple[int, int], ...]
    before: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SectionList:
    """The list that a question asks for as a whole, such as the steps of a procedure. `left_out` is how many items are
    too many to be quoted, and `rest` the passage that the first of these stands in. `is_one_of_several` says that
    other lists are as near to the question."""

    parts: tuple[ListPart, ...]
    left_out: int = 0
    rest: Passage | None = None
    is_one_of_several: bool = False


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was found for a question: the passages, their sentences (best first), and the strength of the best one.

    `labels` has the labels of documents as text, for plugins whose model may use them. `answer_probability` is what the
    cross-encoder says of the best sentence, 0 to 1; None where it read nothing. `sub_questions` is empty where one
    thing is asked. `wording` has the language in which was searched. `section_list` is the list that is asked for."""

    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    strength: float
    answer_probability: float | None = None
    sub_questions: tuple[SubQuestion, ...] = ()
    labels: Mapping[uuid.UUID, str] = field(default_factory=dict, compare=False)
    wording: Wording = ENGLISH_WORDING
    section_list: SectionList | None = None

    def page_place(self, source: int, start: int) -> tuple[int, int]:
        """The page on which a place of a passage is, and where there: passages overlap."""
        passage = self.passages[source]
        return passage.page_id, passage.start + start
