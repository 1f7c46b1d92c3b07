from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool, ToolException
from langchain_core.utils.function_calling import convert_to_openai_tool
from made import ANSWER, CLARIFY, error, ok, run
from pydantic import ValidationError
from scripted_server import KEY, Server

from lexic_sdk import Answer, AsyncLexic, ConfigurationError, Lexic, NotFoundError
from lexic_sdk.langchain import LexicRetriever, LexicTool

CALL = {"type": "tool_call", "id": "call_1", "name": "lexic_expert", "args": {"query": "Cover?"}}


@pytest.fixture
def tool(lexic: Lexic, async_lexic: AsyncLexic) -> LexicTool:
    return LexicTool(plugin="cover", client=lexic, async_client=async_lexic)


@pytest.fixture
def retriever(lexic: Lexic, async_lexic: AsyncLexic) -> LexicRetriever:
    return LexicRetriever(plugin="cover", client=lexic, async_client=async_lexic)


def test_sp_08_lx_101_the_tool_takes_key_plugin_name_description_and_options():
    tool = LexicTool(
        api_key=KEY,
        plugin="structural-engineering-v1",
        name="structural_expert",
        description="Ask a structural engineer.",
        query_options={"citationMode": "inline", "maxSources": 5},
    )
    assert isinstance(tool, BaseTool)
    assert (tool.name, tool.description) == ("structural_expert", "Ask a structural engineer.")


def test_lx_101_the_tool_gives_json_with_answer_citations_confidence_and_decision_path(tool: LexicTool, server: Server):
    server.answers(ok())
    shown = json.loads(tool.invoke({"query": "Cover?"}))
    assert {"answer", "citations", "confidence", "decisionPath"} <= set(shown)
    assert (shown["answer"], shown["confidence"]) == (ANSWER["answer"], "high")
    assert shown["citations"][0]["page"] == 47
    assert shown["decisionPath"] == ANSWER["decisionPath"]


def test_lx_101_the_plugin_is_swapped_with_set_plugin(tool: LexicTool, server: Server):
    server.answers(ok())
    tool.invoke({"query": "a"})
    assert tool.set_plugin("hvac-design-v1") is tool
    tool.invoke({"query": "b"})
    assert [body["plugin"] for body in server.bodies] == ["cover", "hvac-design-v1"]


def test_options_go_with_every_question(lexic: Lexic, server: Server):
    server.answers(ok())
    LexicTool(plugin="cover", client=lexic, query_options={"maxSources": 5}).invoke({"query": "Cover?"})
    assert server.bodies == [{"plugin": "cover", "query": "Cover?", "options": {"maxSources": 5}}]


def test_as_an_agent_calls_it_the_message_has_the_whole_answer_as_artifact(tool: LexicTool, server: Server):
    server.answers(ok())
    message = tool.invoke(CALL)
    assert message.tool_call_id == "call_1"
    assert isinstance(message.artifact, Answer)
    assert message.artifact.query_id == "q1"
    assert json.loads(message.content)["answer"] == message.artifact.answer


def test_the_async_tool_is_the_same(tool: LexicTool, server: Server):
    server.answers(ok())
    assert run(tool.ainvoke({"query": "Cover?"})) == tool.invoke({"query": "Cover?"})


def test_a_clarification_is_answered_by_calling_again_with_the_fact(tool: LexicTool, server: Server):
    server.answers(ok(CLARIFY), ok())
    asked = json.loads(tool.invoke({"query": "Cover?"}))["clarification"]
    tool.invoke({"query": "Cover?", "facts": {asked["field"]: asked["options"][1]}})
    assert server.bodies[1]["facts"] == {"exposure": "severe"}


def test_what_goes_wrong_is_told_to_the_agent(tool: LexicTool, server: Server):
    server.answers(error(404))
    message = tool.invoke(CALL)
    assert (message.status, message.content) == ("error", "A sentence. Do this.")
    assert run(tool.ainvoke(CALL)).content == "A sentence. Do this."


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "query"),
        ({"query": "x" * 4001}, "query"),
        ({"query": "Cover?", "facts": "severe"}, "facts"),
        ({"query": "Cover?", "facts": {"exposure": None}}, "facts.exposure"),
    ],
)
def test_arguments_that_a_model_got_wrong_are_told_to_the_agent(
    tool: LexicTool, server: Server, arguments: dict[str, Any], named: str
):
    message = tool.invoke({**CALL, "args": arguments})
    assert message.status == "error"
    assert message.content.startswith(f"The argument {named}")
    assert run(tool.ainvoke({**CALL, "args": arguments})) == message
    assert server.requests == []


def test_or_it_is_raised(lexic: Lexic, server: Server):
    server.answers(error(404))
    tool = LexicTool(plugin="cover", client=lexic, handle_tool_error=False)
    with pytest.raises(ToolException) as raised:
        tool.invoke({"query": "Cover?"})
    assert isinstance(raised.value.__cause__, NotFoundError)


def test_the_schema_is_one_that_models_are_given(tool: LexicTool):
    function = convert_to_openai_tool(tool)["function"]
    assert function["name"] == "lexic_expert"
    assert set(function["parameters"]["properties"]) == {"query", "facts"}
    assert function["parameters"]["required"] == ["query"]


def test_the_key_is_shown_nowhere():
    tool = LexicTool(api_key=KEY, plugin="cover")
    retriever = LexicRetriever(api_key=KEY, plugin="cover")
    for adapter in (tool, retriever):
        assert KEY not in f"{adapter!r} {adapter} {adapter.model_dump()} {adapter.__dict__}"


@pytest.mark.parametrize("wrong", [{}, {"plugin": 7}, {"plugin": "cover", "timeout": "soon"}])
@pytest.mark.parametrize("kind", [LexicTool, LexicRetriever])
def test_what_is_wrong_with_the_arguments_is_said_without_the_key(kind: type[LexicTool], wrong: dict[str, Any]):
    with pytest.raises(ValidationError) as raised:
        kind(api_key=KEY, **wrong)
    assert KEY not in f"{raised.value} {raised.value!r}"


def test_without_a_key_or_with_a_bad_address_nothing_is_made():
    with pytest.raises(ConfigurationError):
        LexicTool(plugin="cover")
    with pytest.raises(ConfigurationError):
        LexicRetriever(plugin="cover", api_key=KEY, base_url="http://lexic.example")


def test_the_retriever_gives_each_citation_as_a_document(retriever: LexicRetriever, server: Server):
    server.answers(ok())
    documents = retriever.invoke("Cover?")
    assert [document.page_content for document in documents] == ["Severe: 45 mm"]
    assert documents[0].metadata == {
        "source": "IS 456:2000",
        "page": 47,
        "section": "Table 16, Clause 26.4.2",
        "url": "https://lexic.example/source/1",
        "score": 0.83,
        "citation": "src_1",
        "document_id": "d1",
        "confidence": "high",
        "release": "cover@1.2.0",
        "query_id": "q1",
    }
    assert run(retriever.ainvoke("Cover?")) == documents
    assert server.bodies[0]["options"] == {"includeCitations": True}


def test_the_retriever_finds_nothing_where_the_plugin_asks_back(retriever: LexicRetriever, server: Server):
    server.answers(ok(CLARIFY))
    assert retriever.set_plugin("beams").invoke("Cover?") == []
    assert server.bodies[0]["plugin"] == "beams"


def test_the_retriever_raises(retriever: LexicRetriever, server: Server):
    server.answers(error(404))
    with pytest.raises(NotFoundError):
        retriever.invoke("Cover?")
