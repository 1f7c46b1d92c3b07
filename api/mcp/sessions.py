"""Sessions over HTTP, for clients of a revision with a handshake that can ask their user for a missing fact.

The session's id is signed and holds all there is to know of it, so any process can read it and nothing is stored. A
client that cannot ask its user gets none: each of its requests stands alone.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from django.core import signing
from mcp.types import ClientCapabilities, InitializeRequestParams
from mcp.types.version import is_version_at_least
from pydantic import ValidationError

from accounts.models import ApiKey
from lexic.errors import LexicError

HEADER = "Mcp-Session-Id"
_SALT = "lexic.mcp.session"
# A client that is asked while its call waits has to know forms, which this revision brought.
FORMS_SINCE = "2025-06-18"


class UnknownSession(LexicError):
    """There is no such session, or it belongs to another key."""

    code = "unknown_session"
    status = 404
    hint = "Send `initialize` again, without the header Mcp-Session-Id, and use the id that its answer has."


@dataclass(frozen=True, kw_only=True)
class Session:
    """A client that asks its user for facts, with one key."""

    key_id: str
    number: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    @classmethod
    def begin(cls, message: dict[str, Any], *, key: ApiKey) -> Session | None:
        """The session that this message opens; None where it opens none."""
        if message.get("method") != "initialize":
            return None
        try:
            params = InitializeRequestParams.model_validate(message.get("params"))
        except ValidationError:
            return None
        knows_forms = is_version_at_least(str(params.protocol_version), FORMS_SINCE) and has_forms(params.capabilities)
        return cls(key_id=str(key.pk)) if knows_forms else None

    @classmethod
    def read(cls, text: str, *, key: ApiKey) -> Session:
        """Raises `UnknownSession`."""
        try:
            key_id, number = signing.loads(text, salt=_SALT)
        except (signing.BadSignature, ValueError, TypeError):
            raise UnknownSession from None
        if key_id != str(key.pk):
            raise UnknownSession
        return cls(key_id=key_id, number=number)

    @property
    def id(self) -> str:
        return signing.dumps([self.key_id, self.number], salt=_SALT)


def has_forms(declared: ClientCapabilities | None) -> bool:
    """Whether a client of these capabilities shows forms. One that names no mode does: forms are the oldest mode."""
    modes = declared.elicitation if declared else None
    return modes is not None and (modes.form is not None or modes.url is None)
