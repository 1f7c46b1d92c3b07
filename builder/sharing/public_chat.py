"""The public chat in the pane of who may use a plugin: what it may read, and how to let it read everything."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.readiness import reverse_pane
from knowledge.models import Document, SourceItem
from marketplace.listings.update_listing import locked_for_listing
from plugins.models import Plugin
from plugins.visibility import WITH_PAGE


@dataclass(frozen=True, kw_only=True)
class PublicDocumentCounts:
    """How many documents of a plugin there are, how many of them anybody may read, and how many could be marked so
    here."""

    total_count: int
    public_count: int
    markable_count: int


# Own documents that may be marked here: attached knowledge is somebody else's business, a note that is synced says
# itself whether it is public, and a template is never read in public.
def _markable_filter(plugin: Plugin) -> Q:
    synced = Exists(SourceItem.objects.filter(document=OuterRef("pk")))
    return Q(~synced, knowledge_base__plugin=plugin, is_public=False, is_template=False)


def count_public_documents(plugin: Plugin) -> PublicDocumentCounts:
    """One statement."""
    counts = Document.objects.of_plugin(plugin).aggregate(
        total_count=Count("pk"),
        public_count=Count("pk", filter=Q(is_public=True, is_template=False)),
        markable_count=Count("pk", filter=_markable_filter(plugin)),
    )
    return PublicDocumentCounts(**counts)


def mark_documents_public(request: SignedInRequest, plugin: Plugin) -> HttpResponseRedirect:
    """All of its own documents at once."""
    with locked_for_listing(plugin):
        own = Document.objects.of_plugin(plugin).filter(_markable_filter(plugin))
        marked = own.update(is_public=True, updated_at=timezone.now())
    words = f"Marked {marked} document{'' if marked == 1 else 's'} public."
    log_plugin_change(request, plugin, words)
    is_chatting = Plugin.objects.in_public_chat().filter(pk=plugin.pk).exists()
    messages.success(request, f"{words} The public chat answers from them now." if is_chatting else words)
    return HttpResponseRedirect(reverse_pane(plugin, "sharing"))


def widget_tag(plugin: Plugin) -> str:
    """The script tag that shows the public chat on another site; "" while the chat is closed."""
    if not (plugin.is_published and plugin.public_chat and plugin.visibility in WITH_PAGE):
        return ""
    return (
        f'<script src="{settings.PUBLIC_URL}{reverse("widget_script")}" data-plugin="{plugin.address}" defer></script>'
    )
