"""A plugin comes in as one file."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.rate_limits import RateLimited
from accounts.signed_in_request import SignedInRequest
from builder.breadcrumbs import Breadcrumb
from builder.readiness import reverse_pane
from lexic.errors import LexicError
from lexic.http.error_handlers import with_retry_after
from lexic.styled_form import StyledFormMixin
from marketplace.sharing.installs import import_upload


class ImportForm(StyledFormMixin, forms.Form):
    file = forms.FileField(
        label="File",
        help_text="As it came from “Download as one file” or from export_plugin. One that is larger than a document "
        "may be is taken in on the server, by manage.py import_plugin.",
        widget=forms.FileInput(attrs={"accept": ".zip", "aria-describedby": "id_file_helptext"}),
    )


@require_http_methods(["GET", "POST"])
def import_plugin(request: SignedInRequest) -> HttpResponse:
    form, refused = ImportForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            imported = import_upload(form.cleaned_data["file"], by=request.user)
        except LexicError as error:
            form.add_error("file", error.message_with_hint)
            refused = error if isinstance(error, RateLimited) else None
        else:
            plugin = imported.plugin
            called = f" Its slug was taken, so agents call it {plugin.slug}." if imported.slug_was_taken else ""
            read = "are being read again" if imported.unfinished else "came as they were read"
            messages.success(request, f"“{plugin}” is imported as a draft.{called} Its documents {read}.")
            return HttpResponseRedirect(reverse_pane(plugin, "knowledge"))
    list_url = reverse("admin:plugins_plugin_changelist")
    context = {
        **admin.site.each_context(request),
        "title": "Import a plugin",
        "crumbs": [Breadcrumb(title="Plugins", url=list_url), Breadcrumb(title="Import")],
        "form": form,
    }
    response = TemplateResponse(request, "builder/import.html", context)
    if refused:
        response.status_code = refused.status
    return with_retry_after(response, refused)
