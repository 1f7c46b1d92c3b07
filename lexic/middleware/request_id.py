"""An id for each request: in the header `X-Request-Id` of its response, and in every line that the log has of it.

A task that a request asks for has the same id (`lexic.task_signals`).
"""

from __future__ import annotations

import re
import uuid
from contextvars import ContextVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lexic.middleware.response_middleware import response_middleware

HEADER = "X-Request-Id"
_PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_OWN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# As secrets of many makers begin, and tokens that are JSON.
_SECRET = re.compile(r"(?i)(?:^|[._-])(?:(?:lx[ar]?|sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|whsec)[_-]|akia|eyJ)")
_current: ContextVar[str] = ContextVar("request_id", default="")
_is_ours: ContextVar[bool] = ContextVar("request_id_is_ours", default=False)


def current_request_id() -> str:
    """The id of the request that is being answered; empty outside of one."""
    return _current.get()


def number_to_report() -> str:
    """What somebody tells the operators to whom an error was shown: every line that the log has of the request holds
    it. Of our own ids the beginning is enough."""
    known = _current.get() or str(uuid.uuid4())
    return known.partition("-")[0] if _OWN_ID.fullmatch(known) else known


def begin_request(sent: str) -> None:
    """Takes the id that the caller sent where it may stand in logs, or makes one."""
    is_safe = _is_safe(sent)
    _is_ours.set(not is_safe)
    _current.set(sent if is_safe else str(uuid.uuid4()))


def _is_safe(sent: str) -> bool:
    """Whether it is short, of harmless characters, and has nothing in it that a log leaves out."""
    from lexic.log_redaction import redact  # which imports this module

    return _PLAIN_ID.fullmatch(sent) is not None and not _SECRET.search(sent) and redact(sent) == sent


def take_id(request_id: str) -> None:
    """Works for the request of this id from now on; an empty one is none."""
    _is_ours.set(False)
    _current.set(request_id)


def new_question_id() -> uuid.UUID:
    """For the question that a request asks: the request's own id. A new one where the caller chose that, and for a
    further question of the same request."""
    if not _is_ours.get():
        return uuid.uuid4()
    _is_ours.set(False)
    return uuid.UUID(current_request_id())


def _set_header(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    response.headers[HEADER] = current_request_id()
    return response


request_id = response_middleware(_set_header, before=lambda request: begin_request(request.headers.get(HEADER, "")))
