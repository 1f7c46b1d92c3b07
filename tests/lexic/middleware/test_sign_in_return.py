"""Whoever was signed out meanwhile and sends a form comes back to the page of the form."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db
PAGE = "http://testserver/admin/plugins/plugin/?q=boots"


def sent(client: Client, path: str, referer: str) -> str:
    return client.post(path, headers={"Referer": referer})["Location"]


# Named, so that every process collects the same tests.
NO_PLUGIN = UUID(int=7)


@pytest.mark.parametrize("path", [reverse("admin:builder_inbox_reply", args=[NO_PLUGIN]), "/projects"])
def test_sign_in_leads_back_to_the_page_of_the_form(client: Client, path: str) -> None:
    assert sent(client, path, PAGE).endswith("/login/?next=%2Fadmin%2Fplugins%2Fplugin%2F%3Fq%3Dboots")


@pytest.mark.parametrize("referer", ["", "https://elsewhere.example/projects", "//elsewhere.example", "javascript:1"])
def test_another_site_is_not_gone_to(client: Client, referer: str) -> None:
    assert sent(client, "/projects", referer) == "/accounts/login/?next=/projects"


def test_sign_in_page_does_not_lead_to_itself(client: Client) -> None:
    assert sent(client, "/projects", "http://testserver/accounts/login/") == "/accounts/login/?next=/projects"


def test_a_page_that_is_read_is_come_back_to(client: Client) -> None:
    assert client.get("/projects", headers={"Referer": PAGE})["Location"] == "/accounts/login/?next=/projects"


def test_giving_up_the_second_step_leads_to_the_sign_in_and_not_to_that_step(client: Client) -> None:
    page = f"http://testserver{reverse('mfa_authenticate')}"
    response = client.post(reverse("account_logout"), {"next": reverse("account_login")}, headers={"Referer": page})
    assert response["Location"] == reverse("account_login")
