"""Retention, legal hold, spending caps and quotas over the API, as the builder's pane of limits has them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from plugins.models import Plugin
from querying.models import Query
from tests.api.callers import assert_error, by_key, signed_in
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
URL, HOLD = "/api/plugins/cover/limits", "/api/plugins/cover/legal-hold"


@pytest.fixture
@remembered
def plugin(alice: User, bob: User) -> Plugin:
    """Alice's, which Bob edits."""
    made = Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="x")
    made.editors.add(bob)
    return made


def test_the_owner_changes_how_long_content_is_kept_and_what_answers_may_cost(
    plugin: Plugin, alice: User, settings: Any
) -> None:
    settings.KEEP_QUESTIONS_DAYS, settings.KEEP_CHATS_DAYS, settings.KEEP_FILES_DAYS = 365, 90, 30
    settings.LEXIC_LLM_CURRENCY = "EUR"
    Query.objects.create(plugin=plugin, question="x", outcome="answered", cost=Decimal("1.25"))
    client = by_key(alice)
    assert client.get(URL).json() == {
        "keepQuestionsDays": None,
        "keepChatsDays": None,
        "keepFilesDays": None,
        "spendingCap": None,
        "spentThisMonth": 1.25,
        "currency": "EUR",
        "inForce": {"questions": 365, "chats": 90, "files": 30},
        "legalHold": None,
    }
    changed = client.patch(URL, {"keepQuestionsDays": 7, "keepChatsDays": 0, "spendingCap": 12.3}, format="json")
    assert changed.status_code == 200
    shown = client.get(URL).json()
    assert shown == changed.json()
    assert (shown["inForce"], shown["spendingCap"]) == ({"questions": 7, "chats": 0, "files": 30}, 12.3)
    plugin.refresh_from_db()
    assert (plugin.keep_questions_days, plugin.keep_chats_days, plugin.keep_files_days) == (7, 0, None)
    assert plugin.spending_cap == Decimal("12.30")
    client.patch(URL, shown | {"spendingCap": None}, format="json")  # what is only shown may come back
    plugin.refresh_from_db()
    assert (plugin.spending_cap, plugin.keep_questions_days) == (None, 7)


@pytest.mark.parametrize(
    "body",
    [
        {"keepQuestionsDays": -1},
        {"keepChatsDays": 36_501},
        {"keepFilesDays": "7"},
        {"keepFileDays": 7},
        {"spendingCap": -1},
        {"spendingCap": 1.234},
        {"spendingCap": 10**9},
        {"spendingCap": "5"},
        {"spendingCap": True},
    ],
)
def test_what_is_no_limit_is_refused(plugin: Plugin, alice: User, body: dict[str, Any]) -> None:
    assert_error(by_key(alice).patch(URL, body, format="json"), 400, "invalid")


def test_a_legal_hold_is_set_and_lifted(plugin: Plugin, alice: User) -> None:
    client = by_key(alice)
    assert client.put(HOLD).json()["legalHold"] == "owner"
    assert_error(client.delete("/api/plugins/cover"), 409, "legal_hold")
    assert client.delete(HOLD).status_code == 204
    assert client.get(URL).json()["legalHold"] is None


def test_what_operators_hold_they_lift(plugin: Plugin, alice: User) -> None:
    operator = User.objects.create_superuser("dora@example.org", "correct horse battery")
    assert signed_in(operator).put(HOLD).json()["legalHold"] == "operator"
    assert_error(by_key(alice).delete(HOLD), 403, "held_by_operator")
    assert by_key(alice).put(HOLD).json()["legalHold"] == "operator"
    assert signed_in(operator).delete(HOLD).status_code == 204


def test_those_who_do_not_own_it_look_or_see_nothing(plugin: Plugin, bob: User, charlie: User) -> None:
    for enter in (by_key, signed_in):
        editor, stranger = enter(bob), enter(charlie)
        assert editor.get(URL).status_code == 200
        assert_error(editor.patch(URL, {"keepChatsDays": 1}, format="json"), 403, "only_its_owner")
        assert_error(editor.put(HOLD), 403, "only_its_owner")
        assert_error(editor.delete(HOLD), 403, "only_its_owner")
        assert_error(stranger.get(URL), 404, "unknown_plugin")
        assert_error(stranger.patch(URL, {"keepChatsDays": 1}, format="json"), 404, "unknown_plugin")
        assert_error(stranger.put(HOLD), 404, "unknown_plugin")
    plugin.refresh_from_db()
    assert (plugin.keep_chats_days, plugin.legal_hold) == (None, "")


def test_keys_that_only_read_or_are_for_another_plugin_change_nothing(plugin: Plugin, alice: User) -> None:
    other = Plugin.objects.create(owner=alice, name="Hats", slug="hats", domain="x", system_prompt="x")
    assert_error(by_key(alice, "read").patch(URL, {"keepChatsDays": 1}, format="json"), 403, "missing_capability")
    assert_error(by_key(alice, plugins=[other]).patch(URL, {"keepChatsDays": 1}, format="json"), 404, "unknown_plugin")
    assert by_key(alice, plugins=[plugin]).patch(URL, {"keepChatsDays": 1}, format="json").status_code == 200


def test_an_account_sees_what_it_uses(plugin: Plugin, alice: User, charlie: User, settings: Any) -> None:
    settings.QUOTAS = {"account_plugins": 5, "account_storage_mb": 0}
    settings.ACCOUNT_SPENDING_CAP, settings.LEXIC_LLM_CURRENCY = Decimal("20"), "EUR"
    Query.objects.create(plugin=plugin, user=alice, question="x", outcome="answered", cost=Decimal("0.50"))
    assert by_key(alice, "read").get("/api/account/usage").json() == {
        "quotas": [
            {"name": "plugins", "used": 1, "limit": 5},
            {"name": "documents", "used": 0, "limit": None},
            {"name": "storage_mb", "used": 0, "limit": None},
        ],
        "spentThisMonth": 0.5,
        "spendingCap": 20.0,
        "currency": "EUR",
    }
    theirs = signed_in(charlie).get("/api/account/usage").json()
    assert (theirs["quotas"][0]["used"], theirs["spentThisMonth"]) == (0, 0.0)
    assert_error(by_key(alice, plugins=[plugin]).get("/api/account/usage"), 403, "key_is_limited")
