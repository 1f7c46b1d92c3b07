"""The lists for operators, in the words of the other pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("model", "title"),
    [("accounts_apikey", "API keys"), ("accounts_user", "People"), ("account_emailaddress", "Email addresses")],
)
def test_a_list_is_called_by_what_is_in_it(client: Client, model: str, title: str) -> None:
    operator = User.objects.create_superuser("root@example.org", "correct horse battery")
    client.force_login(operator)
    response = client.get(reverse(f"admin:{model}_changelist"), {"q": "nothing is called so"})
    page = response.content.decode()
    assert response.context["title"] == title
    assert ("to change" in page, "yielded into" in page) == (False, False)
    assert "Nothing found" in page
    assert "Try other words" in page


def test_a_list_says_days_and_headings_as_other_pages_do(client: Client, alice: User) -> None:
    operator = User.objects.create_superuser("root@example.org", "correct horse battery")
    User.objects.filter(pk=alice.pk).update(created_at=datetime(2026, 11, 4, 14, 38, tzinfo=UTC))
    client.force_login(operator)
    page = client.get(reverse("admin:accounts_user_changelist")).content.decode()
    assert "4 November 2026, 14:38" in page
    assert ("Joined" in page, "Created at" in page, ">show all<" in page) == (True, False, False)
    assert ("May sign in" in page, "Is active" in page) == (True, False)
    assert "1 found" in client.get(reverse("admin:accounts_user_changelist"), {"q": "alice"}).content.decode()


def test_the_list_of_questions_is_called_as_the_menu_calls_it(client: Client, alice: User) -> None:
    client.force_login(User.objects.create_superuser("root@example.org", "correct horse battery"))
    page = client.get(reverse("admin:querying_query_changelist")).content.decode()
    assert '<h1 title="Questions asked">Questions asked</h1>' in page
