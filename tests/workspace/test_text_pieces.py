"""The text of a document in pieces: headings without their signs, paragraphs on one line, offsets kept."""

from __future__ import annotations

from workspace.text_pieces import QuotedSpan, text_pieces

TEXT = "# Lease\n\nThe tenant\nPays rent.\n## 2. Term\nIt ends\non 31 March.\n"


def test_headings_of_markdown_lose_their_signs_and_paragraphs_their_line_ends() -> None:
    pieces = list(text_pieces(TEXT, is_markdown=True))
    assert [one.text for one in pieces if one.is_heading] == ["Lease", "2. Term"]
    assert "".join(one.text for one in pieces) == "Lease\n\nThe tenant Pays rent.\n2. Term\nIt ends on 31 March.\n"


def test_what_is_no_markdown_keeps_its_signs() -> None:
    assert "".join(one.text for one in text_pieces("# 12 High Street\nLondon")) == "# 12 High Street\nLondon"


def test_a_quotation_that_begins_in_the_sign_of_a_heading_is_marked_behind_it() -> None:
    start = TEXT.index("## 2")
    quoted = [QuotedSpan(start=start, end=start + len("## 2. Term\nIt ends"), number=7)]
    marked = [one for one in text_pieces(TEXT, quoted=quoted, is_markdown=True) if one.quoted_by]
    assert [(one.text, one.anchors, one.ends) for one in marked] == [("2. Term", (7,), ()), ("\nIt ends", (), (7,))]
