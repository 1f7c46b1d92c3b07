"""Quotas: each refuses with the limit, the use, and what to do; streams are counted while they run."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache

from accounts import quotas, rate_limits
from accounts.models import ApiKey, User
from accounts.quotas import Quota, QuotaExceeded, TooManyStreams, stream_slot
from accounts.rate_limits import DAY, count_key_request
from lexic import redis_cache
from lexic.conf.quotas import DEFAULT_QUOTAS
from plugins.models import Plugin

ALL = [value for value in vars(quotas).values() if isinstance(value, Quota)]
NOON = 4_100_017_630.0


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.mark.parametrize("quota", ALL, ids=lambda quota: quota.name)
def test_every_quota_says_the_limit_the_use_and_what_to_do(quota: Quota, settings: Any) -> None:
    scopes = [name.removesuffix(f"_{quota.name}") for name in DEFAULT_QUOTAS if name.endswith(f"_{quota.name}")]
    assert scopes, "it has a setting"
    for scope in scopes:
        settings.QUOTAS = settings.QUOTAS | {f"{scope}_{quota.name}": 7}
        quota.check(scope, used=6 * quota.unit)  # type: ignore[arg-type]
        with pytest.raises(QuotaExceeded, match=f"This {scope} has 7 of 7 {quota.noun}.") as refused:
            quota.check(scope, used=7 * quota.unit)  # type: ignore[arg-type]
        assert refused.value.hint
        settings.QUOTAS = settings.QUOTAS | {f"{scope}_{quota.name}": 0}
        quota.check(scope, used=10**12)  # type: ignore[arg-type]


def test_every_setting_belongs_to_a_quota() -> None:
    assert {name.partition("_")[2] for name in DEFAULT_QUOTAS} == {quota.name for quota in ALL}


@async_to_sync
async def hold(*askers: str | tuple[str, str]) -> list[str]:
    """What each met that asks for one more stream, while those before go on: an account, or also a visitor."""
    met = []
    async with AsyncExitStack() as streams:
        for asker in askers:
            account, visitor = (asker, "") if isinstance(asker, str) else asker
            try:
                await streams.enter_async_context(stream_slot(account, visitor=visitor))
                met.append("")
            except TooManyStreams as error:
                met.append(error.message)
    return met


def test_an_account_and_the_site_have_so_many_streams_at_once(settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_streams": 2, "site_streams": 3}
    full, site_full = "This account has 2 of 2 questions at once.", "This site has 3 of 3 questions at once."
    for _ in range(2):  # all of them are given back
        assert hold("a", "a", "a", "b", "c") == ["", "", full, "", site_full]


@pytest.mark.parametrize("is_redis_away", [False, True])
def test_a_visitor_holds_a_small_share_of_the_streams_of_all_visitors(
    is_redis_away: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.QUOTAS = settings.QUOTAS | {"visitor_streams": 2, "account_streams": 3}
    if is_redis_away:
        monkeypatch.setattr(redis_cache.outage, "run", lambda ask, instead: instead())
    own, common = "This visitor has 2 of 2 questions at once.", "This account has 3 of 3 questions at once."
    for _ in range(2):  # all of them are given back
        assert hold(*(("visitors:x", visitor) for visitor in "aaabc")) == ["", "", own, "", common]
    assert hold(*((f"visitors:{plugin}", "a") for plugin in "xyz")) == ["", "", own], "in all plugins"


def test_a_stream_that_was_killed_gives_its_place_back(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_streams": 1}
    monkeypatch.setattr(quotas, "_FREE_SLOT_SCRIPT", "return {0}")
    assert hold("killed", "killed")[0] == ""
    assert hold("killed") != [""]
    now = quotas.time.time()
    monkeypatch.setattr(quotas.time, "time", lambda: now + 61)
    assert hold("killed") == [""]


def test_while_redis_is_away_the_process_counts_for_itself(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_streams": 1, "site_streams": 2}
    monkeypatch.setattr(redis_cache.outage, "run", lambda ask, instead: instead())
    for _ in range(2):
        assert [bool(message) for message in hold("a", "a", "b", "c")] == [False, True, False, True]
    assert not quotas._held_slots


def test_a_cancelled_stream_gives_its_place_back(settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_streams": 1}

    async def left() -> None:
        async def stay() -> None:
            async with stream_slot("leaver"):
                await asyncio.sleep(60)

        task = asyncio.ensure_future(stay())
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async_to_sync(left)()
    assert hold("leaver") == [""]


@pytest.mark.django_db
def test_a_person_has_so_many_plugins_by_whichever_door(alice: User, bob: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_plugins": 1, "site_plugins": 2}
    first = Plugin.objects.create(owner=alice, name="One", domain="d")
    with pytest.raises(quotas.TooManyPlugins, match="This account has 1 of 1 plugins"):
        Plugin.objects.create(owner=alice, name="Two", domain="d")
    first.tagline = "still editable"
    first.save()
    root = User.objects.create_superuser("root@example.org", "correct horse battery")
    Plugin.objects.create(owner=root, name="Theirs", domain="d")
    with pytest.raises(quotas.TooManyPlugins, match="This site has 2 of 2 plugins"):
        Plugin.objects.create(owner=bob, name="Three", domain="d")


# --- Keys that keys made ----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_keys_that_a_key_made_count_against_it(alice: User) -> None:
    root, _ = ApiKey.objects.issue(owner=alice, name="root", per_minute=3, per_day=100)
    children = [
        ApiKey.objects.issue(owner=alice, name=f"{n}", per_minute=3, per_day=100, made_with=root)[0] for n in range(3)
    ]
    grandchild = ApiKey.objects.issue(owner=alice, name="g", per_minute=3, per_day=100, made_with=children[0])[0]
    answers = [count_key_request(key, now=NOON).is_refused for key in (*children, root, grandchild)]
    assert answers == [False, False, False, True, True]
    assert [window.remaining for window in count_key_request(root, amount=0, now=NOON).windows] == [0, 97]
    assert [window.seconds for window in count_key_request(grandchild, amount=0, now=NOON).windows] == [60, DAY]


@pytest.mark.django_db
def test_a_key_with_little_left_of_its_own_is_refused_for_that(alice: User) -> None:
    root, _ = ApiKey.objects.issue(owner=alice, name="root", per_minute=10, per_day=100)
    child = ApiKey.objects.issue(owner=alice, name="child", per_minute=1, per_day=100, made_with=root)[0]
    assert [count_key_request(child, now=NOON).is_refused for _ in range(3)] == [False, True, True]
    assert count_key_request(root, amount=0, now=NOON).remaining == 9, "what was refused took nothing"


@pytest.mark.django_db
def test_keys_that_made_each_other_are_counted_once(alice: User) -> None:
    one, _ = ApiKey.objects.issue(owner=alice, name="one")
    two, _ = ApiKey.objects.issue(owner=alice, name="two", made_with=one)
    one.made_with = two
    assert one.with_makers() == [one, two]
    assert not count_key_request(one, now=NOON).is_refused
    assert rate_limits.count_key_request(one, amount=0, now=NOON).windows
