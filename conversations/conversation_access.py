"""Finds a private conversation among a person's own. The site and the API use the same rule."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Principal
from conversations.models import ChatSession
from lexic.errors import NotFound


class UnknownConversation(NotFound):
    """There is no such conversation among yours."""

    code = "unknown_conversation"


def find_conversation(principal: Principal, pk: UUID) -> ChatSession:
    """The person's own conversation with its project. Raises `UnknownConversation`."""
    found = ChatSession.objects.private_to(principal).select_related("project").filter(pk=pk).first()
    if found is None:
        raise UnknownConversation
    return found
