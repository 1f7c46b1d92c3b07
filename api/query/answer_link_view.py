"""`/api/queries/{query}/link`: an answer for whoever has an address."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import ApiKey, Capability, Principal, user_of
from api.permissions import MayAsk
from api.query.views import get_own_query
from api.views import PrincipalView
from plugins.models import Plugin
from querying.models import AnswerLink, Query
from querying.query_log.shared_answers import link_url, make_link


class AnswerLinkSerializer(serializers.Serializer):
    url = serializers.SerializerMethodField(help_text="Shows the answer with its sources, as it was given.")
    createdAt = serializers.DateTimeField(source="created_at")

    def get_url(self, link: AnswerLink) -> str:
        return link_url(link)


class AnswerLinkView(PrincipalView):
    permission_classes = [MayAsk]

    def check_replay(self, request: Request) -> None:
        get_own_query(self.principal, self.kwargs["query"])

    @extend_schema(request=None, responses=AnswerLinkSerializer)
    def post(self, request: Request, query: UUID) -> Response:
        """Share an answer that you asked for: whoever has the address reads it with its sources, as far as they may
        read what it quotes. The same address each time, until it is revoked; it ends with the words of the answer."""
        return Response(AnswerLinkSerializer(make_link(get_own_query(self.principal, query))).data)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, query: UUID) -> Response:
        """Revoke the address, as the one who asked or as an editor of the plugin; what an editor revokes stays so."""
        revoke_link(self.principal, query)
        return Response(status=204)


def revoke_link(principal: Principal, pk: UUID) -> None:
    """Raises `UnknownQuery` where the principal neither asked this nor may change the plugin."""
    may_edit = not isinstance(principal, ApiKey) or principal.can(Capability.AUTHOR)
    edited = Plugin.objects.editable_by(principal) if may_edit else Plugin.objects.none()
    row = Query.objects.filter(pk=pk, plugin__in=edited).first()
    is_author = row is not None and not _asked(principal, row)
    found = row or get_own_query(principal, pk)
    if link := AnswerLink.objects.filter(query=found).first():
        link.revoke(by_author=is_author)


def _asked(principal: Principal, row: Query) -> bool:
    person = user_of(principal)
    return row.user_id == person.pk or bool(row.api_key and row.api_key.owner_id == person.pk)
