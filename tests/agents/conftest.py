"""Bob asks the plugin on concrete cover in conversations of his own."""

from __future__ import annotations

import pytest

from accounts.models import User
from conversations.models import ChatSession
from tests.cover import handbook, plugin, published
from tests.servers import stub

__all__ = ["handbook", "plugin", "published", "stub"]


@pytest.fixture
def session(bob: User) -> ChatSession:
    return ChatSession.objects.begin_private(user=bob, project=None, title="Cover")
