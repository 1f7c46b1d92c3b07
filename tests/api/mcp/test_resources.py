"""How a place is named to an agent."""

from __future__ import annotations

import pytest

from api.mcp.resources import format_place


@pytest.mark.parametrize(
    ("section", "place"),
    [
        ("Equipment at home > When something is lost", "Equipment at home, p. 2, When something is lost"),
        ("Equipment at home", "Equipment at home, p. 2"),
        ("Other rules > Keys", "Equipment at home, p. 2, Other rules > Keys"),
        (None, "Equipment at home, p. 2"),
    ],
)
def test_the_title_of_the_document_is_said_once(section: str | None, place: str) -> None:
    assert format_place({"document": "Equipment at home", "page": 2, "section": section}) == place
