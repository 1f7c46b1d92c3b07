from __future__ import annotations

from django.urls import path

from marketplace.invitations import accept_invitation, invitation
from marketplace.site.docs import docs
from marketplace.site.keys import keys, reveal, revoke, rotate
from marketplace.site.landing import home
from marketplace.site.robots import robots, sitemap

urlpatterns = [
    path("", home, name="home"),
    path("docs", docs, name="docs"),
    path("docs/<slug:name>", docs, name="guide"),
    path("robots.txt", robots, name="robots"),
    path("sitemap.xml", sitemap, name="sitemap"),
    path("invitations/<str:token>", invitation, name="invitation"),
    path("invitations/<uuid:pk>/accept", accept_invitation, name="accept_invitation"),
    path("api-keys", keys, name="keys"),
    path("api-keys/<uuid:pk>/reveal", reveal, name="reveal_key"),
    path("api-keys/<uuid:pk>/rotate", rotate, name="rotate_key"),
    path("api-keys/<uuid:pk>/revoke", revoke, name="revoke_key"),
]
