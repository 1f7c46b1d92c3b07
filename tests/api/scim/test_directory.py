"""What a directory says by SCIM, and what becomes of it here."""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from accounts.models import ApiKey, User
from api.scim.urls import ROUTES
from audit.models import AuditEntry
from marketplace.publishing.provisioning import set_group_role
from organisations.invitations import invite_member
from organisations.models import DirectoryToken, Membership, Organisation, OrganisationDomain, ProvisionedPerson
from plugins.models import Plugin
from tests.api.scim.conftest import Ask, asking, group, patch, person

pytestmark = pytest.mark.django_db


def role_of(email: str) -> str:
    found = Membership.objects.filter(user__email=email).first()
    return found.role if found else ""


def test_every_address_has_its_view_and_every_view_its_address() -> None:
    from api.scim.views import VIEWS

    assert list(VIEWS) == list(ROUTES)


# --- People -------------------------------------------------------------------------------------------------


def test_a_new_person_has_an_account_and_is_in_it(ask: Ask, clinic: Organisation) -> None:
    made = ask("POST", "/Users", person(externalId="42", name={"givenName": "Gina", "familyName": "Green"}))
    assert (made["http"], made["active"], made["externalId"]) == (201, True, "42")
    assert made["meta"]["location"] == f"http://testserver/scim/v2/Users/{made['id']}"
    gina = User.objects.get(email="gina@example.org")
    assert (gina.display_name, gina.has_usable_password(), gina.is_staff) == ("Gina Green", False, False)
    assert EmailAddress.objects.get(user=gina).verified
    assert role_of("gina@example.org") == "viewer"
    assert ask("GET", f"/Users/{made['id']}")["userName"] == "gina@example.org"
    entry = AuditEntry.objects.get(action="organisation.member_added", subject=f"person:{gina.pk}")
    assert (entry.actor, entry.via) == ("", f"scim:{clinic.pk}")


def test_leaving_the_directory_is_leaving_the_organisation(ask: Ask, clinic: Organisation, alice: User) -> None:
    made = ask("POST", "/Users", person())
    gina = User.objects.get(email="gina@example.org")
    plugin = Plugin.objects.create(owner=alice, organisation=clinic, name="Wards", domain="x", system_prompt="x")
    key, _ = ApiKey.objects.issue(owner=gina, name="robot")
    key.plugins.add(plugin)
    assert Plugin.objects.viewable_by(gina).contains(plugin)
    off = ask("PATCH", f"/Users/{made['id']}", patch({"op": "Replace", "path": "active", "value": "False"}))
    assert (off["http"], off["active"]) == (200, False)
    assert not Plugin.objects.viewable_by(gina).exists()
    key.refresh_from_db()
    assert key.revoked_at
    assert User.objects.filter(pk=gina.pk, is_active=True).exists()  # what is theirs stays theirs
    again = ask("PATCH", f"/Users/{made['id']}", patch({"op": "replace", "value": {"active": True}}))
    assert again["active"] is True
    assert role_of("gina@example.org") == "viewer"
    assert ask("DELETE", f"/Users/{made['id']}")["http"] == 204
    assert (role_of("gina@example.org"), ask("GET", f"/Users/{made['id']}")["http"]) == ("", 404)


def test_it_speaks_for_its_own_domains_alone(ask: Ask, clinic: Organisation) -> None:
    before = User.objects.count()
    for email in ("gina@elsewhere.org", "gina@sub.example.org", "x@example.org@evil.org", "gina", "@example.org"):
        refused = ask("POST", "/Users", person(email))
        assert (refused["http"], refused["scimType"]) == (400, "invalidValue"), email
    OrganisationDomain.objects.all().delete()
    assert ask("POST", "/Users", person())["http"] == 400
    assert (User.objects.count(), Membership.objects.count()) == (before, 1)


