"""Publishing, and the releases that it makes: fixed for ever, apart from their notes."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import person_of
from api.authentication import principal_of
from api.etags import etag_of, require_match, tagged
from api.fields import NothingSerializer, Parameters
from api.pagination import Pages
from api.plugin_body import PluginSerializer
from api.release_body import (
    NotesSerializer,
    PublicationSerializer,
    PublishSerializer,
    ReadinessSerializer,
    ReleaseRowSerializer,
    ReleaseSerializer,
)
from api.scope import plugin_of
from api.views import AuthorView
from marketplace.changes import changes
from marketplace.golden_gate import Verdict, verdict
from marketplace.publish import Publication, missing, next_version, publish
from marketplace.rollback import go_back
from marketplace.withdraw import withdraw
from plugins.models import Plugin, Release
from plugins.slugs import LATEST
from querying.releases import UnknownRelease

_LONG = ("system_prompt", "limits", "disclaimer", "synonyms", "calibration", "trees", "knowledge")


class PublishView(AuthorView):
    @extend_schema(request=PublishSerializer, responses={200: PublicationSerializer, 201: PublicationSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """Release the draft as it stands. 409 `not_ready` names everything that is `missing`."""
        found = plugin_of(request, plugin)
        said = PublishSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        done = publish(found, by=person_of(principal_of(request)), **said.validated_data)
        return _published(done)


class UnpublishView(AuthorView):
    @extend_schema(request=NothingSerializer, responses=PluginSerializer)
    def post(self, request: Request, plugin: str) -> Response:
        """Take the plugin off the air. Its releases stay, so that what was answered can be had again."""
        found = plugin_of(request, plugin)
        NothingSerializer.check(request)
        withdraw(found)
        return Response(PluginSerializer(found).data)


class ReadinessView(AuthorView):
    @extend_schema(responses=ReadinessSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """What stands in the way of publishing, and what the next release would change."""
        found = plugin_of(request, plugin)
        golden, latest = verdict(found), found.latest_release()
        reasons = missing(found, golden=golden)
        data = {
            "isReady": not reasons,
            "missing": reasons,
            "warning": golden.warning,
            "nextVersion": next_version(found),
            "latestVersion": latest.version if latest else None,
            "changes": changes(found, since=latest) if latest else [],
            "golden": _gate(golden),
        }
        return Response(ReadinessSerializer(data).data)


class ReleasesView(AuthorView):
    ordering = ("-created_at", "pk")
    pagination_class = Pages

    @extend_schema(responses=ReleaseRowSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The releases, the newest first."""
        every = plugin_of(request, plugin).releases.select_related("created_by").defer(*_LONG)
        Parameters.read(request)
        pages = self.pagination_class()
        found = pages.paginate_queryset(every, request, self)
        return pages.get_paginated_response(ReleaseRowSerializer(found, many=True).data)


class ReleaseView(AuthorView):
    @extend_schema(responses=ReleaseSerializer)
    def get(self, request: Request, plugin: str, version: str) -> Response:
        """Everything that decides the answers of a release. `latest` is a version too."""
        return _shown(request, release_of(plugin_of(request, plugin), version))

    @extend_schema(request=NotesSerializer, responses=ReleaseSerializer)
    def patch(self, request: Request, plugin: str, version: str) -> Response:
        """Change its notes: the one thing of a release that may change, because it decides no answer."""
        release = release_of(plugin_of(request, plugin), version)
        said = NotesSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        with transaction.atomic():
            locked = Release.objects.select_for_update().get(pk=release.pk)
            require_match(request, _tag(locked))
            release.notes = said.validated_data["notes"]
            release.save(update_fields=["notes"])
        return _shown(request, release)


class RollbackView(AuthorView):
    @extend_schema(request=NothingSerializer, responses={200: PublicationSerializer, 201: PublicationSerializer})
    def post(self, request: Request, plugin: str, version: str) -> Response:
        """Agents that ask for the latest release get what this one was, under the next version."""
        found = plugin_of(request, plugin)
        release = release_of(found, version)
        NothingSerializer.check(request)
        before = found.latest_release()
        made = go_back(found, to=release, by=person_of(principal_of(request)))
        return _published(Publication(release=made, is_new=made != before))


def release_of(plugin: Plugin, version: str) -> Release:
    """Raises `UnknownRelease`."""
    releases = plugin.releases.select_related("created_by")
    if version == LATEST:
        found = releases.first()
    else:
        found = releases.filter(version=version).first() if "\x00" not in version else None
    if found is None:
        raise UnknownRelease
    return found


def _published(done: Publication) -> Response:
    return Response(PublicationSerializer(done).data, status=201 if done.is_new else 200)


def _shown(request: Request, release: Release) -> Response:
    return tagged(request, ReleaseSerializer(release).data, etag=_tag(release))


def _tag(release: Release) -> str:
    return etag_of(release.pk, release.notes)


def _gate(golden: Verdict) -> dict[str, Any]:
    return {
        "policy": golden.policy.value,
        "questions": golden.questions,
        "needed": golden.needed,
        "passed": golden.passed if golden.run else None,
        "isMet": golden.is_met,
    }
