"""`/api/plugins/…/webhooks`: the addresses that are told what happens to a plugin, and the deliveries to them.

Reading them takes the right to change the plugin: an address may be a secret, and a delivery may hold a question."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import get_principal
from api.fields import EmptySerializer, validated
from api.pagination import page_response
from api.plugins.lookup import ReadOnlyPlugin, get_plugin
from api.views import AuthorView, first_or_raise
from api.webhooks import serializers
from lexic.errors import NotFound
from plugins.models import Plugin
from webhooks import manage_webhooks
from webhooks.models import Webhook


class UnknownWebhook(NotFound):
    """This plugin has no such webhook."""

    code = "unknown_webhook"


class UnknownDelivery(NotFound):
    """This webhook has no such delivery."""

    code = "unknown_delivery"
    hint = "Deliveries are kept for 30 days."


class WebhooksView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.WebhookSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The webhooks of the plugin, the newest first. Only those who may change the plugin see them."""
        webhooks = _get_editable_plugin(request, plugin).webhooks.all()
        return page_response(self, webhooks, serializers.WebhookSerializer)

    @extend_schema(request=serializers.NewWebhookSerializer, responses={201: serializers.WebhookWithSecretSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new receiver. This answer alone holds the `secret` with which each event is signed."""
        found = _get_editable_plugin(request, plugin)
        fields = validated(serializers.NewWebhookSerializer(data=request.data))
        webhook, secret = manage_webhooks.create_webhook(found, by=self.user, **fields)
        return Response(serializers.WebhookWithSecretSerializer(webhook, context={"secret": secret}).data, status=201)


class WebhookView(AuthorView):
    @extend_schema(responses=serializers.WebhookSerializer)
    def get(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """One webhook, and how its deliveries go."""
        return Response(serializers.WebhookSerializer(_get_webhook(request, plugin, webhook)).data)

    @extend_schema(request=serializers.WebhookChangeSerializer, responses=serializers.WebhookSerializer)
    def patch(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """With `isActive` it is switched off, and what waits is given up; or on, and its failures are forgotten."""
        found = _get_webhook(request, plugin, webhook)
        changed = manage_webhooks.update_webhook(
            found, **validated(serializers.WebhookChangeSerializer(data=request.data))
        )
        return Response(serializers.WebhookSerializer(changed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """Delete the webhook with its log. Not under legal hold (409 `legal_hold`)."""
        manage_webhooks.delete_webhook(_get_webhook(request, plugin, webhook))
        return Response(status=204)


class SecretView(AuthorView):
    @extend_schema(request=EmptySerializer, responses=serializers.WebhookWithSecretSerializer)
    def post(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """A new secret, shown this once. For a day events are signed with the former one as well."""
        found = _get_webhook(request, plugin, webhook)
        EmptySerializer.check(request)
        secret = manage_webhooks.rotate_secret(found)
        return Response(serializers.WebhookWithSecretSerializer(found, context={"secret": secret}).data)


class TestView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={202: serializers.DeliverySerializer})
    def post(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """Sends the event `webhook.test`. How it went is in the deliveries a moment later."""
        found = _get_webhook(request, plugin, webhook)
        EmptySerializer.check(request)
        return Response(serializers.DeliverySerializer(manage_webhooks.send_test_event(found)).data, status=202)


class DeliveriesView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.DeliverySerializer(many=True))
    def get(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """What was sent and what came back, the newest first, for 30 days."""
        deliveries = _get_webhook(request, plugin, webhook).deliveries.all()
        return page_response(self, deliveries, serializers.DeliverySerializer)


class RedeliverView(AuthorView):
    @extend_schema(request=EmptySerializer, responses={202: serializers.DeliverySerializer})
    def post(self, request: Request, plugin: str, webhook: UUID, delivery: UUID) -> Response:
        """Sends the same event, with the same id, once more."""
        deliveries = _get_webhook(request, plugin, webhook).deliveries.select_related("webhook")
        found = first_or_raise(deliveries.filter(pk=delivery), UnknownDelivery)
        EmptySerializer.check(request)
        return Response(serializers.DeliverySerializer(manage_webhooks.redeliver(found)).data, status=202)


def _get_editable_plugin(request: Request, reference: str) -> Plugin:
    """Raises `UnknownAuthoredPlugin`, `ReadOnlyPlugin`."""
    plugin = get_plugin(request, reference)
    if not Plugin.objects.editable_by(get_principal(request)).contains(plugin):
        raise ReadOnlyPlugin
    return plugin


def _get_webhook(request: Request, reference: str, pk: UUID) -> Webhook:
    """Raises `UnknownWebhook`, and what `_get_editable_plugin` raises."""
    webhooks = _get_editable_plugin(request, reference).webhooks.select_related("plugin")
    return first_or_raise(webhooks.filter(pk=pk), UnknownWebhook)
