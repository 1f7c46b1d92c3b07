"""What `ask_expert` gives back, for clients that check it: the JSON of the REST door, as `querying.json_format`
writes it.

Keys that may be left out have a default here.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

Confidence = Literal["low", "medium", "high"]


class CitationResult(BaseModel):
    id: str = Field(description="src_N belongs to the mark [Source N] in the answer.")
    document: str
    page: int | None = Field(default=None, description="Left out where the document has no pages.")
    section: str | None = None
    excerpt: str = Field(description="Word for word as it stands in the document.")
    documentId: str
    start: int = Field(description="Where the excerpt starts in the text of its page.")
    end: int
    url: str = Field(description="Opens the page for people who may read the document. get_source takes it too.")
    score: float


class StepResult(BaseModel):
    step: int
    node: str
    label: str
    value: str | None = Field(default=None, description="The fact that was looked at.")
    result: str | None = Field(default=None, description="What came of it; of the last step, what is recommended.")


class BasisResult(BaseModel):
    calibrated: bool
    probability: float | None = None
    explanation: str


class PlaceResult(BaseModel):
    document: str
    page: int | None = None
    section: str | None = None
    documentId: str
    score: float


class ClarificationResult(BaseModel):
    question: str
    options: list[str] = Field(description="Empty where any answer will do.")
    field: str = Field(description="The name of the missing fact.")
    token: str = Field(description="For `followup`.")


class UsageResult(BaseModel):
    promptTokens: int
    completionTokens: int


class AnswerResult(BaseModel):
    answer: str
    citations: list[CitationResult]
    decisionPath: list[StepResult]
    confidence: Confidence
    confidenceBasis: BasisResult | None
    pluginVersion: str
    outcome: Literal["answered", "refused", "clarify"]
    reason: str | None = Field(description="Of a refusal or a question back: why, as a code.")
    why: list[str] = Field(description="Of a refusal: why, in sentences.")
    nearest: list[PlaceResult] = Field(description="Of a refusal: what came nearest. Not evidence.")
    clarification: ClarificationResult | None
    queryId: str
    release: str = Field(description="Which version answered, such as cover@1.2.0. It can be asked by this name.")
    usage: UsageResult


class FactResult(BaseModel):
    name: str
    type: Literal["choice", "number", "boolean", "text"]
    unit: str | None = None
    options: list[str] = []
    question: str | None = None
