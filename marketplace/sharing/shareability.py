"""What an author may not pass on, though the plugin reads it."""

from __future__ import annotations

from knowledge.models import KnowledgeBase
from lexic.errors import Conflict, NotFound
from marketplace.bundle.pinned_documents import pinned_knowledge_bases
from marketplace.listings.release_documents import private_documents
from plugins.models import Plugin, Release
from querying import releases


class NotShared(NotFound):
    """There is no such plugin that may be copied."""

    code = "not_shared"
    hint = "Its author decides whether others may have a copy. It may still be asked."


class CannotBeShared(Conflict):
    """This plugin cannot be copied: it reads knowledge that its author may not pass on."""

    code = "cannot_be_shared"
    hint = "It may still be asked."


def sharing_blockers(plugin: Plugin) -> list[str]:
    """Why no copy can be made of the latest release, or of the draft where there is none: for its author, each a
    sentence. Empty: nothing stands in the way."""
    release = plugin.latest_release() or releases.snapshot(plugin)
    return [
        *(_foreign_base_sentence(base) for base in _foreign_knowledge_bases(release)),
        *_private_document_blockers(release),
    ]


def check_shareable(plugin: Plugin) -> None:
    """Raises `CannotBeShared` with every reason."""
    if reasons := sharing_blockers(plugin):
        raise CannotBeShared(f"It cannot be shared yet. {' '.join(reasons)}", hint="Nothing was changed.")


def attached_knowledge_in_copy(plugin: Plugin) -> list[KnowledgeBase]:
    """What a copy of the latest release holds beside the plugin's own documents: attached knowledge of its owner's."""
    release = plugin.latest_release() or releases.snapshot(plugin)
    return [base for base in pinned_knowledge_bases(release) if base is not None and base.plugin_id != plugin.pk]


def shared_release(slug: str) -> Release:
    """The release that a copy of this plugin is made of: the latest. Raises `NotShared`, `CannotBeShared`."""
    shared = Plugin.objects.filter(slug=slug, is_published=True, is_shared=True).select_related("owner").first()
    release = shared.latest_release() if shared else None
    if shared is None or release is None:
        raise NotShared
    release.plugin = shared  # with its owner
    if _foreign_knowledge_bases(release) or _private_document_blockers(release):
        raise CannotBeShared
    return release


def _private_document_blockers(release: Release) -> list[str]:
    """A copy holds all that the release reads: also what its author keeps from the public chat."""
    closed = private_documents(release).count()
    if not closed:
        return []
    what = "One of its documents is" if closed == 1 else f"{closed} of its documents are"
    return [f"{what} not public, and a copy would hold it all. Mark them public or remove them, and publish again."]


def _foreign_knowledge_bases(release: Release) -> list[KnowledgeBase | None]:
    """The knowledge bases that it reads and that are not its owner's, None for one that is gone."""
    plugin = release.plugin
    return [
        base
        for base in pinned_knowledge_bases(release)
        if base is None or (base.owner_id != plugin.owner_id and base.plugin_id != plugin.pk)
    ]


def _foreign_base_sentence(base: KnowledgeBase | None) -> str:
    if base is None:
        return "A knowledge base that the release reads is deleted. Publish a new release first."
    return f"The knowledge base “{base}” belongs to {base.owner}. Detach it, and publish without it; or ask its owner."
