"""What a new password needs is said in one line, wherever one is chosen."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db
RULES = "At least 10 characters, and not a common password."


def test_the_rules_are_one_line(client: Client, alice: User) -> None:
    assert RULES in client.get("/accounts/signup/").content.decode()
    alice.set_password("a long walk home")
    alice.save()
    client.force_login(alice)
    content = client.get("/accounts/password/change/").content.decode()
    assert RULES in content
    assert "commonly used" not in content


def test_what_is_wrong_with_a_password_is_said_in_full(client: Client) -> None:
    said = {"email": "erin@example.org", "password1": "short", "password2": "short"}
    content = client.post("/accounts/signup/", said).content.decode()
    assert "This password is too short." in content
    assert not User.objects.filter(email="erin@example.org").exists()


def test_they_are_said_in_the_language_of_the_page(client: Client) -> None:
    content = client.get("/accounts/signup/", headers={"accept-language": "de"}).content.decode()
    assert "Mindestens 10 Zeichen, und kein häufiges Passwort." in content
