"""Input and output of the routes of projects."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import StrictCharField, StrictSerializer
from conversations.models import Project
from conversations.projects.models import MAX_DESCRIPTION_CHARACTERS
from lexic.column_length import column_length
from plugins.models import Role
from plugins.slugs import MAX_REFERENCE_LENGTH

_MAX_ADDRESSES = 200


class MemberAddressField(serializers.EmailField):
    """An address in lower case, as memberships are kept: its length is that of what is kept."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).lower()


class ProjectMembersSerializer(StrictSerializer):
    """Addresses. Whoever has confirmed one here may open the project: viewers read, editors change its documents."""

    editors = serializers.ListField(child=MemberAddressField(max_length=254), max_length=_MAX_ADDRESSES)
    viewers = serializers.ListField(child=MemberAddressField(max_length=254), max_length=_MAX_ADDRESSES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        addresses = [*attrs["editors"], *attrs["viewers"]]
        if len(set(addresses)) < len(addresses):
            raise serializers.ValidationError("An address stands there twice.")
        return attrs

    @property
    def roles(self) -> dict[str, str]:
        """The role of each address."""
        editors = dict.fromkeys(self.validated_data["editors"], Role.EDITOR.value)
        return editors | dict.fromkeys(self.validated_data["viewers"], Role.VIEWER.value)


class ProjectSerializer(serializers.Serializer):
    """Wants the rows of `ProjectQuerySet.as_seen_by`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    description = serializers.CharField()
    plugin = serializers.CharField(
        source="plugin_slug",
        allow_null=True,
        help_text="What its conversations ask; null: none that you may ask.",
    )
    role = serializers.ChoiceField(["owner", "editor", "viewer"], help_text="What you are in it.")
    owner = serializers.CharField(source="owner.get_full_name")
    documents = serializers.IntegerField(source="document_total")
    members = serializers.SerializerMethodField(help_text="Shown to its owner alone.")
    createdAt = serializers.DateTimeField(source="created_at")
    updatedAt = serializers.DateTimeField(source="updated_at")

    @extend_schema_field(ProjectMembersSerializer(allow_null=True))
    def get_members(self, project: Project) -> dict[str, Any] | None:
        if project.role != "owner":
            return None
        return {"editors": project.addresses(Role.EDITOR), "viewers": project.addresses(Role.VIEWER)}


class NewProjectSerializer(StrictSerializer):
    name = StrictCharField(max_length=column_length(Project, "name"))
    description = StrictCharField(max_length=MAX_DESCRIPTION_CHARACTERS, allow_blank=True, required=False)
    plugin = StrictCharField(
        max_length=MAX_REFERENCE_LENGTH,
        allow_null=True,
        required=False,
        help_text="Slug or id of a plugin that you may ask.",
    )


class ProjectChangeSerializer(NewProjectSerializer):
    """What is left out stays as it is."""

    name = StrictCharField(max_length=column_length(Project, "name"), required=False)
