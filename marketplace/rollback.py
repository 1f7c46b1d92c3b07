"""Going back: what an earlier release was, published again under a new version. The draft is left as it is."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from knowledge.models import KnowledgeBase
from lexic.errors import Conflict
from marketplace.announce import announce
from marketplace.catalogue.listing import listed_anew
from marketplace.publish import decides_the_same, next_version
from plugins.models import Plugin, Release


class KnowledgeGone(Conflict):
    """A knowledge base that this release read is deleted, so it cannot answer again."""

    code = "knowledge_gone"
    hint = "Agents go on with the latest release."


def go_back(plugin: Plugin, *, to: Release, by: User) -> Release:
    """Let agents that ask for the latest release get what `to` was.

    Releases are never moved: this makes a newer one with the same content and scorecard, or puts the latest on the
    air where it says the same already. The golden gate is not asked: the content has been published before.
    Raises `KnowledgeGone`, `IsHeld`.
    """
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        _check_knowledge(to)
        latest = plugin.latest_release()
        if latest and decides_the_same(to, latest):
            if not plugin.is_published:
                announce(plugin, latest, returns_to=to)
            plugin.go_live(latest)
            listed_anew(plugin)
            return latest
        release = Release(plugin=plugin, version=next_version(plugin), **to.policy())
        release.trees, release.knowledge, release.scorecard = to.trees, to.knowledge, to.scorecard
        release.notes, release.created_by = f"As {to.version} was.", by
        release.save()
        plugin.go_live(release)
        listed_anew(plugin)
        announce(plugin, release, returns_to=to)
        return release


def _check_knowledge(release: Release) -> None:
    pinned = {one["knowledge_base"] for one in release.knowledge}
    if KnowledgeBase.objects.filter(pk__in=pinned).count() < len(pinned):
        raise KnowledgeGone
