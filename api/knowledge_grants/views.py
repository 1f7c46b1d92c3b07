"""`/api/knowledge-grants`, `/api/plugins/…/knowledge-grants`: which plugins use a knowledge base that is not their own.

Whoever may change a plugin asks for a base that they may change as well; the owner of the base agrees, and ends it.
"""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.change_history import mark_changed
from api.fields import validated
from api.knowledge_grants import serializers
from api.pagination import page_response
from api.plugins.lookup import get_plugin
from api.views import AuthorView, first_or_raise
from knowledge.models import KnowledgeBase, KnowledgeGrant
from lexic.errors import NotFound
from lexic.http.parameters import MAX_ROW_ID
from marketplace.sharing.decide_grant import end_grant, give_grant


class UnknownKnowledgeBase(NotFound):
    """There is no such knowledge base among those that you may attach to this plugin."""

    code = "unknown_knowledge_base"
    hint = "It takes the right to change the base, and one that the plugin does not read or ask for yet."


class UnknownGrant(NotFound):
    """There is no such grant among those that you decide on."""

    code = "unknown_grant"
    hint = "The owner of a knowledge base decides on its grants. One that has ended is gone."


class KnowledgeBasesView(AuthorView):
    ordering = ("-created_at", "pk")

    @extend_schema(responses=serializers.KnowledgeBaseSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The knowledge bases of plugins whose documents you may read, the newest first. Private ones are no plugin's:
        see `/api/projects` and `/api/knowledge/documents`."""
        editable = KnowledgeBase.objects.editable_by(self.principal).filter(pk=OuterRef("pk"))
        bases = KnowledgeBase.objects.for_plugins().visible_to(self.principal).select_related("owner", "plugin")
        present = Count("documents", filter=Q(documents__removed_in=None))
        rows = bases.annotate(document_total=present, is_editable=Exists(editable))
        return page_response(self, rows, serializers.KnowledgeBaseSerializer)


class KnowledgeGrantsView(AuthorView):
    ordering = ("-requested_at", "pk")

    @extend_schema(responses=serializers.KnowledgeGrantSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The grants that you decide on, and the requests that wait for you: those of your knowledge bases."""
        grants = KnowledgeGrant.objects.decided_by(self.principal).with_people()
        return page_response(self, grants, serializers.KnowledgeGrantSerializer)


class KnowledgeGrantView(AuthorView):
    @extend_schema(responses=serializers.KnowledgeGrantSerializer)
    def get(self, request: Request, grant: int) -> Response:
        """One grant or request that you decide on."""
        return Response(serializers.KnowledgeGrantSerializer(self._get_grant(grant)).data)

    @extend_schema(request=serializers.ConsentSerializer, responses=serializers.KnowledgeGrantSerializer)
    def patch(self, request: Request, grant: int) -> Response:
        """Agree to a request, or agree to another use than before."""
        found = self._get_grant(grant)
        mark_changed(request, found.plugin)
        consent = validated(serializers.ConsentSerializer(data=request.data))["consent"]
        give_grant(found, by=self.user, consent=consent)
        return Response(serializers.KnowledgeGrantSerializer(self._get_grant(grant)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, grant: int) -> Response:
        """End it: neither the draft nor any release of the plugin reads the knowledge base from now on."""
        found = self._get_grant(grant)
        mark_changed(request, found.plugin)
        end_grant(found)
        return Response(status=204)

    def _get_grant(self, pk: int) -> KnowledgeGrant:
        """Raises `UnknownGrant`."""
        grants = KnowledgeGrant.objects.decided_by(self.principal).with_people()
        return first_or_raise(grants.filter(pk=min(pk, MAX_ROW_ID)), UnknownGrant)


class PluginGrantsView(AuthorView):
    ordering = ("-requested_at", "pk")

    @extend_schema(responses=serializers.KnowledgeGrantSerializer(many=True))
    def get(self, request: Request, plugin: str) -> Response:
        """The knowledge bases that the plugin uses or asks for besides its own, the newest first."""
        found = get_plugin(request, plugin)
        return page_response(self, found.knowledge_grants.with_people(), serializers.KnowledgeGrantSerializer)

    @extend_schema(
        request=serializers.NewKnowledgeGrantSerializer, responses={201: serializers.KnowledgeGrantSerializer}
    )
    def post(self, request: Request, plugin: str) -> Response:
        """Let the draft read another knowledge base: at once where you own it, else when its owner agrees."""
        found = get_plugin(request, plugin)
        pk = validated(serializers.NewKnowledgeGrantSerializer(data=request.data))["knowledgeBase"]
        bases = KnowledgeBase.objects.attachable_to(found, by=self.principal)
        base = first_or_raise(bases.filter(pk=pk), UnknownKnowledgeBase)
        grant = KnowledgeGrant.objects.attach(base, found, by=self.user)
        shown = found.knowledge_grants.with_people().get(pk=grant.pk)
        return Response(serializers.KnowledgeGrantSerializer(shown).data, status=201)


class PluginGrantView(AuthorView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, plugin: str, grant: int) -> Response:
        """Detach the knowledge base: the draft no longer reads it, and a request is withdrawn. Releases that pinned it
        go on until its owner ends the grant."""
        grants = get_plugin(request, plugin).knowledge_grants.open().filter(is_attached=True)
        first_or_raise(grants.filter(pk=min(grant, MAX_ROW_ID)), UnknownGrant).detach()
        return Response(status=204)
