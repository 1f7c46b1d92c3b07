"""What the server itself says of the results of tools: figures and classes never come from a model's pen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.planners.planner_types import GiveAnswer
from agents.progress import FinishedCall, Progress
from querying.types import Answer, Clarification, Confidence, Outcome

SEARCH, INFO, DRAFT = "search_knowledge", "extract_document_info", "generate_legal_document"
_REPORTS = ("render_contract_report", "render_nda_report")


def own_answer(text: str) -> Answer:
    """Words of the server's own as an answer. It cites nothing."""
    return Answer(text=text, outcome=Outcome.ANSWERED, confidence=Confidence.HIGH)


def report_text(report: Mapping[str, Any]) -> str:
    """What is said of the report of a contract or of an NDA."""
    return f"{report['title'].rstrip('.')}. {report['summary']}"


def draft_text(template: str) -> str:
    """What is said of a draft."""
    return f"Here is the draft of “{template}”. It is yours to read, change and save."


def said_of_results(calls: Sequence[FinishedCall]) -> Iterator[str]:
    """What is said of the reports and drafts among these results, one text for each."""
    for one in calls:
        if one.error is None and one.call.tool in _REPORTS:
            yield report_text(one.result["report"])
        elif one.error is None and one.call.tool == DRAFT:
            yield draft_text(one.result["document"]["title"])


def question_back(progress: Progress) -> GiveAnswer | None:
    """The question that a tool has for the person: a fact that a template lacks, or what the last search has to know.
    None where there is none, or where a later call has got along without."""
    for one in reversed(progress.results):
        if one.error is None and one.call.tool == DRAFT:
            return None
        if one.error is None and one.call.tool == INFO:
            return ask_for_fact(one.result) if one.result["missing"] else None
        if one.error is None and one.call.tool == SEARCH:
            found = progress.found.get(one.call.id)
            answer = found.answer if found else None
            return GiveAnswer(answer=answer) if answer and answer.clarification else None
    return None


def ask_for_fact(known: Mapping[str, Any]) -> GiveAnswer:
    """The question for the first fact that a template lacks; the tool has shown it already."""
    first = known["missing"][0]
    question = f"What is to stand in the document as “{first['name']}”?"
    asked = Clarification(question=question, options=tuple(first["options"]), field=first["name"])
    answer = Answer(text=question, outcome=Outcome.CLARIFY, reason="missing_fact", clarification=asked)
    state = {"draft": {"template": known["template"], "facts": known["facts"], "field": first["name"]}}
    return GiveAnswer(answer=answer, state=state)
