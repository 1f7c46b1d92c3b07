from __future__ import annotations

from django.urls import path

from api.scim import discovery, groups, users
from api.scim.protocol import METHODS, not_found, scim_view

urlpatterns = [
    path("ServiceProviderConfig", scim_view(GET=discovery.show_config)),
    path("ResourceTypes", scim_view(GET=discovery.list_resource_types)),
    path("ResourceTypes/<str:name>", scim_view(GET=discovery.show_resource_type)),
    path("Schemas", scim_view(GET=discovery.list_schemas)),
    path("Schemas/<str:name>", scim_view(GET=discovery.show_schema)),
    path("Users", scim_view(GET=users.list_people, POST=users.create_person)),
    path(
        "Users/<uuid:person>",
        scim_view(
            GET=users.show_person,
            PUT=users.replace_person,
            PATCH=users.patch_person,
            DELETE=users.delete_person,
        ),
    ),
    path(".search", scim_view(POST=groups.search_all)),
    path("Users/.search", scim_view(POST=users.list_people)),
    path("Groups/.search", scim_view(POST=groups.list_groups)),
    path("Groups", scim_view(GET=groups.list_groups, POST=groups.create_group)),
    path(
        "Groups/<uuid:group>",
        scim_view(
            GET=groups.show_group,
            PUT=groups.replace_group,
            PATCH=groups.patch_group,
            DELETE=groups.delete_group,
        ),
    ),
    path("<path:rest>", scim_view(**dict.fromkeys(METHODS, not_found))),
]
