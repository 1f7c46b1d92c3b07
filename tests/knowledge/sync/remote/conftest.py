from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest

from knowledge.sync.remote import web_client
from lexic.egress import EgressPolicy
from tests.knowledge.sync.remote.servers import Site, web_site


@pytest.fixture(autouse=True)
def this_machine_is_listed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SOURCES_EGRESS = EgressPolicy(networks=frozenset({ip_network("127.0.0.0/8")}))
    monkeypatch.setattr(web_client, "_PAUSE_SECONDS", 0.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with web_site() as running:
        yield running
