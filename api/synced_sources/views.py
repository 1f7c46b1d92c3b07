"""`/api/plugins/…/sources`: web sites, feeds, repositories and buckets that the plugin's documents follow."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.change_history import mark_changed
from api.fields import validated
from api.pagination import page_response
from api.plugins.lookup import get_plugin
from api.synced_sources import serializers
from api.views import AuthorView, first_or_raise
from knowledge.models import Source, SourceQuerySet
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.sync.remote import source_settings
from knowledge.task_queue import enqueue_sync
from lexic.errors import NotFound
from lexic.http.parameters import MAX_ROW_ID
from plugins.models import Plugin


class UnknownSyncedSource(NotFound):
    """This plugin has no such source."""

    code = "unknown_synced_source"
    hint = "GET /api/plugins/{plugin}/sources lists them."


class SyncedSourcesView(AuthorView):
    ordering = ("location", "pk")

    @extend_schema(responses=serializers.SyncedSourceSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The sources that are fetched from elsewhere, with what their last sync did. Folders on the server are not
        among them."""
        found = _sources(get_plugin(request, plugin))
        return page_response(self, found, serializers.SyncedSourceSerializer)

    @extend_schema(request=serializers.NewSyncedSourceSerializer, responses={201: serializers.SyncedSourceSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new source, which a worker syncs at once and then by its timetable. What it holds becomes documents; what
        vanishes there is retired here and reported."""
        found = get_plugin(request, plugin)
        fields = validated(serializers.NewSyncedSourceSerializer(data=request.data))
        source = source_settings.create_source(own_knowledge_base(found), **fields)
        mark_changed(request, found)
        enqueue_sync(source.pk)
        return Response(serializers.SyncedSourceSerializer(source).data, status=201)


class SyncedSourceView(AuthorView):
    @extend_schema(responses=serializers.SyncedSourceSerializer)
    def get(self, request: Request, plugin: str, source: int) -> Response:
        """One source, and what its last sync did."""
        return Response(serializers.SyncedSourceSerializer(_get_source(get_plugin(request, plugin), source)).data)

    @extend_schema(request=serializers.SyncedSourceChangeSerializer, responses=serializers.SyncedSourceSerializer)
    def patch(self, request: Request, plugin: str, source: int) -> Response:
        """Change its options, credentials or timetable, pause it, or open and close its documents. Its address stays:
        make another source."""
        owner = get_plugin(request, plugin)
        found = _get_source(owner, source)
        fields = validated(serializers.SyncedSourceChangeSerializer(data=request.data))
        changed = source_settings.change_source(found, **fields)
        mark_changed(request, owner)
        return Response(serializers.SyncedSourceSerializer(changed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, source: int) -> Response:
        """Forget the source and its credentials. Its documents stay, and are not synced any more."""
        owner = get_plugin(request, plugin)
        source_settings.delete_source(_get_source(owner, source))
        mark_changed(request, owner)
        return Response(status=204)


class SyncView(AuthorView):
    @extend_schema(request=serializers.SyncRequestSerializer, responses={202: serializers.SyncedSourceSerializer})
    def post(self, request: Request, plugin: str, source: int) -> Response:
        """Have a worker sync it now, paused or not. How it went is in the source's `report` afterwards."""
        owner = get_plugin(request, plugin)
        found = _get_source(owner, source)
        fields = validated(serializers.SyncRequestSerializer(data=request.data))
        enqueue_sync(found.pk, **fields)
        mark_changed(request, owner)
        return Response(serializers.SyncedSourceSerializer(found).data, status=202)


def _sources(plugin: Plugin) -> SourceQuerySet:
    return Source.objects.remote().filter(knowledge_base__plugin=plugin)


def _get_source(plugin: Plugin, pk: int) -> Source:
    """Raises `UnknownSyncedSource`."""
    return first_or_raise(_sources(plugin).filter(pk=min(pk, MAX_ROW_ID)), UnknownSyncedSource)
