"""Going back: what an earlier release was, published again under a new version. The draft is left as it is."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from knowledge.models import Consent, KnowledgeBase
from lexic.errors import Conflict
from marketplace.models import PublishingRun
from marketplace.publishing.approval import approval_blocker
from marketplace.publishing.publish import NotReady, has_same_content, make_live, next_version
from plugins.models import Plugin, Release


class RollbackKnowledgeGone(Conflict):
    """A knowledge base that this release read is deleted, or its owner does not grant it; it cannot answer again."""

    code = "knowledge_gone"
    hint = "Agents still ask the latest release."


def roll_back(plugin: Plugin, *, to: Release, by: User) -> Release:
    """Publishes what `to` was as the latest release, and returns that.

    Releases are never moved: this makes a newer one with the same content and scorecard, or makes the latest one live
    where its content is already the same. The golden gate is not asked: the content has been published before.
    An organisation that wants releases approved has approved this content. Raises `RollbackKnowledgeGone`,
    `NotReady`, `PublishingBlocked`.
    """
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        PublishingRun.objects.filter(plugin=plugin).cancel()
        pinned = {one["knowledge_base"] for one in to.knowledge}
        granted = KnowledgeBase.objects.open_to(to.plugin, least=Consent.PUBLISHED)
        if granted.filter(pk__in=pinned).count() < len(pinned):
            raise RollbackKnowledgeGone
        if reason := approval_blocker(plugin, release=to):
            raise NotReady([reason])
        latest = plugin.latest_release()
        if latest and has_same_content(to, latest):
            make_live(plugin, latest, is_news=not plugin.is_published, returns_to=to)
            return latest
        release = Release(plugin=plugin, version=next_version(plugin), **to.policy())
        release.trees, release.knowledge, release.scorecard = to.trees, to.knowledge, to.scorecard
        release.notes, release.created_by = f"As {to.version} was.", by
        release.save()
        make_live(plugin, release, returns_to=to)
        return release
