"""One turn of the sandbox: the answer as every page shows it, and the steps that led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from accounts.models import User
from querying.answering.drop_reasons import DropExplanation
from querying.models import Feedback, Query
from querying.presentation.answer import (
    AnswerPresentation,
    StoredAnswer,
    present_answer,
    present_answers,
    stored_from_query,
    to_stored_answer,
)
from querying.presentation.question_run import QuestionRun, model_work
from querying.presentation.retrieved_passages import (
    MAX_NEAREST,
    PassagePlace,
    retrieved_passages,
)
from querying.query_log.quotations import withhold_quotations
from querying.types.answer import Clarification, Outcome
from querying.types.events import Failed
from trees.facts.field_values import format_value

_STEP_LABELS = {
    "planning": "read the question",
    "retrieve": "searched",
    "tree": "walked the trees",
    "weigh": "weighed the evidence",
    "generate": "wrote and verified",
}


@dataclass(frozen=True, kw_only=True)
class SandboxTurn:
    """The last six fields are known only of a question that was asked just now. `prompt` is None when there is none to
    show; `prompt_withheld` says that there is one which this person may not read."""

    query: Query
    answer: AnswerPresentation
    timings: list[tuple[str, int]]
    passages: list[PassagePlace]
    feedback: Feedback | None
    clarification: Clarification | None = None
    failure: Failed | None = None
    prompt: Sequence[Mapping[str, str]] | None = None
    prompt_withheld: bool = False
    dropped: Sequence[DropExplanation] = ()
    is_offline: bool = True

    @property
    def version(self) -> str:
        return self.query.release_name.partition("@")[2]

    @property
    def fact_texts(self) -> list[tuple[str, str]]:
        """What was known beforehand, as people write it. A fact without a name of its own is called by the question
        that it answers."""
        asked = {step.get("node"): step.get("label") for step in self.query.decision_path}
        return [
            (asked.get(name) or name.replace("_", " "), format_value(value)) for name, value in self.query.facts.items()
        ]

    @property
    def filter_texts(self) -> dict[str, str]:
        """The filters as the form takes them."""
        filters = self.query.options.get("filters") or {}
        return {
            name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in filters.items()
        }


def make_turns(queries: Sequence[Query], *, user: User) -> list[SandboxTurn]:
    """The queries as this person may see them. The number of statements does not depend on theirs."""
    queries = withhold_quotations(queries, viewer=user)
    answers = present_answers([stored_from_query(query) for query in queries], viewer=user)
    passages = retrieved_passages(queries, viewer=user)
    feedback = {one.query_id: one for one in Feedback.objects.filter(user=user, query__in=queries)}
    return [
        SandboxTurn(
            query=query,
            # The log keeps the passages of a refusal, and not which of their sentences came nearest.
            answer=replace(answer, nearest_passages=places[:MAX_NEAREST])
            if answer.outcome == Outcome.REFUSED
            else answer,
            timings=[(label, query.timings[step]) for step, label in _STEP_LABELS.items() if step in query.timings],
            passages=places,
            feedback=feedback.get(query.pk),
        )
        for query, answer, places in zip(queries, answers, passages, strict=True)
    ]


def _nearest_of(run: QuestionRun, *, user: User) -> list[PassagePlace]:
    """On pages that the person may open: of others, the log names nothing either."""
    stored = StoredAnswer(question=run.question.text, answer=to_stored_answer(run), seconds=0.0)
    return [one for one in present_answer(stored, viewer=user).nearest_passages if one.url]


def make_live_turn(run: QuestionRun, *, user: User, may_change: bool) -> SandboxTurn | None:
    """The turn of a question that was asked just now, with the question back, the error's hint and the prompt. None in
    the rare case that its query row could not be written."""
    query = Query.objects.filter(pk=run.question.id).first()
    if query is None:
        return None
    [turn] = make_turns([query], user=user)
    answer = turn.answer
    if run.answer and run.answer.nearest:
        answer = replace(answer, nearest_passages=_nearest_of(run, user=user))
    return replace(
        turn,
        answer=answer,
        clarification=run.clarification,
        failure=run.failure,
        **vars(model_work(run, user=user, may_change=may_change)),
        is_offline=run.llm.is_offline,
    )
