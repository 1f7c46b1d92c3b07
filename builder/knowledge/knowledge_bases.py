"""The pages of one knowledge base: its settings, and a new base that belongs to no plugin, for several to read."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report
from builder.knowledge.grants import grants_context
from builder.knowledge.lookup import editable_bases
from builder.panes import render_pane
from knowledge.models import Consent, KnowledgeBase, KnowledgeGrant
from knowledge.prune import pinned_revisions
from lexic.http.parameters import MAX_ROW_ID, single_line
from lexic.styled_form import StyledFormMixin
from plugins.models import Plugin
from privacy.plugin_deletion import delete_knowledge_base


class BaseForm(StyledFormMixin, forms.ModelForm):
    class Meta:
        model = KnowledgeBase
        fields = ("name", "embedder")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Vectors of two embedders cannot be compared, so the choice ends with the first document.
        self.fields["embedder"].disabled = bool(self.instance.pk) and self.instance.documents.exists()

    def save(self, commit: bool = True) -> KnowledgeBase:
        """Saves only what was changed: a worker moves the revision on while people look at the form."""
        self.instance.save(update_fields=self.changed_data)
        return self.instance


def create_base(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A base that belongs to no plugin, attached to this one. It belongs to the person who makes it, and who thereby
    agrees that the plugin is published with it."""
    name = single_line(request.POST.get("name", ""), max_length=121)
    if not 0 < len(name) <= 120:
        messages.error(request, "Nothing was made. A name has 1 to 120 characters.")
        return redirect("admin:builder_knowledge", plugin.pk)
    base = KnowledgeBase.objects.create(owner=request.user, name=name, embedder=settings.LEXIC_EMBEDDER)
    KnowledgeGrant.objects.attach(base, plugin, by=request.user, consent=Consent.PUBLISHED)
    log_and_report(request, plugin, f"Made the knowledge base “{base}” and attached it. Add documents to it.")
    return redirect("admin:builder_knowledge_base", plugin.pk, base.pk)


def show_base(request: SignedInRequest, plugin: Plugin, base: int) -> HttpResponse:
    """The settings of a base that the plugin reads. Whoever may change the base changes them here."""
    among = KnowledgeBase.objects.visible_to(request.user).values("pk")
    found = get_object_or_404(KnowledgeBase.objects.of_plugin(plugin).filter(pk__in=among), pk=min(base, MAX_ROW_ID))
    may_edit = KnowledgeBase.objects.editable_by(request.user).contains(found)
    form = BaseForm(request.POST if request.method == "POST" and may_edit else None, instance=found)
    if form.is_valid():
        form.save()
        log_and_report(request, plugin, f"Changed the knowledge base “{found}”.")
        return redirect("admin:builder_knowledge_base", plugin.pk, found.pk)
    context = {
        "base": found,
        "form": form,
        "may_edit": may_edit,
        "is_shared": found.plugin_id is None,
        "is_pinned": bool(pinned_revisions(found)),
        "document_count": found.documents.filter(removed_in=None).count(),
        # Who else reads a base is its owner's business.
        **grants_context(KnowledgeGrant.objects.decided_by(request.user).filter(knowledge_base=found)),
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/base.html", context)


def delete_base(request: SignedInRequest, plugin: Plugin, base: int) -> HttpResponse:
    """Asks once more, then deletes the base with its documents. What a release reads stays."""
    found = get_object_or_404(editable_bases(request, plugin), pk=min(base, MAX_ROW_ID))
    if request.method != "POST":
        return render_pane(request, plugin, "knowledge", "builder/knowledge/base_delete.html", {"base": found})
    if pinned_revisions(found):
        messages.error(request, f"“{found}” stays: a release reads it.")
        return redirect("admin:builder_knowledge_base", plugin.pk, found.pk)
    with errors_as_messages(request):
        delete_knowledge_base(found)
        log_and_report(request, plugin, f"Deleted the knowledge base “{found}” with its documents.")
    return redirect("admin:builder_knowledge", plugin.pk)
