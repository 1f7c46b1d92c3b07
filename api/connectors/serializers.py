"""Input and output of the routes of Google Drive."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.documents.serializers import RefusalSerializer, UploadedSerializer
from api.fields import QueryParameters, StrictCharField, StrictSerializer, StrictUUIDField
from connectors.drive_client import MAX_CURSOR_LENGTH
from connectors.drive_files import DriveEntry
from connectors.drive_import import MAX_FILES
from connectors.models import DriveFile
from lexic.column_length import column_length
from lexic.http.parameters import MAX_SEARCH_LENGTH

_FILE_ID = RegexValidator(r"^[A-Za-z0-9_-]+\Z", "This is not the id of a file.")


class DriveFilesParameters(QueryParameters):
    q = serializers.CharField(
        max_length=MAX_SEARCH_LENGTH, required=False, help_text="The beginning of a word of the name."
    )
    limit = serializers.IntegerField(min_value=1, max_value=100, default=50)
    cursor = serializers.CharField(max_length=MAX_CURSOR_LENGTH, required=False, help_text="Out of `next`.")


class DriveFileSerializer(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    mimeType = serializers.CharField(source="media_type")
    size = serializers.IntegerField(allow_null=True, help_text="In bytes; null for what Google keeps in its own form.")
    modifiedAt = serializers.DateTimeField(source="modified_at", allow_null=True)
    problem = serializers.SerializerMethodField(
        help_text="Why it cannot be imported; null where nothing speaks for it."
    )

    @extend_schema_field(RefusalSerializer(allow_null=True))
    def get_problem(self, entry: DriveEntry) -> dict[str, Any] | None:
        refusal = entry.refusal()
        return refusal.as_dict() if refusal else None


class DriveFilesSerializer(serializers.Serializer):
    results = DriveFileSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True, help_text="Always null: Google Drive lists forwards only.")


class DriveImportSerializer(StrictSerializer):
    """Files, by the ids that the list gives. With a project they go to its documents, else to your own."""

    fileIds = serializers.ListField(
        child=StrictCharField(max_length=column_length(DriveFile, "file_id"), validators=[_FILE_ID]),
        min_length=1,
        max_length=MAX_FILES,
    )
    projectId = StrictUUIDField(required=False, allow_null=True)


class DriveImportResultSerializer(UploadedSerializer):
    """What became of one file. `outcome` is `created`; `unchanged`, when these bytes were read before; `reading`, when
    it is a new version of a document that was there; or `refused`. `fileName` is empty where Google did not say."""

    fileId = serializers.CharField()


class DriveImportResultsSerializer(serializers.Serializer):
    results = DriveImportResultSerializer(many=True)


class DriveDisconnectedSerializer(serializers.Serializer):
    isRevoked = serializers.BooleanField(
        help_text="Whether Google has been told. If not, it could not be reached, and is told as soon as it can be."
    )
