from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from marketplace.collaborator_invitations import accept_invitation, invitation_view
from marketplace.site.crawlers import robots_view, sitemap_view
from marketplace.site.guide_view import guide_search_view, guide_view
from marketplace.site.home_view import home_view
from marketplace.site.key_views import (
    change_key_origins_view,
    keys_view,
    reveal_key_view,
    revoke_key_view,
    rotate_key_view,
)
from marketplace.site.llms_txt import guide_markdown_view, llms_txt_view
from marketplace.site.sdk_view import sdk_wheel_view

# What people type who know other products, and the page that each means.
_USUAL_ADDRESSES = {
    "plugins": "marketplace",
    "sign-in": "account_login",
    "login": "account_login",
    "sign-up": "account_signup",
    "signup": "account_signup",
    "analytics": "admin:builder_overall",
}

urlpatterns = [
    *(
        path(address, RedirectView.as_view(pattern_name=name, query_string=True))
        for address, name in _USUAL_ADDRESSES.items()
    ),
    path("", home_view, name="home"),
    path("docs", guide_view, name="docs"),
    path("docs/search", guide_search_view, name="docs_search"),
    path("docs/<slug:name>", guide_view, name="guide"),
    path("docs/<slug:name>.md", guide_markdown_view, name="guide_markdown"),
    path("sdk/<str:name>", sdk_wheel_view, name="sdk_wheel"),
    path("llms.txt", llms_txt_view, name="llms_txt"),
    path("robots.txt", robots_view, name="robots"),
    path("sitemap.xml", sitemap_view, name="sitemap"),
    path("invitations/<str:token>", invitation_view, name="invitation"),
    path("invitations/<uuid:pk>/accept", accept_invitation, name="accept_invitation"),
    path("api-keys", keys_view, name="keys"),
    path("api-keys/<uuid:pk>/reveal", reveal_key_view, name="reveal_key"),
    path("api-keys/<uuid:pk>/rotate", rotate_key_view, name="rotate_key"),
    path("api-keys/<uuid:pk>/origins", change_key_origins_view, name="change_key_origins"),
    path("api-keys/<uuid:pk>/revoke", revoke_key_view, name="revoke_key"),
]