def test_an_account_that_nobody_confirmed_is_not_let_in(ask: Ask) -> None:
    """Whoever signed up with the address may not be the one whom the directory means."""
    squatter = User.objects.create_user("gina@example.org", "correct horse battery")
    EmailAddress.objects.create(user=squatter, email=squatter.email, verified=False, primary=True)
    refused = ask("POST", "/Users", person())
    assert (refused["http"], refused["scimType"]) == (409, "uniqueness")
    assert role_of("gina@example.org") == ""


def test_an_address_that_an_account_has_confirmed_besides_its_own_is_a_conflict(ask: Ask, charlie: User) -> None:
    EmailAddress.objects.create(user=charlie, email=charlie.email, verified=True, primary=True)
    second = EmailAddress.objects.create(user=charlie, email="gina@example.org", verified=True)
    refused = ask("POST", "/Users", person())
    assert (refused["http"], refused["scimType"]) == (409, "uniqueness")
    assert "makes this their main address" in refused["detail"]
    assert not User.objects.filter(email="gina@example.org").exists()
    second.delete()
    assert ask("POST", "/Users", person())["http"] == 201


@pytest.mark.parametrize("group_role", ["", "viewer"])
def test_an_invitation_says_the_role_where_no_group_does(
    ask: Ask, clinic: Organisation, alice: User, group_role: str
) -> None:
    invite_member(clinic.memberships.get(user=alice), email="gina@example.org", role="editor")
    made = ask("POST", "/Users", person(active=False))
    if group_role:
        ask("POST", "/Groups", group("Wards", [made["id"]]))
        set_group_role(clinic.groups.get(), role=group_role)
    ask("PATCH", f"/Users/{made['id']}", patch({"op": "replace", "value": {"active": True}}))
    assert role_of("gina@example.org") == (group_role or "editor")
    assert not clinic.invitations.exists()


def test_an_account_of_a_person_stays_as_it_is(ask: Ask, bob: User) -> None:
    assert ask("POST", "/Users", person("Bob@Example.org", displayName="Robert"))["http"] == 201
    bob.refresh_from_db()
    assert (bob.display_name, bob.has_usable_password(), role_of(bob.email)) == ("Bob", True, "viewer")
    assert not ProvisionedPerson.objects.get(user=bob).made_account


def test_who_was_in_it_before_is_found_and_named_twice_by_nobody(ask: Ask, alice: User) -> None:
    found = ask("GET", '/Users?filter=userName eq "ALICE@example.org"')
    assert (found["totalResults"], found["Resources"][0]["active"]) == (1, True)
    assert ask("POST", "/Users", person("alice@example.org"))["http"] == 409
    assert role_of("alice@example.org") == "owner"


def test_members_of_other_domains_are_none_of_its_business(ask: Ask, clinic: Organisation) -> None:
    guest = User.objects.create_user("guest@elsewhere.org", "correct horse battery")
    Membership.objects.create(organisation=clinic, user=guest, role="editor")
    assert {one["userName"] for one in ask("GET", "/Users")["Resources"]} == {"alice@example.org"}


def test_the_last_owner_is_not_taken_out(ask: Ask, alice: User) -> None:
    [mine] = ask("GET", "/Users")["Resources"]
    refused = ask("PATCH", f"/Users/{mine['id']}", patch({"op": "replace", "path": "active", "value": False}))
    assert (refused["http"], role_of(alice.email)) == (409, "owner")
    assert ask("DELETE", f"/Users/{mine['id']}")["http"] == 409
    assert ProvisionedPerson.objects.get(user=alice).user_name == alice.email


