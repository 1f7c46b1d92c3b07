"""The events that the pipeline yields, one after the other, and that every interface encodes."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from lexic.errors import LexicError
from querying.types.answer import Answer, Citation


class Step(enum.StrEnum):
    PLANNING = "planning"
    SEARCHING = "searching_kb"
    FOUND = "kb_results"
    TREE = "decision_tree"
    GENERATING = "generating"
    VERIFYING = "verifying"


@dataclass(frozen=True, kw_only=True)
class Status:
    step: Step
    message: str


@dataclass(frozen=True, kw_only=True)
class Delta:
    """More of the answer's text, and the citations that stand in it, where its writer cites as it goes."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Done:
    answer: Answer


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An error, as the last event. `retry_after`: seconds until the same question may be answered, where that is
    known."""

    error: str
    code: str
    hint: str
    status: int
    retry_after: int | None = None

    @classmethod
    def from_error(cls, error: LexicError) -> Failed:
        wait: int | None = getattr(error, "retry_after", None)
        return cls(error=error.message, code=error.code, hint=error.hint, status=error.status, retry_after=wait)


class AnswerFailed(LexicError):
    """The answer could not be made."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error, code=failed.code, hint=failed.hint)
        self.status, self.retry_after = failed.status, failed.retry_after


Event = Status | Delta | Done | Failed
