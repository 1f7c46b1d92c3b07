"""The planner without a language model: what the message asks for, what came with it, and what was pending decide.

A request is told from a question by examples (`agents/classifiers/requests.json`), and the answer to a question back
from another request (`replies.json`), not by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.classifiers.example_classifier import example_classifier
from agents.journal.progress import FinishedCall, Progress
from agents.message_attachments import Attachment
from agents.planners.planner_types import (
    Assignment,
    CallTools,
    ComposeAnswer,
    NextStep,
    OpenDraft,
    ReadyAnswer,
    RequestedToolCall,
)
from agents.planners.templated_replies import (
    DRAFT,
    INFO,
    SEARCH,
    ask_for_fact,
    draft_text,
    left_draft_text,
    report_text,
    server_answer,
)
from agents.tools.document_templates import FactReply, closest_template, is_stop_word, templates_of
from agents.tools.stated_facts import request_in
from contracts.review.start_review import is_nda_document
from knowledge.models import Document
from lexic.database import in_thread
from lexic.errors import LexicError

_DRAFT_REQUEST, _REVIEW_REQUEST = "draft", "review"
_FACT_REPLY, _REQUEST_REPLY, _STOP_REPLY = "fact", "request", "stop"
# From which score on a reply is no fact. In doubt it is one: the person sees it in the draft.
_MIN_REPLY_SCORES = {_REQUEST_REPLY: 0.4, _STOP_REPLY: 0.55}
_MAX_STOP_WORDS = 3
_MIN_OTHER_DRAFT = 0.2
_NDA_TOOLS = ("parse_nda", "render_nda_report")
_CONTRACT_TOOLS = ("parse_contract", "render_contract_report")


@dataclass(frozen=True, kw_only=True)
class _Review:
    """The calls that a document's review takes, by its kind: what it says, then the report."""

    attachment: Attachment
    tools: tuple[str, str]

    @property
    def input(self) -> dict[str, str]:
        return {"documentId": str(self.attachment.document_id)}

    def finished(self, progress: Progress) -> list[FinishedCall]:
        return [one for one in progress.results if one.call.tool in self.tools and one.call.input == self.input]

    def next_tool(self, progress: Progress) -> str | None:
        """None where the report is there, or one of the calls failed."""
        finished = self.finished(progress)
        if len(finished) == len(self.tools) or any(one.error for one in finished):
            return None
        return self.tools[len(finished)]


