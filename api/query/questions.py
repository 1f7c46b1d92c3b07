"""The body of a request as a question to one release, for every form of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rest_framework.request import Request

from accounts.models import ApiKey, Principal
from api.fields import validated
from api.query.serializers import QuestionSerializer
from knowledge.search.filters import Filters
from lexic.middleware.request_id import new_question_id
from plugins.models import Release
from querying import releases
from querying.field_schema import ObjectSchema
from querying.question.resume import resume_from_context, resume_from_token
from querying.types.question import Caller, CitationStyle, Options, Question, Turn


def parse_question(data: Any, *, key: ApiKey) -> Question:
    """A body as a client sent it, as a question. Raises `ValidationError`, and what `read_question` raises."""
    return read_question(validated(QuestionSerializer(data=data)), key=key)


def read_question(body: dict[str, Any], *, key: ApiKey, schema: ObjectSchema | None = None) -> Question:
    """A valid body as a question, with the schema that its answer fills.

    Raises `UnknownPlugin`, `UnknownRelease`, `InvalidResumeToken` and `InvalidInput`.
    """
    # Invalid options are reported before a plugin that does not exist.
    options = make_options(body.get("options"))
    release = releases.resolve(body["plugin"], principal=key)
    question = make_question(body, options=options, release=release, caller=make_caller(key))
    return replace(question, schema=schema)


def check_askable(request: Request, *, field: str) -> None:
    """Raises `UnknownPlugin` or `UnknownRelease` where the key may not ask what this field of the body names."""
    assert isinstance(request.auth, ApiKey)
    body: Any = request.data
    if field in body:
        releases.resolve(str(body[field]), principal=request.auth)


def make_caller(principal: Principal) -> Caller:
    """The key or the person as the one who asks."""
    if isinstance(principal, ApiKey):
        return Caller(name=f"key:{principal.pk}", api_key_id=principal.pk, user_id=principal.owner_id)
    return Caller(name=f"user:{principal.pk}", user_id=principal.pk)


def make_question(body: dict[str, Any], *, options: Options, release: Release, caller: Caller) -> Question:
    """A question to this release: with a `followup` the one that its token belongs to, and after turns that end with a
    tree's question the one that the tree was asked. Raises `InvalidResumeToken`."""
    question = Question(
        text=body["query"],
        release=release,
        caller=caller,
        context=tuple(Turn(role=turn["role"], content=turn["content"]) for turn in body.get("context") or []),
        facts=body.get("facts") or {},
        options=options,
        id=new_question_id(),
    )
    if followup := body.get("followup"):
        return resume_from_token(question, token=followup["token"], answer=followup["answer"])
    return resume_from_context(question)


def make_options(fields: dict[str, Any] | None) -> Options:
    """Valid `options` as the pipeline takes them. Raises `InvalidInput` for filters that cannot be read."""
    if not fields:
        return Options()
    filters = Filters.parse(fields["filters"] or {})
    if fields["asOf"]:
        filters = replace(filters, as_of=fields["asOf"])
    return Options(
        citation_style=CitationStyle(fields["citationMode"]),
        max_sources=fields["maxSources"],
        include_decision_path=fields["includeDecisionPath"],
        include_citations=fields["includeCitations"],
        filters=filters or None,
        timezone=fields["timezone"],
    )
