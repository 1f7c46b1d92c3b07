from __future__ import annotations

from django.urls import path

from conversations import views

urlpatterns = [
    path("chat/<slug:slug>", views.latest, name="chat"),
    path("chat/<slug:slug>/new", views.new, name="new_chat"),
    path("chat/<slug:slug>/ask", views.ask, name="ask_chat"),
    path("chat/<slug:slug>/<uuid:session>", views.one, name="one_chat"),
    path("chat/<slug:slug>/<uuid:session>/forget", views.forget, name="forget_chat"),
]
