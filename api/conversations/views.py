"""`/api/conversations`: a person's own conversations. Nobody else reads them, the members of their project neither."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.conversations import serializers
from api.fields import QueryParameters, validated
from api.pagination import DefaultPagination, page_response
from api.projects.access import get_project
from api.views import PrivateView
from conversations.conversation_access import UnknownConversation, find_conversation
from conversations.exchanges import withheld_messages
from conversations.models import ChatSession, Project
from conversations.projects.access import UnknownProject
from conversations.retention import delete_private_conversation


class ConversationBaseView(PrivateView):
    is_read_only = True  # it changes neither documents nor projects

    def get_conversation(self, pk: UUID) -> ChatSession:
        """Raises `UnknownConversation`."""
        return find_conversation(self.principal, pk)


class ConversationsView(ConversationBaseView):
    ordering = ("-last_used_at", "pk")

    @extend_schema(responses=serializers.ConversationSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your conversations, the last used first."""
        QueryParameters.read(request)
        conversations = ChatSession.objects.private_to(self.principal)
        return page_response(self, conversations, serializers.ConversationSerializer)

    @extend_schema(request=serializers.NewConversationSerializer, responses={201: serializers.ConversationSerializer})
    def post(self, request: Request) -> Response:
        """Begin a conversation, in a project or in none."""
        maker = self.get_maker()
        fields = validated(serializers.NewConversationSerializer(data=request.data))
        pk = fields.get("projectId")
        project = get_project(request, pk, for_reading=True) if pk else None
        try:
            made = ChatSession.objects.begin_private(user=maker, project=project, title=fields.get("title", ""))
        except Project.DoesNotExist:
            raise UnknownProject from None
        shown = serializers.ConversationSerializer(self.get_conversation(made.pk)).data
        return Response(shown, status=201, headers={"Location": f"/api/conversations/{made.pk}"})


class ConversationView(ConversationBaseView):
    @extend_schema(responses=serializers.ConversationSerializer)
    def get(self, request: Request, conversation: UUID) -> Response:
        """One conversation."""
        return Response(serializers.ConversationSerializer(self.get_conversation(conversation)).data)

    @extend_schema(request=serializers.ConversationTitleSerializer, responses=serializers.ConversationSerializer)
    def patch(self, request: Request, conversation: UUID) -> Response:
        """Give it another title."""
        found = self.get_conversation(conversation)
        if not found.rename(validated(serializers.ConversationTitleSerializer(data=request.data))["title"]):
            raise UnknownConversation
        return Response(serializers.ConversationSerializer(found).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, conversation: UUID) -> Response:
        """Delete it with its messages, and with what is on record of the questions that read private documents."""
        delete_private_conversation(self.get_conversation(conversation))
        return Response(status=204)


class MessagesView(ConversationBaseView):
    ordering = ("pk",)

    @extend_schema(responses=serializers.MessageSerializer(many=True))
    def get(self, request: Request, conversation: UUID) -> Response:
        """Its messages in the order in which they were written. An answer that quotes what you may not read any more is
        withheld: because you left the project, or because its document was closed."""
        found = self.get_conversation(conversation)
        QueryParameters.read(request)
        pages = DefaultPagination()
        page = pages.paginate_queryset(found.messages.all(), request, self) or []
        context = {"withheld": withheld_messages(found, page, reader=self.principal)}
        return pages.get_paginated_response(serializers.MessageSerializer(page, many=True, context=context).data)
