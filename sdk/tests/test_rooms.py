"""Several plugins on one question, and reviews of texts, by both clients."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from made import ANSWER, ok
from scripted_server import Server

from lexic_sdk import ConfigurationError, Lexic

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
