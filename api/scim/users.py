"""`/scim/v2/Users`: the people of an organisation, as its directory knows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Prefetch
from django.http import HttpResponse
from scim2_models import Context, NotFoundException

from api.scim.filtering import check_version, list_response, patch_resource, resource_response
from api.scim.protocol import ScimRequest, read_body
from api.scim.resources import User, as_user, person_fields
from marketplace.publishing.provisioning import add_person, change_person, people_of, remove_person
from organisations.models import Membership, ProvisionedGroup, ProvisionedPerson


def list_people(request: ScimRequest) -> HttpResponse:
    rows = people_of(request.scim_organisation).order_by("created_at", "pk")
    return list_response(request, User, rows, lambda found: _as_users(request, found))


def all_people(request: ScimRequest) -> list[User]:
    return _as_users(request, people_of(request.scim_organisation).order_by("created_at", "pk"))


def create_person(request: ScimRequest) -> HttpResponse:
    said = User.model_validate(read_body(request), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    made = add_person(request.scim_organisation, person_fields(said))
    return _person_response(request, made, Context.RESOURCE_CREATION_RESPONSE, status=201)


def show_person(request: ScimRequest, person: UUID) -> HttpResponse:
    return _person_response(request, _find_person(request, person), Context.RESOURCE_QUERY_RESPONSE)


def replace_person(request: ScimRequest, person: UUID) -> HttpResponse:
    found = _find_person(request, person)
    before = _as_user(request, found)
    said = User.model_validate(read_body(request), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    said.replace(before)
    return _change_person(request, found, before, said, Context.RESOURCE_REPLACEMENT_RESPONSE)


def patch_person(request: ScimRequest, person: UUID) -> HttpResponse:
    found = _find_person(request, person)
    before, said = _as_user(request, found), _as_user(request, found)
    patch_resource(request, said)
    return _change_person(request, found, before, said, Context.RESOURCE_PATCH_RESPONSE)


def delete_person(request: ScimRequest, person: UUID) -> HttpResponse:
    found = _find_person(request, person)
    check_version(request, _as_user(request, found))
    remove_person(found)
    return HttpResponse(status=204)


def _change_person(
    request: ScimRequest, person: ProvisionedPerson, before: User, said: User, context: Context
) -> HttpResponse:
    check_version(request, before)
    change_person(person, person_fields(said))
    return _person_response(request, person, context)


def _find_person(request: ScimRequest, person: UUID) -> ProvisionedPerson:
    """Raises `NotFoundException`, also for people of others."""
    found = people_of(request.scim_organisation).select_related("organisation").filter(pk=person).first()
    if found is None:
        raise NotFoundException(detail="There is nobody with this id.")
    return found


def _person_response(
    request: ScimRequest, person: ProvisionedPerson, context: Context, *, status: int = 200
) -> HttpResponse:
    return resource_response(request, _as_user(request, person), context, status=status)


def _as_user(request: ScimRequest, person: ProvisionedPerson) -> User:
    fresh = ProvisionedPerson.objects.filter(pk=person.pk).select_related("user")
    return _as_users(request, fresh)[0]


def _as_users(request: ScimRequest, people: Iterable[ProvisionedPerson]) -> list[User]:
    groups = Prefetch("groups", queryset=ProvisionedGroup.objects.order_by("display_name", "pk"))
    rows: Any = people.prefetch_related(groups) if hasattr(people, "prefetch_related") else people
    organisation = request.scim_organisation
    members = set(Membership.objects.filter(organisation=organisation).values_list("user_id", flat=True))
    root = scim_root(request)
    return [as_user(one, is_active=one.user_id in members, groups=list(one.groups.all()), root=root) for one in rows]


def scim_root(request: ScimRequest) -> str:
    return request.build_absolute_uri("/scim/v2")
