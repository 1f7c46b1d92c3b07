"""Publishing, and releases, which never change apart from their notes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.etags import etag_response, make_etag, require_match
from api.fields import EmptySerializer, validated
from api.pagination import page_response
from api.plugins.lookup import get_plugin
from api.plugins.serializers import PluginSerializer
from api.releases import serializers
from api.views import AuthorView, first_or_raise
from marketplace.publishing.publish import Publication, next_version, publish, publish_blockers
from marketplace.publishing.publishing_gate import GateResult, gate_result
from marketplace.publishing.release_change_summary import draft_changes
from marketplace.publishing.rollback import roll_back
from marketplace.publishing.withdraw import withdraw_from_marketplace
from plugins.models import Plugin, Release
from plugins.slugs import LATEST_VERSION
from querying.answering.tree_support import ends_to_warn_of
from querying.releases import UnknownRelease

_LONG_COLUMNS = ("system_prompt", "limits", "disclaimer", "synonyms", "calibration", "trees", "knowledge")


class PublishView(AuthorView):
    @extend_schema(
        request=serializers.PublishSerializer,
        responses={200: serializers.PublicationSerializer, 201: serializers.PublicationSerializer},
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Release the draft as it stands. 409 `not_ready` names everything that is `missing`."""
        found = get_plugin(request, plugin)
        fields = validated(serializers.PublishSerializer(data=request.data))
        return _publication_response(publish(found, by=self.user, **fields))


class UnpublishView(AuthorView):
    @extend_schema(request=EmptySerializer, responses=PluginSerializer)
    def post(self, request: Request, plugin: str) -> Response:
        """Withdraw the plugin. Its releases stay, so that what was answered can be had again."""
        found = get_plugin(request, plugin)
        EmptySerializer.check(request)
        withdraw_from_marketplace(found)
        return Response(PluginSerializer(found).data)


class ReadinessView(AuthorView):
    @extend_schema(responses=serializers.ReadinessSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """What is missing of publishing, what the next release would change, and which ends of trees no page supports:
        whoever reaches one of these is refused."""
        found = get_plugin(request, plugin)
        golden, latest = gate_result(found), found.latest_release()
        reasons = publish_blockers(found, golden=golden)
        data = {
            "isReady": not reasons,
            "missing": reasons,
            "warning": golden.warning,
            "nextVersion": next_version(found),
            "latestVersion": latest.version if latest else None,
            "changes": draft_changes(found, since=latest) if latest else [],
            "golden": _golden_gate_json(golden),
            "unsupportedEnds": [asdict(end) for end in ends_to_warn_of(found)],
        }
        return Response(serializers.ReadinessSerializer(data).data)


class ReleasesView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.ReleaseRowSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The releases, the newest first."""
        releases = get_plugin(request, plugin).releases.select_related("created_by").defer(*_LONG_COLUMNS)

        return page_response(self, releases, serializers.ReleaseRowSerializer)


class ReleaseView(AuthorView):
    @extend_schema(responses=serializers.ReleaseSerializer)
    def get(self, request: Request, plugin: str, version: str) -> Response:
        """Everything that decides the answers of a release. `latest` is a version too."""
        return _release_response(request, get_release(get_plugin(request, plugin), version))

    @extend_schema(request=serializers.NotesSerializer, responses=serializers.ReleaseSerializer)
    def patch(self, request: Request, plugin: str, version: str) -> Response:
        """Change its notes: the one thing of a release that may change, because it decides no answer."""
        release = get_release(get_plugin(request, plugin), version)
        notes = validated(serializers.NotesSerializer(data=request.data))["notes"]
        with transaction.atomic():
            locked = Release.objects.select_for_update().get(pk=release.pk)
            require_match(request, _release_etag(locked))
            release.notes = notes
            release.save(update_fields=["notes"])
        return _release_response(request, release)


class RollbackView(AuthorView):
    @extend_schema(
        request=EmptySerializer,
        responses={200: serializers.PublicationSerializer, 201: serializers.PublicationSerializer},
    )
    def post(self, request: Request, plugin: str, version: str) -> Response:
        """Agents that ask for the latest release get what this one was, under the next version."""
        found = get_plugin(request, plugin)
        release = get_release(found, version)
        EmptySerializer.check(request)
        before = found.latest_release()
        after = roll_back(found, to=release, by=self.user)
        return _publication_response(Publication(release=after, is_new=after != before))


def get_release(plugin: Plugin, version: str) -> Release:
    """The release of this version, or `latest`. Raises `UnknownRelease`."""
    releases = plugin.releases.select_related("created_by")
    if "\x00" in version:  # which the database refuses
        raise UnknownRelease
    if version != LATEST_VERSION:
        releases = releases.filter(version=version)
    return first_or_raise(releases, UnknownRelease)


def _publication_response(publication: Publication) -> Response:
    return Response(serializers.PublicationSerializer(publication).data, status=201 if publication.is_new else 200)


def _release_response(request: Request, release: Release) -> Response:
    return etag_response(request, serializers.ReleaseSerializer(release).data, etag=_release_etag(release))


def _release_etag(release: Release) -> str:
    return make_etag(release.pk, release.notes)


def _golden_gate_json(golden: GateResult) -> dict[str, Any]:
    return {
        "policy": golden.policy.value,
        "questions": golden.questions,
        "needed": golden.required,
        "passed": golden.passed if golden.run else None,
        "isMet": golden.is_met,
    }
