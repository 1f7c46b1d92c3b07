"""Finds the place of an edit in the document part, and decides whether a replacement can be a tracked change there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from contracts.docx.edits import Edit, EditKind, Obstacle, WordTextChanged, quotes_fit
from contracts.docx.joined_paragraphs import joined_paragraphs, mark_obstacle
from contracts.docx.run_layout import RunLayout, paragraph_atoms, run_length, run_text, top_paragraph
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.run_positions import PagePositions, RunPosition

# The reader takes these rows for headers, whose cells name those below.
_HEADER_ROWS = 2
_TRACKED_ROWS = frozenset({f"{W}ins", f"{W}del"})
_LOCKS = frozenset({f"{W}lock", f"{W}dataBinding"})


class RunCut(NamedTuple):
    """The characters `start` to `end` of the text of a run, by its number in the part."""

    run: int
    start: int
    end: int


class Placement(NamedTuple):
    """An edit with its characters in order; `edit` is the comment in its stead where there is an obstacle."""

    edit: Edit
    cuts: tuple[RunCut, ...]
    obstacle: Obstacle


class ParagraphRange(NamedTuple):
    """What an edit spans in one paragraph; `cuts` may be empty where it goes over the whole paragraph."""

    paragraph: Any
    cuts: Sequence[RunCut]
    from_start: bool
    to_end: bool


class Placer:
    """Places the edits of one document part."""

    def __init__(self, found: PagePositions, layout: RunLayout) -> None:
        self._found = found
        self._layout = layout
        uses = Counter((position.run, position.run_start) for position in found.positions)
        self._repeated = {run for (run, _), count in uses.items() if count > 1}

    def place(self, edits: list[Edit]) -> list[Placement]:
        """A placement for each edit. Raises `WordTextChanged` where the file does not say what an edit quotes."""
        if not quotes_fit(self._found.text, edits):
            raise WordTextChanged()
        placed: dict[int, Placement] = {}
        tracked_end = 0
        for number, edit in sorted(enumerate(edits), key=lambda item: (item[1].start, item[1].end)):
            cuts = tuple(self._cuts(edit))
            obstacle = Obstacle.NONE
            if edit.kind == EditKind.REPLACEMENT:
                obstacle = Obstacle.OVERLAP if edit.start < tracked_end else self._obstacle(edit, cuts)
                tracked_end = tracked_end if obstacle else edit.end
                cuts = cuts if obstacle else self._whole_cuts(cuts)
            placed[number] = Placement(edit.as_comment(obstacle) if obstacle else edit, cuts, obstacle)
        return [placed[number] for number in range(len(edits))]

    def _cuts(self, edit: Edit) -> Iterator[RunCut]:
        """The characters of an edit, in order of the document; those of the nearest run where no run holds any."""
        if cuts := sorted(_clipped(at, edit) for at in self._positions(edit)):
            yield from cuts
            return
        nearest = self._nearest(edit)
        if nearest is None:
            raise WordTextChanged()
        yield RunCut(nearest.run, nearest.run_start, nearest.run_end)

    def _nearest(self, edit: Edit) -> RunPosition | None:
        """The run before the line that an edit begins in, where that is a note; otherwise the nearest one."""
        text, positions = self._found.text, self._found.positions
        start, end = text.rfind("\n", 0, edit.start) + 1, f"{text}\n".find("\n", edit.start)
        is_note = bool(edit.quote.strip()) and not any(at.start < end and start < at.end for at in positions)
        before = [at for at in positions if at.end <= start] if is_note else []
        return before[-1] if before else min(positions, key=lambda at: abs(at.start - edit.start), default=None)

    def _positions(self, edit: Edit) -> list[RunPosition]:
        return [at for at in self._found.positions if at.start < edit.end and edit.start < at.end]

    def _obstacle(self, edit: Edit, cuts: tuple[RunCut, ...]) -> Obstacle:
        runs = [self._layout.runs[cut.run] for cut in cuts]
        if not self._positions(edit):
            return Obstacle.NOTE if edit.quote.strip() else Obstacle.PARAGRAPHS
        added = self._added_characters(edit)
        if added.strip() or any(cut.run in self._repeated for cut in cuts):
            return Obstacle.TABLE
        nearest = dict.fromkeys(next(run.iterancestors(f"{W}p")) for run in runs)
        surroundings = next(filter(None, map(_surrounding_obstacle, nearest)), Obstacle.NONE)
        if surroundings:
            return surroundings
        paragraphs = joined_paragraphs(top_paragraph(runs[0]), top_paragraph(runs[-1]))
        if not paragraphs or added.strip("\n"):
            return Obstacle.PARAGRAPHS
        marks = next(filter(None, map(mark_obstacle, paragraphs[:-1])), Obstacle.NONE)
        ranges = (self._range_obstacle(part) for part in self._ranges(paragraphs, cuts))
        return marks or next(filter(None, ranges), Obstacle.NONE)

    def _ranges(self, paragraphs: Sequence[Any], cuts: Sequence[RunCut]) -> Iterator[ParagraphRange]:
        """The part of each paragraph that an edit spans."""
        own: dict[Any, list[RunCut]] = {paragraph: [] for paragraph in paragraphs}
        for cut in cuts:
            own[top_paragraph(self._layout.runs[cut.run])].append(cut)
        for paragraph in paragraphs:
            is_first, is_last = paragraph is paragraphs[0], paragraph is paragraphs[-1]
            yield ParagraphRange(paragraph, own[paragraph], from_start=not is_first, to_end=not is_last)

    def _added_characters(self, edit: Edit) -> str:
        """What an edit spans that stands in no run, but was added by the reader. The marks of lists are not counted:
        Word draws them again."""
        marks = (span for span in self._found.marks if span[0] < edit.end and edit.start < span[1])
        held = ((at.start, at.end) for at in self._positions(edit))
        covered = set(chain.from_iterable(range(start, end) for start, end in chain(held, marks)))
        return "".join(letter for at, letter in enumerate(edit.quote, edit.start) if at not in covered)

    def _range_obstacle(self, part: ParagraphRange) -> Obstacle:
        """What stands in the way between the first and the last character, or touches them, in a paragraph."""
        atoms = paragraph_atoms(part.paragraph)
        runs = [self._layout.runs[cut.run] for cut in part.cuts]
        known, own = set(atoms), set(runs)
        outside = [run for run in runs if run not in known]
        if outside:
            return self._wrapping_obstacle(outside[0])
        first = 0 if part.from_start else atoms.index(runs[0])
        last = len(atoms) if part.to_end else atoms.index(runs[-1]) + 1
        inside = next(filter(None, map(self._layout.obstacle, atoms[first:last])), Obstacle.NONE)
        if inside:
            return inside
        if any(atom not in own and run_text(atom).strip() for atom in atoms[first:last]):
            return Obstacle.HIDDEN
        before = atoms[first - 1 :: -1] if first and part.cuts[0].start == 0 else []
        after = atoms[last:] if not part.to_end and part.cuts[-1].end == run_length(runs[-1]) else []
        return self._neighbour_obstacle(before) or self._neighbour_obstacle(after)

    def _whole_cuts(self, cuts: tuple[RunCut, ...]) -> tuple[RunCut, ...]:
        """The characters of a tracked edit, with the white space at the ends of paragraphs that are joined."""
        first, last = cuts[0], cuts[-1]
        numbers = range(first.run, last.run + 1)
        if top_paragraph(self._layout.runs[first.run]) is top_paragraph(self._layout.runs[last.run]):
            return cuts
        lengths = {number: run_length(self._layout.runs[number]) for number in numbers}
        return tuple(
            RunCut(number, first.start if number == first.run else 0, last.end if number == last.run else length)
            for number, length in lengths.items()
            if length
        )

    def _wrapping_obstacle(self, run: Any) -> Obstacle:
        obstacles = map(self._layout.wrapper_obstacle, run.iterancestors())
        return next((obstacle for obstacle in obstacles if obstacle != Obstacle.CONTENT), Obstacle.CONTENT)

    def _neighbour_obstacle(self, atoms: list[Any]) -> Obstacle:
        nearest = next((atom for atom in atoms if not self._layout.is_mark(atom)), None)
        if nearest is None:
            return Obstacle.NONE
        obstacle = self._layout.wrapper_obstacle(nearest)
        return Obstacle.NONE if obstacle == Obstacle.CONTENT else obstacle


def _clipped(at: RunPosition, edit: Edit) -> RunCut:
    if at.end - at.start != at.run_end - at.run_start:
        return RunCut(at.run, at.run_start, at.run_end)
    left, right = max(at.start, edit.start) - at.start, min(at.end, edit.end) - at.start
    return RunCut(at.run, at.run_start + left, at.run_start + right)


def _surrounding_obstacle(paragraph: Any) -> Obstacle:
    """What around a paragraph keeps it from being changed: a tracked row, a lock, a header, a text box."""
    for node in paragraph.iterancestors():
        if node.tag == f"{W}tr":
            if any(child.tag in _TRACKED_ROWS for child in node.iterfind(f"{W}trPr/*")):
                return Obstacle.REVISION
            if node.getparent().findall(f"{W}tr").index(node) < _HEADER_ROWS:
                return Obstacle.TABLE
        elif node.tag == f"{W}sdt":
            if any(child.tag in _LOCKS for child in node.iterfind(f"{W}sdtPr/*")):
                return Obstacle.FIELD
        elif node.tag == f"{W}p":
            return Obstacle.CONTENT
        elif node.tag in _TRACKED_ROWS:
            return Obstacle.REVISION
    properties = paragraph.find(f"{W}pPr/{W}framePr")
    return Obstacle.NONE if properties is None or attribute(properties, "dropCap") in ("", "none") else Obstacle.CONTENT
