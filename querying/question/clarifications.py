"""The question we ask back, and the token that lets a stateless caller answer it.

The token is signed, lives for an hour, and is bound to the asker, the release and the question: from another key,
plugin or release it is refused. It carries the facts that were already known, so that nothing is asked twice.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from django.core import signing

from lexic.errors import InvalidInput
from querying.sanitize import sanitize
from querying.types import Clarification, Question

_SALT = "lexic.clarification"
RESUME_TOKEN_MAX_AGE = 3600


class InvalidResumeToken(InvalidInput):
    """This follow-up token does not belong to this key, plugin, release and question, or it has expired."""

    code = "invalid_followup"
    hint = "Ask the question again to get a fresh token, or send the fact in `facts`."


def with_resume_token(clarification: Clarification, *, question: Question) -> Clarification:
    facts = {name: value for name, value in question.facts.items() if isinstance(value, (str, int, float, bool))}
    payload = {"b": _token_binding(question), "f": clarification.field, "k": facts, "q": question.text}
    return replace(clarification, token=signing.dumps(payload, salt=_SALT, compress=True))


def clarification_text(clarification: Clarification) -> str:
    """The question with its options, for a caller who reads text only."""
    options = "\n".join(f"- {' '.join(sanitize(option).split())}" for option in clarification.options)
    return f"{clarification.question}\n\n{options}" if options else clarification.question


def resume_question(question: Question, *, token: str, answer: Any) -> Question:
    """The question with the missing fact filled in. An empty `question.text` is taken from the token.

    Raises `InvalidFollowup`.
    """
    try:
        payload = signing.loads(token, salt=_SALT, max_age=RESUME_TOKEN_MAX_AGE)
    except signing.BadSignature:
        raise InvalidResumeToken from None
    asked = replace(question, text=question.text or payload["q"])
    if payload["b"] != _token_binding(asked):
        raise InvalidResumeToken
    return replace(asked, facts={**payload["k"], **question.facts, payload["f"]: answer})


def _token_binding(question: Question) -> str:
    release = question.release
    version = "draft" if release.is_draft else str(release.pk)
    parts = [question.caller.name, str(release.plugin_id), version, " ".join(question.text.split())]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
