"""The one table of quotas: what an account, a plugin and this site may hold and do at once, and how each refuses.

The limits are `settings.QUOTAS`, by scope and name: `account_plugins`, `site_plugins`. Whoever adds something counts
what is there, because only the upper apps know their rows, and calls `check`.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache import cache

from lexic import redis_cache
from lexic.errors import Conflict

QuotaScope = Literal["visitor", "account", "plugin", "project", "organisation", "site"]

MEGABYTE = 1024 * 1024
_ASK_OPERATORS = "Or ask the operators of this site for more."
# In seconds: how long a stream holds its place unless it renews it, so that those of a process that was killed are soon
# free again; how often it does; and after how long it gives it up in any case.
_SLOT_SECONDS, _RENEWAL_SECONDS, _MAX_STREAM_SECONDS = 60, 20.0, 900.0

# KEYS: sorted sets of streams: the visitor's, if any, the account's and the site's. ARGV: the time, when the new stream
# expires, its id, and the limit of each set (0: none). Gives 0, or the number of the set that is full, and its size.
_TAKE_SLOT_SCRIPT = """
for i, key in ipairs(KEYS) do
    redis.call('ZREMRANGEBYSCORE', key, '-inf', ARGV[1])
    local count, limit = redis.call('ZCARD', key), tonumber(ARGV[3 + i])
    if limit > 0 and count >= limit then return {i, count} end
end
for i, key in ipairs(KEYS) do
    redis.call('ZADD', key, ARGV[2], ARGV[3])
    redis.call('EXPIREAT', key, ARGV[2])
end
return {0, 0}
"""
# Who was silent for too long, or has left meanwhile, does not come back.
_RENEW_SLOT_SCRIPT = """
for i, key in ipairs(KEYS) do
    redis.call('ZADD', key, 'XX', ARGV[1], ARGV[2])
    redis.call('EXPIREAT', key, ARGV[1])
