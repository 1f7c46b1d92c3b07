"""Input and output of the preview of a source."""

from __future__ import annotations

from rest_framework import serializers

from api.documents.serializers import MAX_INTEGER
from api.fields import QueryParameters
from lexic.http.parameters import MAX_ROW_ID


class SourceParameters(QueryParameters):
    """Out of a citation's `metadata`."""

    pageId = serializers.IntegerField(
        min_value=1, max_value=MAX_ROW_ID, required=False, help_text="The very page that was cited, as it was then."
    )
    page = serializers.IntegerField(
        min_value=1, max_value=MAX_INTEGER, default=1, help_text="Without `pageId`: the page as it is now."
    )
    start = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER, default=0)
    end = serializers.IntegerField(min_value=0, max_value=MAX_INTEGER, default=0)


class SourcePreviewSerializer(serializers.Serializer):
    """The cited words with up to 1000 characters before and after them."""

    id = serializers.UUIDField(help_text="The document's.")
    type = serializers.ChoiceField(["law", "judgment", "document"])
    title = serializers.CharField()
    section = serializers.CharField(allow_blank=True)
    page = serializers.IntegerField(allow_null=True, help_text="Null where the source has no pages of its own.")
    pageId = serializers.IntegerField(source="page_id")
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    before = serializers.CharField(allow_blank=True, trim_whitespace=False)
    excerpt = serializers.CharField(allow_blank=True, trim_whitespace=False)
    after = serializers.CharField(allow_blank=True, trim_whitespace=False)
    url = serializers.CharField(help_text="Opens the page with these words marked, for people who may read it.")
    validity = serializers.CharField(allow_blank=True, help_text="Such as “superseded on 1 March 2024”.")
