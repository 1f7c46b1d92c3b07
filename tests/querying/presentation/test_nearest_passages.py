"""What a refusal shows of the documents: the sentences that came nearest, to those who may read their pages."""

from __future__ import annotations

from typing import Any

from querying.presentation.retrieved_passages import nearest_passages

TEXTS = {1: "Boots are worn. Hats are not.", 2: "| Hall | 35 EUR |\n", 3: "Gloves.", 4: "Scarves."}


def near(page: int, score: float, *, start: int = 0, end: int = 0, **named: Any) -> dict[str, Any]:
    place = {"document": "Rules", "page": page, "score": score, "start": start, "end": end}
    return {**place, "url": f"/source/{page}?start={start}&end={end}", **named}


def test_the_nearest_stand_first_each_with_its_sentence() -> None:
    said = [near(2, 0.2, end=16), near(1, 0.5, end=15, section="Boots"), near(1, 0.4, start=16, end=29)]
    shown = nearest_passages(said, texts=TEXTS, readable={1, 2})
    assert [(one.place, one.section, one.excerpt) for one in shown] == [
        ("Rules, page 2", "", "Hall · 35 EUR"),
        ("Rules, page 1", "Boots", "Boots are worn."),
        ("Rules, page 1", "", "Hats are not."),
    ]


def test_a_place_without_a_sentence_is_named_once() -> None:
    said = [near(1, 0.5), near(1, 0.4), near(2, 0.3), near(3, 0.2), near(4, 0.1)]
    shown = nearest_passages(said, texts={}, readable={1, 2, 3, 4})
    assert [(one.place, one.excerpt) for one in shown] == [(f"Rules, page {number}", "") for number in (1, 2, 3)]


def test_only_pages_that_the_viewer_may_read_are_links_and_quoted() -> None:
    shown = nearest_passages([near(1, 0.5, end=15), near(2, 0.4, end=16)], texts=TEXTS, readable={1})
    assert [(one.url, one.excerpt) for one in shown] == [
        ("/source/1?start=0&end=15#cited", "Boots are worn."),
        ("", ""),
    ]


def test_answers_that_were_kept_without_spans_or_addresses_are_shown_by_their_place() -> None:
    [shown] = nearest_passages([{"document": "Rules", "score": 0.5}], texts=TEXTS, readable={0, 1})
    assert (shown.place, shown.url, shown.excerpt) == ("Rules", "", "")


def test_a_file_of_code_and_a_very_long_sentence_are_not_quoted() -> None:
    long = {5: "word " * 200}
    code, sentence = near(1, 0.5, end=15, path="boots.py"), near(5, 0.4, end=1_000)
    shown = nearest_passages([code, sentence], texts=TEXTS | long, readable={1, 5})
    assert [one.excerpt for one in shown] == ["", ""]
