from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from accounts.models import User
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


def test_people_without_the_builder_are_shown_to_their_keys(browsing: Callable[[User], Client], visitor: User) -> None:
    content = browsing(visitor).get("/").content.decode()
    assert reverse("keys") in content
    assert "/admin/" not in content


def test_authors_are_shown_to_the_builder(browsing: Callable[[User], Client], alice: User) -> None:
    assert reverse("admin:plugins_plugin_changelist") in browsing(alice).get("/").content.decode()


ACCOUNT_PAGES = ["account_login", "account_signup", "account_reset_password", "account_reset_password_done"]


@pytest.mark.parametrize("name", ACCOUNT_PAGES)
def test_account_pages_are_pages_of_ours(client: Client, name: str) -> None:
    content = client.get(reverse(name)).content.decode()
    assert '<a class="brand"' in content
    assert "site.css" in content


def test_a_wrong_password_is_said_at_the_form(client: Client) -> None:
    said = {"login": "nobody@example.org", "password": "wrong"}
    content = client.post(reverse("account_login"), said).content.decode()
    assert "are not correct" in content


def test_signing_up_leads_to_the_first_page(client: Client, db: None) -> None:
    password = "a long walk home"
    said = {"email": "Erin@Example.org", "password1": password, "password2": password}
    response = client.post(reverse("account_signup"), said, follow=True)
    assert response.redirect_chain[-1][0] == "/"
    assert User.objects.get().email == "erin@example.org"
    assert "Your API keys" in response.content.decode()


def test_a_forgotten_password_is_set_anew(client: Client, visitor: User, mailoutbox) -> None:
    client.post(reverse("account_reset_password"), {"email": visitor.email})
    link = re.search(r"https?://[^/]+(/\S+)", mailoutbox[0].body)
    assert link
    page = client.get(link[1], follow=True)
    assert '<a class="brand"' in page.content.decode()
    new = {"password1": "another long walk", "password2": "another long walk"}
    client.post(page.redirect_chain[-1][0], new)
    visitor.refresh_from_db()
    assert visitor.check_password("another long walk")


def test_an_address_is_confirmed(client: Client, mailoutbox) -> None:
    password = "a long walk home"
    client.post(reverse("account_signup"), {"email": "erin@example.org", "password1": password, "password2": password})
    link = re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", mailoutbox[0].body)
    assert link
    assert '<a class="brand"' in client.get(link[1]).content.decode()
    assert client.post(link[1], follow=True).status_code == 200
    assert User.objects.get().emailaddress_set.get().verified


def test_a_page_that_is_not_there_says_so(client: Client) -> None:
    response = client.get("/nothing-here")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


def test_a_form_without_its_token_says_so(visitor: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("account_login"), {})
    assert response.status_code == 403
    assert "The form has expired" in response.content.decode()


def test_the_builder_leads_those_who_build_nothing_yet_to_its_button(
    browsing: Callable[[User], Client], visitor: User
) -> None:
    response = browsing(visitor).get(reverse("admin:index"), follow=True)
    assert response.redirect_chain[-1][0] == reverse("become_author")


def test_what_operators_do_is_not_said_to_be_a_plugin(browsing: Callable[[User], Client], charlie: User) -> None:
    response = browsing(charlie).get(reverse("admin:accounts_user_changelist"))
    assert response.status_code == 403
    assert "Only the operators of this site may do this" in response.content.decode()
    assert "this plugin" not in response.content.decode()


def test_the_builder_is_entered_through_the_one_sign_in(client: Client) -> None:
    response = client.get(reverse("admin:index"), follow=True)
    assert response.redirect_chain[-1][0].startswith(reverse("account_login"))


@pytest.mark.parametrize("name", ["400.html", "403.html", "404.html", "403_csrf.html", "429.html", "500.html"])
def test_error_pages_need_neither_a_request_nor_a_database(name: str, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert '<h1 id="fault">' in render_to_string(name)


def test_when_something_goes_wrong_the_page_says_so(alice: User, monkeypatch) -> None:
    monkeypatch.setattr("marketplace.site.home_view.featured_plugin", None)
    response = Client(raise_request_exception=False).get("/")
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()


def test_a_page_that_is_read_begins_at_its_top_and_one_that_answers_a_form_at_what_it_says(
    browsing: Callable[[User], Client], published: Plugin, visitor: User
) -> None:
    client = browsing(visitor)
    for path in ("/", "/marketplace", "/docs", "/marketplace/boots"):
        assert "arrival.js" not in client.get(path).content.decode(), path
    assert "arrival.js" in client.post("/marketplace/boots/try", {"question": ""}).content.decode()
    client.post("/marketplace/boots/report", {"reason": "other", "text": "It is odd."})
    assert "arrival.js" in client.get("/marketplace/boots").content.decode(), "it says that the report has arrived"
