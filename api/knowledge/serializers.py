"""Input and output of a search in private documents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import (
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictSerializer,
    StrictUUIDField,
)
from conversations.private_document_search import DocumentScope
from knowledge.search.query_words import MAX_QUERY_CHARACTERS


class UserDocumentSearchSerializer(StrictSerializer):
    """What to look for. With a project, its documents are searched as well as your own; `scope` says otherwise."""

    query = StrictCharField(max_length=MAX_QUERY_CHARACTERS)
    scope = StrictChoiceField([scope.value for scope in DocumentScope], default=DocumentScope.ALL.value)
    projectId = StrictUUIDField(required=False, allow_null=True)
    topK = StrictIntegerField(min_value=1, max_value=50, default=8)
    minScore = StrictFloatField(min_value=0.0, max_value=1.0, default=0.0)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["scope"] == DocumentScope.PROJECT and not attrs.get("projectId"):
            raise serializers.ValidationError({"projectId": "Name the project to search in."})
        return attrs


class SourceCitationSerializer(serializers.Serializer):
    """A passage. `metadata` says which span of which page it is, its address there, and `distance`, the cosine
    distance of the question (null where words alone found it)."""

    id = serializers.CharField(help_text="The document's.")
    type = serializers.ChoiceField(["law", "judgment", "document"])
    title = serializers.CharField()
    summary = serializers.CharField()
    score = serializers.FloatField(help_text="0 to 1: half by meaning, half by words.")
    metadata = serializers.DictField()


class UserDocumentResultsSerializer(serializers.Serializer):
    results = SourceCitationSerializer(many=True)
