"""The plugin's page in the builder, with what only the apps above plugins know: its parts, and publishing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from accounts.models import User
from knowledge import tasks
from knowledge.attach import own_knowledge_base
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from lexic.errors import LexicError
from marketplace.changes import changes
from marketplace.publish import missing, next_version, publish
from plugins.admin import PluginAdmin
from plugins.display import add_link, joined, list_link
from plugins.models import SEMVER, Plugin

admin.site.unregister(Plugin)


class PublishForm(forms.Form):
    notes = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "vLargeTextField"}),
        help_text="What is different, for those who ask it. May be empty.",
    )
    version = forms.CharField(
        required=False,
        max_length=32,
        validators=[SEMVER],
        help_text="Left empty, it is the next one. A greater first number says that agents must look again.",
    )


@admin.register(Plugin)
class PublishablePluginAdmin(PluginAdmin):
    actions = ["publish_chosen", "withdraw_chosen"]
    readonly_fields = [*PluginAdmin.readonly_fields, "knowledge", "trees", "asked"]
    parts = ("Its parts", {"fields": ["knowledge", "trees", "asked"]})

    def get_fieldsets(self, request: HttpRequest, obj: Plugin | None = None) -> Any:
        first, *others = super().get_fieldsets(request, obj)
        return [first, self.parts, *others] if obj else [first, *others]

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path("<uuid:pk>/publish/", wrap(self.publish_view), name="plugins_plugin_publish"),
            path("<uuid:pk>/withdraw/", wrap(require_POST(self.withdraw_view)), name="plugins_plugin_withdraw"),
        ]
        return own + super().get_urls()

    def save_model(self, request: HttpRequest, obj: Plugin, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        own_knowledge_base(obj)  # so that there is a place to put documents at once

    def delete_model(self, request: HttpRequest, obj: Plugin) -> None:
        bases = list(KnowledgeBase.objects.filter(plugin=obj).values_list("pk", flat=True))
        super().delete_model(request, obj)
        for base in bases:
            tasks.review_index(base)

    def delete_queryset(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self.delete_model(request, plugin)

    # --- Its parts ---------------------------------------------------------------------------------------

    @admin.display(description="knowledge")
    def knowledge(self, plugin: Plugin) -> SafeString:
        bases = KnowledgeBase.objects.of_plugin(plugin)
        return joined([*(_documents_of(base) for base in bases), _add_document(plugin)])

    @admin.display(description="decision trees")
    def trees(self, plugin: Plugin) -> SafeString:
        count = plugin.trees.count()
        shown = list_link("trees_decisiontree", _counted(count, "tree"), plugin__id__exact=plugin.pk)
        return joined([shown if count else "", add_link("trees_decisiontree", "Add a tree", plugin=plugin.pk)])

    @admin.display(description="questions and releases")
    def asked(self, plugin: Plugin) -> SafeString:
        asked = _counted(plugin.queries.count(), "question")
        released = _counted(plugin.releases.count(), "release")
        return joined(
            [
                format_html('<a href="{}">Ask it</a>', reverse("ask", args=[plugin.slug])),
                list_link("querying_query", f"{asked} so far", plugin__id__exact=plugin.pk),
                list_link("plugins_release", released, plugin__id__exact=plugin.pk),
            ]
        )

    # --- Publishing --------------------------------------------------------------------------------------

    def publish_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """What stands in the way, what is different, and the button."""
        plugin = self._changeable_or_404(request, pk)
        form = PublishForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            asked = {"version": form.cleaned_data["version"] or None, "notes": form.cleaned_data["notes"]}
            if self._published(request, plugin, **asked):
                return HttpResponseRedirect(reverse("admin:plugins_plugin_change", args=[plugin.pk]))
        latest = plugin.latest_release()
        context = {
            **self.admin_site.each_context(request),
            "title": f"Publish “{plugin}”",
            "opts": self.opts,
            "plugin": plugin,
            "form": form,
            "missing": missing(plugin),
            "latest": latest,
            "changes": changes(plugin, since=latest) if latest else [],
            "next_version": next_version(plugin),
        }
        return TemplateResponse(request, "admin/plugins/plugin/publish.html", context)

    def withdraw_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        plugin = self._changeable_or_404(request, pk)
        self._withdraw(request, plugin)
        return HttpResponseRedirect(reverse("admin:plugins_plugin_change", args=[plugin.pk]))

    @admin.action(description="Publish")
    def publish_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self._published(request, plugin)

    @admin.action(description="Take off the air")
    def withdraw_chosen(self, request: HttpRequest, queryset: models.QuerySet[Plugin]) -> None:
        for plugin in queryset:
            self._withdraw(request, plugin)

    def _published(self, request: HttpRequest, plugin: Plugin, **said: Any) -> bool:
        """Whether it worked; the person reads why not."""
        assert isinstance(request.user, User)
        try:
            done = publish(plugin, by=request.user, **said)
        except LexicError as error:
            self.message_user(request, f"{plugin}: {error.message} {error.hint}".strip(), messages.ERROR)
            return False
        self.log_change(request, plugin, f"Published as {done.release.version}.")
        unchanged = "" if done.is_new else " Nothing that decides an answer has changed since that release."
        self.message_user(request, f"On the air: {done.release}.{unchanged}", messages.SUCCESS)
        return True

    def _withdraw(self, request: HttpRequest, plugin: Plugin) -> None:
        plugin.withdraw()
        self.log_change(request, plugin, "Taken off the air.")
        self.message_user(
            request, f"{plugin} is off the air. Its releases are kept; publishing puts it back.", messages.SUCCESS
        )

    def _changeable_or_404(self, request: HttpRequest, pk: UUID) -> Plugin:
        plugin = self.visible(request).filter(pk=pk).first()
        if plugin is None or not self.has_change_permission(request, plugin):
            raise Http404
        return plugin


def _documents_of(base: KnowledgeBase) -> SafeString:
    present = Document.objects.present().filter(knowledge_base=base)
    of_status = dict(present.order_by().values_list("status").annotate(models.Count("pk")))
    ready, failed = (of_status.pop(status, 0) for status in (DocumentStatus.READY, DocumentStatus.FAILED))
    counts = f"{ready} ready" + (f", {sum(of_status.values())} being read" if of_status else "")
    counts += f", {failed} failed" if failed else ""
    return list_link("knowledge_document", f"{base}: {counts}", knowledge_base__id__exact=base.pk)


def _add_document(plugin: Plugin) -> SafeString:
    base = KnowledgeBase.objects.filter(plugin=plugin).first()
    return add_link("knowledge_document", "Add a document", knowledge_base=base.pk) if base else SafeString()


def _counted(number: int, one: str) -> str:
    return f"{number or 'no'} {one}{'' if number == 1 else 's'}"
