"""The Django views below `/mcp`. The protocol itself is an application beside Django (`lexic.asgi`)."""

from __future__ import annotations

from django.urls import path

from api.mcp.server_card import server_card_view

urlpatterns = [path("mcp/server-card", server_card_view, name="mcp_server_card")]
