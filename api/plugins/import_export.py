"""A plugin as one file: out, and in."""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, user_of
from api.authentication import get_principal
from api.fields import StrictCharField, StrictSerializer
from api.plugins.lookup import get_plugin
from api.plugins.serializers import PluginSerializer
from api.plugins.views import KeyLimitedToPlugins
from api.uploads import UploadParser
from api.views import AuthorView
from lexic.http.downloads import DownloadResponse
from marketplace.bundle import export_plugin
from marketplace.sharing.installs import import_upload
from plugins.slugs import MAX_SLUG_LENGTH


class BundleSerializer(StrictSerializer):
    file = serializers.FileField(help_text="As …/export gave it.")
    slug = StrictCharField(
        max_length=MAX_SLUG_LENGTH, required=False, help_text="What agents will call it. Left out: a free one."
    )


class ImportedSerializer(serializers.Serializer):
    """`slugWasTaken`: agents call it otherwise than where it came from."""

    plugin = PluginSerializer()
    documents = serializers.IntegerField(help_text="So many are read again by a worker.")
    slugWasTaken = serializers.BooleanField(source="slug_was_taken")


class ExportView(AuthorView):
    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, plugin: str) -> DownloadResponse:
        """Persona, policy, trees, golden questions and the documents of its own knowledge base, as one zip."""
        found = get_plugin(request, plugin)
        return DownloadResponse(
            export_plugin(found), name=f"{found.slug}.lexic.zip", content_type="application/zip"
        )


class ImportView(AuthorView):
    parser_classes = [UploadParser]

    @extend_schema(request=BundleSerializer, responses={201: ImportedSerializer})
    def post(self, request: Request) -> Response:
        """Make a draft of your own from an exported file. All of it is checked before anything is kept.

        A request may be a little larger than the largest document; `manage.py import_plugin` takes files of any plugin.
        """
        principal = get_principal(request)
        if isinstance(principal, ApiKey) and principal.allowed_plugins() is not None:
            raise KeyLimitedToPlugins
        said = BundleSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        file = said.validated_data["file"]
        assert isinstance(file, UploadedFile)
        done = import_upload(file, by=user_of(principal), slug=said.validated_data.get("slug"))
        done.plugin.role = "owner"
        return Response(ImportedSerializer(done).data, status=201)
