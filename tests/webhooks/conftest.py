from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from plugins.models import Plugin
from tests.cover import plugin, published
from tests.webhooks.receiver import Receiver, receiving
from webhooks.models import Event, Webhook

__all__ = ["plugin", "published"]  # Alice's plugin on cover, which can be asked


@pytest.fixture
def boots(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="safety", system_prompt="x")


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    """A receiver on this machine, to which the egress policy makes one exception."""
    with receiving() as server:
        settings.WEBHOOK_POLICY = server.policy
        yield server


@pytest.fixture
def webhook(boots: Plugin, receiver: Receiver, alice: User) -> Webhook:
    """Listens to everything but the words of questions."""
    made = Webhook(plugin=boots, url=receiver.url, events=Event.values, created_by=alice)
    made.set_new_secret()
    made.save()
    return made
