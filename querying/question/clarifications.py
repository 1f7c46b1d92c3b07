"""Clarifications, and the token that lets a stateless caller answer one.

The token is signed, expires after an hour, and is bound to the caller, the release and the question: with another key,
plugin, release or private layer it is refused, and so is the token of a private question in public. It carries the
facts that were already known, so that nothing is asked twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core import signing

from lexic.errors import InvalidInput
from querying.sanitize import sanitize
from querying.types.answer import Clarification
from querying.types.question import Question

# The facts that answer a question back for a missing time, and for which one is meant.
TIME_FIELD, SUBJECT_FIELD = "time", "subject"
RESUME_TOKEN_MAX_AGE = 3600
_SALT = "lexic.clarification"


class InvalidResumeToken(InvalidInput):
    """This follow-up token does not belong to this key, plugin, release and question, or it has expired."""

    code = "invalid_followup"
    hint = "Ask the question again to get a fresh token, or send the fact in `facts`."


@dataclass(frozen=True, kw_only=True)
class ResumeToken:
    """The question that we asked something back about, the facts known then, and the fact that was missing.
    `answered_fields` names those facts that answered what we had asked back before."""

    text: str
    facts: Mapping[str, Any]
    field: str
    answered_fields: frozenset[str]


def with_resume_token(clarification: Clarification, *, question: Question) -> Clarification:
    """The question back, with a token that `read_resume_token` accepts from the same caller."""
    facts = {name: value for name, value in question.facts.items() if isinstance(value, (str, int, float, bool))}
    payload = {
        "b": _token_binding(question),
        "f": clarification.field,
        "k": facts,
        "q": question.text,
        "a": sorted(question.answered_fields),
    }
    return replace(clarification, token=signing.dumps(payload, salt=_SALT, compress=True))


def read_resume_token(token: str, *, question: Question) -> ResumeToken:
    """What the token carries. A question without text is taken for the one that the token was made for.

    Raises `InvalidResumeToken`.
    """
    try:
        payload = signing.loads(token, salt=_SALT, max_age=RESUME_TOKEN_MAX_AGE)
    except signing.BadSignature:
        raise InvalidResumeToken from None
    if payload["b"] != _token_binding(question, text=question.text or payload["q"]):
        raise InvalidResumeToken
    answered = frozenset(payload.get("a", ()))  # a token from before an upgrade has none
    return ResumeToken(text=payload["q"], facts=payload["k"], field=payload["f"], answered_fields=answered)


def clarification_text(clarification: Clarification) -> str:
    """The question back with its options, for a caller who reads text only."""
    options = "\n".join(f"- {' '.join(sanitize(option).split())}" for option in clarification.options)
    return f"{clarification.question}\n\n{options}" if options else clarification.question


def _token_binding(question: Question, *, text: str = "") -> str:
    release = question.release
    version = "draft" if release.is_draft else str(release.pk)
    parts = [question.caller.name, str(release.plugin_id), version, " ".join((text or question.text).split())]
    parts += [str(layer.knowledge_base_id) for layer in question.layers]
    if question.is_private:  # its words, which the token carries, must not be asked again in public
        parts.append("private")
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
