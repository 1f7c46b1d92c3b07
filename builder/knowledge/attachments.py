"""Other knowledge bases that a plugin reads besides its own."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_and_report
from knowledge.models import KnowledgeBase, KnowledgeGrant
from lexic.http.parameters import MAX_ROW_ID, parse_natural
from plugins.models import Plugin

# So many are offered; more are found from the base's own page.
_MAX_OFFERED = 200


def attachable_bases(request: SignedInRequest, plugin: Plugin) -> list[KnowledgeBase]:
    """What this person may attach to the plugin, with the number of its documents. One statement."""
    present = Count("documents", filter=Q(documents__removed_in=None))
    bases = KnowledgeBase.objects.attachable_to(plugin, by=request.user)
    return list(bases.annotate(document_total=present).order_by("name", "pk")[:_MAX_OFFERED])


def attach_base(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    pk = parse_natural(request.POST.get("base", ""), max_digits=18)
    base = KnowledgeBase.objects.attachable_to(plugin, by=request.user).filter(pk=pk or 0).first()
    if base is None:
        messages.error(request, "Nothing was attached. Choose a knowledge base that you may change.")
    else:
        grant = KnowledgeGrant.objects.attach(base, plugin, by=request.user)
        result = "the draft reads it from now on." if grant.granted_at else f"{base.owner} is asked to agree."
        log_and_report(request, plugin, f"Attached “{base}”: {result}")
    return _redirect_to_attachments(plugin)


def detach_base(request: SignedInRequest, plugin: Plugin, grant: int) -> HttpResponse:
    """Whoever may change the plugin says what it reads, whosever base it is."""
    attached = plugin.knowledge_grants.open().filter(is_attached=True).select_related("knowledge_base")
    found = get_object_or_404(attached, pk=min(grant, MAX_ROW_ID))
    found.detach()
    sentence = f"Detached “{found.knowledge_base}”: the draft no longer reads it. Releases that did still do."
    log_and_report(request, plugin, sentence)
    return _redirect_to_attachments(plugin)


def _redirect_to_attachments(plugin: Plugin) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('admin:builder_knowledge', args=[plugin.pk])}#attached")
