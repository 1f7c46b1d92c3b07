"""`/api/marketplace/{plugin}/download` and `…/install`: a shared plugin as a file, and as a copy of one's own."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, user_of
from accounts.rate_limits import DAY, MINUTE, count_or_wait
from accounts.visitors import visitor_id
from api.authentication import get_principal
from api.etags import is_not_modified
from api.fields import StrictSerializer
from api.plugins.serializers import PluginSerializer
from api.plugins.views import KeyLimitedToPlugins
from api.views import AuthorView, PublicView
from lexic.http.downloads import DownloadResponse
from marketplace.sharing.installs import MAX_COPIES, install_copy
from marketplace.sharing.release_files import release_file
from marketplace.sharing.shareability import shared_release

# Files that one address may have. What is not there, or is known already, costs little and is not counted.
_DOWNLOAD_LIMITS = {MINUTE: 60, DAY: 1000}


class InstallSerializer(StrictSerializer):
    copies = serializers.IntegerField(
        min_value=0,
        max_value=MAX_COPIES,
        required=False,
        help_text="How many copies of this release you know you have: makes one more. Left out: one is made unless you "
        "have one, so that asking again does no harm.",
    )


class InstalledSerializer(serializers.Serializer):
    """`isNew` is false where you had a copy of this release, which is what comes back."""

    plugin = PluginSerializer(source="install.copy")
    isNew = serializers.BooleanField(source="is_new")
    waiting = serializers.IntegerField(help_text="So many documents are embedded again by a worker.")
    madeFrom = serializers.CharField(source="install.original_name", help_text="What the original is called.")
    author = serializers.CharField(source="install.original_author")
    release = serializers.CharField(source="install.version")


class SharedDownloadView(PublicView):
    """A file is more than a page: beside the limit of all open doors there is one of its own."""

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, plugin: str) -> HttpResponseBase:
        """The latest release of a shared plugin as one file: persona, policy, trees, golden questions, and its
        documents with their pages, passages and vectors, so that they need not be read again. Import it with
        `POST /api/plugins/import`, or with `manage.py import_plugin`."""
        release = shared_release(plugin)
        found = release_file(release)
        etag = f'"{found.name[:32]}"'
        if is_not_modified(request, etag):
            return _with_etag(Response(status=304), etag)
        self._check_pace(request)
        name = f"{release.plugin.slug}-{release.version}.lexic.zip"
        return _with_etag(DownloadResponse(found.open(), name=name, content_type="application/zip"), etag)

    def _check_pace(self, request: Request) -> None:
        wait = count_or_wait(f"downloads:{visitor_id(request._request)}", _DOWNLOAD_LIMITS)
        if wait is not None:
            self.throttled(request, wait)


class InstallView(AuthorView):
    @extend_schema(request=InstallSerializer, responses={200: InstalledSerializer, 201: InstalledSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """Make a draft of your own of the latest release of a shared plugin. Nothing is embedded again where this
        site's embedder is the same."""
        principal = get_principal(request)
        if isinstance(principal, ApiKey) and principal.allowed_plugins() is not None:
            raise KeyLimitedToPlugins
        said = InstallSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        done = install_copy(plugin, by=user_of(principal), there=said.validated_data.get("copies"))
        done.install.copy.role = "owner"
        return Response(InstalledSerializer(done).data, status=201 if done.is_new else 200)


def _with_etag(response: Any, etag: str) -> Any:
    response["ETag"] = etag
    # Whether it is shared can change at any moment: whoever keeps it asks again.
    response["Cache-Control"] = "no-cache"
    return response
