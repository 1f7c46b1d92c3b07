"""Somebody has named an address that is another's, without confirming it: whose is it when its owner comes?"""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client

from accounts.models import ApiKey, User
from tests.accounts.test_social_login import provider, sign_in, who
from tests.openid_stub import Stub

__all__ = ["provider"]
pytestmark = pytest.mark.django_db
GINA = "gina@example.org"


@pytest.fixture
def claimed(alice: User) -> User:
    """Alice, who has confirmed her own address, and has written down another one that she has not."""
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    EmailAddress.objects.create(user=alice, email=GINA, verified=False, primary=False)
    return alice


def test_an_address_that_was_only_written_down_opens_no_account_of_somebody_else(
    claimed: User, client: Client, provider: Stub
) -> None:
    _, secret = ApiKey.objects.issue(owner=claimed, name="agent")
    sign_in(client)
    assert (who(client).email, who(client) == claimed) == (GINA, False)
    claimed.refresh_from_db()
    assert claimed.check_password("correct horse battery")
    assert ApiKey.objects.for_secret(secret) is not None
    assert list(EmailAddress.objects.filter(user=claimed).values_list("email", flat=True)) == [claimed.email]


def test_a_passkey_does_not_outlive_the_claim_it_was_made_under(client: Client, provider: Stub) -> None:
    squatter = User.objects.create_user(GINA, "a long walk home")
    EmailAddress.objects.create(user=squatter, email=GINA, verified=False, primary=True)
    Authenticator.objects.create(user=squatter, type=Authenticator.Type.WEBAUTHN, data={})
    sign_in(client)
    assert who(client) == squatter
    assert not Authenticator.objects.exists()
