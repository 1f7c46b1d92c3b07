"""Keys in the builder: the same ends as at the other doors."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, User
from lexic.conf.quotas import DEFAULT_QUOTAS

MAX_KEYS = DEFAULT_QUOTAS["account_keys"]

pytestmark = pytest.mark.django_db
SAID = {"name": "agent", "capabilities": ["query"], "per_minute": 60, "per_day": 5000}


@pytest.fixture
def builder(client: Client, alice: User) -> Client:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    client.force_login(alice)
    return client


def issue(owner: User) -> ApiKey:
    return ApiKey.objects.issue(owner=owner, name="agent")[0]


def complaints(client: Client, key: ApiKey, **said: str) -> list[str]:
    """What the form says is wrong; empty when it was kept."""
    response = client.post(reverse("admin:accounts_apikey_change", args=[key.pk]), {**SAID, **said})
    return response.context["adminform"].form.non_field_errors() if "adminform" in (response.context or {}) else []


def test_a_key_that_had_expired_does_not_come_back_beyond_the_end_to_making_keys(builder: Client, alice: User) -> None:
    old = issue(alice)
    ApiKey.objects.update(expires_at=timezone.now())
    for _ in range(MAX_KEYS):
        issue(alice)
    assert "This account has 20 of 20 keys." in complaints(builder, old)[0]
    assert ApiKey.objects.usable().count() == MAX_KEYS


def test_a_replaced_key_is_not_kept_for_good_and_may_be_renamed(builder: Client, alice: User) -> None:
    old = issue(alice)
    old.rotate(overlap=timedelta(days=1))
    assert "30 days at most" in complaints(builder, old)[0]
    old.refresh_from_db()
    assert old.expires_at is not None
    ends = timezone.localtime(old.expires_at)
    kept = {"expires_at_0": f"{ends:%Y-%m-%d}", "expires_at_1": f"{ends:%H:%M:%S}"}
    assert complaints(builder, old, name="the old one", **kept) == []
    old.refresh_from_db()
    assert old.name == "the old one"


def test_the_web_pages_that_may_use_a_key_are_changed_in_the_builder(builder: Client, alice: User) -> None:
    key = issue(alice)
    address = reverse("admin:accounts_apikey_change", args=[key.pk])
    refused = builder.post(address, {**SAID, "allowed_origins": "www.example.org"}).content.decode()
    assert "An origin is a scheme and a host" in refused
    assert complaints(builder, key, allowed_origins="https://www.example.org, https://a.example.org:8443") == []
    key.refresh_from_db()
    assert key.allowed_origins == ["https://www.example.org", "https://a.example.org:8443"]
    assert "https://www.example.org,https://a.example.org:8443" in builder.get(address).content.decode()
