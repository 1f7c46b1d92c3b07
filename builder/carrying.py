"""A plugin comes in as one file."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.limits import TooOften
from accounts.models import User
from builder.crumbs import Crumb
from builder.readiness import url_of
from lexic.errors import LexicError
from marketplace.bundle import Imported
from marketplace.sharing.install import take_in


class ImportForm(forms.Form):
    file = forms.FileField(
        label="File",
        help_text="As it came from “Download as one file” or from export_plugin. One that is larger than a document "
        "may be is taken in on the server, by manage.py import_plugin.",
        widget=forms.FileInput(attrs={"class": "input", "accept": ".zip", "aria-describedby": "id_file_helptext"}),
    )


@require_http_methods(["GET", "POST"])
def import_view(request: HttpRequest) -> HttpResponse:
    form, refused = ImportForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        assert isinstance(request.user, User)
        try:
            imported = take_in(form.cleaned_data["file"], by=request.user)
        except LexicError as error:
            form.add_error("file", f"{error.message} {error.hint}".strip())
            refused = error if isinstance(error, TooOften) else None
        else:
            _say(request, imported)
            return HttpResponseRedirect(url_of(imported.plugin, "knowledge"))
    list_url = reverse("admin:plugins_plugin_changelist")
    context = {
        **admin.site.each_context(request),
        "title": "Import a plugin",
        "crumbs": [Crumb(title="Plugins", url=list_url), Crumb(title="Import")],
        "form": form,
    }
    response = TemplateResponse(request, "builder/import.html", context)
    if refused:
        response.status_code, response["Retry-After"] = refused.status, str(refused.retry_after)
    return response


def _say(request: HttpRequest, imported: Imported) -> None:
    plugin = imported.plugin
    called = f" Its slug was taken, so agents call it {plugin.slug}." if imported.slug_was_taken else ""
    read = "Its documents are being read again." if imported.waiting else "Its documents came as they were read."
    messages.success(request, f"“{plugin}” is here as a draft.{called} {read}")
