"""Several plugins on one question, and reviews of texts, by both clients."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import ANSWER, STATUS, encoded, ok, stream
from scripted_server import Server

from lexic_sdk import ConfigurationError, Lexic, ProviderError, StreamInterrupted, collaboration_events, review_events
from lexic_sdk.collaboration_events import CollaborationEvent
from lexic_sdk.stream import COLLABORATION, REVIEW

CITED = {"id": "src_1", "document": "Handbook", "excerpt": "45 mm", "plugin": "cover"}
CONFLICT = {
    "topic": "Cover: the figures differ",
    "kind": "number",
    "certain": True,
    "positions": [{"expert": "Cover", "plugin": "cover", "stance": "45 mm", "citations": ["src_1"]}],
    "resolved": False,
}


def reply(body: Any) -> httpx.Response:
    return httpx.Response(200, json=body)


def test_a_room_is_asked_and_read(client: Lexic, server: Server) -> None:
    said = {"pluginSlug": "cover", "pluginName": "Cover", "answer": "45 mm", "citations": [CITED], "revised": True}
    consensus = {"answer": "They disagree", "agreementLevel": 0.5, "conflicts": [CONFLICT], "citations": [CITED]}
    body = {"rounds": [{"roundNumber": 1, "responses": [said]}], "consensus": consensus, "latencyMs": 7}
    server.answers(reply(body))
    result = client.collaborate("Which?", experts=["cover", "harbour"], mode="review", facts={"exposure": "severe"})
    assert server.bodies == [
        {
            "experts": ["cover", "harbour"],
            "query": "Which?",
            "mode": "review",
            "maxRounds": 3,
            "facts": {"exposure": "severe"},
        }
    ]
    assert server.requests[0].url.path == "/api/v1/collaborate"
    [[response]] = result.rounds
    assert (response.plugin, response.is_revised, response.citations[0].plugin) == ("cover", True, "cover")
    assert (str(result.consensus), result.consensus.agreement, result.latency_ms) == ("They disagree", 0.5, 7)
    assert result.consensus.conflicts[0].positions[0].stance == "45 mm"


def test_a_text_is_reviewed(client: Lexic, server: Server) -> None:
    annotation = {"id": "ann_0", "severity": "error", "issue": "Other figures", "startLine": 3, "citations": [CITED]}
    summary = {"errorCount": 1, "overallCompliance": "non-compliant", "topIssues": ["Other figures"]}
    server.answers(reply({"documentTitle": "spec", "annotations": [annotation], "summary": summary}))
    result = client.review("The cover is 30 mm.", title="spec")
    assert server.bodies == [{"plugin": "cover", "document": "The cover is 30 mm.", "title": "spec"}]
    assert (result.annotations[0].severity, result.annotations[0].start_line) == ("error", 3)
    assert (result.compliance, result.counts["error"], result.top_issues) == ("non-compliant", 1, ["Other figures"])


@pytest.mark.parametrize("body", [None, [], {}, {"rounds": [1, None], "consensus": 3, "annotations": ["x"]}])
def test_whatever_comes_back_is_read(client: Lexic, server: Server, body: Any) -> None:
    server.answers(reply({} if body is None else body))
    if isinstance(body, dict):
        assert client.collaborate("Which?", experts=["a", "b"]).consensus.citations == []
        assert client.review("Text").annotations == []


def test_one_question_goes_to_several_plugins(client: Lexic, server: Server) -> None:
    server.answers(
        ok({**ANSWER, "citations": [CITED], "answers": [{**ANSWER, "plugin": "cover"}], "conflicts": [CONFLICT]})
    )
    result = client.query("Which?", plugins=["cover", "harbour"])
    assert server.bodies == [{"plugins": ["cover", "harbour"], "query": "Which?"}]
    assert result.answers["cover"].answer == ANSWER["answer"]
    assert result.conflicts[0].is_certain
    with pytest.raises(ConfigurationError):
        Lexic("lx_x", base_url="https://lexic.example").review("Text")


# --- As streams ----------------------------------------------------------------------------------------------

SAID = {"answer": "45 mm", "citations": [CITED], "confidence": "high", "revised": True, "outcome": "answered"}
EXPERT = {"slug": "cover", "name": "Cover", "domain": "Beams", "sourceCount": 2, "hasDecisionTree": True}
SPEAKER = {"expert": "cover", "expertName": "Cover", "domain": "Beams"}
ROOM = [
    {"type": "experts_resolved", "experts": [EXPERT]},
    {"type": "round_start", "round": 1, "totalRounds": 3},
    {"type": "expert_thinking", **SPEAKER, "message": "Asking Cover"},
    {"type": "expert_response", "round": 1, **SPEAKER, **SAID},
    {"type": "round_complete", "round": 1},
    {"type": "status", "status": "synthesizing", "message": "Putting it together"},
]
ROOM_DONE = {"type": "done", "rounds": [], "consensus": {"answer": "45 mm"}, "latencyMs": 7}
ANNOTATION = {"id": "ann_0", "severity": "error", "issue": "Other figures", "startLine": 3, "citations": [CITED]}
REVIEW_DONE = {"type": "done", "documentTitle": "spec", "annotations": [ANNOTATION], "summary": {"errorCount": 1}}
FAILED = {"type": "error", "error": "The model is busy.", "code": "provider_busy", "hint": "Later."}


def test_a_room_is_followed_event_by_event(client: Lexic, server: Server) -> None:
    server.answers(stream(encoded(*ROOM, {"type": "later"}, ROOM_DONE)))
    found = list(client.collaborate_stream("Which?", experts=["cover", "harbour"], max_rounds=2))
    assert [event.type for event in found] == [*[one["type"] for one in ROOM], "done"]
    resolved, start, thinking, said, complete, _, done = found
    assert isinstance(resolved, collaboration_events.ExpertsResolvedEvent)
    assert (resolved.experts[0].source_count, resolved.experts[0].has_decision_tree) == (2, True)
    assert isinstance(start, collaboration_events.RoundStartEvent)
    assert (start.round, start.total_rounds) == (1, 3)
    assert isinstance(thinking, collaboration_events.ExpertThinkingEvent)
    assert (thinking.plugin, thinking.name, thinking.message) == ("cover", "Cover", "Asking Cover")
    assert isinstance(said, collaboration_events.ExpertResponseEvent)
    response = said.response
    assert (response.plugin, response.name, response.answer, response.is_revised) == ("cover", "Cover", "45 mm", True)
    assert response.citations[0].plugin == "cover"
    assert isinstance(complete, collaboration_events.RoundCompleteEvent)
    assert isinstance(done, collaboration_events.CollaborationDoneEvent)
    assert (done.result.consensus.answer, done.result.latency_ms) == ("45 mm", 7)
    assert server.bodies[0]["stream"] is True
    assert (server.bodies[0]["maxRounds"], server.requests[0].headers["Accept"]) == (2, "text/event-stream")


def test_the_events_are_shown_and_the_result_is_given(client: Lexic, server: Server) -> None:
    shown: list[CollaborationEvent] = []
    server.answers(stream(encoded(*ROOM, ROOM_DONE)), reply(ROOM_DONE))
    streamed = client.collaborate("Which?", experts=["a", "b"], on_event=shown.append)
    assert (len(shown), streamed) == (7, client.collaborate("Which?", experts=["a", "b"]))
    server.answers(stream(encoded(STATUS, FAILED)))
    with pytest.raises(ProviderError, match="busy"):
        client.collaborate("Which?", experts=["a", "b"], on_event=shown.append)


def test_a_review_comes_annotation_by_annotation(client: Lexic, server: Server) -> None:
    batch = {"type": "batch_complete", "batchIndex": 0, "totalBatches": 2}
    body = encoded(STATUS, {"type": "annotation", "annotation": ANNOTATION}, batch, REVIEW_DONE)
    server.answers(stream(body), reply(REVIEW_DONE))
    _, annotated, completed, done = client.review_stream("The cover is 30 mm.", title="spec")
    assert isinstance(annotated, review_events.AnnotationEvent)
    assert isinstance(completed, review_events.BatchCompleteEvent)
    assert (completed.batch, completed.total_batches) == (0, 2)
    assert isinstance(done, review_events.ReviewDoneEvent)
    assert done.result.annotations == [annotated.annotation]
    assert done.result == client.review("The cover is 30 mm.", title="spec")


def test_a_server_that_does_not_stream_gives_the_whole_at_once(client: Lexic, server: Server) -> None:
    server.answers(reply(ROOM_DONE), reply(REVIEW_DONE))
    assert [one.type for one in client.collaborate_stream("Which?", experts=["a", "b"])] == ["done"]
    assert client.review("Text", on_event=lambda event: None).annotations[0].severity == "error"


def test_what_had_arrived_of_a_broken_room_is_kept(client: Lexic, server: Server) -> None:
    server.answers(stream(encoded(*ROOM)))
    with pytest.raises(StreamInterrupted) as raised:
        list(client.collaborate_stream("Which?", experts=["a", "b"]))
    assert [event.type for event in raised.value.events] == [one["type"] for one in ROOM]


ODD = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
KINDS = {str(one["type"]) for one in ROOM} | {"annotation", "batch_complete", "done", "error"}


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(sorted({*SPEAKER, *SAID, *REVIEW_DONE})), ODD))
def test_an_event_with_odd_fields_has_its_shape(kind: str, fields: dict[str, Any]) -> None:
    for read in (COLLABORATION.read_event, REVIEW.read_event):
        event = read({**fields, "type": kind}, {})
        assert event is None or event.type == kind
