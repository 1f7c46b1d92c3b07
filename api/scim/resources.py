"""The attributes of SCIM users and groups that are kept: names, addresses, and whether somebody is active. Directories
send many others, which are ignored."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Annotated, Any

from pydantic import Field
from scim2_models import (
    URN,
    AuthenticationScheme,
    Bulk,
    CaseExact,
    ChangePassword,
    ComplexAttribute,
    Context,
    ETag,
    Filter,
    Meta,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ResourceType,
    Returned,
    ScimPolicy,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)

from marketplace.publishing.provisioning import PersonFields
from organisations.models import ProvisionedGroup, ProvisionedPerson

MAX_RESULTS = 200
# Directories send attributes that nobody asked for, and remove members by their value.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
_KEPT = {"name", "display_name", "emails"}


class Name(ComplexAttribute):
    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class Email(ComplexAttribute):
    value: str | None = None
    type: str | None = None
    primary: bool | None = None


class GroupOf(ComplexAttribute):
    value: Annotated[str | None, Mutability.read_only, CaseExact.true] = None
    display: Annotated[str | None, Mutability.read_only] = None


class User(Resource[Any]):
    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Required.true, Uniqueness.server, Returned.always] = None
    name: Name | None = None
    display_name: str | None = None
    emails: list[Email] | None = None
    active: bool | None = None
    groups: Annotated[list[GroupOf] | None, Mutability.read_only] = None


class Member(ComplexAttribute):
    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    ref: Annotated[Reference[User] | None, Mutability.immutable] = Field(
        None, serialization_alias="$ref", validation_alias="$ref"
    )


class Group(Resource[Any]):
    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true, Uniqueness.server] = None
    members: list[Member] | None = None


def person_fields(user: User) -> PersonFields:
    """What the directory says. Without an `active` somebody is in."""
    emails = [one for one in user.emails or [] if one.value]
    primary = next((one.value for one in emails if one.primary), emails[0].value if emails else None)
    user_name = user.user_name or ""
    return PersonFields(
        user_name=user_name,
        external_id=user.external_id or "",
        address=user_name if "@" in user_name else primary or user_name,
        display_name=_display_name(user),
        is_active=user.active is not False,
        attributes=user.model_dump(include=_KEPT, exclude_none=True, mode="json"),
    )


def as_user(person: ProvisionedPerson, *, is_active: bool, groups: list[ProvisionedGroup], root: str) -> User:
    """The person as the directory sees them."""
    of_account = {"displayName": person.user.display_name} if person.user.display_name else {}
    kept = person.attributes if person.made_account else {**of_account, **person.attributes}
    user = User.model_validate(kept, scim_policy=POLICY)
    user.id, user.external_id, user.user_name = str(person.pk), person.external_id or None, person.user_name
    user.active = is_active
    user.groups = [GroupOf(value=str(one.pk), display=one.display_name) for one in groups] or None
    user.meta = _meta(user, person, kind="User", root=root)
    return user


def as_group(group: ProvisionedGroup, *, people: list[ProvisionedPerson], root: str) -> Group:
    made = Group(id=str(group.pk), external_id=group.external_id or None, display_name=group.display_name)
    made.members = [Member(value=str(one.pk), ref=Reference[User](f"{root}/Users/{one.pk}")) for one in people] or None
    made.meta = _meta(made, group, kind="Group", root=root)
    return made


def service_provider_config(root: str) -> ServiceProviderConfig:
    return ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=MAX_RESULTS),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=True),
        authentication_schemes=[
            AuthenticationScheme(
                type=AuthenticationScheme.Type.oauthbearertoken,
                name="Token of the organisation",
                description="An owner makes it under Sign-in and directory.",
                primary=True,
            )
        ],
        meta=Meta(resource_type="ServiceProviderConfig", location=f"{root}/ServiceProviderConfig"),
    )


@cache
def resource_types() -> dict[str, ResourceType]:
    return {name: ResourceType.from_resource(model) for name, model in (("User", User), ("Group", Group))}


def _display_name(user: User) -> str:
    name = user.name
    parts = [name.given_name, name.family_name] if name else []
    said = user.display_name or (name.formatted if name else None) or " ".join(part for part in parts if part)
    return " ".join(said.replace("\x00", " ").split())


def _meta(resource: Any, row: ProvisionedPerson | ProvisionedGroup, *, kind: str, root: str) -> Meta:
    """The version is of what is shown, so that it changes with it."""
    shown = json.dumps(resource.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE), sort_keys=True, default=str)
    return Meta(
        resource_type=kind,
        created=row.created_at,
        last_modified=row.updated_at,
        location=f"{root}/{kind}s/{row.pk}",
        version=f'W/"{hashlib.sha256(shown.encode()).hexdigest()[:32]}"',
    )
