"""The operators' list: theirs alone, searched by names, and nothing on it can be changed."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.models import AuditEntry
from plugins import collaborators
from plugins.models import Plugin, Role

pytestmark = pytest.mark.django_db
LIST = "admin:audit_auditentry_changelist"


@pytest.fixture
def operator(bob: User) -> Client:
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    client = Client()
    client.force_login(bob)
    return client


@pytest.fixture
def entry(alice: User, charlie: User) -> AuditEntry:
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", system_prompt="x", domain="d")
    collaborators.assign_role(plugin, person=charlie, role=Role.VIEWER)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    return AuditEntry.objects.get(action="plugin.role_given")


def test_for_operators_alone(entry: AuditEntry, alice: User, client: Client) -> None:
    client.force_login(alice)
    for name, args in ((LIST, []), ("admin:audit_auditentry_change", [entry.pk])):
        assert client.get(reverse(name, args=args)).status_code in (302, 403, 404)


def test_list_and_entry(entry: AuditEntry, operator: Client) -> None:
    page = operator.get(reverse(LIST)).content.decode()
    assert "Charlie &lt;charlie@example.org&gt; (person)" in page
    shown = operator.get(reverse("admin:audit_auditentry_change", args=[entry.pk]))
    assert entry.hash in shown.content.decode()


def test_searched_and_filtered(entry: AuditEntry, operator: Client) -> None:
    def rows(query: dict[str, str]) -> set[str]:
        return {row.action for row in operator.get(reverse(LIST), query).context["cl"].result_list}

    assert "plugin.role_given" in rows({"q": "charlie@example"})
    assert rows({"action__exact": "plugin.role_given"}) == {"plugin.role_given"}
    assert rows({"q": "nobody at all"}) == set()


def test_nothing_can_be_changed(entry: AuditEntry, operator: Client) -> None:
    for name in ("change", "delete"):
        address = reverse(f"admin:audit_auditentry_{name}", args=[entry.pk])
        assert operator.post(address, {"action": "plugin.shared", "post": "yes"}).status_code in (403, 404)
    entry.refresh_from_db()
    assert entry.action == "plugin.role_given"


def test_one_statement_for_the_names_of_all_rows(entry: AuditEntry, operator: Client) -> None:
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as few:
        operator.get(reverse(LIST))
    for number in range(5):
        Plugin.objects.create(owner_id=User.objects.first().pk, name=f"P{number}", system_prompt="x", domain="d")  # type: ignore[union-attr]
    with CaptureQueriesContext(connection) as many:
        operator.get(reverse(LIST))
    assert len(many) == len(few)
