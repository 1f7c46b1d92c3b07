"""Finds documents that the plugin reads but that its author may not pass on."""

from __future__ import annotations

from knowledge.models import Consent, KnowledgeBase
from lexic.errors import Conflict, NotFound
from marketplace.bundle.pinned_documents import pinned_knowledge_bases
from marketplace.listings.release_documents import private_documents
from marketplace.publishing.knowledge_consent import consent_blockers
from plugins.models import Plugin, Release
from querying import releases


class NotShared(NotFound):
    """There is no plugin of this name that may be copied."""

    code = "not_shared"
    hint = "Its author decides whether others may install a copy."


class CannotBeShared(Conflict):
    """This plugin cannot be copied: it reads knowledge that its author may not share."""

    code = "cannot_be_shared"
    hint = "It may still be asked."


class KnowledgeGone(CannotBeShared):
    """This plugin cannot be copied: something that its release reads is deleted."""


class CopyNotPublic(CannotBeShared):
    """This plugin cannot be copied: some of its documents are not public, and a copy would hold them all."""


def sharing_blockers(plugin: Plugin, *, of: Release | None = None) -> list[str]:
    """Why no copy can be made of the latest release, or of the draft where there is none, or else `of` a release that
    is about to be made: for its author, each a sentence. Empty: ready to publish."""
    release = of or plugin.latest_release() or releases.snapshot(plugin)
    closed = []
    if None in pinned_knowledge_bases(release):
        gone = "A knowledge base that the release reads is deleted. Publish a new release first."
        closed = _ungranted(release) or [gone]
    return [*closed, *_private_document_blockers(release)]


def _ungranted(release: Release) -> list[str]:
    pinned = [pin["knowledge_base"] for pin in release.knowledge]
    return consent_blockers(release.plugin, least=Consent.SHARED, among=pinned)


def check_shareable(plugin: Plugin) -> None:
    """Raises `CannotBeShared` with every reason."""
    if reasons := sharing_blockers(plugin):
        raise CannotBeShared(f"It cannot be shared yet. {' '.join(reasons)}", hint="Nothing was changed.")


def attached_knowledge_in_copy(plugin: Plugin) -> list[KnowledgeBase]:
    """The bases that a copy of the latest release holds beside the plugin's own one."""
    release = plugin.latest_release() or releases.snapshot(plugin)
    return [base for base in pinned_knowledge_bases(release) if base is not None and base.plugin_id != plugin.pk]


def shared_release(address: str) -> Release:
    """The release that a copy of the plugin is made of whose page has this address: the latest. Raises `NotShared`,
    `CannotBeShared`."""
    shared = Plugin.objects.copied().at_address(address).select_related("owner").first()
    release = shared.latest_release() if shared else None
    if shared is None or release is None:
        raise NotShared
    release.plugin = shared  # with its owner
    if reason := find_copy_refusal(release):
        raise reason
    return release


def may_be_copied(release: Release) -> bool:
    """Whether everything that the release reads still exists, is granted for copies, and is public."""
    return find_copy_refusal(release) is None


def find_copy_refusal(release: Release) -> CannotBeShared | None:
    """Why the release cannot be copied, in words for people who would like a copy; None if it can be."""
    if None in pinned_knowledge_bases(release):
        return CannotBeShared() if _ungranted(release) else KnowledgeGone()
    return CopyNotPublic() if _private_document_blockers(release) else None


def _private_document_blockers(release: Release) -> list[str]:
    """A copy holds all that the release reads: also what its author keeps from the public chat."""
    closed = private_documents(release).count()
    if not closed:
        return []
    what = "One of its documents is" if closed == 1 else f"{closed} of its documents are"
    return [f"{what} not public, and a copy would hold it all. Mark them public or remove them, and publish again."]