class RulesPlanner:
    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._text = assignment.question.text
        self._request = request_in(self._text)

    async def next_step(self, progress: Progress, *, may_call: bool) -> NextStep:
        if self._assignment.draft is not None and await in_thread(lambda: self.leaves_draft):
            return _leave_draft(self._assignment.draft)
        if reviews := await in_thread(lambda: self._reviews):
            return _next_of_reviews(reviews, progress, may_call=may_call)
        draft = await in_thread(lambda: self._draft)
        if draft and not self._has_failed(progress, INFO):
            step = self._next_of_draft(draft, progress)
        else:
            step = self._next_of_question(progress)
        return step if may_call or not isinstance(step, CallTools) else ComposeAnswer()

    @cached_property
    def leaves_draft(self) -> bool:
        """Whether the message is the wish to leave the draft that waits."""
        if self._assignment.draft is None:
            return False
        if is_stop_word(self._assignment.message):
            return True
        return not self._reviews and self._reply_kind == _STOP_REPLY

    def _next_of_question(self, progress: Progress) -> NextStep:
        """Search in the attachments first, where there are any, and in everything where they do not answer."""
        searches = [one for one in progress.results if one.call.tool == SEARCH]
        attached = [str(one.document_id) for one in self._assignment.attachments]
        if not searches:
            within = {"filters": {"documentIds": attached}} if attached else {}
            return CallTools(calls=(RequestedToolCall(tool=SEARCH, input={"query": self._text, **within}),))
        if attached and len(searches) == 1 and not _is_sufficient(searches[0]):
            return CallTools(calls=(RequestedToolCall(tool=SEARCH, input={"query": self._text}),))
        return ComposeAnswer()

    def _next_of_draft(self, draft: OpenDraft, progress: Progress) -> NextStep:
        if not progress.has_called(INFO):
            return CallTools(
                calls=(RequestedToolCall(tool=INFO, input={"template": draft.template, "facts": dict(draft.facts)}),)
            )
        known = next(one for one in progress.results if one.call.tool == INFO)
        if known.result["missing"]:
            return ask_for_fact(known.result)
        if not progress.has_called(DRAFT):
            return CallTools(
                calls=(
                    RequestedToolCall(tool=DRAFT, input={"template": draft.template, "facts": known.result["facts"]}),
                )
            )
        made = next(one for one in progress.results if one.call.tool == DRAFT)
        return ReadyAnswer(answer=server_answer(made.error["error"] if made.error else draft_text(draft.template)))

    @cached_property
    def _reviews(self) -> tuple[_Review, ...]:
        """One for each document that came along, in order; none where no review is asked for."""
        attached = self._assignment.attachments
        if not attached or example_classifier("requests").classify(self._request) != _REVIEW_REQUEST:
            return ()
        documents = Document.objects.in_bulk([one.document_id for one in attached])
        return tuple(
            _Review(attachment=one, tools=_review_tools(documents[one.document_id]))
            for one in attached
            if one.document_id in documents
        )

    @cached_property
    def _draft(self) -> OpenDraft | None:
        """What is to be drafted: the one that waits for the fact in this message, or a new one. None for a question,
        and where no template is like what is asked for."""
        waiting = self._assignment.draft
        if waiting and self._reply_kind == _FACT_REPLY:
            return OpenDraft(template=waiting.template, facts=self._facts_with_reply(waiting), field="")
        if not self._asks_for_draft:
            return None
        template = closest_template(self._request, templates_of(self._assignment.question))
        return OpenDraft(template=template.title, facts={}, field="") if template else None

    @property
    def _asks_for_draft(self) -> bool:
        """Behind a question back it has to be plain: “Tell me the notice period first” is nearly one."""
        kind, score = example_classifier("requests").likeliest(self._request)
        is_plain = self._assignment.draft is None or score >= _MIN_OTHER_DRAFT
        return kind == _DRAFT_REQUEST and is_plain

    @cached_property
    def _reply_kind(self) -> str:
        """What the message is to the draft that waits: the fact that was asked for, another request, or the wish to
        leave it. What stands as `name: value`, and an option of a choice, is a fact whatever it says."""
        if self._assignment.answers_question_back:
            return _REQUEST_REPLY
        if self._stated_in_reply.facts:
            return _FACT_REPLY
        if self._text.rstrip().endswith("?"):
            return _REQUEST_REPLY
        kind, score = example_classifier("replies").likeliest(self._text)
        if kind == _STOP_REPLY and len(self._text.split()) > _MAX_STOP_WORDS:
            return _FACT_REPLY
        return kind if score >= _MIN_REPLY_SCORES.get(kind, -1.0) else _FACT_REPLY

    @cached_property
    def _stated_in_reply(self) -> FactReply:
        """The facts for the draft that waits which the message states by their names, or by an option."""
        waiting = self._assignment.draft
        templates = templates_of(self._assignment.question) if waiting else []
        template = next((one for one in templates if waiting and one.title == waiting.template), None)
        if waiting is None or template is None:
            return FactReply(facts={}, others=self._text.strip(), behind="")
        reply = template.read_reply(self._text)
        asked = next((blank for blank in template.blanks if blank.name == waiting.field), None)
        if asked and asked.options and (option := asked.value_of(reply.others)):
            return FactReply(facts={waiting.field: option, **reply.facts}, others="", behind="")
        return reply

    def _facts_with_reply(self, waiting: OpenDraft) -> dict[str, str]:
        """What has no name is the fact that was asked for, where the message does not name that. Beside other facts it
        has to stand behind them, and be no sentence: “Here is the rest.” is none."""
        reply = self._stated_in_reply
        value = reply.others if not reply.facts else "" if reply.behind.endswith((":", ".")) else reply.behind
        unnamed = {waiting.field: value} if value else {}
        return {**waiting.facts, **unnamed, **reply.facts}

    @staticmethod
    def _has_failed(progress: Progress, tool: str) -> bool:
        return any(one.error for one in progress.results if one.call.tool == tool)


def _leave_draft(draft: OpenDraft) -> ReadyAnswer:
    return ReadyAnswer(answer=server_answer(left_draft_text(draft.template)), leaves_draft=True)


def _review_tools(document: Document) -> tuple[str, str]:
    try:
        return _NDA_TOOLS if is_nda_document(document) else _CONTRACT_TOOLS
    except LexicError:  # the call says why
        return _CONTRACT_TOOLS


def _next_of_reviews(reviews: Sequence[_Review], progress: Progress, *, may_call: bool) -> NextStep:
    """One document after the other; then the server's sentences on each, also on those that have no report."""
    for one in reviews:
        if (tool := one.next_tool(progress)) and may_call:
            return CallTools(calls=(RequestedToolCall(tool=tool, input=one.input),))
    return ReadyAnswer(answer=server_answer("\n\n".join(_said_of(one, progress) for one in reviews)))


def _said_of(review: _Review, progress: Progress) -> str:
    finished = review.finished(progress)
    failed = next((one for one in finished if one.error), None)
    missing = f"“{review.attachment.title}” was not reviewed"
    if failed:
        return f"{missing}: {failed.error_text}"
    if len(finished) < len(review.tools):
        return f"{missing}, because this run had reached its limit. Send it in a message of its own."
    return report_text(finished[-1].result["report"])


def _is_sufficient(search: FinishedCall) -> bool:
    return search.result is not None and bool(search.result["isSufficient"])
