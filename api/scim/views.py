"""What answers at each address of SCIM. `api/scim/urls.py` loads this at the first request."""

from __future__ import annotations

from api.scim import discovery, groups, users
from api.scim.protocol import METHODS, View, not_found, scim_view

VIEWS: dict[str, View] = {
    "ServiceProviderConfig": scim_view(GET=discovery.show_config),
    "ResourceTypes": scim_view(GET=discovery.list_resource_types),
    "ResourceTypes/<str:name>": scim_view(GET=discovery.show_resource_type),
    "Schemas": scim_view(GET=discovery.list_schemas),
    "Schemas/<str:name>": scim_view(GET=discovery.show_schema),
    "Users": scim_view(GET=users.list_people, POST=users.create_person),
    "Users/<uuid:person>": scim_view(
        GET=users.show_person,
        PUT=users.replace_person,
        PATCH=users.patch_person,
        DELETE=users.delete_person,
    ),
    ".search": scim_view(POST=groups.search_all),
    "Users/.search": scim_view(POST=users.list_people),
    "Groups/.search": scim_view(POST=groups.list_groups),
    "Groups": scim_view(GET=groups.list_groups, POST=groups.create_group),
    "Groups/<uuid:group>": scim_view(
        GET=groups.show_group,
        PUT=groups.replace_group,
        PATCH=groups.patch_group,
        DELETE=groups.delete_group,
    ),
    "<path:rest>": scim_view(**dict.fromkeys(METHODS, not_found)),
}
