from __future__ import annotations

from django.urls import path

from marketplace.plugin_page.page import plugin
from marketplace.plugin_page.picture import card
from marketplace.plugin_page.release import release
from marketplace.plugin_page.trying import try_it

urlpatterns = [
    path("marketplace/<slug:slug>", plugin, name="plugin"),
    path("marketplace/<slug:slug>/try", try_it, name="try_plugin"),
    path("marketplace/<slug:slug>/card.png", card, name="plugin_card"),
    path("marketplace/<slug:slug>@<str:version>", release, name="plugin_release"),
]
