from __future__ import annotations

from django.urls import path

from conversations import views
from conversations.ratings import rate_answer
from conversations.widget_script import widget_script

urlpatterns = [
    path("widget.js", widget_script, name="widget_script"),
    path("chat/<slug:slug>", views.latest_conversation, name="chat"),
    path("chat/<slug:slug>/new", views.new_conversation, name="new_chat"),
    path("chat/<slug:slug>/ask", views.ask, name="ask_chat"),
    path("chat/<slug:slug>/<uuid:session>", views.conversation_view, name="one_chat"),
    path("chat/<slug:slug>/<uuid:session>/rate", rate_answer, name="rate_chat"),
    path("chat/<slug:slug>/<uuid:session>/forget", views.delete_conversation, name="forget_chat"),
]
