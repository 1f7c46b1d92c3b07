from __future__ import annotations

import asyncio
import math
from contextlib import aclosing
from dataclasses import replace

import pytest
from asgiref.sync import SyncToAsync, async_to_sync

from accounts.models import User
from knowledge.models import Page
from plugins.models import Planner, Plugin
from querying import json_format, pipeline, releases
from querying.llm_interface import ProviderTimedOut
from querying.models import Query
from querying.question import caller_access
from querying.types.answer import Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.events import Delta, Done, Event, Failed, Status, Step
from querying.types.question import Caller, CitationStyle, Options, Question, Turn
from querying.types.refusals import REFUSAL
from tests.querying.scripted import Scripted

pytestmark = pytest.mark.django_db

WEATHER = "What is the minimum cover for a beam exposed to weather?"
SPACERS = "What are spacers made of?"
OFF_TOPIC = "Who won the chess world championship in Reykjavik?"


def question(text: str, plugin: Plugin, **fields) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=text, release=release, caller=Caller(name="test"), **fields)


@async_to_sync
async def events_of(asked: Question, llm: Scripted | None = None) -> list[Event]:
    async with aclosing(pipeline.stream(asked, llm=llm)) as events:
        return [event async for event in events]


def ask(asked: Question, llm: Scripted | None = None) -> Done:
    last = events_of(asked, llm)[-1]
    assert isinstance(last, Done)
    return last


def assert_verbatim(citations: tuple[Citation, ...]) -> None:
    for citation in citations:
        page = Page.objects.get(pk=citation.passage.page_id)
        assert page.text[citation.start : citation.end] == citation.excerpt


def test_lx_052_the_tree_decides_and_the_handbook_bears_it_out(published: Plugin):
    answer = ask(question(WEATHER, published)).answer
    assert answer.outcome == Outcome.ANSWERED
    assert "45 mm" in answer.text
    assert any("severe exposure" in citation.excerpt and "45 mm" in citation.excerpt for citation in answer.citations)
    assert [step["node"] for step in answer.decision_path] == ["exposure_check", "cover_severe"]
    assert_verbatim(answer.citations)


def test_a_question_that_no_tree_is_about_is_answered_from_the_text(published: Plugin):
    answer = ask(question(SPACERS, published)).answer
    assert "mortar" in answer.text
    assert answer.decision_path == ()
    assert_verbatim(answer.citations)


def test_lx_071_what_the_handbook_does_not_cover_is_refused_with_the_exact_sentence(published: Plugin):
    answer = ask(question(OFF_TOPIC, published)).answer
    assert (answer.text, answer.outcome, answer.reason) == (REFUSAL, Outcome.REFUSED, "no_evidence")
    assert answer.citations == ()
    assert answer.confidence == Confidence.LOW


def test_lx_056_the_steps_come_in_the_order_of_the_specification(published: Plugin):
    steps = [event.step for event in events_of(question(WEATHER, published)) if isinstance(event, Status)]
    assert steps == list(Step)


def test_the_answer_is_the_deltas_put_together(published: Plugin):
    events = events_of(question(WEATHER, published))
    assert isinstance(events[-1], Done)
    assert "".join(event.text for event in events if isinstance(event, Delta)) == events[-1].answer.text


def test_a_missing_fact_is_asked_for_and_the_answer_resumes(published: Plugin):
    asked = question("What is the nominal cover of a beam?", published)
    clarification = ask(asked).answer.clarification
    assert clarification is not None
    assert (clarification.field, clarification.options) == ("exposure", ("mild", "severe"))
    answer = ask(replace(asked, facts={"exposure": "mild"})).answer
    assert "20 mm" in answer.text


@pytest.mark.parametrize(("planner", "hops"), [(Planner.OFF, 7), (Planner.RULES, 8)])
def test_what_can_be_done_together_is_done_on_a_thread_together(
    published: Plugin, monkeypatch: pytest.MonkeyPatch, planner: Planner, hops: int
):
    asked = question(SPACERS, published)
    asked.release.planner = planner
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", math.inf)  # looked at once more where the answer takes its time
    done: list[str] = []
    start = SyncToAsync.__call__
    monkeypatch.setattr(SyncToAsync, "__call__", lambda *args, **kwargs: done.append("hop") or start(*args, **kwargs))
    assert ask(asked).answer.outcome == Outcome.ANSWERED
    # The account's place, plan, search, tree, evidence, verification, the place given back, and the row.
    assert len(done) == hops


