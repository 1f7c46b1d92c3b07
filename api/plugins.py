"""`/api/plugins`: what one works on."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, person_of
from api.authentication import principal_of
from api.etags import etag_of, require_match, tagged
from api.pagination import Pages
from api.plugin_body import PluginParameters, PluginRowSerializer, PluginSerializer
from api.scope import plugin_of
from api.views import AuthorView
from knowledge.attach import own_knowledge_base
from knowledge.models import DocumentStatus
from lexic.errors import NotAllowed
from marketplace.catalogue.listing import listed_anew_if_public
from marketplace.removal import remove
from plugins.models import Plugin, PluginQuerySet
from plugins.starting import fill_in
from querying.counts import Counts, counts_of

_LONG = ("system_prompt", "description", "limits", "disclaimer", "synonyms", "calibration")


class OnlyItsOwner(NotAllowed):
    """Only its owner deletes a plugin."""

    code = "only_its_owner"


class KeyIsLimited(NotAllowed):
    """This key is limited to certain plugins, and a new one would not be among them."""

    code = "key_is_limited"
    hint = "Use a key without such a limit."


class PluginsView(AuthorView):
    ordering = ("-created_at", "pk")
    pagination_class = Pages

    @extend_schema(parameters=[PluginParameters], responses=PluginRowSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The plugins that you own, edit or may look at, the newest first."""
        principal = principal_of(request)
        said = PluginParameters.read(request)
        plugins = Plugin.objects.readable_by(principal).with_role_of(principal).defer(*_LONG)
        pages = self.pagination_class()
        found = pages.paginate_queryset(_narrowed(plugins, said), request, self) or []
        counts = counts_of(found, check_trees=False)
        for plugin in found:
            plugin.counts = _shown(counts[plugin.pk])
        return pages.get_paginated_response(PluginRowSerializer(found, many=True).data)

    @extend_schema(request=PluginSerializer, responses={201: PluginSerializer})
    def post(self, request: Request) -> Response:
        """A new draft, with a knowledge base of its own. Without `systemPrompt` it gets a first draft of one."""
        principal = principal_of(request)
        if isinstance(principal, ApiKey) and principal.allowed_plugins() is not None:
            raise KeyIsLimited
        said = PluginSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        plugin = Plugin(owner=person_of(principal))
        plugin.name, plugin.domain = said.validated_data["name"], said.validated_data["domain"]
        if "system_prompt" not in said.validated_data:
            fill_in(plugin)
        with transaction.atomic():
            said.write(plugin)
            own_knowledge_base(plugin)
        response = _answered(request, plugin, role="owner", status=201)
        response["Location"] = f"/api/plugins/{plugin.slug}"
        return response


class PluginView(AuthorView):
    @extend_schema(responses=PluginSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """The draft as it stands: persona, policy and all that is said about the plugin."""
        found = plugin_of(request, plugin)
        return _answered(request, found, role=found.role)

    @extend_schema(request=PluginSerializer(partial=True), responses=PluginSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """The same as PATCH: what is left out stays as it is."""
        return self.patch(request, plugin)

    @extend_schema(request=PluginSerializer(partial=True), responses=PluginSerializer)
    def patch(self, request: Request, plugin: str) -> Response:
        """Changes the draft; agents go on asking the latest release."""
        found = plugin_of(request, plugin)
        with transaction.atomic():
            locked = _locked(request, found)
            said = PluginSerializer(locked, data=request.data, partial=True)
            said.is_valid(raise_exception=True)
            said.write(locked)
            listed_anew_if_public(locked)
        return _answered(request, locked, role=found.role)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str) -> Response:
        """Deletes it with its documents, trees, golden questions and releases. Only its owner may; what was asked of it
        stays in the audit log."""
        found = plugin_of(request, plugin)
        if not found.may_be_shared_by(person_of(principal_of(request))):
            raise OnlyItsOwner
        with transaction.atomic():
            remove(_locked(request, found))
        return Response(status=204)


def _locked(request: Request, plugin: Plugin) -> Plugin:
    """The same row, nobody else's until the transaction ends. Raises `ChangedSince`."""
    locked = Plugin.objects.select_for_update(of=("self",)).select_related("owner").get(pk=plugin.pk)
    require_match(request, tag_of(locked, role=plugin.role))
    return locked


def tag_of(plugin: Plugin, *, role: str) -> str:
    return etag_of(plugin.pk, plugin.updated_at, role)


def _answered(request: Request, plugin: Plugin, *, role: str, status: int = 200) -> Response:
    plugin.role = role
    data = PluginSerializer(plugin).data
    return tagged(request, data, etag=tag_of(plugin, role=role), status=status)


def _narrowed(plugins: PluginQuerySet, said: dict[str, Any]) -> PluginQuerySet:
    asked = {"domain__iexact": said.get("domain"), "role": said.get("role"), "is_published": said["published"]}
    asked["tags__contains"] = [said["tag"]] if "tag" in said else None
    plugins = plugins.filter(**{name: value for name, value in asked.items() if value is not None})
    for word in said.get("q", "").split():
        columns = ("name", "slug", "domain", "tagline")
        plugins = plugins.filter(Q(*((f"{column}__icontains", word) for column in columns), _connector=Q.OR))
    return plugins


def _shown(counts: Counts) -> dict[str, Any]:
    return {
        "documents": sum(counts.documents.values()),
        "documentsReady": counts.documents.get(DocumentStatus.READY, 0),
        "documentsFailed": counts.documents.get(DocumentStatus.FAILED, 0),
        "pages": counts.pages,
        "trees": counts.trees,
        "goldenQuestions": counts.golden,
        "goldenShare": counts.golden_share,
    }