end
return {0}
"""
# What stands in for Redis: the streams of this process, by the names of the sets.
_held_slots: defaultdict[str, set[str]] = defaultdict(set)
_lock = threading.Lock()
_FREE_SLOT_SCRIPT = "for i, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end return {0}"


class QuotaExceeded(Conflict):
    """The quota is used up."""

    code = "quota_exceeded"
    hint = f"Delete what is no longer needed. {_ASK_OPERATORS}"


class StorageFull(QuotaExceeded):
    """The quota of storage is used up."""

    code = "storage_full"
    hint = f"Delete what is no longer needed; files that a release reads stay with the release. {_ASK_OPERATORS}"


class TooManyDocuments(QuotaExceeded):
    """The quota of documents is used up."""

    code = "too_many_documents"


class TooManyPlugins(QuotaExceeded):
    """The quota of plugins is used up."""

    code = "too_many_plugins"


class TooManyProjects(QuotaExceeded):
    """The quota of projects is used up."""

    code = "too_many_projects"


class TooManyOrganisations(QuotaExceeded):
    """The quota of organisations that this account owns is used up."""

    code = "too_many_organisations"


class TooManyConversations(QuotaExceeded):
    """The quota of private conversations is used up."""

    code = "too_many_conversations"
    hint = "Delete one that you no longer need."


class TooManyRuns(QuotaExceeded):
    """The quota of messages that are worked on at once is used up."""

    code = "too_many_runs"
    status = 429
    retry_after = 5  # seconds
    hint = "Wait until one of them is answered, or stop one."


class TooManyReviews(QuotaExceeded):
    """The quota of contract reviews of this account is used up."""

    code = "too_many_reviews"
    hint = "Delete one that you no longer need."


class TooManyUnfinishedReviews(QuotaExceeded):
    """The quota of contract reviews that are made at once is used up."""

    code = "too_many_unfinished_reviews"
    status = 429
    retry_after = 10  # seconds
    hint = "Wait until one of them is done, or delete one."


class TooManyCopies(QuotaExceeded):
    """The quota of copies of shared plugins is used up."""

    code = "too_many_copies"
    hint = "Delete one that you do not need."


class TooManyKeys(QuotaExceeded):
    """The quota of keys of this account is used up."""

    code = "too_many_keys"
    hint = "Revoke one that you no longer need. One that was used today counts until midnight UTC."


class TooManyCollaborators(QuotaExceeded):
    """The quota of people who work on this is used up."""

    code = "too_many_people"
    hint = "Remove somebody first."


class TooManyWebhooks(QuotaExceeded):
    """The quota of webhooks of this plugin is used up."""

    code = "too_many_webhooks"
    hint = "Delete one that is not needed, or let one receiver pass the events on."


class TooManyStreams(QuotaExceeded):
    """The quota of questions that are answered at once is used up."""

    code = "too_many_streams"
    status = 429
    retry_after = 5  # seconds
    hint = "Wait until one of them is answered, and ask again."


class TooManyFollowers(QuotaExceeded):
    """The quota of runs that are followed at once is used up."""

    code = "too_many_followers"
    status = 429
    retry_after = 5  # seconds
    hint = "Close another stream. The run works on all the same; GET /api/runs/{id} says how it stands."


@dataclass(frozen=True, kw_only=True)
class Quota:
    """`unit`: how many of what is counted make one of what the limit is given in."""

    name: str
    noun: str
    refusal: type[QuotaExceeded]
    unit: int = 1

    def limit(self, scope: QuotaScope) -> int:
        """0: none."""
        return int(settings.QUOTAS.get(f"{scope}_{self.name}", 0))

    def check(self, scope: QuotaScope, *, used: int, adding: int = 1) -> None:
        """Raises the quota's refusal where `adding` more than the `used` ones would be too many."""
        limit = self.limit(scope)
        if limit and used + adding > limit * self.unit:
            taken = -(-used // self.unit)
            raise self.refusal(f"This {scope} has {taken:,} of {limit:,} {self.noun}.")


STORAGE = Quota(name="storage_mb", noun="MB of files", refusal=StorageFull, unit=MEGABYTE)
DOCUMENTS = Quota(name="documents", noun="documents", refusal=TooManyDocuments)
PLUGINS = Quota(name="plugins", noun="plugins", refusal=TooManyPlugins)
PROJECTS = Quota(name="projects", noun="projects", refusal=TooManyProjects)
ORGANISATIONS = Quota(name="organisations", noun="organisations", refusal=TooManyOrganisations)
CONVERSATIONS = Quota(name="conversations", noun="conversations", refusal=TooManyConversations)
RUNS = Quota(name="runs", noun="messages worked on at once", refusal=TooManyRuns)
REVIEWS = Quota(name="reviews", noun="contract reviews", refusal=TooManyReviews)
UNFINISHED_REVIEWS = Quota(
    name="unfinished_reviews", noun="contract reviews made at once", refusal=TooManyUnfinishedReviews
)
COPIES = Quota(name="copies", noun="copies of shared plugins", refusal=TooManyCopies)
KEYS = Quota(name="keys", noun="keys", refusal=TooManyKeys)
PEOPLE = Quota(name="people", noun="people", refusal=TooManyCollaborators)
WEBHOOKS = Quota(name="webhooks", noun="webhooks", refusal=TooManyWebhooks)
STREAMS = Quota(name="streams", noun="questions at once", refusal=TooManyStreams)
FOLLOWERS = Quota(name="followers", noun="streams of runs", refusal=TooManyFollowers)
# Nobody is refused to be read: documents wait, see knowledge/ingest_scheduling.py.
READS = Quota(name="reads", noun="documents read at once", refusal=QuotaExceeded)
# What an account can see that it uses of what it may store.
STORED = (PLUGINS, DOCUMENTS, STORAGE)


@asynccontextmanager
async def stream_slot(account: str, *, visitor: str = "", quota: Quota = STREAMS) -> AsyncIterator[None]:
    """Holds a place among the streams of this account and of the site inside the block. Raises the quota's refusal:
    `TooManyStreams`, or for `FOLLOWERS` `TooManyFollowers`.

    `account` names whose streams are counted together; a `visitor` without an account holds so many of them at most.
    While Redis is away each process counts for itself.
    """
    kind = quota.name
    sets: dict[QuotaScope, str] = {"visitor": f"{kind}:visitor:{visitor}"} if visitor else {}
    sets |= {"account": f"{kind}:{account}", "site": kind}
    names, limits = [cache.make_key(name) for name in sets.values()], [quota.limit(scope) for scope in sets]
    slot = secrets.token_hex(8)
    taking = asyncio.ensure_future(sync_to_async(_take_slot, thread_sensitive=False)(names, limits, slot))
    try:
        full, count = await asyncio.shield(taking)
    except asyncio.CancelledError:  # the thread takes the place all the same
        taking.add_done_callback(lambda _: threading.Thread(target=_free_slot, args=(names, slot)).start())
        raise
    if full:
        quota.check([*sets][full - 1], used=count)
    renewing = asyncio.ensure_future(_renew_slot_regularly(names, slot))
    try:
        yield
    finally:
        renewing.cancel()
        await sync_to_async(_free_slot, thread_sensitive=False)(names, slot)


async def _renew_slot_regularly(names: list[str], slot: str) -> None:
    end = time.monotonic() + _MAX_STREAM_SECONDS
    while time.monotonic() < end:
        await asyncio.sleep(_RENEWAL_SECONDS)
        terms: list[int | str] = [int(time.time()) + _SLOT_SECONDS, slot]
        renew = partial(redis_cache.run_script, _RENEW_SLOT_SCRIPT, names, terms)
        await sync_to_async(redis_cache.outage.run, thread_sensitive=False)(renew, lambda: None)


def _take_slot(names: list[str], limits: list[int], slot: str) -> tuple[int, int]:
    """0 where there was a place, or the number of the first set that is full; and how many it has."""
    now = int(time.time())

    def in_process() -> tuple[int, int]:
        with _lock:
            for number, (name, limit) in enumerate(zip(names, limits, strict=True), start=1):
                if limit and (count := len(_held_slots.get(name, ()))) >= limit:
                    return number, count
            for name in names:
                _held_slots[name].add(slot)
        return 0, 0

    terms: list[int | str] = [now, now + _SLOT_SECONDS, slot, *limits]
    return redis_cache.outage.run(lambda: redis_cache.run_script(_TAKE_SLOT_SCRIPT, names, terms), in_process)


def _free_slot(names: list[str], slot: str) -> None:
    with _lock:
        for name in names:
            _held_slots[name].discard(slot)
            if not _held_slots[name]:
                del _held_slots[name]
    redis_cache.outage.run(lambda: redis_cache.run_script(_FREE_SLOT_SCRIPT, names, [slot]), lambda: None)
