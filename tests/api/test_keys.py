from __future__ import annotations

import logging
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import api_keys
from accounts.models import ApiKey, Reveal, User
from lexic.conf.quotas import DEFAULT_QUOTAS
from plugins.models import Plugin
from querying.models import Query
from querying.types.answer import Outcome

MAX_KEYS = DEFAULT_QUOTAS["account_keys"]

pytestmark = pytest.mark.django_db
KEYS = "/api/api-keys"
PASSWORD = "correct horse battery"
AUTHOR = ["author", "query"]


def by_session(user: User) -> APIClient:
    client = APIClient()
    client.force_login(user)
    return client


def by_key(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def freshly(user: User) -> APIClient:
    """The person has confirmed their password a moment ago."""
    client = by_session(user)
    assert client.post(reverse("account_reauthenticate"), {"password": PASSWORD}).status_code == 302
    return client


def issue(owner: User, **fields: Any) -> tuple[ApiKey, str]:
    return ApiKey.objects.issue(owner=owner, **{"name": "agent", **fields})


def a_plugin(owner: User, slug: str, **fields: Any) -> Plugin:
    fields = {"name": slug.title(), "domain": "x", "system_prompt": "x", "is_published": True, **fields}
    return Plugin.objects.create(owner=owner, slug=slug, **fields)


def url(key: ApiKey, what: str = "") -> str:
    return f"{KEYS}/{key.pk}{what}"


def post(client: APIClient, address: str, **body: Any) -> Any:
    return client.post(address, body, format="json")


def patch(client: APIClient, key: ApiKey, **body: Any) -> Any:
    return client.patch(url(key), body, format="json")


def assert_error(response: Any, status: int, code: str) -> None:
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert set(response.json()) == {"error", "code", "hint"}


# --- Making and looking -------------------------------------------------------------------------------------


def test_lx_087_a_key_is_made_with_what_was_wanted(alice: User) -> None:
    a_plugin(alice, "one")
    end = timezone.now() + timedelta(days=90)
    wanted = {"capabilities": ["query", "read"], "plugins": ["one"], "perMinute": 5, "perDay": 70}
    made = post(by_session(alice), KEYS, name="planner", expiresAt=end.isoformat(), **wanted)
    assert made.status_code == 201
    body = made.json()
    key = ApiKey.objects.for_secret(body["key"])
    assert key is not None
    assert body == {
        "id": str(key.pk),
        "name": "planner",
        "keyPrefix": body["key"][:11],
        "state": "works",
        "capabilities": ["query", "read"],
        "allPlugins": False,
        "plugins": ["one"],
        "perMinute": 5,
        "perDay": 70,
        "allowedOrigins": [],
        "createdAt": body["createdAt"],
        "expiresAt": body["expiresAt"],
        "lastUsedAt": None,
        "revokedAt": None,
        "rotatedFrom": None,
        "rotatedInto": None,
        "revealable": True,
        "key": body["key"],
    }
    assert key.expires_at == end


def test_a_key_for_which_nothing_is_wanted_may_ask_60_times_a_minute(alice: User) -> None:
    body = post(by_session(alice), KEYS, name="agent").json()
    assert (body["capabilities"], body["perMinute"], body["perDay"]) == (["query"], 60, 5000)
    assert (body["allPlugins"], body["plugins"], body["expiresAt"]) == (True, [], None)


def test_the_secret_is_in_the_first_answer_and_in_no_later_one(alice: User) -> None:
    client = by_session(alice)
    body = post(client, KEYS, name="agent").json()
    for address in (KEYS, f"{KEYS}/{body['id']}", f"{KEYS}/{body['id']}/usage"):
        assert not re.search(r"lx_[\w-]{43}", client.get(address).content.decode())


def test_whoever_has_signed_in_may_have_keys_and_others_may_not(charlie: User) -> None:
    charlie.is_staff = False
    charlie.save()
    assert post(by_session(charlie), KEYS, name="agent").status_code == 201
    assert_error(APIClient().get(KEYS), 401, "not_authenticated")
    assert_error(by_key("lx_" + "A" * 43).get(KEYS), 401, "not_authenticated")


def test_a_session_needs_its_token_against_forged_requests(alice: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.post(KEYS, {"name": "agent"}, format="json").status_code == 403


def test_a_key_without_author_looks_after_no_keys(alice: User) -> None:
    key, secret = issue(alice, capabilities=["query", "read"])
    client = by_key(secret)
    answers = [client.get(KEYS), post(client, KEYS, name="x"), client.get(url(key)), client.delete(url(key))]
    for answer in answers:
        assert_error(answer, 403, "missing_capability")


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"name": ""}, "name:"),
        ({"name": "x" * 101}, "name:"),
        ({"name": "my lx_" + "A" * 43}, "name: This looks like a key"),
        ({"capabilities": []}, "capabilities:"),
        ({"capabilities": ["root"]}, "capabilities:"),
        ({"perMinute": 0}, "perMinute:"),
        ({"perDay": -1}, "perDay:"),
        ({"perDay": 10**12}, "perDay:"),
        ({"expiresAt": "tomorrow"}, "expiresAt:"),
        ({"per_minute": 5}, "per_minute: This is not known here."),
        ({"perMinute": "5"}, "perMinute:"),
        ({"perMinute": True}, "perMinute:"),
        ({"name": 5}, "name:"),
        ({"plugins": ["x"] * 101}, "plugins:"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(alice: User, wrong: dict[str, Any], complaint: str) -> None:
    response = post(by_session(alice), KEYS, **{"name": "agent", **wrong})
    assert_error(response, 400, "invalid")
    assert response.json()["error"].startswith(complaint)
    assert not ApiKey.objects.exists()


def test_a_key_cannot_expire_in_the_past(alice: User) -> None:
    before = (timezone.now() - timedelta(seconds=1)).isoformat()
    assert_error(post(by_session(alice), KEYS, name="agent", expiresAt=before), 400, "expiry_in_the_past")


def test_nobody_may_give_more_than_the_server_does(alice: User, settings: Any) -> None:
    settings.KEY_MAX_PER_MINUTE, settings.KEY_MAX_PER_DAY = 10, 100
    client = by_session(alice)
    assert_error(post(client, KEYS, name="agent", perMinute=11), 400, "over_the_ceiling")
    refused = post(client, KEYS, name="agent", perDay=101)
    assert refused.json()["hint"] == "A key may have at most 10 requests a minute and 100 a day."
    body = post(client, KEYS, name="agent").json()
    assert (body["perMinute"], body["perDay"]) == (10, 100), "the defaults give way too"


def test_a_plugin_that_one_may_not_ask_is_unknown(alice: User, charlie: User) -> None:
    a_plugin(alice, "draft", is_published=False)
    for slug in ("draft", "nothing", "../x", "dr\u00e4ft"):
        assert_error(post(by_session(charlie), KEYS, name="agent", plugins=[slug]), 404, "unknown_plugin")
    assert not ApiKey.objects.exists()


def test_there_is_an_end_to_making_keys(alice: User) -> None:
    for _ in range(MAX_KEYS):
        issue(alice)
    assert_error(post(by_session(alice), KEYS, name="one more"), 409, "too_many_keys")


def test_a_key_whose_day_was_used_counts_until_the_day_is_over(alice: User) -> None:
    """Otherwise whoever makes a key, uses it up and revokes it, again and again, has no limit at all."""
    client = by_session(alice)
    for _ in range(MAX_KEYS):
        key, secret = issue(alice)
        assert by_key(secret).get("/api/v1/me").status_code == 200
        assert client.delete(url(key)).status_code == 204
    assert_error(post(client, KEYS, name="one more"), 409, "too_many_keys")
    ApiKey.objects.update(last_used_at=timezone.now() - timedelta(days=1))
    assert post(client, KEYS, name="one more").status_code == 201


def test_keys_that_had_expired_do_not_come_back_beyond_the_end_to_making_keys(alice: User) -> None:
    client, (old, _) = by_session(alice), issue(alice)
    ApiKey.objects.update(expires_at=timezone.now())
    assert patch(client, old, expiresAt=None).status_code == 200
    ApiKey.objects.update(expires_at=timezone.now())
    for _ in range(MAX_KEYS):
        issue(alice)
    assert_error(patch(client, old, expiresAt=None), 409, "too_many_keys")
    assert ApiKey.objects.usable().count() == MAX_KEYS


def test_the_list_is_in_pages_the_newest_first(alice: User) -> None:
    made = [issue(alice, name=str(number))[0] for number in range(3)]
    first = by_session(alice).get(KEYS, {"limit": 2}).json()
    assert [key["name"] for key in first["results"]] == ["2", "1"]
    rest = by_session(alice).get(first["next"]).json()
    assert [key["id"] for key in rest["results"]] == [str(made[0].pk)]


@pytest.mark.parametrize("rows", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number_of_keys(
    alice: User, rows: int, django_assert_num_queries: Any
) -> None:
    plugin = a_plugin(alice, "one")
    for _ in range(rows):
        issue(alice, plugins=[plugin])
    client = by_session(alice)
    with django_assert_num_queries(5):  # session, person, keys with what replaced them, limits, plugins
        assert len(client.get(KEYS).json()["results"]) == rows


# --- Strangers ----------------------------------------------------------------------------------------------


def test_charlie_finds_none_of_alices_keys(alice: User, charlie: User) -> None:
    key, secret = issue(alice)
    charlie.is_superuser = True
    charlie.save()
    theirs = issue(charlie, capabilities=["author", "query"])[1]
    for client in (freshly(charlie), by_key(theirs)):
        answers = [
            client.get(url(key)),
            patch(client, key, name="mine"),
            patch(client, key, reveal=True),
            client.delete(url(key)),
            post(client, url(key, "/rotate")),
            client.get(url(key, "/usage")),
        ]
        for answer in answers:
            assert_error(answer, 404, "unknown_key")
        assert str(key.pk) not in client.get(KEYS).content.decode()
    assert ApiKey.objects.for_secret(secret) == key
    assert not Reveal.objects.exists()


def test_an_id_of_nothing_is_404(alice: User) -> None:
    assert by_session(alice).get(f"{KEYS}/{uuid.uuid4()}").status_code == 404
    assert by_session(alice).get(f"{KEYS}/nonsense").status_code == 404


def test_a_limited_key_finds_no_key_that_opens_something_else(alice: User) -> None:
    one, other = a_plugin(alice, "one"), a_plugin(alice, "other")
    limited, secret = issue(alice, capabilities=AUTHOR, plugins=[one])
    same, _ = issue(alice, plugins=[one])
    strangers = [issue(alice)[0], issue(alice, plugins=[other])[0], issue(alice, plugins=[one, other])[0]]
    client = by_key(secret)
    assert {key["id"] for key in client.get(KEYS).json()["results"]} == {str(limited.pk), str(same.pk)}
    for key in strangers:
        for answer in (client.get(url(key)), client.delete(url(key)), post(client, url(key, "/rotate"))):
            assert_error(answer, 404, "unknown_key")
    assert ApiKey.objects.usable().count() == 5


def test_a_limited_key_whose_plugin_is_gone_opens_nothing_more(alice: User) -> None:
    one = a_plugin(alice, "one")
    limited, secret = issue(alice, capabilities=AUTHOR, plugins=[one])
    gone_too, _ = issue(alice, plugins=[one])
    issue(alice)
    one.delete()
    client = by_key(secret)
    assert [key["id"] for key in client.get(KEYS).json()["results"]] == [str(limited.pk)]
    assert_error(post(client, KEYS, name="wider"), 403, "more_than_this_key")
    shown = client.get(url(limited)).json()
    assert (shown["allPlugins"], shown["plugins"]) == (False, [])
    assert client.get(url(gone_too)).status_code == 404


# --- A key never makes more of itself -----------------------------------------------------------------------


def test_what_a_key_makes_has_no_more_than_itself(alice: User) -> None:
    one = a_plugin(alice, "one")
    end = timezone.now() + timedelta(days=5)
    maker, secret = issue(alice, capabilities=AUTHOR, plugins=[one], per_minute=7, per_day=50, expires_at=end)
    made = post(by_key(secret), KEYS, name="child").json()
    child = ApiKey.objects.get(pk=made["id"])
    assert (child.capabilities, child.per_minute, child.per_day) == (["query"], 7, 50)
    assert (child.expires_at, child.allowed_plugins(), child.made_with) == (end, [one.pk], maker)


@pytest.mark.parametrize(
    "more",
    [
        {"capabilities": ["query", "read"]},
        {"perMinute": 8},
        {"perDay": 51},
        {"expiresAt": None},
        {"expiresAt": "2999-01-01T00:00:00Z"},
        {"plugins": ["one", "other"]},
        {"plugins": ["other"]},
    ],
)
def test_a_key_cannot_make_a_key_that_may_do_more(alice: User, more: dict[str, Any]) -> None:
    one = a_plugin(alice, "one")
    a_plugin(alice, "other")
    end = timezone.now() + timedelta(days=5)
    _, secret = issue(alice, capabilities=AUTHOR, plugins=[one], per_minute=7, per_day=50, expires_at=end)
    response = post(by_key(secret), KEYS, name="child", **more)
    expected = (404, "unknown_plugin") if "plugins" in more else (403, "more_than_this_key")
    assert_error(response, *expected)
    assert ApiKey.objects.count() == 1


def test_a_key_that_only_authors_makes_no_key_that_asks(alice: User) -> None:
    _, secret = issue(alice, capabilities=["author"])
    assert_error(post(by_key(secret), KEYS, name="child"), 403, "more_than_this_key")
    assert post(by_key(secret), KEYS, name="child", capabilities=["author"]).status_code == 201


def test_a_key_cannot_touch_a_stronger_one(alice: User) -> None:
    strong, strong_secret = issue(alice, capabilities=["author", "query", "read"], per_minute=100)
    _, secret = issue(alice, capabilities=AUTHOR)
    client = by_key(secret)
    for answer in (
        patch(client, strong, name="mine"),
        client.delete(url(strong)),
        post(client, url(strong, "/rotate")),
    ):
        assert_error(answer, 403, "more_than_this_key")
    assert ApiKey.objects.for_secret(strong_secret) == strong


def test_a_key_cannot_raise_its_own_limits(alice: User) -> None:
    key, secret = issue(alice, capabilities=AUTHOR, expires_at=timezone.now() + timedelta(days=1))
    client = by_key(secret)
    for more in ({"perMinute": 61}, {"perDay": 5001}, {"expiresAt": None}):
        assert_error(patch(client, key, **more), 403, "more_than_this_key")
    assert patch(client, key, perMinute=59).json()["perMinute"] == 59


def test_what_a_revoked_key_had_made_is_revoked_with_it(alice: User) -> None:
    maker, secret = issue(alice, capabilities=AUTHOR)
    child = post(by_key(secret), KEYS, name="child", capabilities=AUTHOR).json()["key"]
    grandchild = post(by_key(child), KEYS, name="grandchild").json()["key"]
    other = issue(alice)[1]
    assert by_session(alice).delete(url(maker)).status_code == 204
    assert [ApiKey.objects.for_secret(gone) for gone in (secret, child, grandchild)] == [None] * 3
    assert ApiKey.objects.for_secret(other)


def test_what_a_key_replaced_is_revoked_with_it(alice: User) -> None:
    """Whoever holds the key has seen the secret of the new one."""
    stolen, secret = issue(alice, capabilities=AUTHOR)
    old, _ = issue(alice)
    new = post(by_key(secret), url(old, "/rotate")).json()
    assert by_session(alice).delete(url(stolen)).status_code == 204
    assert ApiKey.objects.for_secret(new["key"]) is None


def test_a_key_that_replaced_itself_may_be_revoked_without_its_replacement(alice: User) -> None:
    old, secret = issue(alice, capabilities=AUTHOR)
    new = post(by_key(secret), url(old, "/rotate")).json()
    assert by_session(alice).delete(url(old)).status_code == 204
    assert ApiKey.objects.for_secret(new["key"])


def test_a_key_that_is_revoked_while_it_is_used_leaves_no_other_behind(alice: User) -> None:
    used, secret = issue(alice, capabilities=AUTHOR)
    other, _ = issue(alice)
    let_in = ApiKey.objects.for_secret(secret)  # and then, before it has done anything:
    assert let_in is not None
    used.revoke()
    with pytest.raises(api_keys.KeyRevoked):
        api_keys.issue_key(let_in, name="child")
    with pytest.raises(api_keys.KeyRevoked):
        api_keys.rotate_key(other, by=let_in, overlap=timedelta(0))
    assert ApiKey.objects.usable().count() == 1


# --- Changing and revoking ----------------------------------------------------------------------------------


def test_name_limits_and_expiry_can_be_changed(alice: User) -> None:
    key, secret = issue(alice)
    end = timezone.now() + timedelta(days=1)
    body = patch(by_session(alice), key, name="new", perMinute=1, perDay=2, expiresAt=end.isoformat()).json()
    assert (body["name"], body["perMinute"], body["perDay"]) == ("new", 1, 2)
    key.refresh_from_db()
    assert (key.name, key.per_minute, key.per_day, key.expires_at) == ("new", 1, 2, end)
    assert ApiKey.objects.for_secret(secret) == key
    assert patch(by_session(alice), key, expiresAt=None).json()["expiresAt"] is None


@pytest.mark.parametrize("body", [{}, {"capabilities": ["author"]}, {"plugins": []}, {"reveal": True, "name": "x"}])
def test_nothing_else_can(alice: User, body: dict[str, Any]) -> None:
    key, _ = issue(alice)
    assert_error(patch(freshly(alice), key, **body), 400, "invalid")


def test_what_an_operator_gave_beyond_the_ceiling_may_stay_and_not_grow(alice: User) -> None:
    key, _ = issue(alice, per_minute=5000)
    client = by_session(alice)
    assert patch(client, key, name="renamed").status_code == 200
    assert_error(patch(client, key, perMinute=5001), 400, "over_the_ceiling")


def test_revoking_works_at_once_and_the_key_stays_in_the_list(alice: User) -> None:
    key, secret = issue(alice)
    assert by_key(secret).get("/api/v1/me").status_code == 200
    assert by_session(alice).delete(url(key)).status_code == 204
    assert_error(by_key(secret).get("/api/v1/me"), 401, "not_authenticated")
    shown = by_session(alice).get(url(key)).json()
    assert (shown["state"], shown["revealable"]) == ("revoked", False)


def test_of_a_revoked_key_only_the_name_can_be_changed(alice: User) -> None:
    key, _ = issue(alice)
    key.revoke()
    client = by_session(alice)
    for more in ({"expiresAt": None}, {"perMinute": 5}, {"name": "new", "perDay": 5}):
        assert_error(patch(client, key, **more), 409, "revoked")
    assert patch(client, key, name="the one that leaked").json()["name"] == "the one that leaked"


# --- Rotating -----------------------------------------------------------------------------------------------


def test_both_keys_work_while_they_overlap(alice: User) -> None:
    one = a_plugin(alice, "one")
    old, old_secret = issue(alice, plugins=[one], per_minute=5, capabilities=["query", "read"])
    body = post(by_session(alice), url(old, "/rotate"), overlapSeconds=3600).json()
    new = ApiKey.objects.for_secret(body["key"])
    assert new is not None
    assert ApiKey.objects.for_secret(old_secret) == old
    assert (new.name, new.per_minute, new.capabilities) == (old.name, 5, ["query", "read"])
    assert (new.allowed_plugins(), body["rotatedFrom"], new.expires_at) == ([one.pk], str(old.pk), None)
    old.refresh_from_db()
    assert old.expires_at is not None
    assert not ApiKey.objects.usable(now=old.expires_at).filter(pk=old.pk).exists()
    assert timedelta(0) < old.expires_at - timezone.now() <= timedelta(hours=1)
    assert by_session(alice).get(url(old)).json()["rotatedInto"] == str(new.pk)


def test_without_overlap_the_old_key_ends_now(alice: User) -> None:
    old, secret = issue(alice)
    assert post(by_session(alice), url(old, "/rotate"), overlapSeconds=0).status_code == 201
    assert ApiKey.objects.for_secret(secret) is None


def test_the_overlap_is_a_day_unless_said_and_never_lengthens_a_life(alice: User) -> None:
    soon = timezone.now() + timedelta(hours=2)
    old, _ = issue(alice, expires_at=soon)
    post(by_session(alice), url(old, "/rotate"))
    old.refresh_from_db()
    assert old.expires_at == soon
    other, _ = issue(alice)
    post(by_session(alice), url(other, "/rotate"))
    other.refresh_from_db()
    assert other.expires_at is not None
    assert timedelta(hours=23) < other.expires_at - timezone.now() <= timedelta(days=1)


@pytest.mark.parametrize("overlap", [-1, 31 * 86_400, "x", None])
def test_an_overlap_is_between_nothing_and_30_days(alice: User, overlap: Any) -> None:
    old, _ = issue(alice)
    assert_error(post(by_session(alice), url(old, "/rotate"), overlapSeconds=overlap), 400, "invalid")


def test_a_replaced_key_is_not_kept_beside_the_new_one_for_good(alice: User) -> None:
    old, _ = issue(alice)
    client = by_session(alice)
    assert post(client, url(old, "/rotate")).status_code == 201
    for end in (None, (timezone.now() + timedelta(days=31)).isoformat()):
        assert_error(patch(client, old, expiresAt=end), 400, "overlap_too_long")
    assert patch(client, old, expiresAt=(timezone.now() + timedelta(days=7)).isoformat()).status_code == 200


def test_a_person_gives_the_new_key_a_life_as_long_as_the_old_one_had(alice: User) -> None:
    end = timezone.now() + timedelta(days=10)
    old, _ = issue(alice, expires_at=end)
    ApiKey.objects.filter(pk=old.pk).update(created_at=end - timedelta(days=90))
    body = post(by_session(alice), url(old, "/rotate")).json()
    life = ApiKey.objects.get(pk=body["id"]).expires_at - timezone.now()  # type: ignore[operator]
    assert timedelta(days=89) < life <= timedelta(days=90)


def test_a_life_without_a_foreseeable_end_is_not_prolonged(alice: User) -> None:
    body = post(by_session(alice), KEYS, name="agent", expiresAt="9999-12-31T00:00:00Z").json()
    ApiKey.objects.update(created_at=timezone.now() - timedelta(days=30))
    rotated = post(by_session(alice), f"{KEYS}/{body['id']}/rotate")
    assert (rotated.status_code, rotated.json()["expiresAt"]) == (201, body["expiresAt"])


def test_a_key_that_rotates_itself_lives_no_longer(alice: User) -> None:
    end = timezone.now() + timedelta(days=10)
    old, secret = issue(alice, capabilities=AUTHOR, expires_at=end)
    body = post(by_key(secret), url(old, "/rotate")).json()
    assert ApiKey.objects.get(pk=body["id"]).expires_at == end


@pytest.mark.parametrize("state", ["revoked", "expired", "rotated"])
def test_only_a_key_that_works_is_rotated_and_only_once(alice: User, state: str) -> None:
    key, _ = issue(alice)
    if state == "revoked":
        key.revoke()
    if state == "expired":
        ApiKey.objects.update(expires_at=timezone.now())
    if state == "rotated":
        key.rotate(overlap=timedelta(days=1))
    before = ApiKey.objects.count()
    assert_error(post(by_session(alice), url(key, "/rotate")), 409, "not_rotatable")
    assert ApiKey.objects.count() == before


def test_rotating_does_not_open_a_key_whose_plugin_is_gone(alice: User) -> None:
    one = a_plugin(alice, "one")
    old, _ = issue(alice, plugins=[one])
    one.delete()
    new, _ = old.rotate(overlap=timedelta(0))
    assert new.allowed_plugins() == [None]


def test_rotating_again_and_again_has_an_end(alice: User) -> None:
    key, _ = issue(alice)
    client, answers = by_session(alice), []
    for _ in range(2 * MAX_KEYS):
        answers.append(post(client, url(key, "/rotate"), overlapSeconds=86_400))
        key = ApiKey.objects.order_by("-created_at").first() or key
    assert_error(answers[-1], 409, "too_many_keys")
    assert ApiKey.objects.usable().count() == 2 * MAX_KEYS


# --- Revealing ----------------------------------------------------------------------------------------------


def test_lx_010_088_the_owner_sees_the_secret_again_after_a_fresh_sign_in(alice: User) -> None:
    key, secret = issue(alice)
    response = patch(freshly(alice), key, reveal=True)
    assert (response.status_code, response.json()["key"]) == (200, secret)
    assert response["Cache-Control"] == "no-store"
    reveal = Reveal.objects.get()
    assert (reveal.key, reveal.by) == (key, alice)
    assert abs(timezone.now() - reveal.at) < timedelta(minutes=5)


def test_a_session_that_was_left_open_reveals_nothing(alice: User) -> None:
    key, _ = issue(alice)
    assert_error(patch(by_session(alice), key, reveal=True), 403, "fresh_sign_in_needed")
    assert not Reveal.objects.exists()


def test_a_fresh_sign_in_does_not_stay_fresh(alice: User, settings: Any) -> None:
    key, _ = issue(alice)
    client = freshly(alice)
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 0
    assert_error(patch(client, key, reveal=True), 403, "fresh_sign_in_needed")


def test_no_key_reveals_itself_or_another(alice: User) -> None:
    key, secret = issue(alice, capabilities=["author", "query", "read"])
    fresh = freshly(alice)
    fresh.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    for client in (by_key(secret), fresh):
        assert_error(patch(client, key, reveal=True), 403, "fresh_sign_in_needed")


def test_with_revealing_switched_off_it_says_so(alice: User, settings: Any) -> None:
    key, _ = issue(alice)
    settings.API_KEY_REVEAL = False
    response = patch(freshly(alice), key, reveal=True)
    assert_error(response, 409, "reveal_off")
    assert response.json()["error"] == "Keys are shown once only on this server."


def test_a_revoked_key_has_nothing_to_reveal(alice: User) -> None:
    key, _ = issue(alice)
    key.revoke()
    assert_error(patch(freshly(alice), key, reveal=True), 409, "no_copy")


def test_a_copy_that_cannot_be_opened_any_more_is_not_there(alice: User, settings: Any) -> None:
    key, _ = issue(alice)
    settings.ENCRYPTION_KEY = "another one"
    assert_error(patch(freshly(alice), key, reveal=True), 409, "no_copy")
    assert not Reveal.objects.exists()


# --- Usage --------------------------------------------------------------------------------------------------


def asked(key: ApiKey, outcome: str, *, days_ago: int = 0, times: int = 1, reason: str = "") -> None:
    at = timezone.now() - timedelta(days=days_ago)
    Query.objects.bulk_create(
        Query(api_key=key, release_name="x", question="q", outcome=outcome, reason=reason, created_at=at)
        for _ in range(times)
    )


def test_usage_is_by_day_and_outcome(alice: User, django_assert_num_queries: Any) -> None:
    (key, _), (other, _) = issue(alice), issue(alice)
    asked(key, Outcome.ANSWERED.value, times=3)
    asked(key, Outcome.REFUSED.value)
    asked(key, Outcome.ANSWERED.value, days_ago=29)
    asked(key, Outcome.ANSWERED.value, days_ago=30)
    asked(key, Outcome.ANSWERED.value, reason="courtesy")  # "Thanks" is no question
    asked(other, Outcome.FAILED.value)
    client = by_session(alice)
    with django_assert_num_queries(5):  # session, person, key, limits, usage
        body = client.get(url(key, "/usage")).json()
    today = timezone.now().date()
    assert (body["questions"], body["outcomes"]) == (5, {"answered": 4, "refused": 1})
    assert [day["questions"] for day in body["days"]] == [1, *[0] * 28, 4]
    assert body["days"][-1] == {
        "date": today.isoformat(),
        "questions": 4,
        "outcomes": {"answered": 3, "refused": 1},
    }


# --- Secrets stay secret ------------------------------------------------------------------------------------


def test_a_key_in_the_address_or_the_body_opens_nothing(alice: User) -> None:
    _, secret = issue(alice, capabilities=AUTHOR)
    for name in ("key", "api_key", "apikey", "token", "access_token", "authorization", "Authorization"):
        assert APIClient().get(KEYS, {name: secret}).status_code == 401
        assert APIClient().get("/api/v1/me", {name: secret}).status_code == 401
    assert APIClient().post(KEYS, {"name": "x", "key": secret}, format="json").status_code == 401
    cookies = Client()
    cookies.cookies["key"] = secret
    assert cookies.get("/api/v1/me").status_code == 401
    assert by_key("").get(KEYS).status_code == 401


def test_the_secret_is_in_no_log_and_nowhere_in_the_database(alice: User, caplog: Any) -> None:
    with caplog.at_level(logging.DEBUG):
        client = freshly(alice)
        body = post(client, KEYS, name="agent", capabilities=AUTHOR).json()
        key = ApiKey.objects.get(pk=body["id"])
        secrets = {body["key"], post(client, url(key, "/rotate")).json()["key"]}
        patch(client, key, reveal=True)
        for secret in secrets:
            by_key(secret).get(KEYS)
            by_key(secret + "x").get(KEYS)
        client.delete(url(key))
    bodies = {secret[11:] for secret in secrets}
    lines = "\n".join(f"{record.getMessage()} {record.exc_text} {record.args}" for record in caplog.records)
    assert not [body for body in bodies if body in lines]
    assert not [body for body in bodies if body in _whole_database()]


def _whole_database() -> str:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f'SELECT to_jsonb(t)::text FROM "{table}" t')
            rows += [row[0] for row in cursor.fetchall()]
    assert any("alice@example.org" in row for row in rows)
    return "\n".join(rows)


def test_a_key_never_says_its_secret_when_it_is_printed(alice: User) -> None:
    key, secret = issue(alice)
    for text in (repr(key), str(key), f"{key}", repr([key]), repr(ApiKey.objects.all())):
        assert secret[11:] not in text
        assert key.key_hash not in text
        assert key.key_encrypted not in text
