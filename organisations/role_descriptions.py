"""Descriptions of the roles in an organisation, for mails and pages."""

from __future__ import annotations

from organisations.models import OrganisationRole

ROLE_PERMISSIONS = {
    OrganisationRole.OWNER: "do all that editors and operators do, make others owners, and delete its plugins or give "
    "them away",
    OrganisationRole.EDITOR: "change all its plugins, their documents, trees and golden questions, and publish them",
    OrganisationRole.REVIEWER: "look at everything in its plugins, ask their drafts, and approve what is published",
    OrganisationRole.VIEWER: "look at everything in its plugins and ask their drafts",
    OrganisationRole.OPERATOR: "invite and remove people and say what they may do, but not open its plugins",
}
