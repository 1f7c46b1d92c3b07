"""Mails about approvals: to the reviewers who may decide on a draft, and to whoever asked when one has decided."""

from __future__ import annotations

import logging

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from lexic.errors import NotAllowed
from lexic.templated_mail import send_letter
from marketplace.models import ReleaseApproval
from marketplace.publishing.approval import check_may_decide
from organisations.models import APPROVING_ROLES
from plugins.models import Plugin

logger = logging.getLogger(__name__)

# A request reaches somebody who decides, and is no newsletter.
MAX_REVIEWERS = 20


def mail_approval(approval: ReleaseApproval) -> int:
    """Tells those who may decide of an open request, and whoever asked of a decision; what was written to each other
    stays on the page. Returns how many mails went out."""
    plugin, name = approval.plugin, " ".join(approval.plugin.name.split())
    if approval.state == ReleaseApproval.State.REQUESTED:
        subject = f"“{name}” waits for your approval"
        text = f"A draft of “{name}” needs approval before it is published. You can approve or decline it."
        return sum(_send(one, plugin, subject=subject, text=text) for one in _reviewers(approval))
    asked = approval.requested_by
    is_decided = approval.state in (ReleaseApproval.State.APPROVED, ReleaseApproval.State.DECLINED)
    if not is_decided or asked is None or not Plugin.objects.viewable_by(asked).contains(plugin):
        return 0
    said = approval.get_state_display()
    return int(_send(asked, plugin, subject=f"“{name}” is {said}", text=f"The draft of “{name}” is {said}."))


def _reviewers(approval: ReleaseApproval) -> list[User]:
    """The people who may decide, the longest-standing first."""
    plugin = approval.plugin
    if plugin.organisation is None or plugin.organisation_id != approval.organisation_id:
        return []
    members = plugin.organisation.memberships.filter(role__in=APPROVING_ROLES, user__is_active=True)
    people = (member.user for member in members.select_related("user"))
    return [person for person in people if _may_decide(plugin, person, approval)][:MAX_REVIEWERS]


def _may_decide(plugin: Plugin, person: User, approval: ReleaseApproval) -> bool:
    try:
        check_may_decide(plugin, by=person, request=approval)
    except NotAllowed:
        return False
    return True


def _send(person: User, plugin: Plugin, *, subject: str, text: str) -> bool:
    address = settings.PUBLIC_URL + reverse("admin:builder_approval", args=[plugin.pk])
    try:
        send_letter(person.email, subject=subject, before=[text], link=(address, "Look at the draft"))
    except OSError as error:  # refused, unreachable, or not trusted: all of them are errors of the connection
        logger.warning("a mail about an approval could not be sent: %s", error)
        return False
    return True
