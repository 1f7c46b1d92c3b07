"""The settings of the REST API and of its OpenAPI document."""

from __future__ import annotations

from typing import Any

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.StrictJSONParser"],
    "EXCEPTION_HANDLER": "lexic.http.error_handlers.handle_api_exception",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_SCHEMA_CLASS": "api.schema.autoschema.ApiAutoSchema",
}
OPENAPI: dict[str, Any] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Lexic",
    "DESCRIPTION": "Ask experts' plugins, and get answers in which every claim points at the page that says so.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": True,
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_NO_READ_ONLY_REQUIRED": False,
    "SORT_OPERATION_PARAMETERS": False,
    "PREPROCESSING_HOOKS": ["api.schema.hooks.exclude_paths"],
    "POSTPROCESSING_HOOKS": ["api.schema.hooks.complete_schema"],
    "PATH_CONVERTER_OVERRIDES": {
        "slug": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
        "int": {"type": "integer", "minimum": 0},
    },
}
