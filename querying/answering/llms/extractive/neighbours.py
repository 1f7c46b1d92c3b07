"""The sentences beside a sentence, as far as they were read."""

from __future__ import annotations

from collections.abc import Iterator

from querying.types.evidence import Evidence, Sentence


class Neighbours:
    """Sentences of the same passage that follow one another with only white space between them."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._rows: dict[int, list[Sentence]] = {}
        self._places: dict[tuple[int, int], int] = {}
        for sentence in sorted(evidence.sentences, key=lambda one: (one.source, one.start)):
            row = self._rows.setdefault(sentence.source, [])
            self._places[sentence.source, sentence.start] = len(row)
            row.append(sentence)

    def before(self, sentence: Sentence) -> Sentence | None:
        return self._adjacent(sentence, -1)

    def after(self, sentence: Sentence) -> Sentence | None:
        return self._adjacent(sentence, 1)

    def preceding(self, sentence: Sentence) -> Iterator[Sentence]:
        """The sentences above it, the nearest first."""
        return self._chain(sentence, -1)

    def following(self, sentence: Sentence) -> Iterator[Sentence]:
        """The sentences below it, the nearest first."""
        return self._chain(sentence, 1)

    def between(self, one: Sentence, other: Sentence) -> str:
        """What stands between two sentences of a passage: a space, a line break, a blank line."""
        first, last = sorted((one, other), key=lambda sentence: sentence.start)
        return self._evidence.passages[one.source].content[first.end : last.start]

    def starts_line(self, sentence: Sentence) -> bool:
        """Whether it begins a line of the page, and does not go on from what stands before it there."""
        line = self._evidence.passages[sentence.source].content[: sentence.start].rpartition("\n")[2]
        return not line.strip()

    def is_set_in_less(self, sentence: Sentence, other: Sentence) -> bool:
        """Whether its line begins further to the left than the other's."""
        return self._indent(sentence) < self._indent(other)

    def _indent(self, sentence: Sentence) -> int:
        return len(self._evidence.passages[sentence.source].content[: sentence.start].rpartition("\n")[2].expandtabs(4))

    def heading(self, sentence: Sentence) -> str:
        """The heading that its passage stands under, without a colon; empty where it has none."""
        path = self._evidence.passages[sentence.source].section_path
        return path[-1].rstrip(":") if path else ""

    def is_heading(self, sentence: Sentence) -> bool:
        """Whether it is the heading that its passage stands under."""
        heading = self.heading(sentence)
        return bool(heading) and " ".join(sentence.text.lstrip("# ").split()).rstrip(":") == heading

    def _chain(self, sentence: Sentence, step: int) -> Iterator[Sentence]:
        while found := self._adjacent(sentence, step):
            yield found
            sentence = found

    def _adjacent(self, sentence: Sentence, step: int) -> Sentence | None:
        row = self._rows[sentence.source]
        at = self._places[sentence.source, sentence.start] + step
        if not 0 <= at < len(row) or self.between(sentence, row[at]).strip():
            return None
        return row[at]
