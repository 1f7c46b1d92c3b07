"""The sentences of a passage in windows: what the model reads together, so that each is read in its context."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.embedders.packed_states import PackedStates
from knowledge.search.passages import Passage
from language.terms import terms
from querying.retrieval.late_interaction import Span
from querying.retrieval.markdown_tables import TableLayout, table_layout
from querying.retrieval.token_states import KeptStates, kept_states

# A window has about 200 tokens.
_WINDOW_CHARACTERS = 800
_TITLE_CHARACTERS = 160


@dataclass(frozen=True, kw_only=True)
class Window:
    """Sentences that the model reads together, with the title before them, and the header row of a table that they
    begin inside of."""

    passage: int
    chunk_id: int
    spans: tuple[Span, ...]
    span_stems: tuple[frozenset[str], ...]  # the stems of each span, and of its header row
    content: str  # of the whole passage
    head: str
    title_stems: frozenset[str]
    layout: TableLayout
    repeated: Span | None  # the header row that stands at the end of the head

    @property
    def text(self) -> str:
        return self.head + self.content[self.spans[0][0] : self.spans[-1][1]]

    @property
    def stems(self) -> frozenset[str]:
        return self.title_stems.union(*self.span_stems)

    @property
    def offset(self) -> int:
        """What is added to an offset in the passage to get the one in the text."""
        return len(self.head) - self.spans[0][0]

    def kept_states(self, packed: PackedStates) -> KeptStates:
        """Those of its tokens, of the states that were kept of its passage."""
        parts = [((self.spans[0][0], self.spans[-1][1]), self.offset)]
        if self.repeated:
            parts.insert(0, (self.repeated, len(self.head) - 1 - self.repeated[1]))
        return kept_states(packed, parts)

    def part(self, first: int, last: int) -> Window:
        """Its sentences from `first` to `last`, with the header row of a table that they now begin inside of."""
        repeated = self.layout.headers.get(self.spans[first])
        title = self.head.removesuffix(f"{self.content[slice(*self.repeated)]} ") if self.repeated else self.head
        return replace(
            self,
            spans=self.spans[first : last + 1],
            span_stems=self.span_stems[first : last + 1],
            head=title + (f"{self.content[slice(*repeated)]} " if repeated else ""),
            repeated=repeated,
        )

    def header_place(self, span: Span) -> Span | None:
        """Where the text has the header row of this row; None where it is no row, or its header is not there."""
        header = self.layout.headers.get(span)
        if header is None:
            return None
        if header == self.repeated:
            return len(self.head) - len(self.content[slice(*header)]) - 1, len(self.head) - 1
        return (header[0] + self.offset, header[1] + self.offset) if header[0] >= self.spans[0][0] else None


def split_into_windows(index: int, passage: Passage) -> list[Window]:
    """Neighbouring sentences together, as many as fit one window of the model, each with the title before it."""
    content, spans = passage.content, passage.sentence_spans()
    layout = table_layout(content, passage.source_type)
    groups: list[list[Span]] = []
    for span in spans:
        if groups and span[1] - groups[-1][0][0] <= _WINDOW_CHARACTERS:
            groups[-1].append(span)
        else:
            groups.append([span])
    title = f"{title_prefix(passage)}. "
    stems = {span: frozenset(terms(content[slice(*span)])) for span in spans}
    return [
        Window(
            passage=index,
            chunk_id=passage.chunk_id,
            spans=tuple(group),
            span_stems=tuple(stems[span] | stems.get(layout.headers.get(span, span), stems[span]) for span in group),
            content=content,
            head=title + (f"{content[slice(*repeated)]} " if (repeated := layout.headers.get(group[0])) else ""),
            title_stems=frozenset(terms(title)),
            layout=layout,
            repeated=repeated,
        )
        for group in groups
    ]


def title_prefix(passage: Passage) -> str:
    """What stands before each window: as much of the title path as counts."""
    return passage.titles[:_TITLE_CHARACTERS]
