"""The gate of an organisation that wants every release approved by a reviewer who has not worked on it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.admin.options import get_content_type_for_model
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry
from audit.references import person as person_reference
from knowledge.models import KnowledgeBase
from lexic.errors import Conflict, NotAllowed
from lexic.publish_task import publish_task
from marketplace.models import ReleaseApproval
from organisations.models import APPROVING_ROLES, Organisation
from plugins.models import Plugin, Release
from querying import releases


class NotReviewer(NotAllowed):
    """Reviewers and owners of its organisation approve a plugin."""

    code = "not_reviewer"
    hint = "Ask one of them."


class OwnDraft(NotAllowed):
    """You have worked on this draft, so somebody else approves it."""

    code = "own_draft"
    hint = "Ask a reviewer whose name is not in the history of the plugin since its latest release."


class NothingToApprove(Conflict):
    """Nobody asks for an approval of this draft, or it was changed since."""

    code = "nothing_to_approve"
    hint = "Look at the draft as it is now. The person who changed it can ask again."


class ApprovalNotNeeded(Conflict):
    """This plugin is published without an approval."""

    code = "approval_not_needed"
    hint = "An owner of its organisation can ask for approvals in its settings."


def content_fingerprint(release: Release) -> str:
    """Names everything of a draft or release that decides answers, apart from the curve of confidence, which comes out
    of the golden questions."""
    policy = {name: value for name, value in release.policy().items() if name != "calibration"}
    whole = [policy, release.trees, release.knowledge]
    return hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()


def approval_blocker(plugin: Plugin, *, release: Release | None = None) -> str:
    """Why this content (the draft unless a release is given) may not be published yet, a sentence; empty where it may.

    The latest decision on exactly this content counts.
    """
    if not needs_approval(plugin):
        return ""
    decided = decision_on(release or releases.snapshot(plugin))
    if decided is None:
        return f"No reviewer of {plugin.organisation} has approved it as it is now."
    if decided.state == ReleaseApproval.State.APPROVED:
        return ""
    return f"A reviewer of {plugin.organisation} has declined it as it is now."


def needs_approval(plugin: Plugin) -> bool:
    """Whether the organisation that owns it wants approvals."""
    return plugin.organisation is not None and plugin.organisation.requires_approval


def decision_on(release: Release) -> ReleaseApproval | None:
    """The latest decision of its organisation on exactly this content."""
    decided = release.plugin.approvals.current().filter(
        fingerprint=content_fingerprint(release), decided_at__isnull=False
    )
    return decided.select_related("decided_by").order_by("-decided_at", "-pk").first()


def request_approval(plugin: Plugin, *, by: User, note: str = "") -> ReleaseApproval:
    """Asks for the draft as it is now; an earlier request is replaced. Raises `ApprovalNotNeeded`."""
    with transaction.atomic():
        locked = Plugin.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=plugin.pk)
        if not needs_approval(locked):
            raise ApprovalNotNeeded
        locked.approvals.open().update(state=ReleaseApproval.State.REPLACED)
        asked = ReleaseApproval.objects.create(
            plugin=locked,
            organisation=locked.organisation,
            fingerprint=content_fingerprint(releases.snapshot(locked)),
            requested_by=by,
            note=note,
        )
        _mail_after_commit(asked)
        return asked


def decide_approval(
    plugin: Plugin, *, by: User, fingerprint: str, approves: bool, comment: str = ""
) -> ReleaseApproval:
    """Decides on the draft of this fingerprint, which is what the reviewer has seen.

    Raises `NotReviewer`, `OwnDraft`, `NothingToApprove`.
    """
    with transaction.atomic():
        locked = Plugin.objects.select_for_update(of=("self",)).select_related("organisation").get(pk=plugin.pk)
        request = locked.approvals.open().current().filter(fingerprint=fingerprint).first()
        check_may_decide(locked, by=by, request=request)
        if request is None or fingerprint != content_fingerprint(releases.snapshot(locked)):
            raise NothingToApprove
        request.state = ReleaseApproval.State.APPROVED if approves else ReleaseApproval.State.DECLINED
        request.decided_by, request.decided_at, request.comment = by, timezone.now(), comment
        request.save(update_fields=["state", "decided_by", "decided_at", "comment"])
        _mail_after_commit(request)
        return request


def _mail_after_commit(approval: ReleaseApproval) -> None:
    transaction.on_commit(partial(publish_task, "marketplace.mail_approval", approval_id=approval.pk))


def check_may_decide(plugin: Plugin, *, by: User, request: ReleaseApproval | None) -> None:
    """Raises `NotReviewer`, `OwnDraft`."""
    reviewed = Organisation.objects.open_to(by, roles=APPROVING_ROLES)
    if plugin.organisation_id is None or not reviewed.filter(pk=plugin.organisation_id).exists():
        raise NotReviewer
    if (request and request.requested_by_id == by.pk) or _has_worked_on_draft(plugin, by):
        raise OwnDraft


def _has_worked_on_draft(plugin: Plugin, person: User) -> bool:
    """Whether something of theirs is in the draft since its latest release: in the history of the plugin, or in the
    documents of a base that it reads, also one of another plugin or of their own. Of a base that the release did not
    read, all that is in it is new to the draft, whenever they worked on it."""
    release = _draft_began_with(plugin)
    known = {pin["knowledge_base"] for pin in release.knowledge} if release else set()
    bases = dict(KnowledgeBase.objects.of_plugin(plugin).values_list("pk", "plugin"))
    earlier = {base for base in bases if base in known}
    if release and _has_worked_on(plugin, person, {base: bases[base] for base in earlier}, since=release.created_at):
        return True
    return _has_worked_on(None if release else plugin, person, {base: bases[base] for base in bases.keys() - earlier})


def _has_worked_on(
    plugin: Plugin | None, person: User, bases: Mapping[int, UUID | None], *, since: datetime | None = None
) -> bool:
    """On this plugin, on the plugins that these bases belong to, or on their documents; at all, or since then."""
    worked_on = {str(pk) for pk in (plugin and plugin.pk, *bases.values()) if pk}
    history = LogEntry.objects.filter(
        content_type=get_content_type_for_model(Plugin), object_id__in=worked_on, user=person
    )
    documents = AuditEntry.objects.filter(
        action__in=[Action.DOCUMENT_ADDED, Action.DOCUMENT_CHANGED, Action.DOCUMENT_DELETED],
        actor=str(person_reference(person)),
        subject__in=[f"base:{base}" for base in bases],
    )
    if since:
        history, documents = history.filter(action_time__gt=since), documents.filter(at__gt=since)
    return history.exists() or documents.exists()


def _draft_began_with(plugin: Plugin) -> Release | None:
    """The latest release that does not repeat an earlier one; None where there is none. Going back makes a release,
    but leaves the draft, and who worked on it, as it was."""
    for release in plugin.releases.order_by("-created_at"):
        earlier = plugin.releases.filter(
            created_at__lt=release.created_at, knowledge=release.knowledge, system_prompt=release.system_prompt
        )
        if content_fingerprint(release) not in map(content_fingerprint, earlier):
            return release
    return None
