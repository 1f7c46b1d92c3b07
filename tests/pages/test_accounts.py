"""The pages of an account in a real browser: passkeys, a provider elsewhere, every page under the strict policy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import Page

from accounts.models import ApiKey, User
from connectors.models import DriveConnection
from plugins.models import Plugin
from querying.models import Query
from tests.browsers import PASSWORD, WIDE_AND_NARROW, each_look, overflow, serious_in_each_look
from tests.browsers import sign_in_by_hand as sign_in
from tests.openid_stub import Stub, openid_provider

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def provider(settings: Any) -> Iterator[Stub]:
    with openid_provider() as stub:
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": stub.settings()["openid_connect"]}
        yield stub


@pytest.fixture
def dora(visitor: User) -> User:
    """Has a confirmed address, so that a second step may be set up."""
    cache.clear()
    EmailAddress.objects.create(user=visitor, email=visitor.email, verified=True, primary=True)
    return visitor


@pytest.fixture
def device(page: Page) -> Iterator[Any]:
    """A device that holds passkeys, and whose owner agrees to everything."""
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield tools
    tools.detach()


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm", exact=True).click()


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/")


def add_passkey(page: Page) -> None:
    page.goto("/accounts/2fa/webauthn/add/")
    page.get_by_label("Name").fill("my phone")
    page.get_by_role("button", name="Add it").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()


def test_a_passkey_signs_in_without_a_password(page: Page, dora: User, device: Any) -> None:
    sign_in(page, dora)
    add_passkey(page)
    assert page.locator(".codes li").count() == 10
    assert Authenticator.objects.get(type="webauthn").wrap().name == "my phone"
    sign_out(page)
    page.goto("/accounts/login/?next=/api-keys")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url("**/api-keys")
    page.get_by_role("heading", name="Create a key").wait_for()


def test_a_passkey_is_the_second_step_after_a_password(page: Page, dora: User, device: Any) -> None:
    sign_in(page, dora)
    add_passkey(page)
    sign_out(page)
    page.goto("/accounts/login/?next=/accounts/profile")
    page.get_by_label("Email").fill(dora.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a passkey or security key").click()
    page.wait_for_url("**/accounts/profile")


def test_a_device_without_the_passkey_is_told_so_in_words(page: Page, device: Any, complaints: list[str]) -> None:
    device.send("WebAuthn.disable")
    page.goto("/accounts/login/")
    refuse = "navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError'))"
    page.evaluate(f"() => {{ {refuse} }}")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("No passkey came from this device.").wait_for()


def test_codes_from_an_app_are_set_up_and_asked_for(page: Page, dora: User) -> None:
    sign_in(page, dora)
    page.goto("/accounts/2fa/totp/activate/")
    secret = page.locator(".secret-code").inner_text()
    assert page.locator("img.qr").evaluate("image => image.naturalWidth") > 0
    page.get_by_label("Authenticator code").fill(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))
    page.get_by_role("button", name="Switch it on").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    code = page.locator(".codes code").first.inner_text()
    sign_out(page)
    page.goto("/accounts/login/?next=/accounts/profile")
    page.get_by_label("Email").fill(dora.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/accounts/profile")


def test_somebody_comes_in_from_another_site(page: Page, provider: Stub, complaints: list[str]) -> None:
    """The policy lets no form lead elsewhere; a page of ours does."""
    page.goto("/accounts/login/?next=/api-keys")
    page.get_by_role("button", name="Continue with Example Works").click()
    page.wait_for_url("**/api-keys")
    assert User.objects.get().email == "gina@example.org"
    complaints[:] = [said for said in complaints if provider.url not in said]


OPEN = ["login/", "signup/", "password/reset/", "password/reset/done/", "oidc/sso/login/", "confirm-email/wrong/"]
OPEN += [
    "inactive/",
    "social/login/cancelled/",
    "social/login/error/",
    "confirm-email/",
    "password/reset/key/done/",
]
OWN = ["profile", "email/", "password/change/", "2fa/", "2fa/totp/activate/", "2fa/webauthn/", "2fa/webauthn/add/"]
OWN += ["2fa/recovery-codes/", "2fa/recovery-codes/generate/", "2fa/totp/deactivate/", "social/connections/"]
OWN += [
    "3rdparty/",
    "sessions/",
    "data",
    "connections",
    "logout/",
    "reauthenticate/",
    "2fa/reauthenticate/",
    "become-author",
]


def problems_of(page: Page, path: str) -> list[str]:
    """What is wrong with one page: not in our shell, wider than the screen, or found by axe."""
    response = page.goto(path)
    found = [] if response and response.status in (200, 401) else [f"{path}: {response and response.status}"]
    if page.locator("header.bar .brand").count() != 1 or page.locator("main h1").count() != 1:
        found.append(f"{path}: not one of our pages ({page.url})")
    return found + serious_in_each_look(page, WIDE_AND_NARROW)


def test_every_page_is_ours_fits_and_can_be_read_by_anybody(
    page: Page,
    dora: User,
    provider: Stub,
    complaints: list[str],
) -> None:
    found = [one for path in OPEN for one in problems_of(page, f"/accounts/{path}")]
    sign_in(page, dora)
    page.goto("/accounts/reauthenticate/?next=/accounts/profile")
    confirm(page)
    TOTP.activate(dora, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(dora)
    found += [one for path in OWN for one in problems_of(page, f"/accounts/{path}")]
    assert found == []
    complaints[:] = [said for said in complaints if "401" not in said]  # the page of what did not work elsewhere


def test_the_page_of_connections_fits_before_while_and_after(page: Page, dora: User, settings: Any) -> None:
    sign_in(page, dora, to="/accounts/data")
    settings.GOOGLE_DRIVE = {**settings.GOOGLE_DRIVE, "client_id": "lexic", "secret": "with Google"}
    assert problems_of(page, "/accounts/connections") == []
    link = page.get_by_role("link", name="Connect Google Drive")
    assert link.get_attribute("href") == "/api/connectors/google-drive/authorize"
    address = f"{'somebody' * 10}@example.org"
    connection = DriveConnection.objects.connect(dora, refresh_token="r", account_email=address)
    assert problems_of(page, "/accounts/connections") == []
    page.get_by_text("connected", exact=True).wait_for()
    connection.lapse()
    assert problems_of(page, "/accounts/connections") == []
    page.get_by_text("no longer accepted").wait_for()
    page.get_by_role("button", name="Disconnect").click()
    page.get_by_text("Your Google Drive is disconnected.").wait_for()
    assert not DriveConnection.objects.exists()


def test_the_page_of_keys_fits_with_use_and_a_secret(page: Page, dora: User, plugin: Plugin) -> None:
    key, _ = ApiKey.objects.issue(owner=dora, name="abcdefghij" * 10, plugins=[plugin])
    Query.objects.bulk_create(Query(api_key=key, release_name="x", question="q", outcome="answered") for _ in range(3))
    sign_in(page, dora, to="/api-keys")
    page.get_by_text("3 questions in 30 days").click()
    assert problems_of(page, "/api-keys") == []
    page.get_by_label("Name").fill("another")
    page.get_by_role("button", name="Create the key").click()
    page.locator("#secret").wait_for()
    assert [look for look in each_look(page) if overflow(page) > 0] == []
