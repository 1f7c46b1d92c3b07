"""The lists for operators, in the words of the other pages."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("model", "title"),
    [("accounts_apikey", "API keys"), ("accounts_user", "Users"), ("account_emailaddress", "Email addresses")],
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
