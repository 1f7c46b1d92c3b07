"""Which release a caller means, and the snapshot that a release is."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import models

from accounts.models import ApiKey, User
from knowledge.models import Consent, KnowledgeBase
from knowledge.search.hybrid import BaseRevision
from lexic.compiled_query import CompiledQuery, CompiledRows
from lexic.errors import NotFound
from plugins.models import Plugin, PluginQuerySet, Release, ReleaseQuerySet
from plugins.slugs import parse_id, split_reference
from plugins.visibility import is_page_token
from querying.private_layers import readable_layers
from querying.types.question import Question

DRAFT = "draft"


class UnknownPlugin(NotFound):
    """No plugin of this name can be asked with this key."""

    code = "unknown_plugin"
    hint = "Check the slug, and that the plugin is published or yours."


class UnknownRelease(NotFound):
    """The plugin has no release of this version."""

    code = "unknown_release"
    hint = "Ask for `slug` to get the latest release, or see the plugin's page for its versions."


def resolve(reference: str, *, principal: User | ApiKey) -> Release:
    """The release that `slug`, `slug@latest`, `slug@1.2.0`, `slug@draft` or a plugin's id names.

    A draft is only for those who may look at it in the builder; for them it is also what an unpublished `slug` means.
    Raises `UnknownPlugin` for what does not exist and for what this principal may not see alike.
    """
    name, version = split_reference(reference)
    if version != DRAFT and (release := _listed_release(name, version, principal)):
        return release
    plugin = find_plugin(name, principal=principal)
    if version == DRAFT or (not plugin.is_published and version is None):
        person = principal.owner if isinstance(principal, ApiKey) else principal
        if not Plugin.objects.viewable_by(person).contains(plugin):
            raise UnknownPlugin
        return snapshot(plugin)
    return _find_release(plugin, version)


def release_at(plugin: Plugin, *, version: str) -> Release:
    """The draft as it stands now, or the release of this version. The caller has checked who may look at the plugin.

    Raises `UnknownRelease`.
    """
    return snapshot(plugin) if version == DRAFT else _find_release(plugin, version)


def snapshot(plugin: Plugin) -> Release:
    """Everything that decides an answer of this plugin right now, as an unsaved release."""
    release = Release(plugin=plugin, version="", **plugin.policy())
    release.trees = [
        {"id": str(tree.pk), "name": tree.name, "description": tree.description, "tree_data": tree.tree_data}
        for tree in plugin.trees.active()
    ]
    release.knowledge = [
        {"knowledge_base": base.pk, "revision": base.revision, "embedder": base.embedder}
        for base in KnowledgeBase.objects.of_plugin(plugin)
    ]
    return release


def pinned_bases(release: Release) -> list[BaseRevision]:
    """What the release may read now of what it pins. A base of somebody else is left out once its grant has ended."""
    languages = _open_bases(release, {pinned["knowledge_base"] for pinned in release.knowledge})
    return [
        BaseRevision(
            knowledge_base_id=pinned["knowledge_base"],
            revision=pinned["revision"],
            embedder=pinned["embedder"],
            languages=tuple(languages[pinned["knowledge_base"]]),
        )
        for pinned in release.knowledge
        if pinned["knowledge_base"] in languages
    ]


def _open_bases(release: Release, pinned: set[int]) -> dict[int, list[str]]:
    """The pinned bases that the plugin may use now, with the languages of their documents. Its own base, mostly the
    only one, needs no grant, and is found by a compiled statement."""
    if len(pinned) == 1 and (own := _own_base.rows(base=next(iter(pinned)), plugin=release.plugin_id)):
        return dict(own)
    if not pinned:
        return {}
    least = Consent.DRAFT if release.is_draft else Consent.PUBLISHED
    bases = KnowledgeBase.objects.filter(pk__in=pinned).open_to(release.plugin, least=least)
    return dict(bases.values_list(*_BASE_COLUMNS))


def _own_base_of_id(*, base: int, plugin: UUID) -> models.QuerySet[KnowledgeBase, tuple[int, list[str]]]:
    return KnowledgeBase.objects.filter(pk=base).for_plugins().filter(plugin=plugin).values_list(*_BASE_COLUMNS)


_BASE_COLUMNS = ("pk", "document_languages")
_own_base = CompiledRows(_own_base_of_id, base=-1, plugin=uuid4())


def bases_of(question: Question) -> list[BaseRevision]:
    """What the question may read now: its release, and its private layers."""
    return [*pinned_bases(question.release), *readable_layers(question)]


def find_plugin(name: str, *, principal: User | ApiKey) -> Plugin:
    """The plugin of this slug or id, or at this address of an unlisted page, that the principal may ask. Raises
    `UnknownPlugin`."""
    if is_page_token(name):
        plugin = Plugin.objects.at_address(name).askable_by(principal).first()
    else:
        plugins = _named_plugins(name)
        plugin = plugins.listed_to(principal).first() or plugins.askable_by_name(principal).first()
    if plugin is None:
        raise UnknownPlugin
    return plugin


def _named_plugins(name: str) -> PluginQuerySet:
    return Plugin.objects.filter(models.Q(pk=pk) if (pk := parse_id(name)) else models.Q(slug=name))


def _listed_release(name: str, version: str | None, principal: User | ApiKey) -> Release | None:
    """The release of a plugin that anybody may know of and the principal may ask: most questions, by one statement."""
    if isinstance(principal, ApiKey) and version is None and parse_id(name) is None:
        return _latest_listed_release.first(slug=name, key_id=principal.pk)
    plugins = _named_plugins(name).listed_to(principal)
    return _of_version(Release.objects.filter(plugin__in=plugins), version)


def _latest_of_slug(*, slug: str, key_id: UUID) -> ReleaseQuerySet:
    plugins = Plugin.objects.filter(slug=slug).listed_to(ApiKey(pk=key_id))
    return Release.objects.filter(plugin__in=plugins).select_related("plugin")


_latest_listed_release = CompiledQuery(_latest_of_slug, slug="the slug of a plugin", key_id=uuid4())


def _find_release(plugin: Plugin, version: str | None) -> Release:
    release = _of_version(plugin.releases.all(), version)
    if release is None:
        raise UnknownRelease
    return release


def _of_version(releases: ReleaseQuerySet, version: str | None) -> Release | None:
    """The latest one without a version."""
    found = releases.select_related("plugin")
    return found.first() if version is None else found.filter(version=version).first()
