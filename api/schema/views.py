"""`GET /api/schema`: this API as OpenAPI 3.1, for anybody, in JSON or YAML."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from django.conf import settings
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from lexic.errors import InvalidInput

FORMATS = ("json", "yaml")


class UnknownSchemaFormat(InvalidInput):
    """The description comes as json or as yaml."""

    code = "unknown_format"


class _YamlRenderer(OpenApiYamlRenderer):
    media_type = "application/yaml"
    format = "yaml"


class _JsonRenderer(OpenApiJsonRenderer):
    media_type = "application/json"
    format = "json"


class _FormatNegotiation(DefaultContentNegotiation):
    """`?format=` counts more than Accept; without either it is JSON."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        if (named := request.query_params.get("format")) is not None:
            if named not in FORMATS:
                raise UnknownSchemaFormat
            chosen = next(one for one in renderers if one.format == named)
            return chosen, chosen.media_type
        try:
            return super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type


@cache
def get_schema() -> dict[str, Any]:
    """The description. It is made once per process, as the code that it describes does not change either."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


@cache
def _schema_etag() -> str:
    return f'"{hashlib.sha256(OpenApiJsonRenderer().render(get_schema())).hexdigest()[:32]}"'


class SchemaView(APIView):
    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    renderer_classes = [_JsonRenderer, _YamlRenderer]
    content_negotiation_class = _FormatNegotiation

    @extend_schema(
        parameters=[OpenApiParameter("format", enum=FORMATS, description="Counts more than the header Accept.")],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, (200, "application/yaml"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request) -> Response:
        """This description, as JSON or YAML. Anybody may read it."""
        max_age = 0 if settings.DEBUG else 300
        headers = {"Cache-Control": f"public, max-age={max_age}", "Vary": "Accept", "ETag": _schema_etag()}
        if request.headers.get("If-None-Match") == _schema_etag():
            return Response(status=304, headers=headers)
        return Response(get_schema(), headers=headers)
