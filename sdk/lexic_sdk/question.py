"""A question as the body of `POST /api/v1/query`. Only what was given is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal

from lexic_sdk.errors import ConfigurationError, InvalidRequestError
from lexic_sdk.results import Answer, Fact

Turn = Mapping[str, str]
Context = Sequence[Turn]
Facts = Mapping[str, Fact]
Filters = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class QueryOptions:
    """How to answer. What is left at None is not sent, so the server's default holds."""

    citation_mode: Literal["inline", "footnote", "off"] | None = None
    max_sources: int | None = None
    include_decision_path: bool | None = None
    include_citations: bool | None = None
    as_of: date | str | None = None
    filters: Filters | None = None


Options = QueryOptions | Mapping[str, Any]

_NAMES = {
    "citation_mode": "citationMode",
    "max_sources": "maxSources",
    "include_decision_path": "includeDecisionPath",
    "include_citations": "includeCitations",
    "as_of": "asOf",
}


def make_body(
    query: str,
    *,
    plugin: str | None,
    plugins: Sequence[str] | None = None,
    context: Context | None = None,
    options: Options | None = None,
    facts: Facts | None = None,
    filters: Filters | None = None,
) -> dict[str, Any]:
    """Raises `ConfigurationError` when no plugin is named, `InvalidRequestError` for facts that have no names."""
    if not (plugin or plugins):
        raise ConfigurationError(
            "No plugin is named.", hint="Pass plugin= or default_plugin=, or call set_active_plugin()."
        )
    body: dict[str, Any] = {"plugins": list(plugins)} if plugins else {"plugin": plugin}
    body["query"] = query
    if context:
        body["context"] = [dict(turn) for turn in context]
    sent_options = facts_json(options) | ({"filters": dict(filters)} if filters else {})
    if sent_options:
        body["options"] = sent_options
    if facts:
        if not isinstance(facts, Mapping):  # agents write a sentence, or JSON in a text
            raise InvalidRequestError("The facts are no object.", hint="Give each fact by its name.")
        body["facts"] = dict(facts)
    return body


def facts_json(options: Options | None) -> dict[str, Any]:
    """Options as the server spells them. A mapping may use its spelling or ours; unknown names are passed on."""
    if options is None:
        return {}
    if isinstance(options, QueryOptions):
        options = {f.name: getattr(options, f.name) for f in fields(options)}
    given = {_NAMES.get(name, name): value for name, value in options.items() if value is not None}
    if isinstance(given.get("asOf"), date):
        given["asOf"] = given["asOf"].isoformat()
    return given


def make_followup(result: Answer, answer: Fact) -> dict[str, Any]:
    """The body that answers what `result` asks back: the same question to the same release, with the token.

    Raises `InvalidRequestError` when it asks nothing, or was not asked by a client (`result.request` is empty).
    """
    if result.clarification is None or not result.clarification.token:
        raise InvalidRequestError("This result asks nothing back.", code="nothing_to_answer")
    if result.request.get("plugins"):  # a token is of one of them: all are told the fact
        facts = {**(result.request.get("facts") or {}), result.clarification.field: answer}
        return {**result.request, "facts": facts}
    # A token belongs to one release; a newer one may have been published since.
    plugin = result.release or result.request.get("plugin")
    if not plugin:
        raise InvalidRequestError("This result does not say which plugin was asked.", code="nothing_to_answer")
    return {
        **result.request,
        "plugin": plugin,
        "query": result.request.get("query", ""),
        "followup": {"token": result.clarification.token, "answer": answer},
    }
