"""The page on which the owner of a knowledge base decides which plugins use it, and for what."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import F
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from accounts.signed_in_request import SignedInRequest
from builder.breadcrumbs import Breadcrumb
from builder.history import log_plugin_change
from knowledge.models import Consent, KnowledgeGrant, KnowledgeGrantQuerySet
from lexic.http.parameters import MAX_ROW_ID
from marketplace.sharing.decide_grant import end_grant, give_grant


@require_GET
def show_grants(request: SignedInRequest) -> HttpResponse:
    """The bases of this person that other plugins use, or ask for."""
    context = {
        **admin.site.each_context(request),
        "title": "Knowledge grants",
        "crumbs": [Breadcrumb(title="Knowledge grants")],
        **grants_context(KnowledgeGrant.objects.owned_by(request.user)),
    }
    return TemplateResponse(request, "builder/knowledge/grants.html", context)


@require_POST
def decide_grant(request: SignedInRequest, grant: int) -> HttpResponse:
    """Agrees to a use, changes it, or ends it. Raises Http404 for those who do not own the base."""
    mine = KnowledgeGrant.objects.open().decided_by(request.user).select_related("plugin__owner", "knowledge_base")
    found = get_object_or_404(mine, pk=min(grant, MAX_ROW_ID))
    consent = request.POST.get("consent", "")
    if request.POST.get("act") == "end":
        end_grant(found)
        sentence = f"“{found.plugin}” no longer uses “{found.knowledge_base}”."
    elif consent not in Consent.values:
        messages.error(request, "Nothing was changed. Choose what the plugin may use it for.")
        return _go_back(request)
    else:
        give_grant(found, by=request.user, consent=consent)
        sentence = f"“{found.plugin}” may use “{found.knowledge_base}”: {Consent(consent).label}."
    log_plugin_change(request, found.plugin, sentence)
    messages.success(request, sentence)
    return _go_back(request)


def grants_context(grants: KnowledgeGrantQuerySet) -> dict[str, Any]:
    """What the list shows: requests first."""
    rows = grants.with_people().order_by(F("granted_at").desc(nulls_first=True), "pk")
    return {"grants": rows, "consents": Consent.choices}


def _go_back(request: SignedInRequest) -> HttpResponseRedirect:
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return HttpResponseRedirect(back if is_ours else reverse("admin:builder_grants"))
