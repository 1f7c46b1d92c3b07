"""What is asked of a release, by whom, and how the answer is wanted."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from django.conf import settings

from knowledge.search.filters import Filters
from knowledge.search.revision_statistics import BaseRevision
from plugins.models import Release
from querying.redaction.redact_question import redact_question

if TYPE_CHECKING:  # it works out units from long lists, which nobody needs before the first question
    from querying.field_schema import ObjectSchema


class CitationStyle(enum.StrEnum):
    """How the caller wants citations shown in the text."""

    INLINE = "inline"
    FOOTNOTE = "footnote"
    OFF = "off"


@dataclass(frozen=True, kw_only=True)
class Turn:
    role: str  # "user" or "assistant"
    content: str


@dataclass(frozen=True, kw_only=True)
class PeerStatement:
    """A verified sentence of what another expert has answered to the same question. Whoever asks may see it."""

    expert: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Options:
    citation_style: CitationStyle = CitationStyle.INLINE
    include_citations: bool | None = None  # None: yes, unless the style is "off"
    include_decision_path: bool = True
    max_sources: int | None = None
    filters: Filters | None = None
    timezone: str = "UTC"  # the caller's, for "today" and "last week"


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks: a key, a person in the sandbox, or a visitor. `name` binds follow-up tokens to them. No webhook is sent
    for a question of an evaluation. A public caller never reads what is not public. `visitor` stands for the address of
    one (`accounts.visitors.visitor_id`)."""

    name: str
    api_key_id: uuid.UUID | None = None
    user_id: uuid.UUID | None = None
    is_evaluation: bool = False
    is_public_caller: bool = False
    visitor: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a release. `layers` are private knowledge bases of the caller's, which are read besides.

    `peers` is what other plugins have said of it: material for a model, and never stored with the question, whose row
    the people of this plugin may read.

    A private question is nobody's business but its caller's: its query row names no plugin, so that the plugin's people
    see neither words nor counts. Whoever asks in a private place says so, also where no layer can be read today; a
    question with layers is always private. `conversation_id` is the private conversation whose deletion takes the row.

    `answered_fields` names the facts that answered what we asked back.
    """

    text: str
    release: Release
    caller: Caller
    context: tuple[Turn, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    answered_fields: frozenset[str] = frozenset()
    options: Options = field(default_factory=Options)
    layers: tuple[BaseRevision, ...] = ()
    is_private: bool = False
    conversation_id: uuid.UUID | None = None
    peers: tuple[PeerStatement, ...] = ()
    schema: ObjectSchema | None = None  # of the caller: it is filled, and no text is written
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        if self.layers and not self.is_private:
            object.__setattr__(self, "is_private", True)
        if settings.REDACT_QUESTIONS:
            self._redact()

    def _redact(self) -> None:
        """Redacts the words first, so that nothing that is found, written or stored has them."""
        turns = tuple(replace(turn, content=redact_question(turn.content)) for turn in self.context)
        object.__setattr__(self, "text", redact_question(self.text))
        object.__setattr__(self, "context", turns)
        object.__setattr__(self, "facts", redact_question(dict(self.facts)))

    @property
    def standalone_text(self) -> str:
        """What is asked, where the text is no part of a question that needs the turns before."""
        return self.text

    @property
    def earlier_user_turns(self) -> list[str]:
        return [turn.content for turn in self.context if turn.role == "user"]
