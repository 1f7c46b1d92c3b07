"""What comes back: frozen values that know nothing of HTTP. `raw` is the JSON a value was made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Confidence = Literal["high", "medium", "low"]
Outcome = Literal["answered", "refused", "clarify"]
Fact = str | int | float | bool
Raw = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A span of a document that supports a sentence. `id` is "src_1" for the mark `[Source 1]`.

    `page`, `section`, `start`, `end`, `url` and `score` are None where the source has none: never a made-up page.
    Of a file of a repository `path`, `start_line` and `end_line` say which lines it is, `file_hash` is the SHA-256 of
    the file as it was read, and `commit` what was checked out then. `plugin` says whose it is where several
    were asked.
    """

    id: str
    document: str
    excerpt: str
    page: int | None = None
    section: str | None = None
    document_id: str | None = None
    start: int | None = None
    end: int | None = None
    url: str | None = None
    score: float | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    file_hash: str | None = None
    commit: str | None = None
    page_label: str | None = None
    ocr: bool = False
    plugin: str | None = None
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class DecisionStep:
    """One step of the decision path, counted from 1: a question with its `value`, or an outcome with its `result`."""

    step: int
    node: str
    label: str
    value: str | None = None
    result: str | None = None
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Clarification:
    """What Lexic asks back. Answer with `client.answer_clarification(result, answer)`, or send `{field: answer}`
    as `facts`. `options` is empty where any answer is taken."""

    question: str
    options: list[str]
    field: str = ""
    token: str = ""
    raw: Raw = dataclasses.field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class NearestSource:
    """Where to look next after a refusal. Nobody verified that it answers. `excerpt` is the sentence there that comes
    closest, where the key may read the page."""

    document: str
    page: int | None = None
    section: str | None = None
    excerpt: str | None = None
    document_id: str | None = None
    score: float | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    file_hash: str | None = None
    commit: str | None = None
    page_label: str | None = None
    ocr: bool = False
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Sibling:
    """What the nearest source gives (`found`) in place of what was asked, and where. Never an answer."""

    asked: str
    found: str
    place: str


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens, as the provider of the language model counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class ConfidenceBasis:
    """What a confidence goes by. `probability` is between 0 and 1, None where none is stated."""

    explanation: str
    is_calibrated: bool = False
    probability: float | None = None


@dataclass(frozen=True, kw_only=True)
class Position:
    """What one of those who contradict each other says. `citations` are ids."""

    plugin: str
    expert: str
    stance: str
    citations: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Two sentences of different plugins that do not go together; `is_certain` where both speak of exactly the same.
    `kind` is number, duty or denial. It is resolved where one of them no longer says so."""

    topic: str
    positions: list[Position]
    kind: str = ""
    is_certain: bool = False
    is_resolved: bool = False
    resolution: str = ""
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to one question. Every field is there, whatever the server sent (see `normalise`).

    `request` is the body that was asked with, so that a clarification can be answered. Where several plugins were
    asked, `answers` has what each of them answers, by its slug, and `conflicts` where these contradict each other.
    """

    answer: str
    citations: list[Citation]
    decision_path: list[DecisionStep]
    confidence: Confidence
    plugin_version: str
    outcome: Outcome
    reason: str | None = None
    why: list[str] = field(default_factory=list)
    about: Sibling | None = None
    nearest: list[NearestSource] = field(default_factory=list)
    clarification: Clarification | None = None
    confidence_basis: ConfidenceBasis | None = None
    usage: Usage = field(default_factory=Usage)
    query_id: str | None = None
    release: str | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    request: Raw = field(default_factory=dict, repr=False, compare=False)
    raw: Raw = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        return self.answer

    @property
    def is_answered(self) -> bool:
        return self.outcome == "answered"

    @property
    def is_refused(self) -> bool:
        return self.outcome == "refused"

    @property
    def needs_clarification(self) -> bool:
        return self.clarification is not None


@dataclass(frozen=True, kw_only=True)
class PluginInfo:
    """A plugin as lists show it. `config` has what its authors keep there for programs, and is shown to them alone."""

    slug: str
    name: str
    tagline: str = ""
    description: str = ""
    domain: str = ""
    version: str | None = None
    tags: list[str] = field(default_factory=list)
    config: Raw = field(default_factory=dict)
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Requests that a key may make in a minute and in a day."""

    per_minute: int | None = None
    per_day: int | None = None


@dataclass(frozen=True, kw_only=True)
class Left:
    """What is left of one window, `per` "minute" or "day". It begins anew in `reset_seconds`."""

    per: str
    limit: int = 0
    remaining: int = 0
    reset_seconds: int = 0


@dataclass(frozen=True, kw_only=True)
class Me:
    """What the key may do. `owner` is empty where they go by no name; `plugins` are those the key may ask, and
    `has_more_plugins` says that there are more; `limits` is None and `left` empty where nothing is counted."""

    owner: str
    capabilities: list[str]
    plugins: list[PluginInfo]
    key_name: str = ""
    has_more_plugins: bool = False
    limits: Limits | None = None
    left: list[Left] = field(default_factory=list)
    raw: Raw = field(default_factory=dict, repr=False, compare=False)

    def can(self, capability: str) -> bool:
        return capability in self.capabilities
