"""Every mail that allauth sends is ours: HTML and text of one template, in the language of the reader."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import allauth
import pytest
from django.core.mail import EmailMultiAlternatives
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone, translation
from lxml import html

from accounts.adapters import AccountAdapter
from accounts.models import User
from lexic.conf.languages import LANGUAGES
from tests.pages.test_languages import pseudo, untranslated

__all__ = ["pseudo"]
pytestmark = pytest.mark.django_db

_TEMPLATES = Path(allauth.__file__).parent / "templates"
# Those of allauth and our own; `base` is none, and accounts have no user names to forget.
PREFIXES = sorted(
    {
        str(path.relative_to(root)).removesuffix("_subject.txt")
        for root in (_TEMPLATES, Path(__file__).parents[2] / "templates")
        for path in root.glob("*/email/*_subject.txt")
    }
)
LINKS = ("activate_url", "password_reset_url", "signup_url")
CODE = "2H7-K9P"
CONTEXT = {
    **{name: f"https://testserver/{name}" for name in LINKS},
    "ip": "203.0.113.7",
    "user_agent": "7/1",
    "from_email": "1@2.3",
    "to_email": "4@5.6",
    "deleted_email": "7@8.9",
    "provider": "Γιτ",
}


def rendered(prefix: str, user: User, **more: Any) -> EmailMultiAlternatives:
    site = type("Site", (), {"domain": "testserver", "name": "Lexic"})
    context = {**CONTEXT, "user": user, "current_site": site, "timestamp": timezone.now(), **more}
    return AccountAdapter().render_mail(prefix, user.email, context)


@pytest.fixture
def greek(alice: User) -> User:
    alice.display_name, alice.email = "Αλίκη", "1@2.3"
    return alice


def test_all_of_them_are_known() -> None:
    assert {"account/email/email_confirmation", "account/email/fresh_code", "mfa/email/webauthn_added"} <= set(PREFIXES)
    assert len(PREFIXES) >= 20


@pytest.mark.parametrize("code", ["", CODE])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_mail_is_html_and_text_and_no_text_of_it_stays_english(
    pseudo: Client, greek: User, prefix: str, code: str
) -> None:
    with translation.override("de"):
        mail = rendered(prefix, greek, code=code)
    content = str(mail.alternatives[0][0])
    [language] = re.findall(r'<html lang="(.*?)"', content)
    assert language == "de"
    assert mail.subject.startswith("Lexic: ⟦")
    assert untranslated(HttpResponse(content.replace(CODE, ""))) == []
    for link in html.document_fromstring(content).iter("a"):
        assert f"{link.get('href')}" in str(mail.body)


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        ("account/email/email_confirmation_signup", "https://testserver/activate_url"),
        ("account/email/account_already_exists", "https://testserver/password_reset_url"),
        ("account/email/password_reset_key", "https://testserver/password_reset_url"),
        ("account/email/unknown_account", "https://testserver/signup_url"),
        ("account/email/email_changed", "From 1@2.3 to 4@5.6."),
        ("account/email/email_deleted", "7@8.9"),
        ("account/email/password_changed", "203.0.113.7"),
        ("socialaccount/email/account_connected", "Γιτ"),
    ],
)
def test_a_mail_says_what_it_is_about(alice: User, prefix: str, said: str) -> None:
    mail = rendered(prefix, alice)
    assert said in str(mail.body)
    assert said in str(mail.alternatives[0][0])


@pytest.mark.parametrize("prefix", ["account/email/fresh_code", "account/email/email_confirmation"])
def test_a_code_stands_on_a_line_of_its_own(alice: User, prefix: str) -> None:
    assert f"\n\n{CODE}\n\n" in str(rendered(prefix, alice, code=CODE).body)


def test_a_name_is_no_markup_and_no_second_line_of_a_heading(alice: User) -> None:
    alice.display_name = "<img src=x>"
    mail = rendered("account/email/email_confirmation", alice)
    assert "<img" in str(mail.body)
    assert "<img" not in str(mail.alternatives[0][0])
    assert "\n" not in rendered("socialaccount/email/account_connected", alice, provider="a\nb").subject


@pytest.mark.parametrize("language", [code for code, _ in LANGUAGES])
def test_a_mail_is_in_the_language_of_whoever_asks_for_it(client: Client, mailoutbox: list[Any], language: str) -> None:
    user = User.objects.create_user(email="gina@example.org", password="correct horse battery")
    with translation.override(None):  # what the request switches to ends with it
        client.post("/accounts/password/reset/", {"email": user.email}, headers={"accept-language": language})
    [mail] = mailoutbox
    with translation.override(language):
        assert mail.subject == f"Lexic: {translation.gettext('Set a new password')}"
    assert re.search(r"https?://\S+/accounts/password/reset/key/\S+", mail.body)
