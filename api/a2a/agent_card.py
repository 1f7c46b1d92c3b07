"""A plugin's agent card: one document that clients of 1.0 and of 0.3 both read."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse

from api.a2a.messages import OUTPUT_MODES
from plugins.models import Plugin

_MAX_EXAMPLES = 4
_SCHEME = "key"
# Questions are text; a data part holds facts and options.
_INPUT_MODES = OUTPUT_MODES


def agent_url(plugin: Plugin) -> str:
    return f"{settings.PUBLIC_URL}{reverse('a2a_agent', args=[plugin.slug])}"


def agent_card(plugin: Plugin) -> dict[str, Any]:
    """The card of a published plugin. Its examples are the questions that its author shows to visitors."""
    about = plugin.description or plugin.tagline or f"Answers questions about {plugin.domain}, with cited sources."
    return {
        "name": plugin.name,
        "description": about,
        "version": plugin.version,
        "supportedInterfaces": [
            {"url": agent_url(plugin), "protocolBinding": "JSONRPC", "protocolVersion": version}
            for version in ("1.0", "0.3")
        ],
        "capabilities": {"streaming": True, "pushNotifications": False, "extendedAgentCard": False},
        "defaultInputModes": list(_INPUT_MODES),
        "defaultOutputModes": list(OUTPUT_MODES),
        "skills": [_skill(plugin, about)],
        "documentationUrl": f"{settings.PUBLIC_URL}/docs/api",
        "securitySchemes": {_SCHEME: _security_scheme()},
        "securityRequirements": [{"schemes": {_SCHEME: {"list": []}}}],
        **_of_revision_03(plugin),
    }


def _skill(plugin: Plugin, about: str) -> dict[str, Any]:
    examples = plugin.golden_questions.offered_to_visitors().values_list("question", flat=True)
    return {
        "id": plugin.slug,
        "name": plugin.name,
        "description": about,
        "tags": list(dict.fromkeys([plugin.domain, *plugin.tags])),
        "examples": list(examples[:_MAX_EXAMPLES]),
    }


def _security_scheme() -> dict[str, Any]:
    described = {"scheme": "Bearer", "description": "An API key of this site that may ask questions."}
    return {"httpAuthSecurityScheme": described, "type": "http", **described}


def _of_revision_03(plugin: Plugin) -> dict[str, Any]:
    return {
        "protocolVersion": "0.3.0",
        "url": agent_url(plugin),
        "preferredTransport": "JSONRPC",
        "security": [{_SCHEME: []}],
        "supportsAuthenticatedExtendedCard": False,
    }
