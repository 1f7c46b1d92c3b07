from __future__ import annotations

from django.urls import path

from marketplace.views import home

urlpatterns = [path("", home, name="home")]
