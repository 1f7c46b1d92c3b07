"""Every address of the builder below the list of plugins, pane by pane."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from builder.analytics.urls import urlpatterns as analytics
from builder.checklist import dismiss_checklist
from builder.golden.urls import urlpatterns as golden
from builder.inbox.urls import urlpatterns as inbox
from builder.knowledge.urls import urlpatterns as knowledge
from builder.limits.urls import urlpatterns as limits
from builder.persona.urls import urlpatterns as persona
from builder.plugin_import import import_plugin
from builder.releases.urls import urlpatterns as releases
from builder.reviews.urls import urlpatterns as reviews
from builder.sandbox import urls as sandbox_urls
from builder.sharing.urls import urlpatterns as sharing
from builder.system_status import show_system_status
from builder.trees.urls import urlpatterns as trees
from builder.webhooks.urls import urlpatterns as webhooks

urlpatterns = [
    path("import/", admin.site.admin_view(import_plugin), name="builder_import"),
    path("system/", admin.site.admin_view(show_system_status), name="builder_system_status"),
    path("first-steps/hide/", admin.site.admin_view(dismiss_checklist), name="builder_dismiss_checklist"),
    *persona,
    *knowledge,
    *trees,
    *sandbox_urls(),
    *golden,
    *inbox,
    *analytics,
    *releases,
    *reviews,
    *sharing,
    *limits,
    *webhooks,
]
