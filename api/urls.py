from __future__ import annotations

from django.urls import include, path
from django.views.generic import RedirectView

from api.analytics import AnalyticsView, QueriesView
from api.carrying import ExportView, ImportView
from api.feedback import FeedbackView
from api.golden import (
    GoldenExportView,
    GoldenImportView,
    GoldenProgressView,
    GoldenQuestionsView,
    GoldenQuestionView,
    GoldenRunsView,
    GoldenRunView,
)
from api.keys import KeysView, OneKeyView, RotateView, UsageView
from api.marketplace import ListingView, MarketplaceView, StatsView
from api.me import MeView
from api.plugins import PluginsView, PluginView
from api.public_chat import PublicChatView
from api.query import QueryView
from api.releases import PublishView, ReadinessView, ReleasesView, ReleaseView, RollbackView, UnpublishView
from api.reviews import ReviewsView
from api.sandbox import SandboxView
from api.schema.page import docs
from api.schema.views import SchemaView
from api.shared_copies import InstallView, SharedDownloadView

OF_PLUGIN = "api/plugins/<slug:plugin>"

urlpatterns = [
    path("", include("api.documents.urls")),
    path("", include("api.trees.urls")),
    path("", include("api.webhooks_urls")),
    path("v1/", include("api.chat.urls")),
    path("api/schema", SchemaView.as_view(), name="schema"),
    path("api/docs", docs, name="api_docs"),
    path("api/quickstart", RedirectView.as_view(url="/docs/api"), name="quickstart"),
    path("api/v1/query", QueryView.as_view(), name="query"),
    path("api/v1/me", MeView.as_view(), name="me"),
    path("api/api-keys", KeysView.as_view(), name="api_keys"),
    path("api/api-keys/<uuid:pk>", OneKeyView.as_view(), name="api_key"),
    path("api/api-keys/<uuid:pk>/rotate", RotateView.as_view(), name="api_key_rotate"),
    path("api/api-keys/<uuid:pk>/usage", UsageView.as_view(), name="api_key_usage"),
    path("api/plugins", PluginsView.as_view(), name="plugins"),
    path("api/plugins/import", ImportView.as_view(), name="plugin_import"),
    path("api/plugins/<slug:plugin>", PluginView.as_view(), name="plugin"),
    path(f"{OF_PLUGIN}/publish", PublishView.as_view(), name="plugin_publish"),
    path(f"{OF_PLUGIN}/unpublish", UnpublishView.as_view(), name="plugin_unpublish"),
    path(f"{OF_PLUGIN}/readiness", ReadinessView.as_view(), name="plugin_readiness"),
    path(f"{OF_PLUGIN}/export", ExportView.as_view(), name="plugin_export"),
    path(f"{OF_PLUGIN}/releases", ReleasesView.as_view(), name="releases"),
    path(f"{OF_PLUGIN}/releases/<str:version>", ReleaseView.as_view(), name="release"),
    path(f"{OF_PLUGIN}/releases/<str:version>/rollback", RollbackView.as_view(), name="release_rollback"),
    path(f"{OF_PLUGIN}/golden-questions", GoldenQuestionsView.as_view(), name="golden_questions"),
    path(f"{OF_PLUGIN}/golden-questions/export", GoldenExportView.as_view(), name="golden_export"),
    path(f"{OF_PLUGIN}/golden-questions/import", GoldenImportView.as_view(), name="golden_import"),
    path(f"{OF_PLUGIN}/golden-questions/<int:golden>", GoldenQuestionView.as_view(), name="golden_question"),
    path(f"{OF_PLUGIN}/golden-runs", GoldenRunsView.as_view(), name="golden_runs"),
    path(f"{OF_PLUGIN}/golden-runs/progress", GoldenProgressView.as_view(), name="golden_progress"),
    path(f"{OF_PLUGIN}/golden-runs/<int:run>", GoldenRunView.as_view(), name="golden_run"),
    path(f"{OF_PLUGIN}/analytics", AnalyticsView.as_view(), name="plugin_analytics"),
    path(f"{OF_PLUGIN}/queries", QueriesView.as_view(), name="plugin_queries"),
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
