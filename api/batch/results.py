"""The results of a batch, read from the log of questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accounts.models import ApiKey
from api.models import Batch, BatchItem
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.quotations import withhold_quotations

_PAGE_SIZE = 100
_GONE = {
    "error": "The answer is not kept any more, or is closed to this key.",
    "code": "answer_gone",
    "hint": "Ask the question again.",
}


def batch_results(batch: Batch, *, key: ApiKey) -> Iterator[dict[str, Any]]:
    """A line for each question that was asked, in their order: its `id`, and its `response` or an `error`."""
    asked = batch.items.filter(state__in=[BatchItem.State.ANSWERED, BatchItem.State.FAILED]).order_by("number")
    items = list(asked)
    for start in range(0, len(items), _PAGE_SIZE):
        page = items[start : start + _PAGE_SIZE]
        queries = _readable_queries([item.question_id for item in page], key=key)
        for item in page:
            query = queries.get(item.question_id)
            error = item.error or (None if query else _GONE)
            response = _query_as_json(query) if query and not error else None
            yield {"id": item.custom_id, "response": response, "error": error}


def _readable_queries(ids: list[Any], *, key: ApiKey) -> dict[Any, Query]:
    """The rows by their ids, of plugins that the key may still ask, without what it may not read any more."""
    rows = Query.objects.filter(pk__in=ids, erased_at=None, plugin__in=Plugin.objects.askable_by(key))
    return {row.pk: row for row in withhold_quotations(rows, viewer=key.owner)}


def _query_as_json(query: Query) -> dict[str, Any]:
    """What the log keeps of an answer. A question back has no token there: ask again with the fact."""
    return {
        "answer": query.answer,
        "citations": query.citations,
        "decisionPath": query.decision_path,
        "confidence": query.confidence,
        "outcome": query.outcome,
        "reason": query.reason or None,
        "why": [query.error] if query.error else [],
        "queryId": str(query.pk),
        "release": query.release_name,
        "usage": {"promptTokens": query.prompt_tokens, "completionTokens": query.completion_tokens},
    }