@pytest.mark.parametrize(
    "said",
    [
        {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"]},
        person(""),
        person("x" * 400 + "@example.org"),
        person("gina@example.org", externalId="x" * 300),
        person("gina@example.org", displayName="a\x00b"),
        person("gina@example.org", displayName="a\ud800"),
        person("gina@example.org", **{"\udfff": "b"}),
        person("gina@example.org", externalId=float("nan")),
        person("gina@example.org", externalId=float("inf")),
        person("gina@example.org", name={"givenName": ["\ud800"]}),
        person("gina@example.org", emails="x"),
        [],
        "x",
        None,
    ],
)
def test_what_makes_no_sense_changes_nothing(said: Any, ask: Ask) -> None:
    before = User.objects.count()
    refused = ask("POST", "/Users", said)
    assert refused["http"] == 400
    assert refused["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]
    assert (User.objects.count(), ProvisionedPerson.objects.count()) == (before, 0)


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud800"])
@pytest.mark.parametrize(
    ("place", "value"),
    [
        ('emails[type eq "{}"].value', "g.green@example.org"),
        ('emails[value eq "{}"].type', "work"),
        ('members[value eq "{}"]', {"display": "Gina"}),
    ],
)
def test_text_in_a_path_that_cannot_be_stored_changes_nothing(ask: Ask, place: str, value: Any, escape: str) -> None:
    kind, made = ("Groups", group()) if place.startswith("members") else ("Users", person())
    address = f"/{kind}/{ask('POST', f'/{kind}', made)['id']}"
    before = ask("GET", address)
    for operation in ("add", "replace"):
        refused = ask("PATCH", address, patch({"op": operation, "path": place.format(escape), "value": value}))
        assert (refused["http"], refused["scimType"]) == (400, "invalidValue")
    assert ask("GET", address) == before


def test_what_directories_send_beyond_that_is_not_kept(ask: Ask) -> None:
    more = {
        "schemas": [
            "urn:ietf:params:scim:schemas:core:2.0:User",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
        ],
        "phoneNumbers": [{"value": "+1 415 555 0100", "type": "work"}],
        "password": "hunter2hunter2",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Oncology"},
    }
    made = ask("POST", "/Users", {**person(), **more})
    assert made["http"] == 201
    kept = str(ProvisionedPerson.objects.get(user__email="gina@example.org").attributes)
    assert not any(word in kept for word in ("415", "hunter2", "Oncology"))
    changed = ask(
        "PATCH",
        f"/Users/{made['id']}",
        patch(
            {"op": "Add", "path": "title", "value": "Nurse"},
            {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "g.green@example.org"},
            {"op": "Replace", "path": "name.familyName", "value": "Grün"},
        ),
    )
    assert changed["http"] == 200, changed
    assert (changed["emails"], changed["name"]) == (
        [{"type": "work", "value": "g.green@example.org"}],
        {"familyName": "Grün"},
    )


def test_lists_come_in_pages_and_by_filters(ask: Ask) -> None:
    for number in range(5):
        ask("POST", "/Users", person(f"p{number}@example.org", externalId=f"x{number}"))
    first, last = ask("GET", "/Users?startIndex=1&count=4"), ask("GET", "/Users?startIndex=5&count=4")
    assert (first["totalResults"], first["itemsPerPage"], last["itemsPerPage"]) == (6, 4, 2)
    ids = [one["id"] for page in (first, last) for one in page["Resources"]]
    assert len(set(ids)) == 6
    assert ask("GET", "/Users?count=0")["totalResults"] == 6
    for text, number in (
        ('externalId eq "x3"', 1),
        ('externalId eq "X3"', 0),
        ('userName sw "p" and active eq true', 5),
        ("active eq false", 0),
        ('not (userName sw "p")', 1),
    ):
        assert ask("GET", f"/Users?filter={text}")["totalResults"] == number, text
    for wrong in ("/Users?filter=userName", "/Users?filter=(((", "/Users?count=x", f"/Users?filter={'(' * 2000}"):
        assert ask("GET", wrong)["http"] == 400, wrong


def search(**wanted: Any) -> dict[str, Any]:
    return {"schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], **wanted}


@pytest.mark.parametrize("address", ["/.search", "/Users/.search", "/Groups/.search"])
def test_a_page_beyond_the_last_is_empty(ask: Ask, address: str) -> None:
    for start in (2**31, 2**63, 10**30, 10**400):
        for filtered in ({}, {"filter": 'externalId eq "x"'}):
            page = ask("POST", address, search(startIndex=start, count=start, **filtered))
            assert (page["http"], page["itemsPerPage"]) == (200, 0), (start, page)
    assert ask("POST", address, search(startIndex=-(10**30), count=-(10**30)))["http"] == 200


def test_a_page_is_chosen_by_whole_numbers(ask: Ask) -> None:
    assert ask("GET", "/Users?startIndex=-5&count=-1")["http"] == 200
    for number in ("--5", "-", "1-", "+1", "1e3", "²", "9" * 5000):
        for name in ("startIndex", "count"):
            assert ask("GET", f"/Users?{name}={number}")["http"] == 400, number


def test_a_version_that_was_changed_meanwhile_is_not_written_over(ask: Ask) -> None:
    made = ask("POST", "/Users", person())
    address = f"/Users/{made['id']}"
    assert ask("GET", address, **{"If-None-Match": made["etag"]})["http"] == 304
    ask("PATCH", address, patch({"op": "replace", "path": "displayName", "value": "G."}))
    rename = patch({"op": "replace", "path": "displayName", "value": "Gina"})
    assert ask("PATCH", address, rename, **{"If-Match": made["etag"]})["http"] == 412
    assert ask("GET", address)["displayName"] == "G."


# --- Groups -------------------------------------------------------------------------------------------------


def test_a_group_gives_the_role_that_an_owner_has_said(ask: Ask, clinic: Organisation) -> None:
    gina = ask("POST", "/Users", person())["id"]
    made = ask("POST", "/Groups", group(members=[gina]))
    assert (made["http"], made["members"][0]["value"]) == (201, gina)
    assert role_of("gina@example.org") == "viewer"
    set_group_role(clinic.groups.get(), role="editor")
    assert role_of("gina@example.org") == "editor"
    assert ask("GET", f"/Users/{gina}")["groups"] == [{"value": made["id"], "display": "Ward editors"}]
    other = ask("POST", "/Groups", group("Reviewers"))
    set_group_role(clinic.groups.get(display_name="Reviewers"), role="reviewer")
    address = f"/Groups/{other['id']}"
    ask("PATCH", address, patch({"op": "add", "path": "members", "value": [{"value": gina}]}))
    assert role_of("gina@example.org") == "editor"  # the strongest
    ask("PATCH", f"/Groups/{made['id']}", patch({"op": "Remove", "path": f'members[value eq "{gina}"]'}))
    assert role_of("gina@example.org") == "reviewer"
    ask("PATCH", address, patch({"op": "Remove", "path": "members", "value": [{"value": gina}]}))
    assert role_of("gina@example.org") == "viewer"
    changed = AuditEntry.objects.filter(action="organisation.member_changed").latest("at")
    assert changed.via == f"scim:{clinic.pk}"
    assert ask("DELETE", address)["http"] == 204
    assert ask("GET", '/Groups?filter=displayName eq "ward EDITORS"')["totalResults"] == 1


def test_groups_make_no_owners_and_change_none(ask: Ask, clinic: Organisation, alice: User) -> None:
    [mine] = ask("GET", "/Users")["Resources"]
    ask("POST", "/Groups", group("Owner", members=[mine["id"]]))
    set_group_role(clinic.groups.get(), role="viewer")
    assert role_of(alice.email) == "owner"
    client = Client()
    client.force_login(alice)
    page = f"/organisations/{clinic.pk}/sign-in"
    said = {"act": "set_group_role", "group": str(clinic.groups.get().pk)}
    assert client.post(page, {**said, "role": "owner"}).status_code == 400
    assert client.post(page, {**said, "role": "editor"}).status_code == 302
    assert clinic.groups.get().role == "editor"


def test_roles_that_no_group_gives_are_set_by_hand(ask: Ask, clinic: Organisation) -> None:
    gina = ask("POST", "/Users", person())["id"]
    Membership.objects.filter(user__email="gina@example.org").update(role="reviewer")
    made = ask("POST", "/Groups", group(members=[gina]))
    ask("DELETE", f"/Groups/{made['id']}")
    assert role_of("gina@example.org") == "reviewer"


def test_strangers_are_in_no_group(ask: Ask, charlie: User) -> None:
    refused = ask("POST", "/Groups", group(members=[str(uuid4())]))
    assert (refused["http"], refused["scimType"]) == (400, "invalidValue")
    assert ask("GET", "/Groups")["totalResults"] == 0
    assert ask("POST", "/Groups", group())["http"] == 201
    assert ask("POST", "/Groups", group("WARD Editors"))["http"] == 409


# --- Who may come ---------------------------------------------------------------------------------------------


def test_each_organisation_sees_its_own_people_alone(ask: Ask, charlie: User) -> None:
    made, team = ask("POST", "/Users", person())["id"], ask("POST", "/Groups", group())["id"]
    other = Organisation.objects.create_with_owner(name="Elsewhere", owner=charlie)
    theirs = asking(DirectoryToken.objects.issue(other, by=charlie))
    assert theirs("GET", "/Users")["totalResults"] == 0
    off = patch({"op": "replace", "path": "active", "value": False})
    for method, path, body in (
        ("GET", f"/Users/{made}", None),
        ("PUT", f"/Users/{made}", person()),
        ("PATCH", f"/Users/{made}", off),
        ("DELETE", f"/Users/{made}", None),
        ("GET", f"/Groups/{team}", None),
        ("PUT", f"/Groups/{team}", group()),
        ("PATCH", f"/Groups/{team}", patch({"op": "replace", "path": "displayName", "value": "x"})),
        ("DELETE", f"/Groups/{team}", None),
    ):
        assert theirs(method, path, body)["http"] == 404, (method, path)
    assert theirs("POST", "/Groups", group("x", members=[made]))["http"] == 400
    assert role_of("gina@example.org") == "viewer"


@pytest.mark.parametrize("path", ["/Users", "/Groups", "/ServiceProviderConfig", "/Schemas", "/ResourceTypes"])
def test_nobody_comes_without_the_token(path: str, token: str, alice: User) -> None:
    _, key = ApiKey.objects.issue(owner=alice, name="robot")
    with_session = Client()
    with_session.force_login(alice)
    for client in (
        Client(),
        with_session,
        Client(headers={"Authorization": f"Bearer {key}"}),
        Client(headers={"Authorization": f"Basic {token}"}),
        Client(headers={"Authorization": "Bearer "}),
        Client(headers={"Authorization": f"Bearer {token}x"}),
        Client(headers={"X-Api-Key": token}),
    ):
        refused = client.get(f"/scim/v2{path}")
        assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert Client().get(f"/scim/v2{path}?access_token={token}").status_code == 401


def test_the_token_opens_nothing_else_and_ends_when_another_is_made(
    token: str, ask: Ask, clinic: Organisation, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for path in ("/api/plugins", "/v1/models", "/api/me"):
        assert Client(headers={"Authorization": f"Bearer {token}"}).get(path).status_code in (401, 403, 404), path
    assert ask("GET", "/Users")["http"] == 200
    assert DirectoryToken.objects.get().last_used_at
    assert token not in str(list(DirectoryToken.objects.values()))
    client, page = Client(), f"/organisations/{clinic.pk}/sign-in"
    client.force_login(alice)
    shown = client.post(page, {"act": "issue_token"}).content.decode()
    assert "lxscim_" in shown
    assert "lxscim_" not in client.get(page).content.decode()
    assert ask("GET", "/Users")["http"] == 401
    newer = asking(shown.split('<code class="wrap">')[1].split("<")[0])
    assert newer("GET", "/Users")["http"] == 200
    client.post(page, {"act": "revoke_token"})
    assert newer("GET", "/Users")["http"] == 401
    done = [one.action for one in AuditEntry.objects.filter(action__contains="directory_token").order_by("at")]
    assert done.count("organisation.directory_token_issued") == 2
    assert done.count("organisation.directory_token_revoked") == 2
    assert token not in caplog.text


def test_what_a_method_does_not_do_is_said(ask: Ask) -> None:
    assert ask("POST", "/Schemas", {})["http"] == 405
    assert ask("GET", f"/Users/{uuid4()}")["http"] == 404
    assert ask("GET", "/Schemas/urn:x")["http"] == 404
