"""Input and output of the routes of knowledge bases and their grants."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictChoiceField, StrictIntegerField, StrictSerializer
from knowledge.models import Consent, KnowledgeGrant
from lexic.http.parameters import MAX_ROW_ID

GRANT_STATES = ("requested", "granted", "lapsed")


class KnowledgeBaseSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    plugin = serializers.CharField(
        source="plugin.slug", default=None, allow_null=True, help_text="The plugin it belongs to; null: to none."
    )
    owner = serializers.CharField(source="owner.get_full_name")
    documents = serializers.IntegerField(source="document_total")
    isEditable = serializers.BooleanField(
        source="is_editable", help_text="Whether you may change it, and so let other plugins of yours use it."
    )
    createdAt = serializers.DateTimeField(source="created_at")


class GrantedBaseSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    owner = serializers.CharField(source="owner.get_full_name")


class UsingPluginSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    owner = serializers.CharField(source="owner.get_full_name")


class KnowledgeGrantSerializer(serializers.Serializer):
    """Wants the rows of `KnowledgeGrantQuerySet.with_people`."""

    id = serializers.IntegerField(source="pk")
    state = serializers.SerializerMethodField(
        help_text="`lapsed`: whom it was given to may no longer open the base, so nothing reads by it."
    )
    consent = serializers.ChoiceField(
        Consent.values,
        help_text="What the plugin may use it for: its draft, what is published, or copies. Each includes the former.",
    )
    isAttached = serializers.BooleanField(
        source="is_attached",
        help_text="Whether the draft reads it. Releases that already read it continue until the grant ends.",
    )
    knowledgeBase = GrantedBaseSerializer(source="knowledge_base")
    plugin = UsingPluginSerializer()
    requestedBy = serializers.CharField(source="granted_to.get_full_name", default=None, allow_null=True)
    grantedBy = serializers.CharField(source="granted_by.get_full_name", default=None, allow_null=True)
    requestedAt = serializers.DateTimeField(source="requested_at")
    grantedAt = serializers.DateTimeField(source="granted_at", allow_null=True)

    @extend_schema_field(serializers.ChoiceField(GRANT_STATES))
    def get_state(self, grant: KnowledgeGrant) -> str:
        if grant.granted_at is None:
            return "requested"
        return "granted" if grant.stands else "lapsed"  # type: ignore[attr-defined]  # annotated


@extend_schema_serializer(component_name="NewKnowledgeGrant")
class NewKnowledgeGrantSerializer(StrictSerializer):
    knowledgeBase = StrictIntegerField(
        min_value=1, max_value=MAX_ROW_ID, help_text="The id of a base that you may change: GET /api/knowledge-bases."
    )


@extend_schema_serializer(component_name="KnowledgeGrantConsent")
class ConsentSerializer(StrictSerializer):
    consent = StrictChoiceField(Consent.values)
