"""Asks the plugins of a Lexic server. `Lexic` and `AsyncLexic` are the way in; `errors` and `results` say what
comes back. `langchain`, `autogpt` and `openai_tools` are adapters, imported by name."""

from __future__ import annotations

from lexic_sdk.async_client import AsyncLexic
from lexic_sdk.client import Lexic
from lexic_sdk.collaboration_events import CollaborationDoneEvent, CollaborationEvent
from lexic_sdk.collaborations import Collaboration, Consensus, ExpertResponse
from lexic_sdk.errors import (
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    ConnectionError,  # noqa: A004 -- a subclass of the built-in one
    InvalidRequestError,
    InvalidResponseError,
    LexicError,
    NotAllowedError,
    NotFoundError,
    ProviderError,
    RateLimitError,
    ServerError,
    StreamInterrupted,
    TimeoutError,  # noqa: A004 -- a subclass of the built-in one
)
from lexic_sdk.events import DeltaEvent, DoneEvent, ErrorEvent, Event, StatusEvent
from lexic_sdk.question import QueryOptions
from lexic_sdk.results import (
    Answer,
    Citation,
    Clarification,
    ConfidenceBasis,
    Conflict,
    DecisionStep,
    Left,
    Limits,
    Me,
    NearestSource,
    PluginInfo,
    Position,
    Sibling,
    Usage,
)
from lexic_sdk.review_events import ReviewDoneEvent, ReviewEvent
from lexic_sdk.reviews import Annotation, DocumentReview
from lexic_sdk.version import VERSION as __version__

__all__ = [
    "Annotation",
    "Answer",
    "AsyncLexic",
    "AuthenticationError",
    "Citation",
    "Clarification",
    "Collaboration",
    "CollaborationDoneEvent",
    "CollaborationEvent",
    "ConfidenceBasis",
    "ConfigurationError",
    "Conflict",
    "ConflictError",
    "ConnectionError",
    "Consensus",
    "DecisionStep",
    "DeltaEvent",
    "DocumentReview",
    "DoneEvent",
    "ErrorEvent",
    "Event",
    "ExpertResponse",
    "InvalidRequestError",
    "InvalidResponseError",
    "Left",
    "Lexic",
    "LexicError",
    "Limits",
    "Me",
    "NearestSource",
    "NotAllowedError",
    "NotFoundError",
    "PluginInfo",
    "Position",
    "ProviderError",
    "QueryOptions",
    "RateLimitError",
    "ReviewDoneEvent",
    "ReviewEvent",
    "ServerError",
    "Sibling",
    "StatusEvent",
    "StreamInterrupted",
    "TimeoutError",
    "Usage",
    "__version__",
]