def test_the_same_release_and_question_give_the_same_answer(published: Plugin):
    first, second = ask(question(WEATHER, published)).answer, ask(question(WEATHER, published)).answer
    assert first == second


def test_sp_07_an_earlier_turn_is_understood(published: Plugin):
    context = (Turn(role="user", content=SPACERS), Turn(role="assistant", content="Of mortar."))
    answer = ask(question("How far apart do they stand?", published, context=context)).answer
    assert "one metre" in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "For severe exposure the nominal cover of a beam is 54 mm [Source 1].",
        "For severe exposure the nominal cover of a beam is not needed at all [Source 9].",
        "The moon is made of cheese [Source 1].",
        "I do not have verified information on that.",
    ],
)
def test_nothing_wrong_gets_past_the_guard_even_for_a_moment(published: Plugin, text: str):
    events = events_of(question(WEATHER, published), Scripted(text))
    assert not [event for event in events if isinstance(event, Delta)]
    assert isinstance(events[-1], Done)
    assert events[-1].answer.outcome == Outcome.REFUSED


def test_a_models_correct_sentences_pass_and_its_wrong_ones_are_dropped(published: Plugin):
    text = (
        "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. "
        "For mild exposure the nominal cover of a beam is 25 mm [Source 1]. "
        "Footings have a nominal cover of at least 50 mm [Source 1]."
    )
    answer = ask(question(WEATHER, published), Scripted(text)).answer
    assert "45 mm" in answer.text
    assert "25 mm" not in answer.text
    assert "50 mm" in answer.text
    assert answer.reason == "unsupported_number"
    assert_verbatim(answer.citations)


def test_lx_061_the_model_is_given_persona_rules_sources_and_decision(published: Plugin):
    llm = Scripted(REFUSAL)
    ask(question(WEATHER, published), llm)
    system, user = llm.prompts[0].messages
    assert system["content"].startswith("You are an engineer.")
    assert "[Source 1] Cover handbook" in user["content"]
    assert "It recommends: 45 mm nominal cover" in user["content"]


def test_footnotes_move_the_sources_under_the_text(published: Plugin):
    options = Options(citation_style=CitationStyle.FOOTNOTE)
    answer = ask(question(SPACERS, published, options=options)).answer
    text, _, notes = answer.text.partition("\n\n")
    assert "[Source" not in answer.text
    assert "[1]" in text
    assert notes.startswith("[1] Cover handbook")


def test_citations_off_leaves_no_mark_in_the_text(published: Plugin):
    answer = ask(question(SPACERS, published, options=Options(citation_style=CitationStyle.OFF))).answer
    assert "[" not in answer.text
    assert answer.citations


def test_the_disclaimer_stands_under_the_answer(plugin: Plugin):
    plugin.disclaimer = "Ask an engineer."
    plugin.save()
    assert ask(question(SPACERS, plugin)).answer.text.endswith("\n\nAsk an engineer.")


def test_each_question_leaves_one_row(published: Plugin):
    asked = question(WEATHER, published)
    answer = ask(asked).answer
    row = Query.objects.get()
    assert (row.pk, row.outcome, row.answer) == (asked.id, "answered", answer.text)
    assert row.citations[0]["excerpt"] == answer.citations[0].excerpt
    assert row.release == published.latest_release()
    assert set(row.timings) == {"retrieve", "tree", "weigh", "generate"}
    assert row.facts == {"exposure": "severe"}


def test_a_refusal_leaves_its_reason(published: Plugin):
    ask(question(OFF_TOPIC, published))
    assert Query.objects.values_list("outcome", "reason").get() == ("refused", "no_evidence")


