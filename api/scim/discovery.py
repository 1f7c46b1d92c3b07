"""The discovery endpoints of SCIM: resource types, schemas and what is supported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from scim2_models import Context, ListResponse, Meta, NotFoundException, ResourceType, Schema

from api.scim.protocol import ScimRequest, json_response
from api.scim.resources import Group, User, resource_types, service_provider_config
from api.scim.users import scim_root

_MODELS = (User, Group)


def show_config(request: ScimRequest) -> HttpResponse:
    return _one(service_provider_config(scim_root(request)))


def list_resource_types(request: ScimRequest) -> HttpResponse:
    return _list_response(ResourceType, [_located(one, request, "ResourceTypes") for one in resource_types().values()])


def show_resource_type(request: ScimRequest, name: str) -> HttpResponse:
    if name not in resource_types():
        raise NotFoundException(detail="There is no such type.")
    return _one(_located(resource_types()[name], request, "ResourceTypes"))


def list_schemas(request: ScimRequest) -> HttpResponse:
    return _list_response(Schema, [_located(model.to_schema(), request, "Schemas") for model in _MODELS])


def show_schema(request: ScimRequest, name: str) -> HttpResponse:
    found = next((model.to_schema() for model in _MODELS if str(model.__schema__) == name), None)
    if found is None:
        raise NotFoundException(detail="There is no such schema.")
    return _one(_located(found, request, "Schemas"))


def _located(resource: Any, request: ScimRequest, kind: str) -> Any:
    located = resource.model_copy()
    located.meta = Meta(resource_type=kind[:-1], location=f"{scim_root(request)}/{kind}/{resource.id}")
    return located


def _one(resource: Any) -> HttpResponse:
    return json_response(resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE))


def _list_response(kind: Any, found: Sequence[Any]) -> HttpResponse:
    listed = ListResponse[kind](
        total_results=len(found), start_index=1, items_per_page=len(found), resources=list(found)
    )
    return json_response(listed.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE))
