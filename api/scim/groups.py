"""`/scim/v2/Groups`: the groups of a directory, of which an owner says which role each gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from scim2_models import Context, InvalidValueException, NotFoundException

from api.scim.filtering import (
    answer_search,
    check_version,
    list_response,
    patch_resource,
    read_search,
    resource_response,
)
from api.scim.protocol import ScimRequest, read_body
from api.scim.resources import Group, User, as_group
from api.scim.users import all_people, scim_root
from marketplace.publishing.provisioning import delete_group as remove_group
from marketplace.publishing.provisioning import people_of, save_group
from organisations.models import ProvisionedGroup, ProvisionedPerson
from organisations.provisioning_models import MAX_NAME_CHARACTERS


def list_groups(request: ScimRequest) -> HttpResponse:
    rows = _groups(request).order_by("created_at", "pk")
    return list_response(request, Group, rows, lambda found: _as_groups(request, found))


def search_all(request: ScimRequest) -> HttpResponse:
    """People and groups at once."""
    wanted = read_search(request, User | Group)
    everything = [*all_people(request), *_as_groups(request, _groups(request).order_by("created_at", "pk"))]
    return answer_search(wanted, User | Group, everything)


def create_group(request: ScimRequest) -> HttpResponse:
    said = Group.model_validate(read_body(request), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    made = ProvisionedGroup(organisation=request.scim_organisation)
    _save(made, said)
    return _group_response(request, made, Context.RESOURCE_CREATION_RESPONSE, status=201)


def show_group(request: ScimRequest, group: UUID) -> HttpResponse:
    return _group_response(request, _find_group(request, group), Context.RESOURCE_QUERY_RESPONSE)


def replace_group(request: ScimRequest, group: UUID) -> HttpResponse:
    found = _find_group(request, group)
    before = _as_group(request, found)
    said = Group.model_validate(read_body(request), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    said.replace(before)
    check_version(request, before)
    _save(found, said)
    return _group_response(request, found, Context.RESOURCE_REPLACEMENT_RESPONSE)


def patch_group(request: ScimRequest, group: UUID) -> HttpResponse:
    found = _find_group(request, group)
    said = _as_group(request, found)
    check_version(request, said)
    patch_resource(request, said)
    _save(found, said)
    return _group_response(request, found, Context.RESOURCE_PATCH_RESPONSE)


def delete_group(request: ScimRequest, group: UUID) -> HttpResponse:
    found = _find_group(request, group)
    check_version(request, _as_group(request, found))
    remove_group(found)
    return HttpResponse(status=204)


def _save(group: ProvisionedGroup, said: Group) -> None:
    """Raises `InvalidValueException` for who is not among the people of the organisation."""
    name, external = (said.display_name or "").strip(), said.external_id or ""
    if not name or max(len(name), len(external)) > MAX_NAME_CHARACTERS:
        raise InvalidValueException(detail=f"A name has 1 to {MAX_NAME_CHARACTERS} characters.")
    group.display_name, group.external_id = name, external
    wanted = {one.value for one in said.members or [] if one.value}
    known = {str(one.pk): one for one in people_of(group.organisation)}
    if unknown := wanted - known.keys():
        raise InvalidValueException(detail=f"There is nobody with the id {min(unknown)[:64]}.")
    save_group(group, people=[known[one] for one in wanted])


def _groups(request: ScimRequest) -> QuerySet[ProvisionedGroup]:
    return ProvisionedGroup.objects.filter(organisation=request.scim_organisation).select_related("organisation")


def _find_group(request: ScimRequest, group: UUID) -> ProvisionedGroup:
    """Raises `NotFoundException`, also for groups of others."""
    if found := _groups(request).filter(pk=group).first():
        return found
    raise NotFoundException(detail="There is no group with this id.")


def _group_response(
    request: ScimRequest, group: ProvisionedGroup, context: Context, *, status: int = 200
) -> HttpResponse:
    return resource_response(request, _as_group(request, group), context, status=status)


def _as_group(request: ScimRequest, group: ProvisionedGroup) -> Group:
    return _as_groups(request, _groups(request).filter(pk=group.pk))[0]


def _as_groups(request: ScimRequest, groups: Iterable[ProvisionedGroup]) -> list[Group]:
    people = Prefetch("people", queryset=ProvisionedPerson.objects.order_by("created_at", "pk"))
    rows: Any = groups.prefetch_related(people) if hasattr(groups, "prefetch_related") else groups
    root = scim_root(request)
    return [as_group(one, people=list(one.people.all()), root=root) for one in rows]
