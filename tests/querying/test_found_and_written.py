"""The pipeline in its two halves: what is found up to the gate, and what is written and verified after it."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import ApiKey, User
from lexic.errors import LexicError
from plugins.models import CitationMode, Plugin
from querying import pipeline
from querying.answering.findings import Findings, combine_findings
from querying.answering.llms import get_llm
from querying.answering.verified_text import VerifiedText, cut_sentences
from querying.llm_interface import LLM, ProviderTimedOut
from querying.models import Query
from querying.presentation.source_citations import cited_sources, found_sources
from querying.question.caller_access import AccessEnded
from querying.types.answer import Answer, Outcome
from querying.types.events import Delta, Done
from querying.types.evidence import Evidence
from querying.types.prompt import Prompt
from querying.types.question import Caller, Question
from querying.types.refusals import REFUSAL
from querying.types.token_usage import Usage
from tests.cover import handbook, plugin, published
from tests.querying.passages import passage
from tests.querying.scripted import Scripted
from tests.querying.test_pipeline import OFF_TOPIC, SPACERS, WEATHER, question

__all__ = ["handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db
MILD = passage("For mild exposure the nominal cover of a beam is 20 mm.", number=1)
SEVERE = passage("For severe exposure the nominal cover of a beam is 45 mm.", number=2)


def find(asked: Question, llm: LLM | None = None) -> Findings:
    return async_to_sync(pipeline.retrieve_evidence)(asked, llm=llm)


@async_to_sync
async def pieces_of(written: AsyncGenerator[Delta | Answer]) -> list[Delta | Answer]:
    async with aclosing(written):
        return [piece async for piece in written]


def written(findings: Findings, llm: LLM | None = None) -> Answer:
    *deltas, last = pieces_of(pipeline.generate_answer(findings, llm=llm))
    assert isinstance(last, Answer)
    shown = "".join(delta.text for delta in deltas if isinstance(delta, Delta))
    assert shown == (last.text if last.outcome == Outcome.ANSWERED else "")
    return last


@pytest.mark.parametrize("text", [WEATHER, SPACERS])
def test_both_halves_together_are_the_answer(published: Plugin, text: str) -> None:
    findings = find(question(text, published))
    assert findings.answer is None
    assert findings.is_sufficient
    last = async_to_sync(pipeline.answer)(question(text, published))
    assert isinstance(last, Done)
    answer = written(findings)
    assert (answer.text, answer.citations, answer.confidence) == (
        last.answer.text,
        last.answer.citations,
        last.answer.confidence,
    )


def test_what_was_only_found_leaves_a_row_that_says_so(published: Plugin) -> None:
    findings = find(question(SPACERS, published))
    row = Query.objects.get()
    assert (row.outcome, row.answer, row.citations, row.question) == ("found", "", [], SPACERS)
    assert [read["chunk"] for read in row.passages] == [one.chunk_id for one in findings.passages]
    assert findings.basis
    assert row.evidence_score == findings.basis.grounds.score


def test_found_sources_are_numbered_as_a_writer_counts_them(published: Plugin) -> None:
    findings = find(question(WEATHER, published))
    found = found_sources(findings)
    spans = [(one.metadata["start"], one.metadata["end"]) for one in found.sources]
    assert spans == [(one.start, one.end) for one in findings.passages]
    assert found.recommendation == "45 mm nominal cover"
    assert [step["node"] for step in found.decision_path] == ["exposure_check", "cover_severe"]
    assert (found.is_sufficient, found.why, found.clarification) == (True, (), None)


def test_too_little_says_why_and_shows_the_nearest(published: Plugin) -> None:
    findings = find(question(OFF_TOPIC, published))
    found = found_sources(findings)
    assert not found.is_sufficient
    assert found.why == written(findings).why != ()
    assert Query.objects.get().outcome == "refused"
    assert (written(findings).text, written(findings).reason) == (REFUSAL, "no_evidence")


def test_what_is_optional_may_be_written_from_too_little(published: Plugin) -> None:
    asked = question(OFF_TOPIC, published)
    asked.release.citation_mode = CitationMode.OPTIONAL
    findings = find(asked)
    assert findings.answer is None
    assert not findings.is_sufficient
    assert findings.why


def test_a_question_back_comes_with_its_token(published: Plugin) -> None:
    found = found_sources(find(question("What is the nominal cover of a beam?", published)))
    assert found.clarification
    assert found.clarification.token
    assert (found.is_sufficient, found.clarification.options) == (False, ("mild", "severe"))
    assert Query.objects.get().outcome == "clarify"


def test_nothing_is_found_for_a_key_that_was_revoked(published: Plugin, bob: User) -> None:
    key, _ = ApiKey.objects.issue(owner=bob, name="x", capabilities=["query"])
    caller = Caller(name="x", api_key_id=key.pk, user_id=bob.pk)
    asked = replace(question(SPACERS, published), caller=caller)
    assert find(asked).passages
    key.revoke()
    with pytest.raises(AccessEnded):
        find(replace(asked, id=uuid.uuid4()))


def test_what_fails_is_raised_and_in_the_row(published: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("disk on fire")

    monkeypatch.setattr("querying.retrieval.retriever.retrieve", fail)
    with pytest.raises(LexicError, match="on our side"):
        find(question(SPACERS, published))
    assert (Query.objects.get().outcome, Query.objects.get().reason) == ("failed", "internal")


# --- A text of somebody else's, over passages ---------------------------------------------------------------------


@async_to_sync
async def add(text: VerifiedText, said: str, *, error: Exception | None = None) -> list[Delta]:
    nothing = Evidence(passages=(), sentences=(), strength=0.0)
    model = Scripted(said, error=error).generate(Prompt(messages=(), question="", evidence=nothing))
    async with aclosing(text.add(cut_sentences(model))) as deltas:
        return [delta async for delta in deltas]


def test_numbers_run_on_over_parts_and_searches() -> None:
    text = VerifiedText([MILD], mode=CitationMode.MANDATORY)
    shown = add(text, "For mild exposure the nominal cover of a beam is 20 mm [Source 1]. ")
    assert text.add_passages([SEVERE, MILD]) == [2, 1]
    shown += add(text, "For severe exposure the nominal cover of a beam is 45 mm [Source 2].")
    if last := text.finish():
        shown.append(last)
    ending, answer = text.conclude(disclaimer="Ask an engineer.")
    assert ending == Delta(text="\n\nAsk an engineer.")
    assert "".join(one.text for one in [*shown, ending]) == answer.text
    assert answer.text.startswith("For mild exposure the nominal cover of a beam is 20 mm [Source 1]. For severe")
    assert [one.passage for one in answer.citations] == [MILD, SEVERE]
    assert [one.number for delta in shown for one in delta.citations] == [1, 2]
    assert text.usage == answer.usage == Usage(prompt_tokens=6, completion_tokens=text.usage.completion_tokens)


def test_nothing_unsupported_is_shown() -> None:
    text = VerifiedText([MILD, SEVERE], mode=CitationMode.MANDATORY)
    said = "For mild exposure the nominal cover of a beam is 20 mm [Source 1]. The moon is made of cheese [Source 2]."
    shown = "".join(delta.text for delta in add(text, said))
    last = text.finish()
    assert "cheese" not in shown + (last.text if last else "")
    _, answer = text.conclude()
    assert (answer.sentences, len(answer.dropped), answer.outcome) == (2, 1, Outcome.ANSWERED)


def test_a_text_that_nothing_bears_out_is_refused() -> None:
    text = VerifiedText([MILD], mode=CitationMode.MANDATORY)
    assert add(text, "The moon is made of cheese [Source 1].") == []
    assert text.finish() is None
    ending, answer = text.conclude(disclaimer="Ask an engineer.")
    assert (ending, answer.text, answer.reason) == (None, REFUSAL, "no_citations")


def test_a_writer_that_fails_raises() -> None:
    text = VerifiedText([MILD], mode=CitationMode.MANDATORY)
    with pytest.raises(ProviderTimedOut):
        add(text, "For mild exposure", error=ProviderTimedOut())


def test_cited_sources_are_the_spans_that_are_cited(published: Plugin) -> None:
    answer = written(find(question(SPACERS, published)))
    for citation, source in zip(answer.citations, cited_sources(answer.citations), strict=True):
        assert (source.metadata["start"], source.metadata["end"]) == (citation.start, citation.end)
        assert source.summary.startswith(citation.excerpt[:40])


# --- Several searches ---------------------------------------------------------------------------------------------


def test_several_searches_are_answered_from_together(published: Plugin) -> None:
    llm = get_llm()
    footings = find(question("Which nominal cover do footings have?", published))
    spacers = find(question(SPACERS, published))
    asked = question("What are spacers made of, and which nominal cover do footings have?", published)
    together = combine_findings(asked, [footings, spacers], llm=llm)
    chunks = [one.chunk_id for one in together.passages]
    assert len(chunks) == len(set(chunks)) == len({one.chunk_id for one in (*footings.passages, *spacers.passages)})
    assert chunks[: len(footings.passages)] == [one.chunk_id for one in footings.passages]
    for sentence in together.evidence.sentences if together.evidence else ():
        assert together.passages[sentence.source].content[sentence.start : sentence.end] == sentence.text
    answer = written(together)
    assert "mortar" in answer.text


def test_of_nothing_found_nothing_is_written(published: Plugin) -> None:
    together = combine_findings(question(OFF_TOPIC, published), [], llm=get_llm())
    assert written(together).text == REFUSAL
