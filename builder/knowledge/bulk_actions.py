"""The actions on several documents at once: visibility, type, dates, removal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report
from builder.knowledge.lookup import editable_bases
from builder.panes import render_pane
from knowledge.documents.bulk_changes import MAX_DOCUMENTS, label_documents, remove_documents
from knowledge.models import Document
from lexic.column_length import column_length
from lexic.styled_form import StyledFormMixin
from marketplace.listings.update_listing import locked_for_listing
from plugins.models import Plugin

_STATE = ("q", "state", "page")


class BulkForm(StyledFormMixin, forms.Form):
    """What the chosen documents get. A field that is left empty changes nothing."""

    doc_type = forms.CharField(required=False, label="Type", max_length=column_length(Document, "doc_type"))
    effective_from = forms.DateField(
        required=False, label="Effective from", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    superseded_on = forms.DateField(
        required=False, label="Superseded on", widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    @property
    def labels(self) -> dict[str, Any]:
        """What was filled in, by name of column."""
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def said(self) -> str:
        return ", ".join(str(self.fields[name].label).lower() for name in self.labels)


def change_documents(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Does with the chosen documents what the pressed button says. Removing asks once more."""
    chosen = _chosen_documents(request, plugin)
    act = request.POST.get("act", "")
    if not chosen:
        messages.error(request, "Nothing was changed. Choose at least one document that you may change.")
    elif act == "remove" and not request.POST.get("confirmed"):
        context = {"documents": chosen, "list_state": _list_state(request)}
        return render_pane(request, plugin, "knowledge", "builder/knowledge/remove_several.html", context)
    else:
        with errors_as_messages(request, "Nothing was changed."):
            _change(request, plugin, chosen, act)
    address = reverse("admin:builder_knowledge", args=[plugin.pk])
    return HttpResponseRedirect(f"{address}?{urlencode(_list_state(request))}")


def _change(request: SignedInRequest, plugin: Plugin, chosen: Sequence[Document], act: str) -> None:
    named = f"“{chosen[0]}”" if len(chosen) == 1 else f"{len(chosen)} documents"
    match act:
        case "public" | "private":
            with locked_for_listing(plugin):
                label_documents(chosen, {"is_public": act == "public"})
            log_and_report(request, plugin, f"Made {named} {act}.")
        case "remove":
            remove_documents(chosen)
            log_and_report(request, plugin, f"Removed {named}. The draft no longer answers from what was removed.")
        case _:
            _label_documents(request, plugin, chosen, named)


def _label_documents(request: SignedInRequest, plugin: Plugin, chosen: Sequence[Document], named: str) -> None:
    form = BulkForm(request.POST)
    if not form.is_valid():
        errors_of = {str(form.fields[name].label): map(str, errors) for name, errors in form.errors.items()}
        wrong = "; ".join(f"{label}: {' '.join(errors)}" for label, errors in errors_of.items())
        messages.error(request, f"Nothing was changed. {wrong}")
    elif not form.labels:
        messages.error(request, "Nothing was changed. Fill in a type or a date.")
    else:
        label_documents(chosen, form.labels)
        log_and_report(request, plugin, f"Set {form.said} of {named}.")


def _chosen_documents(request: SignedInRequest, plugin: Plugin) -> list[Document]:
    """The chosen documents that this person may change from the plugin's page."""
    ids = [given for text in request.POST.getlist("documents")[:MAX_DOCUMENTS] if (given := _uuid(text))]
    documents = Document.objects.present().filter(knowledge_base__in=editable_bases(request, plugin), pk__in=ids)
    return list(documents.select_related("knowledge_base__plugin").order_by("title", "pk"))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _list_state(request: SignedInRequest) -> dict[str, str]:
    """What was searched, and which page was looked at."""
    return {name: request.POST[name] for name in _STATE if request.POST.get(name)}
