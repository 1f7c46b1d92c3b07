"""One button after sign-up opens the builder."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db
PAGE = "/accounts/become-author"


@pytest.fixture
def dora() -> User:
    user = User.objects.create_user("dora@example.org", "correct horse battery")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=False)
    return user


def test_a_person_becomes_an_author(client: Client, dora: User) -> None:
    client.force_login(dora)
    assert reverse("become_author") == PAGE
    assert f'href="{PAGE}"' in client.get("/").content.decode()
    assert client.get(PAGE).status_code == 200
    dora.refresh_from_db()
    assert not dora.is_staff  # looking changes nothing
    answer = client.post(PAGE, follow=True)
    dora.refresh_from_db()
    assert (dora.is_staff, dora.is_superuser) == (True, False)
    assert "New plugin" in answer.content.decode()


def test_an_author_is_led_to_the_builder(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get(PAGE).headers["Location"] == reverse("admin:index")


def test_without_an_account_it_leads_to_one_and_back(client: Client) -> None:
    content = client.get(PAGE).content.decode()
    assert f"{reverse('account_signup')}?next={PAGE}" in content
    assert client.post(PAGE).headers["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize(("policy", "code"), [("off", "operator decides"), ("confirmed", "not confirmed yet")])
def test_a_site_may_choose_its_authors(client: Client, dora: User, settings, policy: str, code: str) -> None:
    settings.OPEN_AUTHORS = policy
    client.force_login(dora)
    assert code in client.get(PAGE).content.decode()
    answer = client.post(PAGE)
    assert answer.status_code == 403
    assert code in answer.content.decode()
    dora.refresh_from_db()
    assert not dora.is_staff


def test_a_confirmed_address_is_enough_where_it_is_asked_for(client: Client, dora: User, settings) -> None:
    settings.OPEN_AUTHORS = "confirmed"
    EmailAddress.objects.update(verified=True)
    client.force_login(dora)
    client.post(PAGE)
    dora.refresh_from_db()
    assert dora.is_staff


def test_who_asks_for_the_builder_and_builds_nothing_yet_comes_to_the_button(client: Client, dora: User) -> None:
    assert client.get("/admin/", follow=True).redirect_chain[-1][0].startswith("/accounts/login/")
    client.force_login(dora)
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == PAGE
    assert "Create your first plugin" in answer.content.decode()
    assert client.get("/admin/plugins/plugin/", follow=True).status_code == 403  # somebody else's page stays shut
