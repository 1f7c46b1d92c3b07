"""The messages that a language model gets in a run: the system prompt, the history, the message, and the results of its
calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from agents.journal.progress import Call, Progress
from agents.planners.planner_types import Assignment
from agents.planners.templated_replies import SEARCH
from querying.answering.prompts import build_system_prompt, source_section
from querying.answering.untrusted_text import UntrustedTextDelimiter
from querying.answering.verified_text import VerifiedText

Message = dict[str, Any]
# The most characters of one call's result. A longer result is cut, and says so.
MAX_RESULT_CHARACTERS = 20_000
# The parts of a search's result that the model is given besides the sources.
_VERDICTS = ("isSufficient", "why", "recommendation", "decisionPath")
_CANCELLED = {"error": "This was stopped.", "code": "cancelled"}
_LAST_TURN = "There are no tools any more. Write the answer now, from what stands above."


def build_messages(
    assignment: Assignment, progress: Progress, *, fence: UntrustedTextDelimiter, may_call: bool
) -> list[Message]:
    """The whole conversation for the next turn. Each call that was asked for has its answer, also one that was never
    made. For the last turn the calls are told as text, because providers know no calls where there are no tools."""
    given = dict(_call_results(progress))
    system_prompt = build_system_prompt(assignment.question.release, behaviour=behaviour())
    messages: list[Message] = [
        {"role": "system", "content": f"{system_prompt}\n\n{fence.rule}"},
        *({"role": turn.role, "content": turn.content} for turn in assignment.history),
        {"role": "user", "content": _person_message(assignment, fence)},
    ]
    if not may_call:
        return [*messages, {"role": "user", "content": _last_turn(progress, given, fence)}]
    for calls, said in zip(progress.turns, progress.said, strict=True):
        if calls:
            asked = [_as_tool_call(call) for call in calls]
            messages.append({"role": "assistant", "content": said, "tool_calls": asked})
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": fence.around(given[call.id])} for call in calls
        ]
    return messages


@cache
def behaviour() -> str:
    """The one file that says how the agent works."""
    return (Path(__file__).parent.parent / "SKILL.md").read_text(encoding="utf-8")


def _person_message(assignment: Assignment, fence: UntrustedTextDelimiter) -> str:
    parts = [assignment.message]
    if assignment.question.text != assignment.message:
        parts.append(f"This answers what was asked back about: {assignment.question.text}")
    if titles := [f"{one.title} (documentId {one.document_id})" for one in assignment.attachments]:
        parts.append("With the message came these documents:\n" + fence.around("\n".join(titles)))
    if draft := assignment.draft:
        waiting = {"template": draft.template, "facts": dict(draft.facts), "missing": draft.field}
        parts.append("This draft waits for a fact:\n" + fence.around(_as_json(waiting)))
    return "\n\n".join(parts)


def _last_turn(progress: Progress, given: Mapping[str, str], fence: UntrustedTextDelimiter) -> str:
    told = [f"{call.tool} gave:\n{fence.around(given[call.id])}" for call in progress.calls]
    said = "".join(progress.said)
    before = [f"You have written already, and go on behind it: {said}"] if said else []
    return "\n\n".join([*told, *before, _LAST_TURN])


def _call_results(progress: Progress) -> Iterator[tuple[str, str]]:
    """What each call gave, by its id. The numbers of sources run on from search to search, as in `ModelText`."""
    numbering = VerifiedText(mode="")
    for call in progress.calls:
        done, found = progress.finished.get(call.id), progress.found.get(call.id)
        if done is None or done.error:
            yield call.id, _as_json(done.error if done and done.error else _CANCELLED)
        elif call.tool == SEARCH and found:
            numbers = numbering.add_passages(found.passages)
            sources = [source_section(number, one) for number, one in zip(numbers, found.passages, strict=True)]
            yield call.id, _cut("\n\n".join([_as_json(_verdict(done.result)), *sources]))
        else:
            yield call.id, _cut(_as_json(done.result))


def _verdict(result: Mapping[str, Any]) -> Mapping[str, Any]:
    asked = result["clarification"]
    question = {"asksBack": {"question": asked["question"], "options": asked["options"]}} if asked else {}
    return {name: result[name] for name in _VERDICTS if result[name] not in ("", [])} | question


def _as_tool_call(call: Call) -> Message:
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _as_json(call.input)}}


def _as_json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    if len(text) <= MAX_RESULT_CHARACTERS:
        return text
    return f"{text[:MAX_RESULT_CHARACTERS]}\n[cut here: {len(text) - MAX_RESULT_CHARACTERS} characters more]"
