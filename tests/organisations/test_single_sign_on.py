"""Single sign-on of an organisation: over real HTTP to a provider that stands beside the test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, Capability, User
from audit.models import AuditEntry
from lexic import egress
from lexic.egress_policy import EgressPolicy
from organisations.domains import mark_verified
from organisations.identity_provider import save_provider
from organisations.invitations import invite_member
from organisations.models import Membership, Organisation, OrganisationDomain
from organisations.sso_session import KEYS_WORK_FOR, SESSION_LASTS, provider_id
from plugins import collaborators
from plugins.models import Plugin, Role
from tests.api.oauth.flow import by_token, registered, rest_tokens_for
from tests.openid_stub import CLIENT_ID, SECRET, Stub, openid_provider
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def stub(settings: Any) -> Iterator[Stub]:
    settings.SSO_EGRESS = EgressPolicy(networks=frozenset({ip_network("127.0.0.0/8")}))
    with openid_provider() as running:
        yield running


@pytest.fixture
def domain(clinic: Organisation) -> OrganisationDomain:
    made = OrganisationDomain.objects.create(organisation=clinic, name="example.org")
    mark_verified(made)
    return made


@pytest.fixture
def provider(stub: Stub, clinic: Organisation, domain: OrganisationDomain) -> Stub:
    save_provider(clinic, server_url=stub.url, client_id=CLIENT_ID, secret=SECRET, default_role="viewer")
    return stub


def visit(client: Client, organisation: Organisation, *, process: str = "login") -> Any:
    """To the provider, and back to our door."""
    leaving = client.post(f"/accounts/oidc/{provider_id(organisation.pk)}/login/?process={process}")
    assert leaving.status_code == 200, leaving.content
    sent = requests.get(leaving.context["address"], allow_redirects=False, timeout=60)
    return client.get(sent.headers["Location"].removeprefix("http://testserver"))


def signed_in(client: Client) -> str:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).email if key else ""


def with_password(person: User) -> Client:
    client = Client()
    EmailAddress.objects.get_or_create(user=person, email=person.email, defaults={"verified": True, "primary": True})
    sent = client.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    assert sent.status_code == 302
    return client


def as_person(stub: Stub, person: User, sub: str = "") -> None:
    stub.person = {"sub": sub or f"s-{person.email}", "email": person.email}


# --- Who comes in ---------------------------------------------------------------------------------------------


def test_whoever_is_new_comes_in_with_the_role_of_new_people(
    client: Client, provider: Stub, clinic: Organisation
) -> None:
    assert visit(client, clinic).status_code == 302
    assert signed_in(client) == "gina@example.org"
    member = Membership.objects.get(user__email="gina@example.org")
    assert (member.organisation, member.role, member.user.has_usable_password()) == (clinic, "viewer", False)
    assert EmailAddress.objects.get(user=member.user).verified
    assert (dict(provider.asked)["/authorize"]["code_challenge_method"], len(provider.asked) > 2) == ("S256", True)
    assert AuditEntry.objects.filter(action="organisation.member_added").exists()
    again = Client()
    visit(again, clinic)
    assert signed_in(again) == "gina@example.org"
    assert User.objects.filter(email="gina@example.org").count() == 1


def test_an_invitation_says_the_role(client: Client, provider: Stub, clinic: Organisation, alice: User) -> None:
    invite_member(Membership.objects.get(user=alice), email="gina@example.org", role="editor")
    visit(client, clinic)
    assert Membership.objects.get(user__email="gina@example.org").role == "editor"
    assert not clinic.invitations.exists()


def test_without_a_role_of_new_people_only_the_invited_come_in(
    client: Client, provider: Stub, clinic: Organisation
) -> None:
    clinic.identity_provider.default_role = ""
    clinic.identity_provider.save()
    refused = visit(client, clinic)
    assert (refused.status_code, signed_in(client)) == (403, "")
    assert not User.objects.filter(email="gina@example.org").exists()


@pytest.mark.parametrize(
    "said",
    [
        {"email": "gina@elsewhere.org"},
        {"email": "gina@sub.example.org"},
        {"email": "gina@example.org@elsewhere.org"},
        {"email": ""},
        {"email_verified": False},
        {"email_verified": "false"},
    ],
)
def test_the_provider_speaks_for_its_own_addresses_alone(
    said: dict[str, Any], client: Client, provider: Stub, clinic: Organisation
) -> None:
    provider.person |= said
    before = User.objects.count()
    assert visit(client, clinic).status_code == 403
    assert (signed_in(client), User.objects.count()) == ("", before)


def test_it_opens_no_account_that_was_there_before(client: Client, provider: Stub, clinic: Organisation) -> None:
    """Not even by an address of its own, of a member, or of whoever runs the site."""
    root = User.objects.create_superuser("root@example.org", PASSWORD)
    for person in (root, User.objects.get(email="alice@example.org")):
        as_person(provider, person)
        refused = visit(client, clinic)
        assert (refused.status_code, signed_in(client)) == (403, "")
        assert b"Sign in to it as before" in refused.content
        assert not SocialAccount.objects.exists()


def test_a_member_connects_their_account_from_within(provider: Stub, clinic: Organisation, alice: User) -> None:
    as_person(provider, alice)
    inside = with_password(alice)
    assert visit(inside, clinic, process="connect").status_code == 302
    assert SocialAccount.objects.get().user == alice
    anew = Client()
    visit(anew, clinic)
    assert signed_in(anew) == "alice@example.org"


def test_nobody_connects_the_account_of_another(provider: Stub, clinic: Organisation, alice: User, bob: User) -> None:
    as_person(provider, bob)
    inside = with_password(alice)
    assert visit(inside, clinic, process="connect").status_code == 403
    assert not SocialAccount.objects.exists()


def test_who_is_no_member_connects_nothing(provider: Stub, clinic: Organisation, charlie: User) -> None:
    as_person(provider, charlie)
    assert visit(with_password(charlie), clinic, process="connect").status_code == 403
    assert not SocialAccount.objects.exists()


def test_the_second_step_is_still_asked(client: Client, provider: Stub, clinic: Organisation) -> None:
    visit(client, clinic)
    gina = User.objects.get(email="gina@example.org")
    Authenticator.objects.create(user=gina, type="totp", data={"secret": "x"})
    anew = Client()
    assert "2fa" in visit(anew, clinic)["Location"]
    assert signed_in(anew) == ""


def test_who_leaves_is_not_signed_in_any_more(client: Client, provider: Stub, clinic: Organisation) -> None:
    clinic.identity_provider.default_role = ""
    visit(client, clinic)
    client.post(f"/organisations/{clinic.pk}/leave")
    assert not SocialAccount.objects.exists()
    refused = visit(Client(), clinic)
    assert refused.status_code == 403  # the account is one that was there before


def test_another_provider_opens_no_account_of_the_former_one(
    client: Client, provider: Stub, clinic: Organisation, alice: User
) -> None:
    visit(client, clinic)
    save_provider(clinic, server_url=provider.url, client_id="other", secret="", default_role="viewer")
    assert not SocialAccount.objects.exists()
    assert not Membership.objects.exclude(signed_in_at=None).exists()


def test_addresses_of_others_are_not_asked(clinic: Organisation, domain: OrganisationDomain, settings: Any) -> None:
    """An owner names the address, so it must not lead into our own network."""
    settings.SSO_EGRESS = EgressPolicy()
    client = Client()
    client.force_login(User.objects.get(email="alice@example.org"))
    with openid_provider() as inner:
        page = f"/organisations/{clinic.pk}/sign-in"
        said = {"act": "save_provider", "client_id": "x", "secret": "y", "default_role": ""}
        for url in (inner.url, "http://login.example.org", "https://a@b.example", "ftp://x.org", "https://x.org:9"):
            assert client.post(page, {**said, "server_url": url}).status_code == 400, url
        assert client.post(page, {**said, "server_url": "https://login.example.org"}).status_code == 302
        clinic.identity_provider.server_url = inner.url  # as if a name had led there since
        clinic.identity_provider.save()
        started = Client().post(f"/accounts/oidc/{provider_id(clinic.pk)}/login/")
        assert (started.status_code, inner.asked) == (502, [])


@pytest.mark.parametrize("said", [[], "gina", {"email": "gina@example.org"}, {"sub": "g-1", "email": ["x"]}, None])
def test_what_makes_no_sense_is_said_to_be_the_providers(
    said: Any, client: Client, provider: Stub, clinic: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stub, "id_token", lambda _: "no token")
    before = User.objects.count()
    provider.person = said
    answered = visit(client, clinic)
    assert (answered.status_code in (200, 401, 403, 502), signed_in(client)) == (True, "")
    assert User.objects.count() == before


@pytest.mark.parametrize(
    "said",
    [
        {"email": "gina@example.org"},
        {"sub": None, "email": "gina@example.org"},
        {"sub": "", "email": "gina@example.org"},
        {"sub": "g-1", "email": ["gina@example.org"]},
        {"sub": "g-1"},
    ],
)
def test_a_person_without_what_names_them_is_not_let_in(
    said: Any, client: Client, provider: Stub, clinic: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = provider.id_token()
    monkeypatch.setattr(Stub, "id_token", lambda _: token)
    before = User.objects.count()
    provider.person = said
    assert visit(client, clinic).status_code in (403, 502)
    assert (signed_in(client), User.objects.count()) == ("", before)


# --- Required of everybody ------------------------------------------------------------------------------------


@pytest.fixture
def closed(plugin: Plugin, clinic: Organisation, provider: Stub) -> Plugin:
    clinic.requires_sso = True
    clinic.save()
    return plugin


def make_key(client: Client) -> dict[str, Any]:
    made = client.post(
        "/api/api-keys", {"name": "robot", "capabilities": Capability.values}, content_type="application/json"
    )
    assert made.status_code == 201, made.content
    return dict(made.json())


def doors(client: Client, plugin: Plugin) -> list[int]:
    """The builder, the API with the session, the API with a key that is made in the session."""
    api = Client(headers={"Authorization": f"Bearer {make_key(client)['key']}"})
    return [
        client.get(reverse("admin:builder_sharing", args=[plugin.pk])).status_code,
        client.get(f"/api/plugins/{plugin.slug}").status_code,
        api.get(f"/api/plugins/{plugin.slug}").status_code,
    ]


def test_it_is_closed_to_who_signs_in_otherwise(closed: Plugin, clinic: Organisation, alice: User, bob: User) -> None:
    inside = with_password(alice)
    assert doors(inside, closed) == [404, 404, 404]
    page = inside.get(f"/organisations/{clinic.pk}").content.decode()
    assert "sign in through its provider" in page
    assert "Wards" not in page
    assert "bob@example.org" not in page
    assert inside.post(f"/organisations/{clinic.pk}/members/{bob.pk}", {"role": ""}).status_code == 403
    assert inside.get(f"/organisations/{clinic.pk}/sign-in").status_code == 403


def test_it_opens_in_the_session_that_the_provider_confirmed(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    as_person(provider, alice)
    other, inside = with_password(alice), with_password(alice)
    button = re.search(r'action="([^"]+process=[^"]+)"', inside.get(f"/organisations/{clinic.pk}").content.decode())
    assert button
    visit(inside, clinic, process="connect")
    assert doors(inside, closed) == [200, 200, 200]
    assert doors(other, closed) == [404, 404, 404]  # her other session has not been to the provider
    assert "process=login" in other.get(f"/organisations/{clinic.pk}").content.decode()


def test_a_session_and_its_keys_are_good_for_a_while(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    as_person(provider, alice)
    inside = with_password(alice)
    visit(inside, clinic, process="connect")
    robot = Client(headers={"Authorization": f"Bearer {make_key(inside)['key']}"})
    address = f"/api/plugins/{closed.slug}"
    session = inside.session
    for one in session["account_authentication_methods"]:
        one["at"] -= SESSION_LASTS.total_seconds() + 1
    session.save()
    assert doors(inside, closed) == [404, 404, 404]
    assert robot.get(address).status_code == 200
    Membership.objects.filter(user=alice).update(signed_in_at=timezone.now() - KEYS_WORK_FOR)
    assert robot.get(address).status_code == 404


def test_a_session_that_began_otherwise_gets_no_key_that_opens_it(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    """Whoever has the password alone neither makes, rotates nor sees a key that does; a key passes on what it has."""
    as_person(provider, alice)
    inside, address = with_password(alice), f"/api/plugins/{closed.slug}"
    visit(inside, clinic, process="connect")
    good, thief = make_key(inside), with_password(alice)

    def opens(secret: str) -> bool:
        return Client(headers={"Authorization": f"Bearer {secret}"}).get(address).status_code == 200

    def reveal(client: Client) -> Any:
        return client.patch(f"/api/api-keys/{good['id']}", {"reveal": True}, content_type="application/json")

    assert opens(good["key"])
    assert not opens(make_key(thief)["key"])
    shown = reveal(thief)
    assert (shown.status_code, shown.json()["code"]) == (403, "signed_in_otherwise")
    assert reveal(inside).status_code == 200
    robot = Client(headers={"Authorization": f"Bearer {good['key']}"})
    assert opens(make_key(robot)["key"])
    rotated = thief.post(f"/api/api-keys/{good['id']}/rotate", {}, content_type="application/json")
    assert rotated.status_code == 201
    assert not opens(rotated.json()["key"])
    assert not opens(ApiKey.objects.issue(owner=alice, name="by an operator", capabilities=Capability.values)[1])


def test_a_program_that_is_let_in_has_no_more_than_the_session_that_let_it_in(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    as_person(provider, alice)
    inside, thief, client_id = with_password(alice), with_password(alice), registered()
    visit(inside, clinic, process="connect")

    def let_in_by(browser: Client) -> str:
        return str(rest_tokens_for(alice, client_id, browser=browser, scope="query read author")["access_token"])

    def opens(token: str) -> bool:
        return by_token(token).get(f"/api/plugins/{closed.slug}").status_code == 200

    first = let_in_by(inside)
    assert opens(first)
    stolen = let_in_by(thief)
    assert not opens(stolen)
    assert not opens(first)  # what the client could do is replaced
    assert opens(let_in_by(inside))
    assert not opens(stolen)


def test_the_provider_of_another_organisation_opens_nothing(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    other = Organisation.objects.create_with_owner(name="Trust", owner=alice)
    OrganisationDomain.objects.all().delete()
    mark_verified(OrganisationDomain.objects.create(organisation=other, name="example.org"))
    save_provider(other, server_url=provider.url, client_id=CLIENT_ID, secret=SECRET, default_role="")
    as_person(provider, alice)
    inside = with_password(alice)
    visit(inside, other, process="connect")
    assert SocialAccount.objects.get().provider == provider_id(other.pk)
    assert doors(inside, closed) == [404, 404, 404]


def test_a_role_on_the_plugin_is_no_way_around_it(closed: Plugin, charlie: User) -> None:
    collaborators.assign_role(closed, person=charlie, role=Role.EDITOR)
    assert doors(with_password(charlie), closed) == [404, 404, 404]


def test_what_is_published_is_asked_as_before(closed: Plugin, charlie: User) -> None:
    Plugin.objects.filter(pk=closed.pk).update(is_published=True)
    assert Plugin.objects.askable_by(charlie).contains(closed)


def test_nobody_closes_it_to_themselves(provider: Stub, clinic: Organisation, alice: User) -> None:
    inside, page = with_password(alice), f"/organisations/{clinic.pk}/sign-in"
    assert inside.post(page, {"act": "require"}).status_code == 403
    clinic.refresh_from_db()
    assert not clinic.requires_sso
    as_person(provider, alice)
    visit(inside, clinic, process="connect")
    assert inside.post(page, {"act": "require"}).status_code == 302
    clinic.refresh_from_db()
    assert clinic.requires_sso
    changed = AuditEntry.objects.filter(action="organisation.changed").latest("at")
    assert (changed.actor, changed.details["now"]) == (f"person:{alice.pk}", {"requires_sso": True})
    assert inside.post(page, {"act": "stop_requiring"}).status_code == 302
    clinic.refresh_from_db()
    assert not clinic.requires_sso


@pytest.mark.parametrize("typo", ["address", "client id", "secret"])
def test_a_provider_that_was_saved_with_a_typo_is_required_of_nobody(
    typo: str, closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    as_person(provider, alice)
    inside, page = with_password(alice), f"/organisations/{clinic.pk}/sign-in"
    visit(inside, clinic, process="connect")
    wrongs = {"address": {"server_url": f"{provider.url}/typo"}, "client id": {"client_id": "typo"}}
    wrong = wrongs.get(typo, {"secret": "typo"})
    said = {"act": "save_provider", "server_url": provider.url, "client_id": CLIENT_ID, "default_role": "viewer"}
    answer = inside.post(page, {**said, "secret": "", **wrong}, follow=True)
    assert b"nobody has to use it until you have signed in through it" in answer.content
    assert inside.get(page).status_code == 200
    assert inside.post(page, {"act": "require"}).status_code == 403
    assert inside.post(page, {**said, "secret": SECRET}).status_code == 302
    assert inside.post(page, {"act": "require"}).status_code == 403
    visit(inside, clinic, process="connect")
    assert inside.post(page, {"act": "require"}).status_code == 302
    assert inside.get(page).status_code == 200


def test_the_secret_and_the_role_of_new_people_as_they_were_change_nothing_of_who_must_sign_in(
    closed: Plugin, provider: Stub, clinic: Organisation, alice: User
) -> None:
    as_person(provider, alice)
    inside, page = with_password(alice), f"/organisations/{clinic.pk}/sign-in"
    visit(inside, clinic, process="connect")
    said = {"act": "save_provider", "server_url": provider.url, "client_id": CLIENT_ID, "default_role": "editor"}
    for secret in ("", SECRET):
        answer = inside.post(page, {**said, "secret": secret}, follow=True)
        assert b"nobody has to use it until you have signed in through it" not in answer.content
    clinic.refresh_from_db()
    assert clinic.requires_sso


def test_a_new_secret_keeps_the_accounts_that_the_provider_opens(
    closed: Plugin, provider: Stub, clinic: Organisation, join: Join
) -> None:
    person = join("viewer")
    as_person(provider, person)
    visit(with_password(person), clinic, process="connect")
    save_provider(clinic, server_url=provider.url, client_id=CLIENT_ID, secret="another", default_role="viewer")
    assert SocialAccount.objects.filter(user=person).exists()
    assert Membership.objects.exclude(signed_in_at=None).filter(user=person).exists()


def test_the_domain_that_owners_sign_in_with_stays_while_the_provider_is_required(
    closed: Plugin, provider: Stub, clinic: Organisation, domain: OrganisationDomain, alice: User
) -> None:
    mark_verified(OrganisationDomain.objects.create(organisation=clinic, name="elsewhere.org"))
    as_person(provider, alice)
    inside, page = with_password(alice), f"/organisations/{clinic.pk}/sign-in"
    visit(inside, clinic, process="connect")
    removal = {"act": "remove_domain", "domain": domain.pk}
    refused = inside.post(page, removal)
    assert b"Stop requiring the provider first." in refused.content
    assert clinic.domains.filter(pk=domain.pk).exists()
    inside.post(page, {"act": "stop_requiring"})
    assert inside.post(page, removal).status_code == 302
    assert not clinic.domains.filter(pk=domain.pk).exists()


def test_an_operator_opens_one_whose_provider_is_away(closed: Plugin, clinic: Organisation, alice: User) -> None:
    call_command("organisation_sso", str(clinic.pk), "--stop-requiring")
    assert Plugin.objects.viewable_by(alice).contains(closed)
    with pytest.raises(CommandError):
        call_command("organisation_sso", "1f0c7a52-0d5e-4c5b-a53c-2f2b8f7f4a10", "--stop-requiring")


@pytest.mark.parametrize("role", ["editor", "reviewer", "viewer", "operator"])
def test_only_owners_settle_it(role: str, provider: Stub, clinic: Organisation, join: Join) -> None:
    client, page = Client(), f"/organisations/{clinic.pk}/sign-in"
    client.force_login(join(role))
    assert client.get(page).status_code == 403
    for act in ("add_domain", "remove_provider", "issue_token", "stop_requiring", "save_provider"):
        assert client.post(page, {"act": act, "name": "other.org"}).status_code == 403, act
    assert clinic.domains.count() == 1
    stranger = Client()
    stranger.force_login(User.objects.create_user("x@elsewhere.org", PASSWORD))
    assert stranger.post(page, {"act": "remove_provider"}).status_code == 404


# --- Domains --------------------------------------------------------------------------------------------------


def test_a_domain_is_proved_by_its_own_web_site(
    clinic: Organisation, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: dict[str, egress.FetchedDocument] = {}

    def fetch(url: str, **_: Any) -> egress.FetchedDocument:
        if url not in served:
            raise egress.FetchFailed("The server did not answer.")
        return served[url]

    monkeypatch.setattr("organisations.domains.egress.fetch", fetch)
    client, page = Client(), f"/organisations/{clinic.pk}/sign-in"
    client.force_login(alice)
    for wrong in ("", "localhost", "10.0.0.1", "a b.org", "*.org", "x@example.org", "https://example.org"):
        assert client.post(page, {"act": "add_domain", "name": wrong}).status_code == 400, wrong
    client.post(page, {"act": "add_domain", "name": "Bücher.Example"})
    domain = clinic.domains.get()
    assert domain.name == "xn--bcher-kva.example"
    address = f"https://{domain.name}/.well-known/lexic-domain.txt"
    verify = {"act": "verify_domain", "domain": str(domain.pk)}
    assert client.post(page, verify).status_code == 409
    for found in (
        egress.FetchedDocument(url=address, content_type="text/plain", body=b"lexic-domain=of-somebody-else"),
        egress.FetchedDocument(
            url="https://elsewhere.example/x.txt", content_type="text/plain", body=domain.proof.encode()
        ),
    ):
        served[address] = found
        assert client.post(page, verify).status_code == 409
    served[address] = egress.FetchedDocument(
        url=address, content_type="text/plain", body=f"x\n{domain.proof}\n".encode()
    )
    assert client.post(page, verify).status_code == 302
    domain.refresh_from_db()
    assert domain.verified_at


def test_a_domain_belongs_to_one_organisation(clinic: Organisation, domain: OrganisationDomain, charlie: User) -> None:
    other = Organisation.objects.create_with_owner(name="Elsewhere", owner=charlie)
    with pytest.raises(CommandError, match="Another organisation"):
        call_command("organisation_sso", str(other.pk), "--verify", "example.org")
    assert not other.domains.verified().exists()
    call_command("organisation_sso", str(other.pk), "--verify", "elsewhere.example")
    assert other.domains.verified().get().name == "elsewhere.example"


def test_a_domain_that_is_given_up_signs_nobody_in(
    client: Client, provider: Stub, clinic: Organisation, domain: OrganisationDomain
) -> None:
    visit(client, clinic)
    domain.delete()
    anew = Client()
    assert visit(anew, clinic).status_code == 403
    assert signed_in(anew) == ""


def test_people_find_their_provider_by_their_address(client: Client, provider: Stub, clinic: Organisation) -> None:
    found = client.post("/organisations/sign-in", {"email": "gina@example.org"})
    assert found["Location"] == f"/accounts/oidc/{provider_id(clinic.pk)}/login/"
    for other in ("gina@elsewhere.org", "x", "gina@sub.example.org"):
        assert client.post("/organisations/sign-in", {"email": other}).status_code == 400
    assert b"/organisations/sign-in" in client.get("/accounts/login/").content
