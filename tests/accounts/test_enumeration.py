"""No door tells who has an account: the answers are the same, and so are the mails and the work that takes time.

A form that takes an address and is not named here fails the last test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from django import forms
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from conversations.models import Project
from conversations.signed_question_ids import sign_asked
from organisations.models import Membership, Organisation
from plugins.models import Plugin
from querying.models import Query
from tests.security.routes import routes

pytestmark = pytest.mark.django_db
NOBODY = "nobody@example.org"
PASSWORD = "a long walk home"


@pytest.fixture(autouse=True)
def mandatory(settings: Any) -> None:
    """As with a mail server."""
    reverse("account_login")  # which addresses there are is decided once, by the settings of that moment
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
    cache.clear()


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each password that was hashed, which is what takes time."""
    done: list[str] = []
    real = MD5PasswordHasher.encode

    def encode(self: MD5PasswordHasher, password: str, salt: str) -> str:
        done.append(password)
        return real(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    return done


def sign_up(client: Client, email: str) -> Any:
    return client.post(reverse("account_signup"), {"email": email, "password1": PASSWORD, "password2": PASSWORD})


def sign_in(client: Client, email: str) -> Any:
    return client.post(reverse("account_login"), {"login": email, "password": "not it at all"})


def reset(client: Client, email: str) -> Any:
    return client.post(reverse("account_reset_password"), {"email": email})


def invite(client: Client, email: str) -> Any:
    """As Charlie, to the one plugin of his; what he did before is forgotten."""
    charlie, _ = User.objects.get_or_create(email="charlie@example.org", is_staff=True)
    Plugin.objects.filter(owner=charlie).delete()
    cache.clear()
    plugin = Plugin.objects.create(pk=UUID(int=1), owner=charlie, name="Boots", domain="x", system_prompt="x")
    client.force_login(charlie)
    return client.post(reverse("admin:builder_invite", args=[plugin.pk]), {"email": email, "role": "editor"})


def invite_again(client: Client, email: str) -> Any:
    invite(client, email)
    plugin = Plugin.objects.get(owner__email="charlie@example.org")
    return client.post(reverse("admin:builder_invite", args=[plugin.pk]), {"email": email, "role": "viewer"})


def add_member(client: Client, email: str) -> Any:
    """As Charlie, to the one project of his."""
    charlie, _ = User.objects.get_or_create(email="charlie@example.org", is_staff=True)
    Project.objects.filter(owner=charlie).delete()
    cache.clear()
    project = Project.objects.create_with_base(owner=charlie, name="Boots")
    Project.objects.filter(pk=project.pk).update(id=UUID(int=1))
    client.force_login(charlie)
    return client.post(reverse("save_member", args=[UUID(int=1)]), {"email": email, "role": "editor"})


def invite_member(client: Client, email: str) -> Any:
    """As Charlie, to the one organisation of his."""
    charlie, _ = User.objects.get_or_create(email="charlie@example.org", is_staff=True)
    Organisation.objects.all().delete()
    cache.clear()
    organisation = Organisation.objects.create(pk=UUID(int=1), name="Boots")
    Membership.objects.create(organisation=organisation, user=charlie, role="owner")
    client.force_login(charlie)
    return client.post(reverse("invite_to_organisation", args=[UUID(int=1)]), {"email": email, "role": "editor"})


def find_provider(client: Client, email: str) -> Any:
    return client.post(reverse("find_provider"), {"email": email})


def put_to_expert(client: Client, email: str) -> Any:
    """On the page of Charlie's plugin, with the proof that comes with an answer."""
    charlie, _ = User.objects.get_or_create(email="charlie@example.org", is_staff=True)
    Plugin.objects.filter(owner=charlie).delete()
    cache.clear()
    plugin = Plugin.objects.create(
        owner=charlie, name="Boots", slug="boots", domain="x", system_prompt="x", is_published=True
    )
    query = Query.objects.create(plugin=plugin, question="?", release_name="boots@1.0.0", outcome="refused")
    said = {"proof": sign_asked(query.pk), "email": email}
    return client.post(reverse("put_to_expert", args=["boots"]), said)


@pytest.mark.parametrize(
    "door", [sign_up, sign_in, reset, invite, invite_again, add_member, invite_member, find_provider, put_to_expert]
)
def test_one_is_told_the_same_of_every_address(
    door: Callable[[Client, str], Any], alice: User, hashed: list[str]
) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    told = []
    for email in (alice.email, NOBODY):
        hashed.clear()
        mail.outbox.clear()
        client = Client()
        response = door(client, email)
        following = client.get(response["Location"]).content if response.status_code == 302 else b""
        said = _without_own_words((response.content + following).decode(), email)
        cookies = sorted(client.cookies)
        told.append((response.status_code, response.get("Location"), said, cookies, len(hashed), len(mail.outbox)))
    assert told[0] == told[1]


def test_a_code_for_an_address_that_somebody_has_opens_nothing(alice: User) -> None:
    client = Client()
    sign_up(client, alice.email)
    page = reverse("account_email_verification_sent")
    answers = {client.post(page, {"code": f"AAA-{number:03}"}).status_code for number in range(2)}
    other = Client()
    sign_up(other, NOBODY)
    assert answers == {other.post(page, {"code": f"AAA-{number:03}"}).status_code for number in range(2)}
    assert "_auth_user_id" not in client.session
    assert User.objects.filter(email=alice.email).count() == 1


def test_who_adds_an_address_is_told_the_same_of_every_one(alice: User, bob: User) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    told = []
    for email in (bob.email, NOBODY):
        EmailAddress.objects.filter(user=alice).delete()
        EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
        mail.outbox.clear()
        client = Client()
        cache.clear()
        client.post(reverse("account_login"), {"login": alice.email, "password": "correct horse battery"})
        response = client.post(reverse("account_email"), {"email": email, "action_add": ""})
        told.append(
            (response.status_code, response.get("Location"), [message.to for message in mail.outbox] == [[email]])
        )
    assert told[0] == told[1]


@pytest.mark.parametrize("mode", ["optional", "none"])
def test_where_nobody_proves_an_address_sign_up_alone_says_who_has_an_account(
    settings: Any, alice: User, mode: str
) -> None:
    """As docs/operations.md says: one answer for both would keep everybody out who has no mail."""
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = mode, False
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    taken, new = (sign_up(Client(), email) for email in (alice.email, NOBODY))
    assert (taken.status_code, new.status_code) == (200, 302)
    for door in (sign_in, reset):
        answers = [door(Client(), email) for email in (alice.email, "somebody@example.org")]
        told = [(one.status_code, one.get("Location")) for one in answers]
        assert told[0] == told[1]
    documented = Path("docs/operations.md").read_text().split("## What strangers can find out")[1]
    assert "sign-up says that it is taken" in documented.replace("\n  ", " ")


# Each form with an address, and the test that walks it; the empty ones are for operators, or at no address.
FORMS = {
    "accounts.forms.SilentSignupForm": sign_up,
    "allauth.account.forms.SignupForm": sign_up,
    "allauth.account.forms.BaseSignupForm": sign_up,
    "allauth.account.forms.ResetPasswordForm": reset,
    "allauth.account.forms.AddEmailForm": test_who_adds_an_address_is_told_the_same_of_every_one,
    "allauth.account.forms.ChangeEmailForm": None,
    "allauth.account.forms.RequestLoginCodeForm": None,
    "allauth.socialaccount.forms.SignupForm": sign_up,  # the same rule of allauth's, `PREVENT_ENUMERATION`
    "builder.sharing.forms.InviteForm": invite,
    "conversations.expert_request_form.ExpertRequestForm": put_to_expert,
    "django.contrib.auth.forms.PasswordResetForm": None,
    "django.contrib.auth.forms.UserChangeForm": None,
    "django.forms.widgets.UserForm": None,  # what the admin makes of it, once an operator's page was asked for
    "unfold.forms.UserChangeForm": None,
    "workspace.forms.MemberForm": add_member,
    "workspace.organisation_forms.InviteMemberForm": invite_member,
    "workspace.organisation_forms.SignInAddressForm": find_provider,
}


def test_every_form_that_takes_an_address_is_walked() -> None:
    for _ in routes(""):
        pass  # every view is loaded, and with it every form
    found = {f"{form.__module__}.{form.__qualname__}" for form in _subclasses(forms.BaseForm) if _takes_address(form)}
    assert {name for name in found if not name.startswith("tests.")} <= set(FORMS)
    with pytest.raises(NoReverseMatch):
        reverse("account_request_login_code")


def _subclasses(form: type) -> Iterator[type]:
    for one in form.__subclasses__():
        yield from (one, *_subclasses(one))


def _takes_address(form: Any) -> bool:
    fields = getattr(form, "base_fields", {}).values()
    return any(isinstance(one, forms.EmailField) or isinstance(one.widget, forms.EmailInput) for one in fields)


def _without_own_words(page: str, email: str) -> str:
    """A page without the address that was given, ids, and what is drawn anew with every form."""
    page = re.sub(r'(name="csrfmiddlewaretoken" value=")[^"]+', r"\1", page)
    page = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", page)
    page = re.sub(r"role-\d+", "role-ROW", page)
    return page.replace(email, "ADDRESS")
