"""A run with a language model: its turns, its budgets, what it is told, and what of its text is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from agents.models import AgentRun
from agents.planners import llm_messages
from agents.planners.llm_planner import tool_descriptions
from agents.tools.registry import TOOLS
from plugins.models import Plugin
from querying.answering.prompts import STRICT_RULES
from querying.models import MonthlyCost
from querying.types.refusals import REFUSAL
from tests.agents.modelled import ScriptedModel, calls, search, told
from tests.agents.working import (
    OFF_TOPIC,
    OPEN,
    SPACERS,
    answer_of,
    ask,
    data_of,
    kinds,
    text_of,
    with_budget,
)
from tests.openai_stub import Body, Deltas, Drop, Garbage, HalfStream, OpenAIStub, Status

pytestmark = pytest.mark.django_db

APART = "Spacers made of mortar stand at most one metre apart [Source 1]."
MILD = "For mild exposure the nominal cover of a beam is 20 mm [Source {}]."


def number_of(body: Body, words: str) -> int:
    """The number of the source that has these words, as the model was told it."""
    for content in reversed(told(body, "tool") + told(body, "user")):
        for number, text in re.findall(r"\[Source (\d+)\][^\n]*\n``````\n(.*?)\n``````", content, re.DOTALL):
            if words in text:
                return int(number)
    raise AssertionError(f"no source has {words!r}")


def cited(sentence: str, *, words: str) -> Any:
    """A turn that writes this sentence with the number of the source that has the words."""
    return lambda body: sentence.format(number_of(body, words))


SPACER_TURNS = (search(SPACERS), cited(APART.replace("1]", "{}]"), words="one metre apart"))


def test_jl_025_the_model_searches_and_writes_from_what_it_was_given(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    model = ScriptedModel(stub, *SPACER_TURNS)
    run = ask(published, bob)
    assert kinds(run) == ["run", "agent_type", "step_start", "step_end", "source", "content", "done"]
    assert (run.state, text_of(run)) == ("done", APART)
    assert data_of(run, "source")[0]["citations"][0]["metadata"]["number"] == 1
    assert answer_of(run).metadata["citations"][0]["excerpt"]
    first, second = model.bodies
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]


def test_jl_023_one_behaviour_file_stands_between_persona_and_rules(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    model = ScriptedModel(stub, *SPACER_TURNS)
    ask(published, bob)
    [system] = told(model.bodies[0], "system")
    behaviour = Path(llm_messages.__file__).parents[1].joinpath("SKILL.md").read_text().strip()
    persona = published.releases.get().system_prompt.strip()
    assert system.startswith(persona)
    assert system.index(behaviour) < system.index(STRICT_RULES)
    offered = [tool["function"]["name"] for tool in model.bodies[0]["tools"]]
    assert offered == list(TOOLS) == [tool.name for tool in tool_descriptions()]


def test_jl_031_jl_032_the_type_is_that_of_the_first_call_that_tells_and_said_once(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    first = calls(("sanitize_content", {"content": "Plain."}), ("search_knowledge", {"query": SPACERS}))
    ScriptedModel(stub, first, search(OPEN + " In mild exposure."), cited(MILD, words="20 mm"))
    run = ask(published, bob)
    steps = ["step_start", "step_end"]
    assert kinds(run)[:8] == ["run", *steps, "agent_type", *steps, *steps]
    assert (run.agent_type, kinds(run).count("agent_type")) == ("rag", 1)


def test_sources_are_numbered_on_from_search_to_search(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    def both(body: Body) -> str:
        apart, mild = number_of(body, "one metre apart"), number_of(body, "20 mm")
        numbers = re.findall(r"\[Source (\d+)\] Cover", "\n".join(told(body, "tool")))
        assert list(dict.fromkeys(numbers)) == ["1", "2", "3"]
        assert len(numbers) > 3, "a passage that was found twice keeps its number"
        return f"{APART.replace('1]', f'{apart}]')} {MILD.format(mild)}"

    ScriptedModel(stub, search(SPACERS), search(OPEN + " In mild exposure."), both)
    run = ask(published, bob, "How far apart are spacers, and what is the cover of a beam in mild exposure?")
    assert "one metre apart" in text_of(run)
    assert "20 mm" in text_of(run)
    assert [one["id"] for one in answer_of(run).metadata["citations"]] == ["src_1", "src_2"]


def test_calls_of_one_turn_run_in_their_order(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    ScriptedModel(stub, calls(*(("sanitize_content", {"content": str(n)}) for n in range(3))), REFUSAL)
    run = ask(published, bob)
    seen = [(one["callId"], one.get("input"), one.get("result")) for kind, one in shown_steps(run)]
    assert seen == [
        pair
        for n in range(3)
        for pair in ((f"call_{n + 1}", {"content": str(n)}, None), (f"call_{n + 1}", None, str(n)))
    ]


def shown_steps(run: AgentRun) -> list[tuple[str, dict[str, Any]]]:
    events = run.events.filter(kind__in=("step_start", "step_end")).order_by("number")
    return list(events.values_list("kind", "data"))


# --- Text that is shown, and text that is not --------------------------------------------------------------------


def test_what_no_source_bears_out_is_not_shown(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    wrong = "Spacers made of steel stand at most nine metres apart [Source 1]. Everybody uses plastic ones."
    ScriptedModel(stub, search(SPACERS), lambda body: f"{SPACER_TURNS[1](body)} {wrong}")
    run = ask(published, bob)
    assert text_of(run) == APART
    assert "nine" not in str(answer_of(run).metadata)


def test_a_model_that_writes_nothing_true_is_quoted_for(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    ScriptedModel(stub, search(SPACERS), "Spacers stand ten metres apart.")
    run = ask(published, bob)
    assert "one metre apart" in text_of(run)
    assert "ten" not in text_of(run)
    assert data_of(run, "source")


def test_a_model_that_refuses_is_believed(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    ScriptedModel(stub, search(SPACERS), REFUSAL)
    assert (text_of(ask(published, bob)), stub.errors) == (REFUSAL, [])
    ScriptedModel(stub, search(OFF_TOPIC), "I do not have information on gloves.")
    run = ask(published, bob, OFF_TOPIC)
    assert (text_of(run), data_of(run, "done")[0]["outcome"]) == (REFUSAL, "refused")
    assert answer_of(run).metadata["why"]


def test_words_beside_a_call_are_not_the_answer(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    _, asked = search(SPACERS)
    Plugin.objects.update(citation_mode="off")
    ScriptedModel(stub, ("Let me look that up for you. ", asked), SPACER_TURNS[1])
    assert "Let me look" not in text_of(ask(published, bob))


def test_an_answer_that_comes_with_another_call_goes_on_behind_it(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    _, again = search(OPEN + " In mild exposure.")
    model = ScriptedModel(
        stub,
        search(SPACERS),
        lambda body: (f"{SPACER_TURNS[1](body)} Now for the cover.", again),
        cited(MILD, words="20 mm"),
    )
    run = ask(published, bob)
    assert text_of(run).startswith("Spacers made of mortar")
    assert "20 mm" in text_of(run)
    assert "Now for" not in text_of(run)
    said = [message["content"] for message in model.bodies[2]["messages"] if message["role"] == "assistant"]
    assert [words.strip() for words in said] == ["", SPACER_TURNS[1](model.bodies[1])]


def test_what_a_search_asks_back_is_asked_whatever_the_model_writes(
    published: Plugin, bob: User, stub: OpenAIStub
) -> None:
    ScriptedModel(stub, search(OPEN), MILD.format(1))
    run = ask(published, bob, OPEN)
    assert kinds(run)[-3:] == ["content", "clarification", "done"]
    assert (run.state, data_of(run, "clarification")[0]["options"]) == ("waiting", ["mild", "severe"])
    model = ScriptedModel(stub, search(f"{OPEN} In mild exposure."), cited(MILD, words="20 mm"))
    replied = ask(published, bob, "mild", session=run.session)
    assert "20 mm" in text_of(replied)
    assert told(model.bodies[0], "user")[0] == OPEN
    assert OPEN in told(model.bodies[0], "user")[1]


# --- Budgets ------------------------------------------------------------------------------------------------------


def test_a_model_that_only_calls_tools_still_gives_a_cited_answer(
    published: Plugin, bob: User, stub: OpenAIStub, settings: Any
) -> None:
    with_budget(settings, iterations=4)
    model = ScriptedModel(stub, search(SPACERS))
    run = ask(published, bob)
    assert (len(model.bodies), len(data_of(run, "step_start"))) == (4, 3)
    assert "tools" not in model.bodies[-1]
    assert "one metre apart" in text_of(run)
    assert (data_of(run, "done")[0]["stopped"], data_of(run, "done")[0]["outcome"]) == ("iterations", "answered")
    assert answer_of(run).metadata["citations"]


def test_the_last_turn_is_told_what_was_found_and_offered_nothing(
    published: Plugin, bob: User, stub: OpenAIStub, settings: Any
) -> None:
    with_budget(settings, calls=1)
    model = ScriptedModel(stub, calls(*2 * [("search_knowledge", {"query": SPACERS})]), SPACER_TURNS[1])
    run = ask(published, bob)
    assert (len(data_of(run, "step_start")), text_of(run)) == (1, APART)
    assert [message["role"] for message in model.bodies[1]["messages"]] == ["system", "user", "user"]
    assert data_of(run, "done")[0]["stopped"] == "calls"


def test_tokens_and_cost_are_counted_and_are_a_budget(
    published: Plugin, bob: User, stub: OpenAIStub, settings: Any
) -> None:
    settings.LEXIC_LLM_MODEL = "priced"
    settings.LEXIC_LLM_PRICES = "priced=1000/1000"
    model = ScriptedModel(stub, *SPACER_TURNS)
    run = ask(published, bob)
    turns = 18 * len(model.bodies)
    facts = 18 * (len(stub.bodies) - len(model.bodies))
    assert run.tokens == turns + facts
    assert float(run.cost or 0) == pytest.approx(run.tokens / 1000)
    assert data_of(run, "done")[0]["usage"]["promptTokens"] == 11 * len(stub.bodies)
    assert float(MonthlyCost.objects.get(user=bob).cost) == pytest.approx(turns / 1000)
    assert float(MonthlyCost.objects.get(plugin=published).cost) == pytest.approx(run.tokens / 1000)
    with_budget(settings, tokens=20)
    ScriptedModel(stub, search(SPACERS))
    assert data_of(ask(published, bob), "done")[0]["stopped"] == "tokens"


def test_a_cap_on_spending_ends_a_run_before_the_model_is_asked(published: Plugin, bob: User, stub: OpenAIStub) -> None:
    Plugin.objects.update(spending_cap=0)
    run = ask(published, bob)
    assert (run.state, data_of(run, "error")[0]["code"], stub.bodies) == ("failed", "spending_cap", [])


# --- Calls that are not as they should be --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("search_knowledge", "{'query': spacers", "invalid_json"),
        ("search_knowledge", '["spacers"]', "invalid_tool_input"),
        ("search_knowledge", '{"query": "a\\u0000b"}', "invalid_text"),
        ("search_knowledge", '{"query": NaN}', "invalid_json"),
        ("search_knowledge", "[" * 100_000, "invalid_json"),
        ("search_knowledge", f'{{"query": "{"x" * 200_000}"}}', "invalid_tool_input"),
        ("search_knowledge", "", "invalid_tool_input"),
        ("search_knowledge", '{"query": 7}', "invalid_tool_input"),
        ("x" * 5000, "{}", "unknown_tool"),
        ("", "{}", "unknown_tool"),
    ],
)
def test_a_call_that_cannot_be_made_is_a_result_for_the_model(
    published: Plugin, bob: User, stub: OpenAIStub, name: str, arguments: str, code: str
) -> None:
    model = ScriptedModel(stub, *SPACER_TURNS)
    stub.script.append(Deltas([{"tool_calls": [{"id": "", "function": {"name": name, "arguments": arguments}}]}]))
    run = ask(published, bob)
    assert data_of(run, "step_end")[0]["error"]["code"] == code
    assert (run.state, text_of(run)) == ("done", APART)
    [result] = told(model.bodies[0], "tool")
    assert code in result


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([Status(429, headers={"Retry-After": "0"})] * 3, "provider_busy"),
        ([Status(500)] * 3, "provider_busy"),
        ([Drop()] * 3, "provider_failed"),
        ([Garbage()], "provider_failed"),
        ([HalfStream(words=3)], "provider_failed"),
    ],
)
def test_a_provider_that_fails_is_a_clear_error(
    published: Plugin, bob: User, stub: OpenAIStub, actions: list[Any], code: str
) -> None:
    ScriptedModel(stub, "One two three four five six.")
    stub.script += actions
    run = ask(published, bob)
    [said] = data_of(run, "error")
    assert (run.state, said["code"], kinds(run)[-1]) == ("failed", code, "error")
    assert said["hint"]
    assert "done" not in kinds(run)
    ScriptedModel(stub, *SPACER_TURNS)
    assert ask(published, bob, session=run.session).state == "done"


def test_a_search_that_failed_is_no_refusal_whatever_the_model_writes(
    published: Plugin, bob: User, stub: OpenAIStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("disk on fire")

    monkeypatch.setattr("agents.tools.search_knowledge.pipeline.retrieve_evidence", broken)
    ScriptedModel(stub, search(SPACERS), REFUSAL)
    run = ask(published, bob)
    assert (run.state, data_of(run, "error")[0]["code"], text_of(run)) == ("failed", "tool_failed", "")
    ScriptedModel(stub, calls(("search_knowledge", {"query": 7})), REFUSAL)
    assert text_of(ask(published, bob)) == REFUSAL
