from __future__ import annotations

from django.urls import path

from marketplace.invitations import accept_invitation, invitation
from marketplace.keys import keys, reveal, revoke, rotate
from marketplace.views import home, plugin
from querying.views import ask

urlpatterns = [
    path("", home, name="home"),
    path("plugins/<slug:slug>", plugin, name="plugin"),
    path("ask/<slug:slug>", ask, name="ask"),
    path("invitations/<str:token>", invitation, name="invitation"),
    path("invitations/<uuid:pk>/accept", accept_invitation, name="accept_invitation"),
    path("keys", keys, name="keys"),
    path("keys/<uuid:pk>/reveal", reveal, name="reveal_key"),
    path("keys/<uuid:pk>/rotate", rotate, name="rotate_key"),
    path("keys/<uuid:pk>/revoke", revoke, name="revoke_key"),
]
