from __future__ import annotations

from django.urls import include, path
from django.views.generic import RedirectView

from api.analytics.views import AnalyticsView, QueriesView
from api.feedback.views import FeedbackView
from api.golden.views import (
    GoldenExportView,
    GoldenImportView,
    GoldenProgressView,
    GoldenQuestionsView,
    GoldenQuestionView,
    GoldenRunsView,
    GoldenRunView,
)
from api.keys.views import KeyDetailView, KeysView, RotateView, UsageView
from api.marketplace.shared_copies import InstallView, SharedDownloadView
from api.marketplace.views import ListingView, MarketplaceView, StatsView
from api.me.views import MeView
from api.plugins.import_export import ExportView, ImportView
from api.plugins.views import PluginsView, PluginView
from api.public_chat.views import PublicChatView
from api.query.views import QueryView
from api.releases.views import PublishView, ReadinessView, ReleasesView, ReleaseView, RollbackView, UnpublishView
from api.reviews.views import ReviewsView
from api.sandbox.views import SandboxView
from api.schema.docs_page import docs_page
from api.schema.views import SchemaView

PLUGIN_PREFIX = "api/plugins/<slug:plugin>"

urlpatterns = [
    path("", include("api.documents.urls")),
    path("", include("api.trees.urls")),
    path("", include("api.webhooks.urls")),
    path("v1/", include("api.chat.urls")),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", docs_page, name="api_docs"),
    path("api/quickstart", RedirectView.as_view(url="/docs/api"), name="quickstart"),
    path("api/v1/query", QueryView.as_view(), name="query"),
    path("api/v1/me", MeView.as_view(), name="me"),
    path("api/api-keys", KeysView.as_view(), name="api_keys"),
    path("api/api-keys/<uuid:pk>", KeyDetailView.as_view(), name="api_key"),
    path("api/api-keys/<uuid:pk>/rotate", RotateView.as_view(), name="api_key_rotate"),
    path("api/api-keys/<uuid:pk>/usage", UsageView.as_view(), name="api_key_usage"),
    path("api/plugins", PluginsView.as_view(), name="plugins"),
    path("api/plugins/import", ImportView.as_view(), name="plugin_import"),
    path("api/plugins/<slug:plugin>", PluginView.as_view(), name="plugin"),
    path(f"{PLUGIN_PREFIX}/publish", PublishView.as_view(), name="plugin_publish"),
    path(f"{PLUGIN_PREFIX}/unpublish", UnpublishView.as_view(), name="plugin_unpublish"),
    path(f"{PLUGIN_PREFIX}/readiness", ReadinessView.as_view(), name="plugin_readiness"),
    path(f"{PLUGIN_PREFIX}/export", ExportView.as_view(), name="plugin_export"),
    path(f"{PLUGIN_PREFIX}/releases", ReleasesView.as_view(), name="releases"),
    path(f"{PLUGIN_PREFIX}/releases/<str:version>", ReleaseView.as_view(), name="release"),
    path(f"{PLUGIN_PREFIX}/releases/<str:version>/rollback", RollbackView.as_view(), name="release_rollback"),
    path(f"{PLUGIN_PREFIX}/golden-questions", GoldenQuestionsView.as_view(), name="golden_questions"),
    path(f"{PLUGIN_PREFIX}/golden-questions/export", GoldenExportView.as_view(), name="golden_export"),
    path(f"{PLUGIN_PREFIX}/golden-questions/import", GoldenImportView.as_view(), name="golden_import"),
    path(f"{PLUGIN_PREFIX}/golden-questions/<int:golden>", GoldenQuestionView.as_view(), name="golden_question"),
    path(f"{PLUGIN_PREFIX}/golden-runs", GoldenRunsView.as_view(), name="golden_runs"),
    path(f"{PLUGIN_PREFIX}/golden-runs/progress", GoldenProgressView.as_view(), name="golden_progress"),
    path(f"{PLUGIN_PREFIX}/golden-runs/<int:run>", GoldenRunView.as_view(), name="golden_run"),
    path(f"{PLUGIN_PREFIX}/analytics", AnalyticsView.as_view(), name="plugin_analytics"),
    path(f"{PLUGIN_PREFIX}/queries", QueriesView.as_view(), name="plugin_queries"),
    path("api/marketplace", MarketplaceView.as_view(), name="marketplace_list"),
    path("api/marketplace/<slug:plugin>", ListingView.as_view(), name="marketplace_listing"),
    path("api/marketplace/<slug:plugin>/stats", StatsView.as_view(), name="marketplace_stats"),
    path("api/marketplace/<slug:plugin>/reviews", ReviewsView.as_view(), name="marketplace_reviews"),
    path("api/marketplace/<slug:plugin>/download", SharedDownloadView.as_view(), name="marketplace_download"),
    path("api/marketplace/<slug:plugin>/install", InstallView.as_view(), name="marketplace_install"),
    path("api/queries/<uuid:query>/feedback", FeedbackView.as_view(), name="query_feedback"),
    path("api/public/<slug:plugin>/chat", PublicChatView.as_view(), name="public_chat"),
    path("api/sandbox/<slug:plugin>", SandboxView.as_view(), name="sandbox"),
]
