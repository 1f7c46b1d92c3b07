from __future__ import annotations

import hashlib
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts import key_secrets
from accounts.models import ApiKey, User
from plugins.models import Plugin


@pytest.fixture
def issued(alice: User) -> tuple[ApiKey, str]:
    return ApiKey.objects.issue(owner=alice, name="agent")


def plugin_of(owner: User, name: str = "Cover") -> Plugin:
    return Plugin.objects.create(owner=owner, name=name, domain="x", system_prompt="x", is_published=True)


# --- Secrets ---------------------------------------------------------------------------------------------


def test_lx_090_sp_05_a_secret_is_32_random_bytes_that_say_what_they_are() -> None:
    made = {key_secrets.generate_secret() for _ in range(200)}
    assert len(made) == 200
    assert all(re.fullmatch(r"lx_[A-Za-z0-9_-]{43}", secret) for secret in made)
    assert all(map(key_secrets.looks_like_key, made))


@given(st.text() | st.from_regex(r"lx_[A-Za-z0-9_-]{40,46}", fullmatch=True))
def test_only_that_shape_is_looked_up(text: str) -> None:
    expected = len(text) == 46 and re.fullmatch(r"lx_[A-Za-z0-9_-]+", text, re.ASCII) is not None
    assert key_secrets.looks_like_key(text) is expected


def test_a_line_break_after_a_secret_is_no_part_of_it() -> None:
    assert not key_secrets.looks_like_key(key_secrets.generate_secret() + "\n")


def test_a_secret_is_kept_as_its_sha256(issued: tuple[ApiKey, str]) -> None:
    key, secret = issued
    assert key.key_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert key.prefix == secret[:11]


def test_no_column_holds_the_secret_in_the_clear(issued: tuple[ApiKey, str]) -> None:
    key, secret = issued
    row = ApiKey.objects.filter(pk=key.pk).values().get()
    assert not any(secret in str(value) for value in row.values())
    assert len(key.prefix) < 16


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_lx_089_what_is_sealed_opens_again_and_never_looks_the_same(text: str) -> None:
    one, other = key_secrets.encrypt(text), key_secrets.encrypt(text)
    assert one != other
    assert key_secrets.decrypt(one) == key_secrets.decrypt(other) == text


def test_another_encryption_key_opens_nothing(issued: tuple[ApiKey, str], settings) -> None:
    key, secret = issued
    assert key.reveal() == secret
    settings.ENCRYPTION_KEY = "another one"
    assert key.reveal() is None
    assert ApiKey.objects.for_secret(secret) == key


@pytest.mark.parametrize("damage", ["", "AAAA", "not base64!", "====", "é"])
def test_a_damaged_copy_opens_nothing(damage: str) -> None:
    assert key_secrets.decrypt(damage) is None


def test_one_changed_bit_opens_nothing() -> None:
    sealed = key_secrets.encrypt(key_secrets.generate_secret())
    for position in (0, 20, 60):
        other = "B" if sealed[position] != "B" else "C"
        assert key_secrets.decrypt(sealed[:position] + other + sealed[position + 1 :]) is None


# --- Revealing -------------------------------------------------------------------------------------------


def test_with_revealing_switched_off_no_copy_is_stored(alice: User, settings) -> None:
    settings.API_KEY_REVEAL = False
    key, secret = ApiKey.objects.issue(owner=alice, name="agent")
    assert key.key_encrypted == ""
    assert key.reveal() is None
    assert ApiKey.objects.for_secret(secret) == key


def test_with_revealing_switched_off_an_old_copy_is_not_opened(issued: tuple[ApiKey, str], settings) -> None:
    settings.API_KEY_REVEAL = False
    assert issued[0].reveal() is None


# --- Which keys open a door ------------------------------------------------------------------------------


def test_a_key_is_found_by_its_secret_and_no_other(issued: tuple[ApiKey, str], bob: User) -> None:
    key, secret = issued
    ApiKey.objects.issue(owner=bob, name="agent")
    assert ApiKey.objects.for_secret(secret) == key
    for wrong in (key.prefix, key.key_hash, key.key_encrypted, str(key.pk), secret[:-1], secret + "A", ""):
        assert ApiKey.objects.for_secret(wrong) is None


