from __future__ import annotations

import json

from made import ANSWER, CLARIFY

from lexic_sdk import normalise, wording


def test_text_has_the_answer_its_sources_the_path_and_the_confidence():
    assert wording.as_text(normalise.answer(ANSWER)) == (
        "The nominal cover is 45mm [Source 1].\n\n"
        "Sources:\n[1] IS 456:2000, p. 47, Table 16, Clause 26.4.2: “Severe: 45 mm”\n\n"
        "Decision path: Exposure?: severe → Member?: beam → Cover: 45mm\n\n"
        "Confidence: high"
    )


def test_text_of_a_source_without_a_page_names_none():
    answer = normalise.answer({"answer": "A [Source 1].", "citations": [{"document": "Notes", "excerpt": "a\n  b"}]})
    assert "Sources:\n[1] Notes: “a b”\n" in wording.as_text(answer)


def test_long_excerpts_are_shortened_in_text_and_whole_in_json():
    answer = normalise.answer({"citations": [{"document": "Notes", "excerpt": "x" * 1000}]})
    assert len(wording.as_text(answer)) < 400
    assert json.loads(wording.as_json(answer))["citations"][0]["excerpt"] == "x" * 1000


def test_a_question_asked_back_is_a_question():
    text = wording.as_text(normalise.answer(CLARIFY))
    assert text == "Before this can be answered: How? Options: mild, severe. Answer with the fact 'exposure'."


def test_an_answer_without_anything_is_still_text():
    assert wording.as_text(normalise.answer(None)) == "There is no answer.\n\nConfidence: low"


def test_json_has_what_a_model_can_use_and_no_more():
    assert json.loads(wording.as_json(normalise.answer(ANSWER))) == {
        "answer": "The nominal cover is 45mm [Source 1].",
        "citations": [
            {
                "id": "src_1",
                "document": "IS 456:2000",
                "page": 47,
                "section": "Table 16, Clause 26.4.2",
                "excerpt": "Severe: 45 mm",
                "url": "https://lexic.example/source/1",
            }
        ],
        "confidence": "high",
        "decisionPath": [
            {"step": 1, "node": "exposure_check", "label": "Exposure?", "value": "severe"},
            {"step": 2, "node": "member_type", "label": "Member?", "value": "beam"},
            {"step": 3, "node": "cover_lookup", "label": "Cover", "result": "45mm"},
        ],
        "outcome": "answered",
    }
    asked = json.loads(wording.as_json(normalise.answer(CLARIFY)))["clarification"]
    assert asked == {"question": "How?", "options": ["mild", "severe"], "field": "exposure"}
