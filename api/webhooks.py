"""`/api/plugins/…/webhooks`: who is told what happens. For those who may change the plugin, to look as well: an
address may be a secret of its own, and a delivery may hold somebody's question."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import person_of
from api.authentication import principal_of
from api.fields import NothingSerializer, Parameters
from api.pagination import Pages
from api.scope import OnlyToLookAt, plugin_of
from api.views import AuthorView
from api.webhooks_body import (
    ChangeSerializer,
    DeliverySerializer,
    NewSecretSerializer,
    NewWebhookSerializer,
    WebhookSerializer,
)
from lexic.errors import NotFound
from plugins.models import Plugin
from webhooks import editing
from webhooks.models import Delivery, Webhook


class NoSuchWebhook(NotFound):
    """This plugin has no such webhook."""

    code = "unknown_webhook"


class NoSuchDelivery(NotFound):
    """This webhook has no such delivery."""

    code = "unknown_delivery"
    hint = "Deliveries are kept for 30 days."


class WebhooksView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The webhooks of the plugin, the newest first. Only those who may change the plugin see them."""
        webhooks, pages = _plugin(request, plugin).webhooks.all(), Pages()
        Parameters.read(request)
        found = pages.paginate_queryset(webhooks, request, self)
        return pages.get_paginated_response(WebhookSerializer(found, many=True).data)

    @extend_schema(request=NewWebhookSerializer, responses={201: NewSecretSerializer})
    def post(self, request: Request, plugin: str) -> Response:
        """A new receiver. This answer alone holds the `secret` with which each event is signed."""
        found = _plugin(request, plugin)
        said = _valid(NewWebhookSerializer(data=request.data))
        made, secret = editing.add(found, by=person_of(principal_of(request)), **said)
        return Response(NewSecretSerializer(made, context={"secret": secret}).data, status=201)


class WebhookView(AuthorView):
    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """One webhook, and how its deliveries go."""
        return Response(WebhookSerializer(_webhook(request, plugin, webhook)).data)

    @extend_schema(request=ChangeSerializer, responses=WebhookSerializer)
    def patch(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """With `isActive` it is switched off, and what waits is given up; or on, and its failures are forgotten."""
        found = _webhook(request, plugin, webhook)
        changed = editing.change(found, **_valid(ChangeSerializer(data=request.data)))
        return Response(WebhookSerializer(changed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """Delete the webhook with its log."""
        _webhook(request, plugin, webhook).delete()
        return Response(status=204)


class SecretView(AuthorView):
    @extend_schema(request=NothingSerializer, responses=NewSecretSerializer)
    def post(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """A new secret, shown this once. For a day events are signed with the former one as well."""
        found = _webhook(request, plugin, webhook)
        NothingSerializer.check(request)
        secret = editing.renew_secret(found)
        return Response(NewSecretSerializer(found, context={"secret": secret}).data)


class TestView(AuthorView):
    @extend_schema(request=NothingSerializer, responses={202: DeliverySerializer})
    def post(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """Sends the event `webhook.test`. How it went is in the deliveries a moment later."""
        found = _webhook(request, plugin, webhook)
        NothingSerializer.check(request)
        return Response(DeliverySerializer(editing.send_test(found)).data, status=202)


class DeliveriesView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=DeliverySerializer(many=True))
    def get(self, request: Request, plugin: str, webhook: UUID) -> Response:
        """What was sent and what came back, the newest first, for 30 days."""
        deliveries, pages = _webhook(request, plugin, webhook).deliveries.all(), Pages()
        Parameters.read(request)
        found = pages.paginate_queryset(deliveries, request, self)
        return pages.get_paginated_response(DeliverySerializer(found, many=True).data)


class RedeliverView(AuthorView):
    @extend_schema(request=NothingSerializer, responses={202: DeliverySerializer})
    def post(self, request: Request, plugin: str, webhook: UUID, delivery: UUID) -> Response:
        """Sends the same event, with the same id, once more."""
        found = _delivery(_webhook(request, plugin, webhook), delivery)
        NothingSerializer.check(request)
        return Response(DeliverySerializer(editing.redeliver(found)).data, status=202)


def _plugin(request: Request, reference: str) -> Plugin:
    """Raises `NoSuchPlugin`, `OnlyToLookAt`."""
    plugin = plugin_of(request, reference)
    if not Plugin.objects.editable_by(principal_of(request)).filter(pk=plugin.pk).exists():
        raise OnlyToLookAt
    return plugin


def _webhook(request: Request, reference: str, pk: UUID) -> Webhook:
    found = _plugin(request, reference).webhooks.select_related("plugin").filter(pk=pk).first()
    if found is None:
        raise NoSuchWebhook
    return found


def _delivery(webhook: Webhook, pk: UUID) -> Delivery:
    found = webhook.deliveries.select_related("webhook").filter(pk=pk).first()
    if found is None:
        raise NoSuchDelivery
    return found


def _valid(serializer: Any) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data
