from __future__ import annotations

from django.urls import path

from marketplace.plugin_page.answer_actions import expert_view, share_view
from marketplace.plugin_page.ask_view import ask_view
from marketplace.plugin_page.page_view import plugin_view
from marketplace.plugin_page.release_view import release_view
from marketplace.plugin_page.social_card import card_view

urlpatterns = [
    path("marketplace/<slug:slug>", plugin_view, name="plugin"),
    path("marketplace/<slug:slug>/try", ask_view, name="try_plugin"),
    path("marketplace/<slug:slug>/share", share_view, name="share_answer"),
    path("marketplace/<slug:slug>/expert", expert_view, name="put_to_expert"),
    path("marketplace/<slug:slug>/card.png", card_view, name="plugin_card"),
    path("marketplace/<slug:slug>@<str:version>", release_view, name="plugin_release"),
]
