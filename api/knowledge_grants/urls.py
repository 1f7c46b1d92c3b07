from __future__ import annotations

from django.urls import path

from api.knowledge_grants import views

_OF_PLUGIN = "api/plugins/<slug:plugin>/knowledge-grants"

urlpatterns = [
    path("api/knowledge-bases", views.KnowledgeBasesView.as_view(), name="api_knowledge_bases"),
    path("api/knowledge-grants", views.KnowledgeGrantsView.as_view(), name="api_knowledge_grants"),
    path("api/knowledge-grants/<int:grant>", views.KnowledgeGrantView.as_view(), name="api_knowledge_grant"),
    path(_OF_PLUGIN, views.PluginGrantsView.as_view(), name="api_plugin_grants"),
    path(f"{_OF_PLUGIN}/<int:grant>", views.PluginGrantView.as_view(), name="api_plugin_grant"),
]
