"""Text that the server writes about the results of tools. A model never writes figures and risk classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.journal.progress import FinishedCall, Progress
from agents.planners.planner_types import NextStep, OpenDraft, ReadyAnswer
from agents.tools.document_templates import STOP_WORD, Blank
from querying.types.answer import Answer, Clarification, Outcome
from querying.types.confidence import Confidence

SEARCH, INFO, DRAFT = "search_knowledge", "extract_document_info", "generate_legal_document"
_REPORTS = ("render_contract_report", "render_nda_report")
_COMPARISONS = ("analyze_clause", "check_nda")
_OF_DOCUMENTS = {*_REPORTS, "parse_contract", "parse_nda", INFO, DRAFT}
# What is wrong with how a call was written is for its writer to put right.
INVALID_CALL_CODES = {"invalid_tool_input", "invalid_json", "invalid_text"}


def server_answer(text: str) -> Answer:
    """Words of the server's own as an answer. It cites nothing."""
    return Answer(text=text, outcome=Outcome.ANSWERED, confidence=Confidence.HIGH)


def report_text(report: Mapping[str, Any]) -> str:
    """What is said of the report of a contract or of an NDA."""
    return f"{report['title'].rstrip('.')}. {report['summary']}"


def draft_text(template: str) -> str:
    """What is said of a draft."""
    return f"Here is the draft of “{template}”. It is yours to read, change and save."


def left_draft_text(template: str) -> str:
    """What is said where a draft that waited for a fact is left."""
    return f"You have left the draft of “{template}”. Nothing of it was saved."


def waiting_draft_text(draft: OpenDraft) -> str:
    """What is said below the answer to another request while a draft waits for a fact."""
    return f"The draft of “{draft.template}” still waits for “{draft.field}”. To leave the draft, write “{STOP_WORD}”."


def comparison_text(result: Mapping[str, Any]) -> str:
    """The result of the comparison of a text with a playbook, as text."""
    found = [f"- {one['position']}: {one['classification']}. {one['reason']}" for one in result["findings"]]
    return "\n".join([f"Held against “{result['playbook']}”:", *(found or ["- It speaks of none of the positions."])])


def result_texts(calls: Sequence[FinishedCall], *, message: str) -> Iterator[str]:
    """What is said of the reports, drafts and comparisons among these results, one text for each. Of a text that was
    compared only where the person has sent it with the message: a model could have written another one."""
    for one in calls:
        if one.error is None and one.call.tool in _REPORTS:
            yield report_text(one.result["report"])
        elif one.error is None and one.call.tool == DRAFT:
            yield draft_text(one.result["document"]["title"])
        elif one.error is None and one.call.tool in _COMPARISONS and _was_quoted_by_person(message, one.call.input):
            yield comparison_text(one.result)


def failure_text(progress: Progress) -> str:
    """Why the last document that was to be reviewed or drafted was not; empty where it was."""
    for one in reversed(progress.results):
        if one.call.tool in _OF_DOCUMENTS and not (one.error and one.error["code"] in INVALID_CALL_CODES):
            return one.error_text
    return ""


def question_back(progress: Progress) -> ReadyAnswer | None:
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
            return ReadyAnswer(answer=answer) if answer and answer.clarification else None
    return None


def goes_on_waiting(step: NextStep, progress: Progress) -> bool:
    """Whether the draft that waited still waits behind this step: it was neither made nor left, its template is there,
    and no draft asks for a fact now."""
    if isinstance(step, ReadyAnswer) and (step.state or step.leaves_draft):
        return False
    is_made = any(one.call.tool == DRAFT and not one.error for one in progress.results)
    is_without_template = any(one.call.tool == INFO and one.error for one in progress.results)
    return not is_made and not is_without_template


def ask_for_fact(known: Mapping[str, Any]) -> ReadyAnswer:
    """The question for the first fact that a template lacks; the tool has shown it already."""
    first = known["missing"][0]
    blank = Blank(name=first["name"], options=tuple(first["options"]))
    asked = Clarification(question=blank.question, options=blank.options, field=blank.name)
    answer = Answer(text=blank.question, outcome=Outcome.CLARIFY, reason="missing_fact", clarification=asked)
    waiting = OpenDraft(template=known["template"], facts=known["facts"], field=blank.name)
    return ReadyAnswer(answer=answer, state=waiting.state)


def _was_quoted_by_person(message: str, compared: Mapping[str, Any]) -> bool:
    texts = [compared["clause"]] if "clause" in compared else compared["points"]
    whole = " ".join(message.split())
    return all(" ".join(text.split()) in whole for text in texts)
