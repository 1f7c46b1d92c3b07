"""The names of pages as people see them: “page 3”, “slide 3”, “sheet Prices, rows 2–40”."""

from __future__ import annotations

from django.utils.translation import gettext


def section_below_title(section: str, title: str) -> str:
    """The section without the title of the document, with which the headings of a note often begin."""
    if section == title:
        return ""
    for separator in (" > ", " › "):
        if title and section.startswith(f"{title}{separator}"):
            return section.removeprefix(f"{title}{separator}")
    return section


def page_name(number: int | None, label: str = "", *, is_short: bool = False) -> str:
    """The label of the page where it has one, else “page 3”, or “p. 3” in short. Empty without a number: the source has
    no pages."""
    if not number:
        return ""
    return label or (f"p. {number}" if is_short else f"page {number}")


def shown_page_name(number: int | None, label: str = "") -> str:
    """The same on a page for people, in its language."""
    if not number:
        return ""
    return label or gettext("page %(number)s") % {"number": number}
