from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from accounts.models import User
from marketplace.models import Listing
from tests.marketplace.catalogue.made import listed

pytestmark = pytest.mark.django_db

PAGES = ["/", "/marketplace", "/marketplace/boots", "/docs/quickstart", "/nothing-here"]
FOR_ALL = ["/marketplace/releases.atom", "/api/marketplace", "/api/marketplace/boots", "/sitemap.xml"]


@pytest.fixture
def boots(alice: User) -> Listing:
    return listed(alice, "Boots")


def kept(client: Client, path: str) -> set[str]:
    said = client.get(path).headers.get("Cache-Control", "")
    return {part.strip() for part in said.split(",") if part}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_for_somebody_is_kept_by_no_cache_between(boots: Listing, charlie: User, path: str) -> None:
    client = Client()
    client.force_login(charlie)
    assert "private" in kept(client, path)


@pytest.mark.parametrize("path", [*PAGES, *FOR_ALL])
def test_what_visitors_get_is_kept_as_before(boots: Listing, path: str) -> None:
    assert "private" not in kept(Client(), path)


@pytest.mark.parametrize("path", FOR_ALL)
def test_what_is_the_same_for_everybody_stays_so_for_people(boots: Listing, charlie: User, path: str) -> None:
    client = Client()
    client.force_login(charlie)
    assert kept(client, path) == kept(Client(), path)


def test_so_it_is_under_asgi(charlie: User) -> None:
    client = AsyncClient()
    async_to_sync(client.aforce_login)(charlie)
    assert "private" in async_to_sync(client.get)("/docs/quickstart").headers["Cache-Control"]


def test_after_signing_out_it_is_nobody_s(charlie: User) -> None:
    client = Client()
    client.force_login(charlie)
    client.logout()
    assert "private" not in kept(client, "/")
