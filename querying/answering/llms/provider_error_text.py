"""The text of a provider's error, with keys and account names hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from querying.sanitize import sanitize

_MAX_CHARACTERS = 300
# Keys, tokens and the names of accounts: what stands behind a prefix such as "sk-", and long words with a digit.
_SECRET = re.compile(
    r"\bBearer [^\s]{1,200}|\b(?:sk|pk|rk|org|proj|user|acct)[-_][\w*-]{3,}|\b(?=[a-z_-]{0,64}\d)[\w-]{20,}",
    re.IGNORECASE,
)
_HIDDEN = "[hidden]"


def provider_error_text(status: int, body: Any) -> str:
    """The status, the code and the message of an error's body in OpenAI's shape, in one line of at most 300 characters.

    Keys, account names and what looks like them are hidden.
    """
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    error = error if isinstance(error, Mapping) else {"message": error}
    said = [f"HTTP {status}", *(str(error[name]) for name in ("code", "message") if error.get(name))]
    text = " ".join(sanitize(": ".join(said)).split())[: 4 * _MAX_CHARACTERS]
    if settings.OPENAI_API_KEY:
        text = text.replace(settings.OPENAI_API_KEY, _HIDDEN)
    return _SECRET.sub(_HIDDEN, text)[:_MAX_CHARACTERS]
