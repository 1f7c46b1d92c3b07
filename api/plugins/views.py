"""`/api/plugins`: what one works on."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, user_of
from api.authentication import get_principal
from api.etags import etag_response, make_etag, require_match
from api.pagination import DefaultPagination
from api.plugins.lookup import get_plugin
from api.plugins.serializers import PluginParameters, PluginRowSerializer, PluginSerializer
from api.views import AuthorView
from knowledge.models import DocumentStatus
from knowledge.own_knowledge_base import own_knowledge_base
from lexic.errors import NotAllowed
from marketplace.listings.update_listing import update_listing_if_published
from marketplace.publishing.deletion import delete_plugin
from plugins.models import Plugin, PluginQuerySet
from plugins.starter_persona import fill_empty_fields
from querying.plugin_counts import PluginCounts, counts_by_plugin

_LONG_COLUMNS = ("system_prompt", "description", "limits", "disclaimer", "synonyms", "calibration")


class NotPluginOwner(NotAllowed):
    """Only its owner deletes a plugin."""

    code = "only_its_owner"


class KeyLimitedToPlugins(NotAllowed):
    """This key is limited to certain plugins, and a new one would not be among them."""

    code = "key_is_limited"
    hint = "Use a key without such a limit."


class PluginsView(AuthorView):
    ordering = ("-created_at", "pk")
    pagination_class = DefaultPagination

    @extend_schema(parameters=[PluginParameters], responses=PluginRowSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The plugins that you own, edit or may look at, the newest first."""
        principal = get_principal(request)
        said = PluginParameters.read(request)
        plugins = Plugin.objects.readable_by(principal).with_role_of(principal).defer(*_LONG_COLUMNS)
        pages = self.pagination_class()
        found = pages.paginate_queryset(_filter_plugins(plugins, said), request, self) or []
        counts = counts_by_plugin(found, check_trees=False)
        for plugin in found:
            plugin.counts = _counts_json(counts[plugin.pk])
        return pages.get_paginated_response(PluginRowSerializer(found, many=True).data)

    @extend_schema(request=PluginSerializer, responses={201: PluginSerializer})
    def post(self, request: Request) -> Response:
        """A new draft, with a knowledge base of its own. Without `systemPrompt` it gets a first draft of one."""
        principal = get_principal(request)
        if isinstance(principal, ApiKey) and principal.allowed_plugins() is not None:
            raise KeyLimitedToPlugins
        said = PluginSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        plugin = Plugin(owner=user_of(principal))
        plugin.name, plugin.domain = said.validated_data["name"], said.validated_data["domain"]
        if "system_prompt" not in said.validated_data:
            fill_empty_fields(plugin)
        with transaction.atomic():
            said.write(plugin)
            own_knowledge_base(plugin)
        response = _plugin_response(request, plugin, role="owner", status=201)
        response["Location"] = f"/api/plugins/{plugin.slug}"
        return response


class PluginView(AuthorView):
    @extend_schema(responses=PluginSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The draft as it stands: persona, policy and all that is said about the plugin."""
        found = get_plugin(request, plugin)
        return _plugin_response(request, found, role=found.role)

    @extend_schema(request=PluginSerializer(partial=True), responses=PluginSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin)

    @extend_schema(request=PluginSerializer(partial=True), responses=PluginSerializer)
    def patch(self, request: Request, plugin: str) -> Response:
        """Changes the draft; agents go on asking the latest release."""
        found = get_plugin(request, plugin)
        with transaction.atomic():
            locked = _lock_plugin(request, found)
            said = PluginSerializer(locked, data=request.data, partial=True)
            said.is_valid(raise_exception=True)
            said.write(locked)
            update_listing_if_published(locked)
        return _plugin_response(request, locked, role=found.role)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str) -> Response:
        """Deletes it with its documents, trees, golden questions and releases. Only its owner may; what was asked of it
        stays in the audit log."""
        found = get_plugin(request, plugin)
        if not found.may_be_shared_by(user_of(get_principal(request))):
            raise NotPluginOwner
        with transaction.atomic():
            delete_plugin(_lock_plugin(request, found))
        return Response(status=204)


def _lock_plugin(request: Request, plugin: Plugin) -> Plugin:
    """The same row, nobody else's until the transaction ends. Raises `ChangedSince`."""
    locked = Plugin.objects.select_for_update(of=("self",)).select_related("owner").get(pk=plugin.pk)
    require_match(request, plugin_etag(locked, role=plugin.role))
    return locked


def plugin_etag(plugin: Plugin, *, role: str) -> str:
    return make_etag(plugin.pk, plugin.updated_at, role)


def _plugin_response(request: Request, plugin: Plugin, *, role: str, status: int = 200) -> Response:
    plugin.role = role
    data = PluginSerializer(plugin).data
    return etag_response(request, data, etag=plugin_etag(plugin, role=role), status=status)


def _filter_plugins(plugins: PluginQuerySet, said: dict[str, Any]) -> PluginQuerySet:
    asked = {"domain__iexact": said.get("domain"), "role": said.get("role"), "is_published": said["published"]}
    asked["tags__contains"] = [said["tag"]] if "tag" in said else None
    plugins = plugins.filter(**{name: value for name, value in asked.items() if value is not None})
    for word in said.get("q", "").split():
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
