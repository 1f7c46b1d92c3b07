"""`/api/plugins`: the plugins a person works on, and a plugin as one file, out and in."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.models import ADDITION, DELETION
from django.db import transaction
from django.db.models import Q
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, Principal
from api.change_history import mark_changed
from api.etags import etag_response, make_etag, require_match
from api.fields import validated
from api.negotiation import IgnoreAcceptNegotiation
from api.pagination import DefaultPagination
from api.plugins import serializers
from api.plugins.lookup import get_own_plugin, get_plugin
from api.uploads import UploadParser
from api.views import AuthorView, put_like
from evaluation.plugin_counts import PluginCounts, counts_by_plugin
from knowledge.models import DocumentStatus
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.errors import NotAllowed
from lexic.http.downloads import DownloadResponse
from marketplace.bundle import export_description, export_plugin
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.sharing.installs import import_upload
from plugins.models import Plugin, PluginQuerySet
from plugins.starter_persona import fill_empty_fields
from privacy.plugin_deletion import delete_plugin

_LONG_COLUMNS = ("system_prompt", "description", "limits", "disclaimer", "synonyms", "calibration")


class KeyLimitedToPlugins(NotAllowed):
    """This key is limited to certain plugins, and a new one would not be among them."""

    code = "key_is_limited"
    hint = "Use a key without such a limit."


def check_may_add_plugins(principal: Principal) -> None:
    """Raises `KeyLimitedToPlugins` for a key that may only use certain plugins."""
    if isinstance(principal, ApiKey) and principal.allowed_plugins() is not None:
        raise KeyLimitedToPlugins


class PluginsView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(parameters=[serializers.PluginParameters], responses=serializers.PluginRowSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The plugins that you own, edit or may look at, the newest first."""
        plugins = Plugin.objects.viewable_by(self.principal).with_role_of(self.principal).defer(*_LONG_COLUMNS)
        pages = DefaultPagination()
        rows = (
            pages.paginate_queryset(_filter_plugins(plugins, serializers.PluginParameters.read(request)), request, self)
            or []
        )
        counts = counts_by_plugin(rows, check_trees=False)
        for plugin in rows:
            plugin.counts = _counts_json(counts[plugin.pk])
        return pages.get_paginated_response(serializers.PluginRowSerializer(rows, many=True).data)

    @extend_schema(request=serializers.PluginSerializer, responses={201: serializers.PluginSerializer})
    def post(self, request: Request) -> Response:
        """A new draft, with a knowledge base of its own. Without `systemPrompt` it gets a first draft of one."""
        check_may_add_plugins(self.principal)
        body = serializers.PluginSerializer(data=request.data)
        fields = validated(body)
        plugin = Plugin(owner=self.user, name=fields["name"], domain=fields["domain"])
        if "system_prompt" not in fields:
            fill_empty_fields(plugin)
        with transaction.atomic():
            body.save_to(plugin)
            own_knowledge_base(plugin)
        mark_changed(request, plugin, flag=ADDITION)
        response = _plugin_response(request, plugin, role="owner", status=201)
        response["Location"] = f"/api/plugins/{plugin.slug}"
        return response