def test_a_revoked_key_opens_nothing_and_its_copy_is_gone(issued: tuple[ApiKey, str]) -> None:
    key, secret = issued
    key.revoke()
    key.refresh_from_db()
    assert key.key_encrypted == ""
    assert key.reveal() is None
    assert ApiKey.objects.for_secret(secret) is None


def test_revoking_twice_remembers_the_first_time(issued: tuple[ApiKey, str]) -> None:
    key, _ = issued
    ApiKey.objects.update(revoked_at=timezone.now() - timedelta(days=3))
    key.refresh_from_db()
    first = key.revoked_at
    key.revoke()
    key.refresh_from_db()
    assert key.revoked_at == first


def test_a_key_ends_at_the_very_moment_it_expires(alice: User) -> None:
    end = timezone.now() + timedelta(days=1)
    key, _ = ApiKey.objects.issue(owner=alice, name="agent", expires_at=end)
    assert list(ApiKey.objects.usable(now=end - timedelta(microseconds=1))) == [key]
    assert not ApiKey.objects.usable(now=end).exists()


def test_a_key_of_an_inactive_person_opens_nothing(issued: tuple[ApiKey, str]) -> None:
    User.objects.update(is_active=False)
    assert ApiKey.objects.for_secret(issued[1]) is None


def test_a_person_sees_their_own_keys(issued: tuple[ApiKey, str], charlie: User) -> None:
    theirs, _ = ApiKey.objects.issue(owner=charlie, name="agent")
    assert list(ApiKey.objects.visible_to(charlie)) == [theirs]


def test_use_is_noted_at_most_once_a_minute(issued: tuple[ApiKey, str]) -> None:
    key, _ = issued
    now = timezone.now()
    key.touch(now=now)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        key.touch(now=now + timedelta(seconds=59))
        ApiKey.objects.get(pk=key.pk).touch(now=now + timedelta(seconds=59))
    assert len(queries) == 1, "the second reads its row, and nobody writes"
    assert ApiKey.objects.get(pk=key.pk).last_used_at == now
    key.touch(now=now + timedelta(seconds=60))
    assert ApiKey.objects.get(pk=key.pk).last_used_at == now + timedelta(seconds=60)


# --- Keys for some plugins only --------------------------------------------------------------------------


def test_a_key_without_a_list_may_ask_whatever_its_owner_may(alice: User, charlie: User) -> None:
    mine, published = plugin_of(charlie), plugin_of(alice, "Published")
    draft = Plugin.objects.create(owner=alice, name="Draft", domain="x", system_prompt="x")
    key, _ = ApiKey.objects.issue(owner=charlie, name="agent")
    assert set(Plugin.objects.askable_by(key)) == {mine, published}
    assert draft not in Plugin.objects.askable_by(key)


def test_a_key_with_a_list_may_ask_nothing_else(alice: User) -> None:
    one, _other = plugin_of(alice, "One"), plugin_of(alice, "Other")
    key, _ = ApiKey.objects.issue(owner=alice, name="agent", plugins=[one])
    assert list(Plugin.objects.askable_by(key)) == [one]


def test_a_list_opens_nothing_that_its_owner_may_not_ask(alice: User, charlie: User) -> None:
    draft = Plugin.objects.create(owner=alice, name="Draft", domain="x", system_prompt="x")
    key, _ = ApiKey.objects.issue(owner=charlie, name="agent", plugins=[draft])
    assert not Plugin.objects.askable_by(key).exists()


def test_a7_a_key_whose_only_plugin_is_deleted_does_not_open_all_the_others(alice: User) -> None:
    one, other = plugin_of(alice, "One"), plugin_of(alice, "Other")
    limited, _ = ApiKey.objects.issue(owner=alice, name="limited", plugins=[one])
    open_one, _ = ApiKey.objects.issue(owner=alice, name="open")
    one.delete()
    limited.refresh_from_db()
    assert limited.allowed_plugins() == [None]
    assert not Plugin.objects.askable_by(limited).exists()
    assert list(Plugin.objects.askable_by(open_one)) == [other]


def test_a7_deleting_the_author_does_not_open_a_strangers_limited_key(alice: User, charlie: User) -> None:
    theirs = plugin_of(alice)
    own = plugin_of(charlie, "Own")
    limited, _ = ApiKey.objects.issue(owner=charlie, name="limited", plugins=[theirs])
    alice.delete()
    assert own not in Plugin.objects.askable_by(limited)
