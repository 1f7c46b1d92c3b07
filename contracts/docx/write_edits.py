"""Write edits into a Word file. Runs in the confined child."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contracts.docx.edit_placement import Placement, Placer, RunCut
from contracts.docx.edits import Edit, EditKind, Obstacle, quotes_fit
from contracts.docx.external_targets import neutralise_external_targets
from contracts.docx.joined_paragraphs import delete_marks, joined_paragraphs
from contracts.docx.markup import add_comment, delete_runs, insert_text, mark_comment, new_comments, unused_ids
from contracts.docx.run_layout import RunLayout, run_length, split_run, top_element, top_paragraph
from contracts.docx.word_package import WordPackage, parse_part
from knowledge.readers.docx.names import W
from knowledge.readers.docx.run_positions import read_positions

COMMENTS_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
COMMENTS_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"


def write_edits(path: Path, edits: list[Edit]) -> tuple[bytes, list[Obstacle]]:
    """The file with these edits, and why each one that was to be tracked became a comment. It loads nothing from
    outside any more.

    Raises `UnreadableDocument`, `WordSigned` or `WordTextChanged`.
    """
    found = read_positions(path)
    if not quotes_fit(found.text, edits):  # a review of a text that was read without the marks of lists
        found = read_positions(path, has_marks=False)
    package = WordPackage(path)
    root = parse_part(package.read(found.part))
    layout = RunLayout(root)
    placements = Placer(found, layout).place(edits)
    ids = unused_ids(package.xml_parts())
    pieces = _RunPieces(layout, placements)
    comments = [placement for placement in placements if placement.edit.kind == EditKind.COMMENT]
    _write_comments(package, found.part, comments, pieces, ids)
    for placement in placements:
        if placement.edit.kind == EditKind.REPLACEMENT:
            _write_replacement(placement, pieces, ids)
    package.replace(found.part, root)
    neutralise_external_targets(package)
    return package.encode(), [placement.obstacle for placement in placements]


class _RunPieces:
    """Runs cut wherever an edit begins or ends, where they can be cut."""

    def __init__(self, layout: RunLayout, placements: list[Placement]) -> None:
        self._layout = layout
        self._pieces: dict[int, list[tuple[int, Any]]] = {}
        offsets: defaultdict[int, set[int]] = defaultdict(set)
        for placement in placements:
            first, last = placement.cuts[0], placement.cuts[-1]
            tracked = placement.edit.kind == EditKind.REPLACEMENT
            for cut, offset in ((first, first.start), (last, last.end)):
                run = layout.runs[cut.run]
                if 0 < offset < run_length(run) and (tracked or layout.can_split(run)):
                    offsets[cut.run].add(offset)
        for number, cuts in offsets.items():
            ordered = sorted(cuts)
            runs = split_run(layout.runs[number], ordered)
            self._pieces[number] = list(zip([0, *ordered], runs, strict=True))

    def of_cut(self, cut: RunCut) -> list[Any]:
        """The pieces of a run that hold these characters; the whole run where it could not be cut."""
        pieces = self._pieces.get(cut.run, [(0, self._layout.runs[cut.run])])
        begins = [start for start, _ in pieces if start <= cut.start]
        return [run for start, run in pieces if begins[-1] <= start < max(cut.end, begins[-1] + 1)]


def _write_comments(
    package: WordPackage, part: str, placements: list[Placement], pieces: _RunPieces, ids: Iterator[str]
) -> None:
    if not placements:
        return
    name = package.related_part(part, COMMENTS_KIND)
    comments = parse_part(package.read(name)) if name else new_comments()
    for placement in placements:
        number = next(ids)
        first, last = pieces.of_cut(placement.cuts[0])[0], pieces.of_cut(placement.cuts[-1])[-1]
        mark_comment(top_element(first), top_element(last), number)
        add_comment(comments, placement.edit, number)
    if name:
        package.replace(name, comments)
    else:
        name = package.free_name(f"{part.rpartition('/')[0]}/comments".lstrip("/"))
        package.add_part(part, name=name, kind=COMMENTS_KIND, content_type=COMMENTS_TYPE, root=comments)


def _write_replacement(placement: Placement, pieces: _RunPieces, ids: Iterator[str]) -> None:
    runs = list(dict.fromkeys(run for cut in placement.cuts for run in pieces.of_cut(cut)))
    properties = runs[0].find(f"{W}rPr")
    paragraphs = joined_paragraphs(top_paragraph(runs[0]), top_paragraph(runs[-1]))
    last = delete_runs(runs, placement.edit, ids)
    delete_marks(paragraphs, placement.edit, ids)
    if placement.edit.stated_text:
        insert_text(last, placement.edit, properties, ids)
