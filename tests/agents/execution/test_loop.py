"""A run by rules, from the message to its answer: which events there are, what they hold, and what is kept."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from agents.execution.load_assignment import read_assignment
from agents.journal.journaled_searches import JournaledSearch, found_as_json
from agents.models import AgentRun, EventKind
from agents.tools import registry
from agents.tools.tool_types import ToolOutput
from conversations.models import ChatSession
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from querying.answering.findings import Findings
from querying.models import Query
from querying.query_log.spending import SpendingCapReached
from querying.question.document_validity import OutOfForce
from querying.question.resolve import ResolvedQuestion
from querying.types.refusals import REFUSAL
from tests.agents.working import (
    OFF_TOPIC,
    OPEN,
    SPACERS,
    answer_of,
    ask,
    begin,
    data_of,
    kinds,
    text_of,
    with_budget,
    work,
)
from tests.conversations.layered import QUESTION as ABOUT_MARROW
from tests.conversations.layered import give
from tests.querying.passages import evidence, passage

pytestmark = pytest.mark.django_db


def test_jl_025_jl_034_jl_035_jl_036_a_question_is_searched_for_and_answered(published: Plugin, bob: User) -> None:
    run = ask(published, bob)
    written = ["source", "content"] * 2
    assert kinds(run) == ["run", "agent_type", "step_start", "step_end", *written, "done"]
    assert (run.state, run.agent_type) == ("done", "rag")
    assert data_of(run, "agent_type") == [{"type": "rag"}]
    [began], [ended] = data_of(run, "step_start"), data_of(run, "step_end")
    assert (began["tool"], began["input"]) == ("search_knowledge", {"query": SPACERS})
    assert (ended["callId"], ended["number"], ended["error"]) == (began["callId"], 1, None)
    assert ended["result"]["isSufficient"]
    first, both = data_of(run, "source")
    assert [one["metadata"]["number"] for one in both["citations"]] == [1, 2]
    assert both["citations"][:1] == first["citations"]
    assert data_of(run, "content")[0]["text"].endswith("[Source 1].")
    assert data_of(run, "done")[0]["outcome"] == "answered"
    assert "one metre" in text_of(run)


def test_jl_020_the_answer_is_kept_as_other_answers_are(published: Plugin, bob: User) -> None:
    run = ask(published, bob)
    kept = answer_of(run)
    assert kept.content == text_of(run)
    assert (kept.metadata["outcome"], kept.metadata["runId"]) == ("answered", str(run.pk))
    assert [one["id"] for one in kept.metadata["citations"]] == ["src_1", "src_2"]
    assert [step["message"] for step in kept.metadata["steps"]] == ["Searched the documents"]


def test_what_is_not_in_the_documents_is_refused(published: Plugin, bob: User) -> None:
    run = ask(published, bob, OFF_TOPIC)
    assert kinds(run) == ["run", "agent_type", "step_start", "step_end", "content", "done"]
    assert (text_of(run), data_of(run, "done")[0]["outcome"]) == (REFUSAL, "refused")
    assert answer_of(run).metadata["outcome"] == "refused"


def test_a_question_back_waits_for_the_next_message(published: Plugin, bob: User) -> None:
    run = ask(published, bob, OPEN)
    assert kinds(run)[-3:] == ["content", "clarification", "done"]
    [asked] = data_of(run, "clarification")
    assert (run.state, asked["options"], asked["question"]) == ("waiting", ["mild", "severe"], text_of(run))
    replied = ask(published, bob, "severe", session=run.session)
    assert "45 mm" in text_of(replied)
    assert replied.message.asked == OPEN
    run.refresh_from_db()
    assert run.state == "done"


def test_what_was_said_before_counts(published: Plugin, bob: User) -> None:
    first = ask(published, bob, "What is the nominal cover of a beam in severe exposure?")
    second = ask(published, bob, "And in mild exposure?", session=first.session)
    assert "20 mm" in text_of(second)


def test_a_passage_that_is_out_of_force_or_stale_survives_the_journal(published: Plugin, bob: User) -> None:
    run = begin(published, bob)
    found = passage("The cover is 20 mm.", knowledge_base_id=run.knowledge[0]["knowledge_base"])
    old = OutOfForce(**asdict(found), superseded_on=date(2020, 1, 1), effective_from=None, is_last_resort=True)
    question = ResolvedQuestion.of(read_assignment(run, bob).question)
    stale = replace(found, chunk_id=found.chunk_id + 1, is_stale=True)
    findings = Findings(question=question, evidence=evidence(old, found, stale))
    run.append((EventKind.FOUND, found_as_json(findings, call_id="call_1")))
    kept = JournaledSearch.from_json(run.events.get(kind="found").data)
    assert kept.passages == (old, found, stale)


def test_every_question_of_a_run_is_private(published: Plugin, bob: User) -> None:
    run = ask(published, bob)
    row = Query.objects.get()
    assert (row.is_private, row.plugin, row.release, row.conversation_id) == (True, None, None, run.session_id)


def test_ones_own_documents_are_read_besides(published: Plugin, bob: User) -> None:
    base = personal_knowledge_base(bob)
    document = give(base)
    run = ask(published, bob, ABOUT_MARROW)
    assert "75 mm" in text_of(run)
    assert [pin["knowledge_base"] for pin in run.layers] == [base.pk]
    attached = ask(published, bob, "What cover do footings get?", documents=(document.pk,))
    assert "75 mm" in text_of(attached)
    assert data_of(attached, "step_start")[0]["input"]["filters"] == {"documentIds": [str(document.pk)]}


def test_where_an_attachment_does_not_answer_all_documents_are_asked(published: Plugin, bob: User) -> None:
    document = give(personal_knowledge_base(bob))
    run = ask(published, bob, documents=(document.pk,))
    assert [one["number"] for one in data_of(run, "step_start")] == [1, 2]
    assert "one metre" in text_of(run)
    assert kinds(run).count("agent_type") == 1


def test_jl_024_jl_026_the_last_iteration_calls_nothing_and_writes_from_what_was_found(
    published: Plugin, bob: User, settings: Any
) -> None:
    document = give(personal_knowledge_base(bob))
    with_budget(settings, iterations=2)
    run = ask(published, bob, "What nominal cover do footings get?", documents=(document.pk,))
    assert (len(data_of(run, "step_start")), data_of(run, "done")[0]["stopped"]) == (1, "iterations")
    with_budget(settings, iterations=1)
    run = ask(published, bob)
    assert (kinds(run), text_of(run)) == (["run", "content", "done"], REFUSAL)
    with_budget(settings, iterations=15, calls=1)
    run = ask(published, bob, documents=(document.pk,))
    assert (len(data_of(run, "step_start")), data_of(run, "done")[0]["stopped"]) == (1, "calls")


def test_fifteen_iterations_are_the_limit_unless_the_site_says_otherwise(settings: Any) -> None:
    assert settings.AGENTS.budgets.as_dict() == {"iterations": 15, "calls": 40, "tokens": 120_000, "seconds": 300.0}


def test_a_run_that_fails_says_so_and_keeps_what_was_shown(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("disk on fire")
        yield

    monkeypatch.setattr("agents.execution.loop.pipeline.generate_answer", broken)
    run = ask(published, bob)
    assert kinds(run)[-1] == "error"
    assert "done" not in kinds(run)
    [said] = data_of(run, "error")
    assert (run.state, said["code"], said["message"]) == ("failed", "internal", run.error)
    assert "fire" not in str(said)
    assert answer_of(run).metadata["outcome"] == "failed"


def test_whoever_may_not_ask_any_more_gets_no_answer(published: Plugin, bob: User) -> None:
    run = begin(published, bob)
    Plugin.objects.update(is_published=False)
    run = work(run)
    assert (run.state, data_of(run, "error")[0]["code"]) == ("failed", "unknown_plugin")


def test_a_tool_that_takes_too_long_is_a_result(published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    async def hang(*args: Any) -> ToolOutput:
        await asyncio.sleep(60)
        raise AssertionError

    slow = replace(registry.TOOLS["search_knowledge"], call=hang, seconds=0.05)
    monkeypatch.setitem(registry.TOOLS, "search_knowledge", slow)
    run = ask(published, bob)
    assert data_of(run, "step_end")[0]["error"]["code"] == "tool_timeout"
    assert (run.state, data_of(run, "error")[0]["code"]) == ("failed", "tool_timeout")
    assert text_of(run) == "", "it does not say that the documents do not answer"


def test_a_cap_that_is_reached_is_said_and_not_taken_for_an_answer(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise SpendingCapReached(whose="You", spent=Decimal(5), cap=Decimal(5), remedy="Wait until next month.")

    monkeypatch.setattr("querying.pipeline.check_spending", refuse)
    run = ask(published, bob)
    assert (run.state, data_of(run, "error")[0]["code"]) == ("failed", "spending_cap")
    assert answer_of(run).metadata["outcome"] == "failed"


def test_a_run_that_was_stopped_before_it_began_ends_at_once(published: Plugin, bob: User) -> None:
    run = begin(published, bob)
    run.request_cancel()
    run = work(run)
    assert (run.state, data_of(run, "done")[0]["stopped"]) == ("cancelled", "cancelled")
    assert answer_of(run).metadata["outcome"] == "abandoned"
    assert ask(published, bob, session=ChatSession.objects.get(pk=run.session_id)).state == "done"


def test_a_result_that_is_too_large_for_the_journal_is_an_error_of_the_call(
    published: Plugin, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def much(*args: Any) -> ToolOutput:
        return ToolOutput(result="x" * 300_000)

    large = replace(registry.TOOLS["search_knowledge"], call=much)
    monkeypatch.setitem(registry.TOOLS, "search_knowledge", large)
    run = ask(published, bob)
    assert data_of(run, "step_end")[0]["error"]["code"] == "event_too_large"
    assert (run.state, data_of(run, "error")[0]["code"]) == ("failed", "event_too_large")
    assert AgentRun.objects.count() == 1
