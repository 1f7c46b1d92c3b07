from __future__ import annotations

from django.urls import path

from api.limits import views

urlpatterns = [
    path("api/plugins/<slug:plugin>/limits", views.PluginLimitsView.as_view(), name="api_plugin_limits"),
    path("api/plugins/<slug:plugin>/legal-hold", views.LegalHoldView.as_view(), name="api_legal_hold"),
    path("api/account/usage", views.AccountUsageView.as_view(), name="api_account_usage"),
]
