"""Titles in the properties of files: many were never given, and name a program, a template or another file."""

from __future__ import annotations

from knowledge.readers.text_cleaning import clean_text, one_line

MAX_TITLE_LENGTH = 300
# What programs write where nobody gave a title.
_NOT_GIVEN = frozenset(
    {"untitled", "document", "document1", "word document", "presentation", "powerpoint presentation", "workbook"}
)
_FILE_ENDINGS = (".doc", ".docx", ".dvi", ".indd", ".odt", ".pdf", ".ppt", ".pptx", ".rtf", ".xls", ".xlsx")


def given_title(stated: object) -> str:
    """The title as one line; empty where it is none, or only what a program writes by itself."""
    title = one_line(clean_text(str(stated or "")))[:MAX_TITLE_LENGTH]
    return "" if title.lower() in _NOT_GIVEN or title.lower().endswith(_FILE_ENDINGS) else title
