"""Responses that were stored, for the key that asked for them."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import ApiKey
from lexic.database import release_connections
from lexic.errors import NotFound
from querying.models import Query, StoredResponse
from querying.query_log.quotations import WITHHELD_TEXT, withhold_quotations
from querying.redaction.redact_question import redact_question

logger = logging.getLogger(__name__)

RESPONSE_PREFIX, MESSAGE_PREFIX = "resp_", "msg_"


class UnknownResponse(NotFound):
    """There is no such response among those that this key asked for."""

    code = "unknown_response"
    hint = (
        "It may have been deleted, not stored, or asked for with another key. Send the whole conversation as `input`."
    )


def query_id_of(reference: str, *, prefix: str = RESPONSE_PREFIX, param: str = "") -> UUID:
    """The id of the question behind `resp_…` or `msg_…`. Raises `UnknownResponse` for any other text."""
    try:
        if reference.startswith(prefix):
            return UUID(hex=reference.removeprefix(prefix))
    except ValueError:
        pass
    raise UnknownResponse(param=param)


def get_stored(reference: str, *, key: ApiKey, param: str = "") -> StoredResponse:
    """The response of this id. Raises `UnknownResponse` as `find_stored` leaves it out."""
    query_id = query_id_of(reference, param=param)
    if (stored := find_stored([query_id], key=key).get(query_id)) is None:
        raise UnknownResponse(param=param)
    return stored


def delete_stored(reference: str, *, key: ApiKey) -> None:
    """Deletes the response of this id, also one that the key that asked may not read any more. Raises
    `UnknownResponse`."""
    if not StoredResponse.objects.filter(query=query_id_of(reference), query__api_key=key).delete()[0]:
        raise UnknownResponse


def find_stored(query_ids: Collection[UUID], *, key: ApiKey) -> dict[UUID, StoredResponse]:
    """The responses to these questions, by their ids. The key has asked them, may still ask their plugin, and may read
    all that they quote. `turns` is left out where the key may not read what the turns quote. Seven statements at most
    for those of one plugin."""
    if not query_ids:
        return {}
    rows = list(StoredResponse.objects.readable_by(key).filter(pk__in=query_ids).select_related("query"))
    in_conversation = {row.pk for row in rows if row.query.context}
    withhold_quotations([row.query for row in rows], viewer=key.owner)
    for row in rows:
        if row.pk in in_conversation and not row.query.context:
            row.turns = []  # they may quote what is withheld
    return {row.pk: row for row in rows if not _is_withheld(row.query)}


def _is_withheld(query: Query) -> bool:
    """Whether `withhold_quotations` has left something out: an answer without citations may quote as well."""
    return query.answer == WITHHELD_TEXT or any(citation.get("isWithheld") for citation in query.citations)


def store(query_id: UUID, *, body: dict[str, Any], turns: list[dict[str, str]]) -> bool:
    """Keeps the response with the query row of its question; false where that row could not be written, or was erased
    meanwhile."""
    kept = {**body, "metadata": redact_question(body["metadata"])}
    with release_connections(), transaction.atomic():
        if Query.objects.lock_kept(query_id) is None:
            logger.warning(
                "the response to query %s could not be stored: its row is not there, or its words were erased", query_id
            )
            return False
        StoredResponse.objects.create(query_id=query_id, body=kept, turns=redact_question(turns))
    return True


def message_text_of(stored: StoredResponse) -> str:
    """What the assistant said in it, or the values with which it called a tool."""
    output = stored.body["output"]
    said = (part["text"] for item in output for part in item.get("content", []))
    return "".join([*said, *(item.get("arguments", "") for item in output)])
