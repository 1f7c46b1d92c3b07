"""The text of an answer as people read it, and why it is that sure."""

from __future__ import annotations

from typing import Any

import pytest

from querying.models import Query
from querying.presentation.answer_text import answer_segments, explain_logged_confidence, path_steps, source_link
from querying.presentation.cited_pages import CitedPages

LEAD = "how far it is ahead of the next one"
SIGNALS = f"from three signs: the best passage scores 0.71 out of 1, {LEAD}, and whether both searches find it first"
CITATION = {
    "document": "Rules",
    "page": 2,
    "section": "Rules",
    "excerpt": "x",
    "url": "https://a.example/source/7?start=1",
}


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("Boots are worn [Source 1].", [("Boots are worn", None), (".", None), ("1", 1)]),
        (
            "Boots [Source 1] [Source 2] are worn.",
            [("Boots", None), ("1", 1), ("", None), ("2", 2), (" are worn.", None)],
        ),
        ("Boots [Source 3] are worn.", [("Boots ", None), ("[Source 3]", None), (" are worn.", None)]),
        ("Worn:\n- boots", [("Worn:\n• boots", None)]),
        ("Boots are worn.\n[Source 1]\n\nHats too.", [("Boots are worn.", None), ("1", 1), ("\n\nHats too.", None)]),
        ("", []),
    ],
)
def test_marks_stand_at_the_word_before_them_and_after_the_stop(text: str, segments: list[Any]) -> None:
    assert [(one.text, one.source) for one in answer_segments(text, source_count=2) if one.text or one.source] == [
        one for one in segments if one[0]
    ]


def test_a_path_shows_what_was_known_and_what_was_decided() -> None:
    path = [
        {"node": "wet", "label": "Is it wet?", "value": "yes", "result": "true"},
        {"node": "size", "label": "How large?", "value": "20 mm"},
        {"node": "end", "label": "Cover", "result": "45 mm"},
        {"node": "open"},
    ]
    steps = [("Is it wet?", "yes"), ("How large?", "20 mm"), ("Cover", "45 mm"), ("open", "")]
    assert path_steps(path) == steps


@pytest.mark.parametrize(("more", "around"), [({}, ("", "\n\n")), ({"path": "a.py"}, ("# Rules\n\n", "\n\n## Hats\n"))])
def test_a_quotation_is_shown_without_the_headings_around_it(more: dict[str, str], around: tuple[str, str]) -> None:
    text = "# Rules\n\nBoots are worn.\n\n## Hats\n"
    start = text.index("Boots")
    cited = {**CITATION, "excerpt": "Boots are worn.", "start": start, "end": start + 15, **more}
    quoted = CitedPages(texts={7: text}, readable=[7]).quote(1, cited)
    assert (quoted.before, quoted.excerpt, quoted.after) == (around[0], "Boots are worn.", around[1])


def test_a_heading_that_the_margin_cuts_in_two_is_left_out_as_well() -> None:
    said = "They have a steel toe on every site of the company. Boots are worn."
    text = f"## {'Long ' * 30}heading\n\n{said} {'Hats are worn too. ' * 9}"
    start = text.index("Boots")
    cited = {**CITATION, "excerpt": "Boots are worn.", "start": start, "end": start + 15}
    quoted = CitedPages(texts={7: text}, readable=[7]).quote(1, cited)
    assert quoted.before == "They have a steel toe on every site of the company. "
    assert quoted.after.startswith(" Hats are worn too. ")
    assert quoted.after.endswith(" …")


def test_a_source_opens_on_this_site_and_names_its_section_once() -> None:
    link = source_link(CITATION)
    assert (link.place, link.url) == ("page 2", "/source/7?start=1")


@pytest.mark.parametrize(
    ("columns", "explanation"),
    [
        ({"citations": []}, "Low, because it cites no source."),
        ({}, "No passages were weighed."),
        (
            {"evidence_score": 0.71},
            f"Estimated by fixed rules, not calibrated for this plugin, {SIGNALS}.",
        ),
        (
            {"evidence_score": 0.71, "probability": 0.9, "reason": "conflicting_sources"},
            "Calibrated on this plugin's golden questions: right with probability 0.90, "
            f"{SIGNALS}; one step down because sources contradict each other.",
        ),
        (
            {"decision_path": [{"node": "a", "result": "45 mm"}]},
            "No passages were weighed; one step up because the tree decided with all its facts given.",
        ),
    ],
)
def test_confidence_is_explained_by_what_it_is_made_of(columns: dict[str, Any], explanation: str) -> None:
    query = Query(outcome="answered", **{"citations": [CITATION], **columns})
    assert explain_logged_confidence(query) == explanation


def test_the_number_of_places_is_no_reason() -> None:
    one, three = (Query(outcome="answered", citations=[CITATION] * count, evidence_score=0.5) for count in (1, 3))
    assert explain_logged_confidence(one) == explain_logged_confidence(three)
