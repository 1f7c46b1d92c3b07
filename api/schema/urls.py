from __future__ import annotations

from django.urls import path
from django.views.generic import RedirectView

from api.schema.docs_page import docs_page
from api.schema.views import SchemaView

urlpatterns = [
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", docs_page, name="api_docs"),
    path("api/quickstart", RedirectView.as_view(url="/docs/api"), name="quickstart"),
]
