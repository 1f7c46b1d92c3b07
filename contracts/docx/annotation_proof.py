"""The proof that an annotated Word file changes only what it should. Runs in a confined child of its own.

Rejecting our tracked changes must give the original file; accepting them must give the intended text. The proof knows
nothing of how the file was written.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NoReturn

from contracts.docx.edits import Edit, EditKind, WordNotProven, quotes_fit
from contracts.docx.external_targets import BLANK_TARGET
from contracts.docx.normal_form import canonical, normal_form
from contracts.docx.resolve_revisions import (
    COMMENT_MARKS,
    OWN_REVISIONS,
    REVISIONS,
    MarkKey,
    mark_key,
    resolve_revisions,
)
from contracts.docx.word_package import CONTENT_TYPES, parse_part
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.reader import open_document, read_body
from knowledge.readers.zip_checks import check_archive

_COMMENTS_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"

_INSERTED_TAGS = frozenset({f"{W}t", f"{W}br", f"{W}tab"})


def prove(original: Path, produced: Path, edits: Sequence[Edit]) -> None:
    """Raises `WordNotProven` unless the produced file is the original with these edits, each one as it is given here:
    a comment, or a replacement that is tracked."""
    check_archive(produced)
    _Proof(original, produced, edits).run()


class _Proof:
    def __init__(self, original: Path, produced: Path, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._before, self._after = _read_parts(original), _read_parts(produced)
        self._document = open_document(original)
        self._part = str(self._document.part.partname).lstrip("/")
        self._old, self._new = parse_part(self._before[self._part]), parse_part(self._after.get(self._part, b"<none/>"))
        # A mark is ours where the original has none of its kind with its number.
        others = {mark_key(mark) for mark in _marks(self._old)}
        self._ours: set[MarkKey] = {mark_key(mark) for mark in _marks(self._new)} - others

    def run(self) -> None:
        self._check_parts()
        self._check_revisions()
        self._check_rejected()
        self._check_accepted()
        self._check_comments()

    def _check_parts(self) -> None:
        """Every other part is the same, byte for byte; a part of comments may be new. Lists of relationships may differ
        in what was loaded from outside, which leads nowhere now."""
        changed = {name for name, content in self._before.items() if self._after.get(name) != content}
        added = self._after.keys() - self._before.keys()
        comments = self._comments_name(self._after)
        relations = _relations_name(self._part)
        lists = {relations, CONTENT_TYPES, *(name for name in self._after if name.endswith(".rels"))}
        if not changed <= {self._part, comments, *lists} or not added <= {comments, relations}:
            _fail("other parts of the file changed")
        for name in lists:
            self._check_list(name, may_grow=name in (relations, CONTENT_TYPES))

    def _check_list(self, name: str, *, may_grow: bool) -> None:
        """The entries of this list are all there still, those that are loaded from outside lead nowhere, and new ones
        are for comments inside the file."""
        old = [_cut_off(entry) for entry in _listed(self._before.get(name))]
        new = _listed(self._after.get(name))
        added = [entry for entry in new if entry not in old]
        if added and not may_grow:
            _fail("the lists of parts changed")
        if [entry for entry in new if entry in old] != old:
            _fail("the lists of parts changed")
        if any(entry.get("TargetMode") == "External" or not _is_for_comments(entry) for entry in added):
            _fail("a part was added that is none of comments")

    def _check_revisions(self) -> None:
        """Ours are insertions and deletions by the right people, with numbers of their own; others are untouched."""
        revisions = list(self._new.iter(*REVISIONS))
        ours = [mark for mark in revisions if mark_key(mark) in self._ours]
        others = [canonical(mark) for mark in revisions if mark_key(mark) not in self._ours]
        if [canonical(mark) for mark in self._old.iter(*REVISIONS)] != others:
            _fail("tracked changes of others changed")
        signed = {(edit.stated_author, edit.stated_date) for edit in self._edits}
        counts = Counter(attribute(mark, "id") for mark in revisions)
        if any(mark.tag not in OWN_REVISIONS or counts[attribute(mark, "id")] != 1 for mark in ours):
            _fail("a tracked change has no number of its own")
        if not {(attribute(mark, "author"), attribute(mark, "date")) for mark in ours} <= signed:
            _fail("a tracked change has another author or date")
        if any(parent.tag in REVISIONS for mark in ours for parent in mark.iterancestors()):
            _fail("a tracked change stands in another")
        looks = {canonical(properties) for properties in self._old.iter(f"{W}rPr")}
        for node in (node for mark in ours if mark.tag == f"{W}ins" for node in mark.iterfind(f"{W}r/*")):
            if node.tag not in _INSERTED_TAGS and canonical(node) not in looks:
                _fail("more than text was inserted")

    def _check_rejected(self) -> None:
        """Ours rejected gives the original."""
        rejected = resolve_revisions(self._new, self._ours, accept=False)
        if normal_form(rejected) != normal_form(deepcopy(self._old)):
            _fail("rejecting the changes does not give the original")

    def _check_accepted(self) -> None:
        """Ours accepted gives the text that was meant, as the reader reads it. The marks of lists are left out: Word
        counts the items of a list anew."""
        read = (read_body(self._document, has_marks=has_marks) for has_marks in (True, False))
        page = next((one.text_without_marks() for one in read if quotes_fit(one.text(), self._edits)), "")
        accepted = self._page_text(resolve_revisions(self._new, self._ours, accept=True))
        if accepted.split() != _intended_text(page, self._edits).split():
            _fail("accepting the changes does not give the text that was meant")

    def _page_text(self, root: Any) -> str:
        """The page that the reader reads from the produced file with this document."""
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for name, content in self._after.items():
                # Pictures are not read, and would only take memory.
                kept = content if name.endswith((".xml", ".rels")) else b""
                archive.writestr(name, canonical(root) if name == self._part else kept)
        return read_body(open_document(io.BytesIO(target.getvalue())), has_marks=False).text()

    def _check_comments(self) -> None:
        """The comments of others are untouched, ours say what they should, and each is anchored once."""
        old, new = (_elements(parts.get(self._comments_name(parts))) for parts in (self._before, self._after))
        count = len(old)
        if [canonical(entry) for entry in new[:count]] != [canonical(entry) for entry in old]:
            _fail("comments of others changed")
        meant = [(edit.stated_date, edit.stated_text.split()) for edit in self._edits if edit.kind == EditKind.COMMENT]
        if [(attribute(entry, "date"), _comment_words(entry)) for entry in new[count:]] != meant:
            _fail("the comments do not say what they should")
        for entry in new[count:]:
            number = attribute(entry, "id")
            anchors = [mark.tag for mark in self._new.iter(*COMMENT_MARKS) if attribute(mark, "id") == number]
            if anchors != COMMENT_MARKS or any(attribute(other, "id") == number for other in old):
                _fail("a comment is not anchored once")

    def _comments_name(self, parts: dict[str, bytes]) -> str:
        folder = self._part.rpartition("/")[0]
        for relation in _listed(parts.get(_relations_name(self._part))):
            if relation.get("Type") == _COMMENTS_RELATION and relation.get("TargetMode") != "External":
                target = relation.get("Target", "")
                return target.lstrip("/") if target.startswith("/") else f"{folder}/{target}".lstrip("/")
        return ""


def _fail(reason: str) -> NoReturn:
    raise WordNotProven(f"The Word file was not made: {reason}.")


def _read_parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _marks(root: Any) -> Iterator[Any]:
    return root.iter(*REVISIONS, *COMMENT_MARKS)


def _relations_name(part: str) -> str:
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels".lstrip("/")


def _elements(content: bytes | None) -> list[Any]:
    return list(parse_part(content)) if content else []


def _listed(content: bytes | None) -> list[dict[str, str]]:
    """The attributes of each entry of a list of parts."""
    return [dict(entry.attrib) for entry in _elements(content)]


def _cut_off(entry: dict[str, str]) -> dict[str, str]:
    """What is left of an entry of the original: what is loaded from outside leads nowhere."""
    is_link = entry.get("Type", "").endswith("/hyperlink")
    return {**entry, "Target": BLANK_TARGET} if entry.get("TargetMode") == "External" and not is_link else entry


def _is_for_comments(entry: dict[str, str]) -> bool:
    if entry.get("Extension") is not None:
        return bool(entry.get("Extension") == "rels")
    return bool(entry.get("Type") == _COMMENTS_RELATION or entry.get("ContentType", "").endswith(".comments+xml"))


def _intended_text(page: str, edits: Sequence[Edit]) -> str:
    """The page with its replacements made, the last one first."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        if edit.kind == EditKind.REPLACEMENT:
            page = page[: edit.start] + edit.stated_text + page[edit.end :]
    return page


def _comment_words(comment: Any) -> list[str]:
    return "\n".join("".join(text.text or "" for text in line.iter(f"{W}t")) for line in comment.iter(f"{W}p")).split()
