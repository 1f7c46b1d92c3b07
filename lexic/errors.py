"""The base class of every error that Lexic expects, so that each interface shows it in the same way."""

from __future__ import annotations

import inspect
from typing import Any


def try_again_in(seconds: int) -> str:
    """What to do about a limit, as a sentence, in the unit that people would take."""
    from django.utils.translation import ngettext  # the confined readers have the errors, and no Django

    if seconds >= 2 * 3600:
        count = -(-seconds // 3600)
        said = ngettext("Try again in %(count)s hour.", "Try again in %(count)s hours.", count)
    elif seconds >= 2 * 60:
        count = -(-seconds // 60)
        said = ngettext("Try again in %(count)s minute.", "Try again in %(count)s minutes.", count)
    else:
        count = seconds
        said = ngettext("Try again in %(count)s second.", "Try again in %(count)s seconds.", count)
    return said % {"count": count}


class LexicError(Exception):
    """Something went wrong."""

    # A subclass' docstring is its message: one sentence a stranger can act on.
    # `code` is what programs compare, `hint` says what to do next, `status` is the HTTP status, `param` the field
    # of the request that it is about, where there is one.
    code = "error"
    status = 500
    hint = ""
    param = ""

    def __init__(
        self,
        message: str | None = None,
        *,
        hint: str | None = None,
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.hint = hint if hint is not None else self.hint
        self.code = code or self.code
        self.param = param or self.param
        super().__init__(self.message)

    @property
    def message_with_hint(self) -> str:
        """What went wrong, and what to do next, as one text for a person."""
        from django.utils.translation import gettext

        return f"{gettext(self.message)} {gettext(self.hint)}".strip()

    def as_dict(self) -> dict[str, Any]:
        """The error as every interface shows it: `error`, `code`, `hint`."""
        return {"error": self.message, "code": self.code, "hint": self.hint}


class InvalidInput(LexicError):
    """The request is not valid."""

    code = "invalid"
    status = 400
    hint = "Correct this and try again."


class NotFound(LexicError):
    """There is nothing here, or nothing that you may see."""

    code = "not_found"
    status = 404
    hint = "Check the name or id, and that this key or account may see it."


class NotAllowed(LexicError):
    """You may not do this."""

    code = "not_allowed"
    status = 403


class Conflict(LexicError):
    """Something changed in the meantime, or already exists."""

    code = "conflict"
    status = 409
