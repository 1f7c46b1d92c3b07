"""Single sign-on at a provider that we have not written: `oidc-provider`, which the OpenID Foundation has certified."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import requests
from django.test import Client

from accounts.models import User
from lexic.egress_policy import EgressPolicy
from organisations.domains import mark_verified
from organisations.identity_provider import save_provider
from organisations.models import Membership, Organisation, OrganisationDomain
from organisations.sso_session import provider_id
from tests.client_packages import npm_installed

pytestmark = pytest.mark.django_db
CLIENT_ID, SECRET = "lexic", "shared with the provider"
PACKAGES = ("oidc-provider@9.13.3",)


def callback(organisation: Organisation) -> str:
    return f"http://testserver/accounts/oidc/{provider_id(organisation.pk)}/login/callback/"


@pytest.fixture
def provider(clinic: Organisation, settings: Any, tmp_path: Path) -> Iterator[str]:
    """Its address, with which the clinic's people sign in."""
    settings.SSO_EGRESS = EgressPolicy(networks=frozenset({ip_network("127.0.0.0/8")}))
    shutil.copy(Path(__file__).with_name("provider.mjs"), tmp_path)
    (tmp_path / "node_modules").symlink_to(npm_installed("oidc-provider", PACKAGES))
    told = json.dumps({"clientId": CLIENT_ID, "secret": SECRET, "redirect": callback(clinic)})
    process = subprocess.Popen(["node", "provider.mjs", told], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        mark_verified(OrganisationDomain.objects.create(organisation=clinic, name="example.org"))
        save_provider(clinic, server_url=url, client_id=CLIENT_ID, secret=SECRET, default_role="viewer")
        yield url
    finally:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def visit(client: Client, organisation: Organisation, *, person: str) -> Any:
    """Leaves for the provider, signs in and consents on its pages, and comes back to our door."""
    leaving = client.post(f"/accounts/oidc/{provider_id(organisation.pk)}/login/?process=login")
    browser, address = requests.Session(), leaving.context["address"]
    forms = [{"prompt": "login", "login": person, "password": "any"}, {"prompt": "consent"}]
    while not address.startswith("http://testserver/"):
        shown = browser.get(address, allow_redirects=False, timeout=60)
        if shown.status_code == 200:
            action = re.search(r'action="([^"]+)"', shown.text)
            assert action, shown.text
            shown = browser.post(urljoin(address, action[1]), data=forms.pop(0), allow_redirects=False, timeout=60)
        address = urljoin(address, shown.headers["Location"])
    return client.get(address.removeprefix("http://testserver"))


def test_people_of_the_organisation_come_in_and_others_do_not(
    client: Client, provider: str, clinic: Organisation
) -> None:
    assert visit(client, clinic, person="gina@example.org").status_code == 302
    member = Membership.objects.get(user__email="gina@example.org")
    assert (client.session["_auth_user_id"], member.role) == (str(member.user_id), "viewer")
    again = Client()
    visit(again, clinic, person="gina@example.org")
    assert again.session["_auth_user_id"] == str(member.user_id)
    for person in ("gina@elsewhere.org", "unverified@example.org"):
        assert visit(Client(), clinic, person=person).status_code == 403
        assert not User.objects.filter(email=person).exists()
