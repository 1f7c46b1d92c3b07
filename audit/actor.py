"""The actor of the current request, task or command. It is looked up when an entry is written, so it need not be passed
along."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from audit.references import Reference, person
from lexic.http.client_address import client_address
from lexic.middleware.response_middleware import response_middleware

_request: ContextVar[HttpRequest | None] = ContextVar("audited_request", default=None)
_asked_by: ContextVar[Reference | None] = ContextVar("task_asked_by", default=None)


def current_request() -> HttpRequest | None:
    """The request that is being answered; None outside of one."""
    return _request.get()


def current_actor() -> tuple[Reference | None, str]:
    """The person who acts (None if no person has signed in), and the means: `page`, `key:ID`, `task:NAME`,
    `scim:ORGANISATION` or `command:NAME by SYSTEM ACCOUNT`."""
    if request := _request.get():
        key = getattr(request, "api_key", None)
        if key is not None:
            return person(key.owner), f"key:{key.pk}"
        if directory := getattr(request, "scim_organisation", None):
            return None, f"scim:{directory.pk}"
        user = getattr(request, "user", None)
        return (person(user) if user is not None and user.is_authenticated else None), "page"
    from celery import current_task  # slow import

    if current_task:
        return _asked_by.get(), f"task:{current_task.name}"
    return None, f"command:{_command_name()} by {_system_account()}"


@contextmanager
def on_behalf_of(who: Reference) -> Iterator[None]:
    """What a task does in this block, it does because this person asked for it."""
    token = _asked_by.set(who)
    try:
        yield
    finally:
        _asked_by.reset(token)


def current_address() -> str:
    """The network address of the request, if the site records it (`LEXIC_AUDIT_ADDRESSES`); else empty."""
    request = _request.get()
    return client_address(request) if request and settings.AUDIT["addresses"] else ""


def _command_name() -> str:
    program = Path(sys.argv[0]).name
    return sys.argv[1] if program == "manage.py" and len(sys.argv) > 1 else program or "python"


def _system_account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may have an account without a name
        return "unknown"


def _forget(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    _request.set(None)
    return response


remember_request = response_middleware(_forget, before=_request.set)
