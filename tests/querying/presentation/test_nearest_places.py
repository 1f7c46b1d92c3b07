"""The pages that a refusal names as near."""

from __future__ import annotations

from typing import Any

from querying.presentation.retrieved_passages import nearest_places


def near(page: int, score: float, *, section: str = "", number: int = 0) -> dict[str, Any]:
    named = {"document": "Rules", "page": number or page, "section": section, "score": score}
    return {**named, "url": f"/source/{page}?start=0&end=9"}


def test_each_page_is_named_once_where_it_came_nearest_and_the_nearest_stands_first() -> None:
    said = [near(1, 0.2, section="Hats"), near(2, 0.5), near(1, 0.4, section="Boots"), near(3, 0.1), near(4, 0.05)]
    shown = nearest_places(said, readable={1, 2, 3, 4})
    assert [(one.place, one.section, one.score) for one in shown] == [
        ("Rules, page 2", "", 0.5),
        ("Rules, page 1", "Boots", 0.4),
        ("Rules, page 3", "", 0.1),
    ]


def test_only_pages_that_the_viewer_may_read_are_links() -> None:
    shown = nearest_places([near(1, 0.5), near(2, 0.4)], readable={1})
    assert [one.url for one in shown] == ["/source/1?start=0&end=9#cited", ""]


def test_answers_that_were_kept_without_addresses_are_shown_without_links() -> None:
    [shown] = nearest_places([{"document": "Rules", "score": 0.5}], readable={0, 1})
    assert (shown.place, shown.url) == ("Rules", "")
