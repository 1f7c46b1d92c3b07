from __future__ import annotations

from django.urls import path

from conversations import answer_actions, shared_answer, views
from conversations.expert_confirmation import confirm_expert_request
from conversations.ratings import rate_answer
from conversations.widget_script import widget_script

urlpatterns = [
    path("widget.js", widget_script, name="widget_script"),
    path("chat/<slug:slug>", views.latest_conversation, name="chat"),
    path("chat/<slug:slug>/new", views.new_conversation, name="new_chat"),
    path("chat/<slug:slug>/ask", views.ask, name="ask_chat"),
    path("chat/<slug:slug>/<uuid:session>", views.conversation_view, name="one_chat"),
    path("chat/<slug:slug>/<uuid:session>/rate", rate_answer, name="rate_chat"),
    path("chat/<slug:slug>/<uuid:session>/share", answer_actions.share_answer, name="share_chat_answer"),
    path("chat/<slug:slug>/<uuid:session>/expert", answer_actions.ask_expert, name="ask_expert"),
    path("expert-replies/<str:token>", confirm_expert_request, name="confirm_expert_request"),
    path("answers/<str:token>", shared_answer.shared_answer, name="shared_answer"),
    path("answers/<str:token>/<str:proof>", shared_answer.manage_link, name="manage_shared_answer"),
    path("chat/<slug:slug>/<uuid:session>/forget", views.delete_conversation, name="forget_chat"),
]
