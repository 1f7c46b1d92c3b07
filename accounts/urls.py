from __future__ import annotations

from allauth.socialaccount.providers.github.views import oauth2_login as github
from allauth.socialaccount.providers.google.views import oauth2_login as google
from allauth.socialaccount.providers.openid_connect.views import callback as openid_connect_callback
from allauth.socialaccount.providers.openid_connect.views import login as openid_connect
from django.urls import path

from accounts.interface_language import choose_language
from accounts.views import (
    ReauthenticateByCode,
    avatar,
    become_author,
    profile,
    remove_picture,
    upload_picture,
    with_error_page,
    with_leaving_page,
)

urlpatterns = [
    path("become-author", become_author, name="become_author"),
    path("language", choose_language, name="choose_language"),
    path("profile", profile, name="profile"),
    path("profile/picture", upload_picture, name="keep_picture"),
    path("profile/picture/remove", remove_picture, name="remove_picture"),
    path("avatars/<str:name>", avatar, name="avatar"),
    path("reauthenticate/code/", ReauthenticateByCode.as_view(), name="reauthenticate_by_code"),
    # These stand before the ones of allauth, which lead to them by name.
    path("google/login/", with_leaving_page(google)),
    path("github/login/", with_leaving_page(github)),
    path("oidc/<str:provider_id>/login/", with_leaving_page(openid_connect)),
    path("oidc/<str:provider_id>/login/callback/", with_error_page(openid_connect_callback)),
]
