"""Filters SCIM resources, and cuts the result into pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from scim2_models import (
    Context,
    InvalidFilterException,
    InvalidValueException,
    ListResponse,
    PatchOp,
    PreconditionFailedException,
    ResponseParameters,
    SearchRequest,
)

from api.scim.protocol import json_response, read_body
from api.scim.resources import MAX_RESULTS
from lexic.http.strict_json import check_json

Row = TypeVar("Row", bound=Any)
_MAX_FILTER_CHARACTERS = 1000
_MAX_START = 10**9  # an OFFSET of PostgreSQL is a bigint
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


def list_response(
    request: HttpRequest, model: Any, rows: QuerySet[Any], as_resources: Callable[[Iterable[Any]], list[Any]]
) -> HttpResponse:
    """The resources that match the filter, in a stable order, at most two hundred at once."""
    wanted = read_search(request, model)
    if wanted.filter:
        return answer_search(wanted, model, as_resources(rows))
    start, count = _window(wanted)
    page = as_resources(rows[start - 1 : start - 1 + count]) if count else []
    return _page_response(wanted, model, page, total=rows.count())


def read_search(request: HttpRequest, model: Any) -> SearchRequest[Any]:
    """Raises `InvalidFilterException`, `InvalidValueException`."""
    return _read_body(request, model) if request.method == "POST" else _read_query(request, model)


def answer_search(wanted: SearchRequest[Any], model: Any, resources: list[Any]) -> HttpResponse:
    """A page of those of these resources that match."""
    found = [one for one in resources if not wanted.filter or wanted.filter.match(one)]
    start, count = _window(wanted)
    return _page_response(wanted, model, found[start - 1 : start - 1 + count], total=len(found))


def _window(wanted: SearchRequest[Any]) -> tuple[int, int]:
    start = min(wanted.start_index or 1, _MAX_START)
    return start, MAX_RESULTS if wanted.count is None else min(wanted.count, MAX_RESULTS)


def _page_response(wanted: SearchRequest[Any], model: Any, page: list[Any], *, total: int) -> HttpResponse:
    answer = ListResponse[model](
        total_results=total, start_index=_window(wanted)[0], items_per_page=len(page), resources=page if total else None
    )
    return json_response(answer.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=wanted))


def resource_response(request: HttpRequest, resource: Any, context: Context, *, status: int = 200) -> HttpResponse:
    """One resource as it is now, with its version; 304 where the caller has that."""
    version = str(resource.meta.version)
    if context == Context.RESOURCE_QUERY_RESPONSE and version in request.headers.get("If-None-Match", ""):
        return HttpResponse(status=304, headers={"ETag": version})
    kind: Any = type(resource)
    wanted = ResponseParameters[kind].model_validate(_read_names(request))
    response = json_response(resource.model_dump(scim_ctx=context, response_parameters=wanted), status=status)
    response["ETag"], response["Location"] = version, str(resource.meta.location)
    return response


def check_version(request: HttpRequest, resource: Any) -> None:
    """Raises `PreconditionFailedException` where the caller wants to change another version than there is."""
    wanted = request.headers.get("If-Match", "").strip()
    if wanted and wanted != "*" and str(resource.meta.version) not in [one.strip() for one in wanted.split(",")]:
        raise PreconditionFailedException(detail="It was changed meanwhile. Read it again.")


def patch_resource(request: HttpRequest, resource: Any) -> None:
    """Changes the resource as the body says. Raises `UnstorableText`: a path may hold text in quotation marks, in which
    any character can be escaped, and which becomes part of the resource."""
    kind: Any = type(resource)
    PatchOp[kind].model_validate(read_body(request), scim_ctx=Context.RESOURCE_PATCH_REQUEST).patch(resource)
    check_json(resource.model_dump(mode="json"))


def _read_query(request: HttpRequest, model: Any) -> SearchRequest[Any]:
    """Raises `InvalidFilterException`, `InvalidValueException`."""
    text = request.GET.get("filter", "")
    if len(text) > _MAX_FILTER_CHARACTERS or "\x00" in text:
        raise InvalidFilterException(detail="The filter is too long.")
    given: dict[str, Any] = {"filter": text} if text else {}
    for name in ("startIndex", "count"):
        if (number := request.GET.get(name)) is not None:
            if not _WHOLE_NUMBER.fullmatch(number):
                raise InvalidValueException(detail=f"{name} is a whole number.")
            given[name] = int(number)
    found: SearchRequest[Any] = SearchRequest[model].model_validate({**given, **_read_names(request)})
    return found


def _read_body(request: HttpRequest, model: Any) -> SearchRequest[Any]:
    """Of `.search`, which takes in a body what a list takes in its address."""
    body = read_body(request)
    if isinstance(body, dict) and len(str(body.get("filter", ""))) > _MAX_FILTER_CHARACTERS:
        raise InvalidFilterException(detail="The filter is too long.")
    found: SearchRequest[Any] = SearchRequest[model].model_validate(body, scim_ctx=Context.SEARCH_REQUEST)
    return found


def _read_names(request: HttpRequest) -> dict[str, str]:
    return {name: names for name in ("attributes", "excludedAttributes") if (names := request.GET.get(name))}