class PluginView(AuthorView):
    @extend_schema(responses=serializers.PluginSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The draft as it stands: persona, policy and all that is said about the plugin."""
        found = get_plugin(request, plugin)
        return _plugin_response(request, found, role=found.role)

    @extend_schema(request=serializers.PluginSerializer(partial=True), responses=serializers.PluginSerializer)
    def patch(self, request: Request, plugin: str) -> Response:
        """Changes the draft; agents still ask the latest release."""
        found = get_plugin(request, plugin)
        with transaction.atomic():
            locked = _lock_plugin(request, found)
            body = serializers.PluginSerializer(locked, data=request.data, partial=True)
            validated(body)
            body.save_to(locked)
            update_listing_if_published(locked)
        return _plugin_response(request, locked, role=found.role)

    put = put_like(patch)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str) -> Response:
        """Deletes it with its documents, trees, golden questions and releases, and the words and answers of what it was
        asked; figures stay. Only its owner may, and not under legal hold (409 `legal_hold`)."""
        found = get_own_plugin(request, plugin)
        mark_changed(request, found, flag=DELETION)
        with transaction.atomic():
            delete_plugin(_lock_plugin(request, found))
        return Response(status=204)


def _lock_plugin(request: Request, plugin: Plugin) -> Plugin:
    """The same row, locked until the transaction ends. Raises `PreconditionFailed`."""
    locked = Plugin.objects.select_for_update(of=("self",)).select_related("owner").get(pk=plugin.pk)
    require_match(request, _plugin_etag(locked, role=plugin.role))
    return locked


def _plugin_etag(plugin: Plugin, *, role: str) -> str:
    return make_etag(plugin.pk, plugin.updated_at, role)


def _plugin_response(request: Request, plugin: Plugin, *, role: str, status: int = 200) -> Response:
    plugin.role = role
    data = serializers.PluginSerializer(plugin).data
    return etag_response(request, data, etag=_plugin_etag(plugin, role=role), status=status)


def _filter_plugins(plugins: PluginQuerySet, parameters: dict[str, Any]) -> PluginQuerySet:
    conditions = {
        "domain__iexact": parameters.get("domain"),
        "role": parameters.get("role"),
        "is_published": parameters["published"],
        "tags__contains": [parameters["tag"]] if "tag" in parameters else None,
    }
    plugins = plugins.filter(**{name: value for name, value in conditions.items() if value is not None})
    for word in parameters.get("q", "").split():
        columns = ("name", "slug", "domain", "tagline")
        plugins = plugins.filter(Q(*((f"{column}__icontains", word) for column in columns), _connector=Q.OR))
    return plugins


def _counts_json(counts: PluginCounts) -> dict[str, Any]:
    return {
        "documents": sum(counts.documents.values()),
        "documentsReady": counts.documents.get(DocumentStatus.READY, 0),
        "documentsFailed": counts.documents.get(DocumentStatus.FAILED, 0),
        "pages": counts.pages,
        "trees": counts.trees,
        "goldenQuestions": counts.golden,
        "goldenShare": counts.golden_share,
    }


# --- A plugin as one file ---------------------------------------------------------------------------------


class ExportView(AuthorView):
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(
        responses={(200, "application/zip"): OpenApiTypes.BINARY, (200, "application/json"): OpenApiTypes.OBJECT}
    )
    def get(self, request: Request, plugin: str) -> HttpResponseBase:
        """Persona, policy, trees, golden questions and the documents of its own knowledge base, as one zip.

        With `Accept: application/json` as JSON, without the files of the documents."""
        found = get_plugin(request, plugin)
        if request._request.get_preferred_type(["application/zip", "application/json"]) == "application/json":
            response = JsonResponse(export_description(found))
            patch_vary_headers(response, ["Accept"])
            return response
        return DownloadResponse(export_plugin(found), name=f"{found.slug}.lexic.zip", content_type="application/zip")


class ImportView(AuthorView):
    parser_classes = [UploadParser]

    @extend_schema(request=serializers.BundleSerializer, responses={201: serializers.ImportedSerializer})
    def post(self, request: Request) -> Response:
        """Make a draft of your own from an exported file. All of it is checked before anything is kept.

        A request may be a little larger than the largest document; `manage.py import_plugin` takes files of any plugin.
        """
        check_may_add_plugins(self.principal)
        fields = validated(serializers.BundleSerializer(data=request.data))
        imported = import_upload(fields["file"], by=self.user, slug=fields.get("slug"))
        imported.plugin.role = "owner"
        mark_changed(request, imported.plugin, flag=ADDITION)
        return Response(serializers.ImportedSerializer(imported).data, status=201)
