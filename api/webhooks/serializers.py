"""Input and output of the routes of webhooks."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictBooleanField, StrictCharField, StrictListField, StrictSerializer
from lexic.column_length import column_length
from webhooks.models import Delivery, Event, Webhook


class NewWebhookSerializer(StrictSerializer):
    url = StrictCharField(max_length=column_length(Webhook, "url"), help_text="A public https address.")
    events = StrictListField(
        max_item_length=column_length(Webhook, "events"), max_items=20, help_text=", ".join(Event.values)
    )
    includesQuestions = StrictBooleanField(
        source="includes_questions",
        default=False,
        help_text="Send the words of refused questions as well, which can be personal.",
    )


@extend_schema_serializer(component_name="WebhookChange")
class WebhookChangeSerializer(StrictSerializer):
    """What is left out stays as it is."""

    url = StrictCharField(max_length=column_length(Webhook, "url"), required=False)
    events = StrictListField(max_item_length=column_length(Webhook, "events"), max_items=20, required=False)
    includesQuestions = StrictBooleanField(source="includes_questions", required=False)
    isActive = StrictBooleanField(source="is_active", required=False)


class WebhookSerializer(serializers.Serializer):
    id = serializers.UUIDField(read_only=True)
    url = serializers.URLField(max_length=column_length(Webhook, "url"), label="Address")
    events = serializers.ListField(child=serializers.ChoiceField(Event.choices))
    includesQuestions = serializers.BooleanField(source="includes_questions")
    isActive = serializers.BooleanField(source="is_active")
    disabledAt = serializers.DateTimeField(source="disabled_at", allow_null=True)
    disabledReason = serializers.CharField(source="disabled_reason", help_text="Empty when a person did it.")
    failures = serializers.IntegerField(help_text="Attempts in a row that failed.")
    failingSince = serializers.DateTimeField(source="failing_since", allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")


@extend_schema_serializer(component_name="WebhookWithSecret")
class WebhookWithSecretSerializer(WebhookSerializer):
    """The answer to making a webhook, or a new secret for it: the one time that the secret is shown."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, webhook: Webhook) -> str:
        return self.context["secret"]


class DeliverySerializer(serializers.Serializer):
    id = serializers.UUIDField(read_only=True)
    eventId = serializers.CharField(source="event_id", help_text="What the receiver gets as `webhook-id`.")
    event = serializers.CharField()
    state = serializers.ChoiceField(Delivery.State.choices, required=False)
    attempts = serializers.IntegerField()
    statusCode = serializers.IntegerField(source="status_code", allow_null=True)
    response = serializers.CharField(help_text="The beginning of what the receiver answered: text, never markup.")
    error = serializers.CharField(required=False)
    payload = serializers.SerializerMethodField()
    nextAttemptAt = serializers.DateTimeField(source="next_attempt_at", allow_null=True)
    createdAt = serializers.DateTimeField(source="created_at")
    attemptedAt = serializers.DateTimeField(source="attempted_at", allow_null=True)
    deliveredAt = serializers.DateTimeField(source="delivered_at", allow_null=True)

    def get_payload(self, delivery: Delivery) -> dict[str, Any]:
        return delivery.payload
