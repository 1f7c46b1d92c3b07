"""`/chats` and `/c/<id>`: a person's own conversations, which nobody else reads, members of their project neither."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.signed_in_request import SignedInRequest
from agents.messages.send_message import MAX_ATTACHMENTS
from conversations.conversation_access import UnknownConversation, find_conversation
from conversations.models import ChatSession
from conversations.projects.access import find_project
from conversations.retention import delete_private_conversation
from lexic.http.parameters import get_page, single_line
from plugins.slugs import parse_id
from workspace.conversation_page import UnsentMessage, render_conversation
from workspace.forms import TitleForm
from workspace.page_base import render_page, workspace_view

_PER_PAGE = 30
_MAX_SEARCH_LENGTH = 120


@workspace_view("GET")
def list_conversations(request: SignedInRequest) -> HttpResponse:
    """The conversations, the last used first; `q` finds words of a title."""
    words = single_line(request.GET.get("q", ""), max_length=_MAX_SEARCH_LENGTH)
    conversations = ChatSession.objects.private_to(request.user).select_related("project")
    found = conversations.title_contains(words) if words else conversations
    context = {
        "page": get_page(request, found, per_page=_PER_PAGE),
        "words": words,
        "extra": f"&{urlencode({'q': words})}" if words else "",
    }
    return render_page(request, "workspace/chats.html", context, section="chats")


@workspace_view("GET")
def begin_conversation(request: SignedInRequest) -> HttpResponse:
    """The beginning of a conversation, in the project that the address names, if any, with the documents that it names
    to come along."""
    pk = parse_id(request.GET.get("project", ""))
    project = find_project(request.user, pk) if pk else None
    named = map(parse_id, request.GET.getlist("document")[:MAX_ATTACHMENTS])
    return render_conversation(request, None, project=project, kept=UnsentMessage(documents=tuple(filter(None, named))))


@workspace_view("GET")
def show_conversation(request: SignedInRequest, conversation: UUID) -> HttpResponse:
    """The conversation as it stands, without answers that quote what the person can open no longer."""
    return render_conversation(request, find_conversation(request.user, conversation))


@workspace_view("POST")
def rename_conversation(request: SignedInRequest, conversation: UUID) -> HttpResponse:
    found = find_conversation(request.user, conversation)
    form = TitleForm(request.POST)
    if not form.is_valid():
        return render_conversation(request, found, title_form=form)
    if not found.rename(form.cleaned_data["title"]):
        raise UnknownConversation
    messages.success(request, "Saved.")
    return redirect("conversation", found.pk)


@workspace_view("GET", "POST")
def remove_conversation(request: SignedInRequest, conversation: UUID) -> HttpResponse:
    """Says what goes with it; then, when that is confirmed, deletes it."""
    found = find_conversation(request.user, conversation)
    if request.method == "POST":
        delete_private_conversation(found)
        messages.success(request, f"“{found.title or 'Untitled'}” is deleted.")
        return redirect("chats")
    context = {"session": found, "count": found.messages.count()}
    return render_page(request, "workspace/delete_conversation.html", context, section="chats")
