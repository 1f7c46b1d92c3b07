"""Additional input and output of requests that name several plugins."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictCharField, in_tools
from collaboration.collaboration_types import MAX_EXPERTS
from plugins.slugs import MAX_REFERENCE_LENGTH
from querying.answering.grounding.conflict_types import ConflictKind


class PluginsField(serializers.ListField):
    """Several plugins that are asked at once."""

    def __init__(self, *, least: int = 1, **options: Any) -> None:
        child = StrictCharField(max_length=MAX_REFERENCE_LENGTH)
        super().__init__(child=child, min_length=least, max_length=MAX_EXPERTS, **options)


class ExpertFailureSerializer(serializers.Serializer):
    """A plugin that could not be asked, and why."""

    plugin = serializers.CharField()
    name = serializers.CharField()
    error = serializers.CharField()
    code = serializers.CharField()
    hint = serializers.CharField()


class ConflictPositionSerializer(serializers.Serializer):
    expert = serializers.CharField(help_text="Its name.", style=in_tools(description=None))
    plugin = serializers.CharField()
    stance = serializers.CharField(help_text="Its verified sentence.", style=in_tools(description=None))
    citations = serializers.ListField(child=serializers.CharField(), help_text="Ids of citations.")


class ConflictSerializer(serializers.Serializer):
    """Two sentences of different plugins that do not go together. `certain`: both speak of exactly the same."""

    topic = serializers.CharField()
    kind = serializers.ChoiceField([one.value for one in ConflictKind])
    certain = serializers.BooleanField()
    positions = ConflictPositionSerializer(many=True)
    resolved = serializers.BooleanField(help_text="One of them no longer says so.")
    resolution = serializers.CharField(required=False)
