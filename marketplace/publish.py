"""Publishing makes a release: an immutable snapshot that agents ask from then on."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from knowledge.models import Document, KnowledgeBase
from lexic.errors import LexicError
from plugins.models import Plugin, Release
from querying import releases
from trees.problems import problems


class NotReady(LexicError):
    """The plugin cannot be published yet."""

    code = "not_ready"
    status = 409

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__(f"The plugin cannot be published yet: {' '.join(reasons)}")


@dataclass(frozen=True, kw_only=True)
class Publication:
    release: Release
    is_new: bool


def publish(plugin: Plugin, *, by: User, version: str | None = None, notes: str = "") -> Publication:
    """Release the plugin as it stands, and let agents ask it.

    Publishing twice what has not changed gives the release that exists. Raises `NotReady` with every reason.
    """
    if reasons := missing(plugin):
        raise NotReady(reasons)
    with transaction.atomic():
        plugin = Plugin.objects.select_for_update().get(pk=plugin.pk)
        release = releases.snapshot(plugin)
        latest = plugin.latest_release()
        if latest and not version and _decides_the_same(release, latest):
            plugin.go_live(latest)
            return Publication(release=latest, is_new=False)
        release.version = version or _next_version(latest)
        release.notes, release.created_by = notes, by
        release.full_clean(exclude=["scorecard", "trees", "knowledge", "disclaimer"])
        release.save()
        plugin.go_live(release)
        return Publication(release=release, is_new=True)


def missing(plugin: Plugin) -> list[str]:
    """What still stands in the way of publishing, each a sentence."""
    reasons = []
    if not plugin.system_prompt.strip():
        reasons.append("It has no persona.")
    bases = KnowledgeBase.objects.of_plugin(plugin)
    documents = Document.objects.filter(knowledge_base__in=bases).present()
    if not documents.exclude(ready_sha256="").exists():
        reasons.append("None of its documents is ready.")
    unfinished = documents.unfinished().count()
    if unfinished:
        reasons.append(f"{unfinished} of its documents are still being read.")
    reasons += [
        f"The tree “{tree.name}” has a problem: {problem.message}"
        for tree in plugin.trees.active()
        for problem in problems(tree.tree_data)
        if problem.is_error
    ]
    return reasons


def _decides_the_same(one: Release, other: Release) -> bool:
    same_policy = one.policy() == other.policy()
    return same_policy and one.trees == other.trees and one.knowledge == other.knowledge


def _next_version(latest: Release | None) -> str:
    if latest is None:
        return "1.0.0"
    major, minor, _ = latest.version.split(".")
    return f"{major}.{int(minor) + 1}.0"
