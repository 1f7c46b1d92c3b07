"""`POST /api/queries/{query}/feedback`: whether an answer was right, from whoever asked."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiKey, Principal, user_of
from api.analytics.serializers import FeedbackSerializer
from api.authentication import KEY_OR_SESSION, get_principal
from api.permissions import MayAsk
from api.throttling import ApiKeyThrottle
from lexic.errors import NotFound
from plugins.models import Plugin
from querying.models import Feedback, Query


class NoSuchQuery(NotFound):
    """There is no such query among those you asked."""

    code = "unknown_query"
    hint = "The id stands in the answer as `queryId`."


class FeedbackView(APIView):
    authentication_classes = KEY_OR_SESSION
    permission_classes = [MayAsk]
    throttle_classes = [ApiKeyThrottle]

    @extend_schema(request=FeedbackSerializer, responses=FeedbackSerializer)
    def post(self, request: Request, query: UUID) -> Response:
        """Say whether an answer was right, as the one who asked. What is called wrong waits in the author's inbox."""
        principal = get_principal(request)
        asked = _get_own_query(principal, query)
        said = FeedbackSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        opinion, _ = Feedback.objects.update_or_create(
            query=asked,
            user=user_of(principal),
            defaults={**said.validated_data, "created_at": timezone.now()},
        )
        return Response(FeedbackSerializer(opinion).data)


def _get_own_query(principal: Principal, pk: UUID) -> Query:
    """A key speaks for the questions that were asked with it, of plugins it may still ask; a person for their own.

    Raises `NoSuchQuery`.
    """
    if isinstance(principal, ApiKey):
        asked = Query.objects.filter(api_key=principal, plugin__in=Plugin.objects.visible_to(principal))
    else:
        asked = Query.objects.filter(user=principal)
    found = asked.filter(pk=pk).first()
    if found is None:
        raise NoSuchQuery
    return found
