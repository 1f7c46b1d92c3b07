"""The roles of people in an organisation, and what each may do."""

from __future__ import annotations

from django.db import models


class OrganisationRole(models.TextChoices):
    OWNER = "owner", "owner"
    EDITOR = "editor", "editor"
    REVIEWER = "reviewer", "reviewer"
    VIEWER = "viewer", "viewer"
    OPERATOR = "operator", "operator"


# Who may do what, by role: an operator looks after people and opens no plugin.
EDITING_ROLES = (OrganisationRole.OWNER, OrganisationRole.EDITOR)
READING_ROLES = (*EDITING_ROLES, OrganisationRole.REVIEWER, OrganisationRole.VIEWER)
APPROVING_ROLES = (OrganisationRole.OWNER, OrganisationRole.REVIEWER)
ADMINISTERING_ROLES = (OrganisationRole.OWNER, OrganisationRole.OPERATOR)

# Owners are made by owners, not by what a provider or a directory says.
GIVEN_ROLE_CHOICES = [(role.value, role.label) for role in OrganisationRole if role != OrganisationRole.OWNER]
