"""`/api/plugins/…/limits`, `…/legal-hold`, `/api/account/usage`: retention, legal hold, spending caps and quotas."""

from __future__ import annotations

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey
from api.fields import EmptySerializer, QueryParameters, validated
from api.limits import serializers
from api.plugins.lookup import get_own_plugin, get_plugin
from api.views import AuthorView
from knowledge.storage_usage import account_usage
from lexic.errors import NotAllowed
from querying.query_log.spending import account_spending


class KeyLimitedToPlugins(NotAllowed):
    """This key is limited to certain plugins, and this is about the whole account."""

    code = "key_is_limited"
    hint = "Use a key without such a limit."


class PluginLimitsView(AuthorView):
    @extend_schema(responses=serializers.PluginLimitsSerializer)
    def get(self, request: Request, plugin: str) -> Response:
        """How long the plugin's content is kept, its legal hold, and what its answers may cost and have cost."""
        return Response(serializers.PluginLimitsSerializer(get_plugin(request, plugin)).data)

    @extend_schema(
        request=serializers.PluginLimitsSerializer(partial=True), responses=serializers.PluginLimitsSerializer
    )
    def patch(self, request: Request, plugin: str) -> Response:
        """Change them. Only its owner may."""
        found = get_own_plugin(request, plugin)
        fields = validated(serializers.PluginLimitsSerializer(found, data=request.data, partial=True))
        for name, value in fields.items():
            setattr(found, name, value)
        found.save(update_fields=[*fields, "updated_at"])
        return Response(serializers.PluginLimitsSerializer(found).data)


class LegalHoldView(AuthorView):
    @extend_schema(request=EmptySerializer, responses=serializers.PluginLimitsSerializer)
    def put(self, request: Request, plugin: str) -> Response:
        """Set a legal hold: nothing of the plugin is deleted until it is lifted. Only its owner may."""
        found = get_own_plugin(request, plugin)
        EmptySerializer.check(request)
        found.set_legal_hold(by_operator=self.user.is_superuser)
        return Response(serializers.PluginLimitsSerializer(found).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str) -> Response:
        """Lift the legal hold. Only its owner may, and not one that those who run this site have set
        (`held_by_operator`)."""
        get_own_plugin(request, plugin).lift_legal_hold(by_operator=self.user.is_superuser)
        return Response(status=204)


class AccountUsageView(AuthorView):
    @extend_schema(responses=serializers.AccountUsageSerializer)
    def get(self, request: Request) -> Response:
        """What your account uses of its quotas, and what the answers to you have cost. Not for keys that are limited
        to plugins."""
        QueryParameters.read(request)
        if isinstance(self.principal, ApiKey) and self.principal.allowed_plugins() is not None:
            raise KeyLimitedToPlugins
        quotas = [
            {"name": use.quota.name, "used": use.used, "limit": use.limit or None} for use in account_usage(self.user)
        ]
        usage = {
            "quotas": quotas,
            "spentThisMonth": account_spending(self.user),
            "spendingCap": settings.ACCOUNT_SPENDING_CAP or None,
            "currency": settings.LEXIC_LLM_CURRENCY,
        }
        return Response(serializers.AccountUsageSerializer(usage).data)
