"""Edits by quotation, and what the tests read in a Word file without the code that they test."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from contracts.docx.annotation_proof import prove
from contracts.docx.edits import Edit, EditKind, Obstacle
from contracts.docx.write_edits import write_edits
from tests.knowledge.readers.made import read_text

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def comment(path: Path, quote: str, text: str = "Look at this.", author: str = "Lexic") -> Edit:
    return _edit(path, quote, EditKind.COMMENT, text, author)


def replacement(path: Path, quote: str, text: str, author: str = "Lexic") -> Edit:
    return _edit(path, quote, EditKind.REPLACEMENT, text, author)


def _edit(path: Path, quote: str, kind: EditKind, text: str, author: str) -> Edit:
    start = read_text(path, "docx").index(quote)
    return Edit(start=start, end=start + len(quote), quote=quote, kind=kind, text=text, author=author, date=WHEN)


class Written(NamedTuple):
    path: Path
    obstacles: list[Obstacle]


def write_and_prove(path: Path, edits: Sequence[Edit]) -> Written:
    """What `annotate_word_file` does, in this process: quicker, and the same code."""
    edits = [edit.without_outer_breaks() for edit in edits]
    content, obstacles = write_edits(path, edits)
    produced = path.with_name(f"{path.stem}-produced.docx")
    produced.write_bytes(content)
    prove(path, produced, written_edits(edits, obstacles))
    return Written(produced, obstacles)


def written_edits(edits: Sequence[Edit], obstacles: Sequence[Obstacle]) -> list[Edit]:
    return [edit.as_comment(obstacle) if obstacle else edit for edit, obstacle in zip(edits, obstacles, strict=True)]


def part(path: Path, name: str = "word/document.xml") -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()


def body(path: Path) -> str:
    return part(path).partition("<w:body>")[2].rpartition("</w:body>")[0]


def marks(path: Path) -> list[tuple[str, str, str]]:
    """Each insertion and deletion: its kind, its author and its text."""
    root = ET.parse(io.BytesIO(part(path).encode())).getroot()
    return [
        (node.tag.removeprefix(W), node.get(f"{W}author", ""), "".join(text for text in node.itertext()))
        for node in root.iter()
        if node.tag in (f"{W}ins", f"{W}del")
    ]


def commented_texts(path: Path) -> dict[str, str]:
    """The text between the marks of each comment, by the comment's own words."""
    root = ET.parse(io.BytesIO(part(path).encode())).getroot()
    comments = ET.fromstring(part(path, "word/comments.xml"))
    words = {
        node.get(f"{W}id"): "\n".join("".join(line.itertext()) for line in node.iter(f"{W}p"))
        for node in comments.iter(f"{W}comment")
    }
    open_ids: set[str | None] = set()
    texts = dict.fromkeys(words, "")
    for node in root.iter():
        if node.tag == f"{W}commentRangeStart":
            open_ids.add(node.get(f"{W}id"))
        elif node.tag == f"{W}commentRangeEnd":
            open_ids.discard(node.get(f"{W}id"))
        elif node.tag == f"{W}t":
            for number in open_ids:
                texts[number] += node.text or ""
    return {words[number]: text for number, text in texts.items()}
