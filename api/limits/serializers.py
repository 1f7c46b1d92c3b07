"""Input and output of the routes of retention, legal hold, spending and quotas."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from accounts.quotas import STORED
from api.fields import StrictDecimalField, StrictIntegerField, StrictSerializer
from plugins.models import Plugin
from plugins.retention import KINDS, MAX_RETENTION_DAYS, LegalHold
from querying.query_log.spending import plugin_spending


class RetentionDaysField(StrictIntegerField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=MAX_RETENTION_DAYS, allow_null=True, required=False, **options)


class EffectiveRetentionSerializer(serializers.Serializer):
    """In days; 0: until the plugin is deleted."""

    questions = serializers.IntegerField()
    chats = serializers.IntegerField()
    files = serializers.IntegerField()


class PluginLimitsSerializer(StrictSerializer):
    """How long a plugin's content is kept, and what its answers may cost. What is not sent stays as it is."""

    keepQuestionsDays = RetentionDaysField(
        source="keep_questions_days", help_text="0: until the plugin is deleted; null: as long as this site keeps them."
    )
    keepChatsDays = RetentionDaysField(
        source="keep_chats_days", help_text="Counted from a conversation's last question. 0 and null: as above."
    )
    keepFilesDays = RetentionDaysField(
        source="keep_files_days", help_text="Counted from a document's removal. 0 and null: as above."
    )
    spendingCap = StrictDecimalField(
        source="spending_cap",
        max_digits=10,
        decimal_places=2,
        min_value=0,
        allow_null=True,
        required=False,
        help_text="What its answers may cost in a calendar month (UTC). Then questions are refused. Null: no cap.",
    )
    spentThisMonth = serializers.SerializerMethodField(help_text="As far as the prices of the models are known.")
    currency = serializers.SerializerMethodField()
    inForce = serializers.SerializerMethodField(help_text="How long content is kept, by the plugin or by this site.")
    legalHold = serializers.SerializerMethodField(
        help_text="Who set the hold under which nothing of the plugin is deleted. Null: there is none."
    )

    def get_spentThisMonth(self, plugin: Plugin) -> float:
        return float(plugin_spending(plugin))

    def get_currency(self, plugin: Plugin) -> str:
        return settings.LEXIC_LLM_CURRENCY

    @extend_schema_field(EffectiveRetentionSerializer)
    def get_inForce(self, plugin: Plugin) -> dict[str, int]:
        return {kind: plugin.retention_days(kind) for kind in KINDS}

    @extend_schema_field(serializers.ChoiceField(LegalHold.choices, allow_null=True))
    def get_legalHold(self, plugin: Plugin) -> str | None:
        return plugin.legal_hold or None


class QuotaUsageSerializer(serializers.Serializer):
    name = serializers.ChoiceField([quota.name for quota in STORED])
    used = serializers.IntegerField()
    limit = serializers.IntegerField(allow_null=True, help_text="Null: there is none.")


@extend_schema_serializer(component_name="AccountUsage")
class AccountUsageSerializer(serializers.Serializer):
    quotas = QuotaUsageSerializer(many=True)
    spentThisMonth = serializers.FloatField(
        help_text="What the answers to you and your keys have cost, as far as the prices of the models are known."
    )
    spendingCap = serializers.FloatField(allow_null=True, help_text="In a calendar month (UTC). Null: no cap.")
    currency = serializers.CharField()