def test_a_provider_that_fails_ends_in_an_error_event_and_a_failed_row(published: Plugin):
    llm = Scripted("For severe exposure the nominal cover of a beam is 45 mm [Source 1].", error=ProviderTimedOut())
    last = events_of(question(WEATHER, published), llm)[-1]
    assert isinstance(last, Failed)
    assert (last.code, last.status) == ("provider_timeout", 504)
    assert Query.objects.values_list("outcome", "reason").get() == ("failed", "provider_timeout")


def test_an_error_of_ours_tells_nothing_but_that_it_happened(published: Plugin):
    asked = question(WEATHER, published)
    last = events_of(asked, Scripted("x", error=RuntimeError("secret detail")))[-1]
    assert isinstance(last, Failed)
    assert last.code == "internal"
    assert str(asked.id) in last.hint
    assert "secret" not in f"{last.error} {last.hint}"


def test_a_caller_who_leaves_stops_the_model_and_leaves_an_abandoned_row(published: Plugin):
    llm = Scripted("For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 20, pause=0.01)

    @async_to_sync
    async def leave_at_the_first_delta() -> None:
        async with aclosing(pipeline.stream(question_asked, llm=llm)) as events:
            async for event in events:
                if isinstance(event, Delta):
                    return

    question_asked = question(WEATHER, published)
    leave_at_the_first_delta()
    assert llm.was_closed_early
    row = Query.objects.get()
    assert row.outcome == "abandoned"
    assert "45 mm" in row.answer


def test_a_cancelled_caller_leaves_a_row_too(published: Plugin):
    llm = Scripted("For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 50, pause=0.02)
    asked = question(WEATHER, published)

    @async_to_sync
    async def be_cancelled() -> None:
        started = asyncio.Event()

        async def consume() -> None:
            async with aclosing(pipeline.stream(asked, llm=llm)) as events:
                async for event in events:
                    if isinstance(event, Delta):
                        started.set()

        task = asyncio.ensure_future(consume())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    be_cancelled()
    assert llm.was_closed_early
    assert Query.objects.get().outcome == "abandoned"


def test_a_strangers_documents_are_never_read(published: Plugin, charlie: User):
    stranger = Plugin.objects.create(
        owner=charlie, name="Charlie's", slug="charlies", domain="x", system_prompt="You are Charlie."
    )
    answer = ask(question(WEATHER, stranger)).answer
    assert answer.outcome == Outcome.REFUSED
    assert Query.objects.get().passages == []


def test_a_plugins_own_threshold_refuses_what_the_default_lets_pass(published: Plugin):
    release = releases.resolve(published.slug, principal=published.owner)
    release.evidence_threshold = 0.99
    answer = ask(Question(text=SPACERS, release=release, caller=Caller(name="test"))).answer
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "no_evidence")
    assert ask(question(SPACERS, published)).answer.outcome == Outcome.ANSWERED


def test_in_optional_mode_the_gate_lowers_the_confidence_and_does_not_refuse(published: Plugin):
    release = releases.resolve(published.slug, principal=published.owner)
    release.citation_mode, release.evidence_threshold = "optional", 0.99
    answer = ask(Question(text=SPACERS, release=release, caller=Caller(name="test"))).answer
    assert (answer.outcome, answer.confidence) == (Outcome.ANSWERED, Confidence.LOW)


def test_the_row_keeps_the_score_that_decided(published: Plugin):
    answer = ask(question(SPACERS, published)).answer
    ask(question(OFF_TOPIC, published))
    refused, answered = Query.objects.order_by("-created_at")
    assert answered.evidence_score == answer.basis.grounds.score
    assert (answered.probability, answered.confidence) == (None, answer.confidence)
    assert refused.evidence_score < 0.45


def test_an_answer_says_what_its_confidence_goes_by(published: Plugin):
    asked = question(SPACERS, published)
    shown = json_format.answer_as_json(ask(asked).answer, question=asked)["confidenceBasis"]
    assert (shown["calibrated"], shown["probability"]) == (False, None)
    assert shown["explanation"].startswith("Estimated by fixed rules")
    refused = question(OFF_TOPIC, published)
    assert json_format.answer_as_json(ask(refused).answer, question=refused)["confidenceBasis"] is None
