"""Every error of the package. All are `LexicError`, so one `except` is enough; the subclasses say what happened."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass


class LexicError(Exception):
    """Lexic could not answer."""

    # A subclass' docstring is its message where the server sent none.
    default_code = "error"

    def __init__(
        self,
        message: str | None = None,
        *,
        status: int | None = None,
        code: str | None = None,
        hint: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        """`status` is the HTTP status, None where there was none; `code` is for programs, `hint` says what to do
        next; `retry_after` is in seconds, None where the server did not say."""
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.status = status
        self.code = code or self.default_code
        self.hint = hint
        self.request_id = request_id
        self.retry_after = retry_after
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r}, status={self.status}, code={self.code!r})"

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may do better in a moment."""
        if self.code == "spending_cap":  # which is reached until the month ends, or somebody raises it
            return False
        return self.status in RETRYABLE_STATUSES or self.is_in_progress

    @property
    def is_in_progress(self) -> bool:
        """Whether an earlier attempt of the same request is still being answered."""
        return self.code == "request_in_progress"


RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})


class ConfigurationError(LexicError):
    """The client was not set up so that it can ask anything."""

    default_code = "configuration"


class InvalidRequestError(LexicError):
    """The request is not valid."""

    default_code = "invalid"


class AuthenticationError(LexicError):
    """This needs a valid API key."""

    default_code = "not_authenticated"


class NotAllowedError(LexicError):
    """This key may not do that."""

    default_code = "not_allowed"


class NotFoundError(LexicError):
    """There is nothing here, or nothing that this key may see."""

    default_code = "not_found"


class ConflictError(LexicError):
    """Something changed in the meantime, or already exists."""

    default_code = "conflict"


class RateLimitError(LexicError):
    """Too many requests. `retry_after` says how many seconds to wait, where the server does."""

    default_code = "rate_limited"


class ServerError(LexicError):
    """Something went wrong on the server."""

    default_code = "internal"


class ProviderError(ServerError):
    """The language model or the service behind the server does not answer at the moment."""

    default_code = "provider_failed"


class InvalidResponseError(LexicError):
    """The server's answer could not be read."""

    default_code = "invalid_response"


class ConnectionError(LexicError, builtins.ConnectionError):  # noqa: A001 -- it is one, and is caught as one
    """The server could not be reached."""

    default_code = "connection"

    @property
    def is_retryable(self) -> bool:
        return True


class TimeoutError(LexicError, builtins.TimeoutError):  # noqa: A001 -- it is one, and is caught as one
    """The server did not answer in time."""

    default_code = "timeout"


class StreamInterrupted(LexicError):
    """The stream broke off before the answer was complete."""

    default_code = "stream_interrupted"

    def __init__(self, *, events: tuple[Any, ...] = (), text: str = "") -> None:
        """`events`, of the kind that the stream has, and `text` are what had arrived. Sentences in `text` were verified
        before they were sent."""
        super().__init__(hint="Ask again; what arrived is in .text and .events.")
        self.events = events
        self.text = text


_BY_STATUS: dict[int, type[LexicError]] = {
    401: AuthenticationError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    429: RateLimitError,
    502: ProviderError,
    503: ProviderError,
    504: ProviderError,
}


def error_class_for(*, status: int) -> type[LexicError]:
    if found := _BY_STATUS.get(status):
        return found
    if 400 <= status < 500:
        return InvalidRequestError
    return ServerError if status >= 500 else InvalidResponseError


def from_response(
    body: Any, *, status: int, request_id: str | None = None, retry_after: float | None = None
) -> LexicError:
    """The error that an HTTP reply stands for. `body` is its JSON, or None where it had none."""
    fields = body if isinstance(body, Mapping) else {}
    return error_class_for(status=status)(
        string_field(fields, "error") or string_field(fields, "detail") or None,
        status=status,
        code=string_field(fields, "code"),
        hint=string_field(fields, "hint"),
        request_id=request_id,
        retry_after=retry_after,
    )


def from_event(*, error: str, code: str, hint: str, request_id: str | None = None) -> LexicError:
    """The error that an error event within a stream stands for."""
    kind = ProviderError if code.startswith("provider_") else ServerError
    return kind(error or None, code=code, hint=hint, request_id=request_id)


# No message of ours is longer; a proxy's error page would be.
_MAX_MESSAGE_LENGTH = 1000


def string_field(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value[:_MAX_MESSAGE_LENGTH] if isinstance(value, str) else ""
