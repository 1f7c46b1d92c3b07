"""Asks the plugins of a Lexic server. `Lexic` and `AsyncLexic` are the way in; `errors` and `results` say what
comes back. `langchain`, `autogpt` and `openai_tools` are adapters, imported by name."""

from __future__ import annotations

from lexic_sdk.async_client import AsyncLexic
from lexic_sdk.client import Lexic
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
    DecisionStep,
    Left,
    Limits,
    Me,
    NearestSource,
    PluginInfo,
    Usage,
)
from lexic_sdk.version import VERSION as __version__

__all__ = [
    "Answer",
    "AsyncLexic",
    "AuthenticationError",
    "Citation",
    "Clarification",
    "ConfidenceBasis",
    "ConfigurationError",
    "ConflictError",
    "ConnectionError",
    "DecisionStep",
    "DeltaEvent",
    "DoneEvent",
    "ErrorEvent",
    "Event",
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
    "ProviderError",
    "QueryOptions",
    "RateLimitError",
    "ServerError",
    "StatusEvent",
    "StreamInterrupted",
    "TimeoutError",
    "Usage",
    "__version__",
]
