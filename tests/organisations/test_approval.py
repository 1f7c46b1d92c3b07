"""Where an organisation wants releases approved, one is published only after a reviewer who has not worked on it
approved exactly that draft."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client, TestCase
from django.urls import reverse

from accounts.models import ApiKey, Capability, User
from audit.actor import on_behalf_of
from audit.models import AuditEntry
from audit.references import Reference
from evaluation.models import GoldenQuestion
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace import tasks
from marketplace.models import ReleaseApproval
from marketplace.publishing import publishing_gate
from marketplace.publishing.approval import (
    ApprovalNotNeeded,
    NothingToApprove,
    NotReviewer,
    OwnDraft,
    approval_blocker,
    content_fingerprint,
    decide_approval,
    request_approval,
)
from marketplace.publishing.publish import NotReady, PublisherGone, make_release, publish
from marketplace.publishing.rollback import roll_back
from organisations.models import Membership, Organisation
from plugins.history import log_change
from plugins.models import Plugin
from querying import releases
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(plugin: Plugin, clinic: Organisation) -> Plugin:
    """Ready to be published but for the approval."""
    document = add_text(
        knowledge_base=own_knowledge_base(plugin), title="Wards", text="# Wards\n\nA ward has ten beds.", enqueue=False
    ).document
    ingest(document.pk)
    clinic.requires_approval = True
    clinic.save()
    plugin.refresh_from_db()
    return plugin


def seen(plugin: Plugin) -> str:
    plugin.refresh_from_db()
    return content_fingerprint(releases.snapshot(plugin))


def approve(plugin: Plugin, *, by: User, approves: bool = True) -> ReleaseApproval:
    return decide_approval(plugin, by=by, fingerprint=seen(plugin), approves=approves)


def test_nothing_is_published_without_an_approval(draft: Plugin, bob: User, join: Join) -> None:
    editor, reviewer = join("editor"), join("reviewer")
    with pytest.raises(NotReady, match="No reviewer of Clinic has approved it as it is now"):
        publish(draft, by=editor)
    request_approval(draft, by=editor)
    with pytest.raises(NotReady):
        publish(draft, by=editor)
    approve(draft, by=reviewer)
    assert publish(draft, by=editor).release.version == "1.0.0"


def test_an_approval_is_of_exactly_one_draft(draft: Plugin, join: Join) -> None:
    editor, reviewer = join("editor"), join("reviewer")
    request_approval(draft, by=editor)
    approve(draft, by=reviewer)
    before = draft.system_prompt
    Plugin.objects.filter(pk=draft.pk).update(system_prompt="Sell beds.")
    with pytest.raises(NotReady):
        publish(draft, by=editor)
    Plugin.objects.filter(pk=draft.pk).update(system_prompt=before)
    publish(draft, by=editor)
    more = add_text(knowledge_base=draft.knowledge_base, title="More", text="# More\n\nTwelve beds.", enqueue=False)
    ingest(more.document.pk)
    with pytest.raises(NotReady, match="No reviewer"):
        publish(draft, by=editor)


def test_what_was_changed_under_the_eyes_of_a_reviewer_is_not_approved(draft: Plugin, join: Join) -> None:
    editor, reviewer = join("editor"), join("reviewer")
    request_approval(draft, by=editor)
    fingerprint = seen(draft)
    Plugin.objects.filter(pk=draft.pk).update(limits="None.")
    with pytest.raises(NothingToApprove):
        decide_approval(draft, by=reviewer, fingerprint=fingerprint, approves=True)
    with pytest.raises(NothingToApprove):
        approve(draft, by=reviewer)  # nobody has asked for this one
    assert not ReleaseApproval.objects.filter(decided_at__isnull=False).exists()


def test_the_content_is_looked_at_again_when_the_release_is_made(
    draft: Plugin, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree or document that is changed between the checks and the release is not in an approved one."""
    editor, reviewer = join("editor"), join("reviewer")
    request_approval(draft, by=editor)
    approve(draft, by=reviewer)
    real = publishing_gate.gate_result_for_run

    def change_meanwhile(plugin: Plugin, **said: Any) -> Any:
        plugin.system_prompt = "Sell beds."
        return real(plugin, **said)

    monkeypatch.setattr("marketplace.publishing.publish.publish_blockers", lambda *_, **__: [])
    monkeypatch.setattr("marketplace.publishing.publish.gate_result_for_run", change_meanwhile)
    with pytest.raises(NotReady):
        make_release(draft, by=editor)
    assert not draft.releases.exists()


@pytest.mark.parametrize("role", ["editor", "viewer", "operator"])
def test_others_approve_nothing(role: str, draft: Plugin, alice: User, join: Join) -> None:
    request_approval(draft, by=alice)
    with pytest.raises(NotReviewer):
        approve(draft, by=join(role))


def test_nobody_approves_their_own_work(draft: Plugin, alice: User, bob: User, charlie: User, join: Join) -> None:
    reviewer = join("reviewer")
    request_approval(draft, by=alice)
    with pytest.raises(OwnDraft):
        approve(draft, by=alice)
    log_change(draft, by=bob, sentence="Changed the persona.")
    with pytest.raises(OwnDraft):
        approve(draft, by=bob)
    with pytest.raises(NotReviewer):
        approve(draft, by=charlie)
    approve(draft, by=reviewer)
    publish(draft, by=alice)
    # What Bob did before the release does not count any more.
    Plugin.objects.filter(pk=draft.pk).update(limits="None.")
    request_approval(draft, by=alice)
    approve(draft, by=bob)


def test_the_latest_decision_counts(draft: Plugin, alice: User, join: Join) -> None:
    reviewer = join("reviewer")
    request_approval(draft, by=alice)
    approve(draft, by=reviewer)
    request_approval(draft, by=alice)
    approve(draft, by=reviewer, approves=False)
    with pytest.raises(NotReady, match="has declined it"):
        publish(draft, by=alice)


def test_an_approval_of_another_organisation_does_not_count(
    draft: Plugin, clinic: Organisation, alice: User, charlie: User, join: Join
) -> None:
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    assert approval_blocker(draft) == ""
    other = Organisation.objects.create_with_owner(name="Trust", owner=alice)
    Organisation.objects.filter(pk=other.pk).update(requires_approval=True)
    Plugin.objects.filter(pk=draft.pk).update(organisation=other)
    draft = Plugin.objects.get(pk=draft.pk)
    assert "No reviewer of Trust" in approval_blocker(draft)


def test_going_back_is_no_way_around_it(draft: Plugin, clinic: Organisation, alice: User, join: Join) -> None:
    Organisation.objects.update(requires_approval=False)
    old = publish(Plugin.objects.get(pk=draft.pk), by=alice).release
    Organisation.objects.update(requires_approval=True)
    Plugin.objects.filter(pk=draft.pk).update(limits="None.")
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    publish(Plugin.objects.get(pk=draft.pk), by=alice)
    with pytest.raises(NotReady):
        roll_back(draft, to=old, by=alice)
    approved = draft.releases.order_by("-created_at")[0]
    assert roll_back(draft, to=approved, by=alice) == approved


def test_without_the_policy_nobody_is_asked(plugin: Plugin, alice: User) -> None:
    with pytest.raises(ApprovalNotNeeded):
        request_approval(plugin, by=alice)
    own = Plugin.objects.create(owner=alice, name="Own", domain="x", system_prompt="x")
    assert approval_blocker(own) == approval_blocker(plugin) == ""


def test_the_pages_and_the_api_say_it(draft: Plugin, bob: User, join: Join) -> None:
    editor, reviewer, viewer = join("editor"), join("reviewer"), join("viewer")
    clients = {}
    for person in (editor, reviewer, viewer):
        clients[person] = Client()
        clients[person].force_login(person)
    page = reverse("admin:builder_approval", args=[draft.pk])
    decide = reverse("admin:builder_decide_approval", args=[draft.pk])
    _, secret = ApiKey.objects.issue(owner=editor, name="robot", capabilities=Capability.values)
    api = Client(headers={"Authorization": f"Bearer {secret}"})
    refused = api.post(f"/api/plugins/{draft.slug}/publish", {}, content_type="application/json")
    assert (refused.status_code, refused.json()["missing"]) == (
        409,
        ["No reviewer of Clinic has approved it as it is now."],
    )
    assert "Ask for approval" in clients[editor].get(page).content.decode()
    ask = reverse("admin:builder_request_approval", args=[draft.pk])
    assert clients[reviewer].post(ask).status_code == 404
    clients[editor].post(ask, {"text": "Please look at the beds."})
    assert "Please look at the beds." in clients[reviewer].get(page).content.decode()
    assert "Waiting for approval" in clients[reviewer].get(f"/organisations/{draft.organisation_id}").content.decode()
    assert "Waiting for approval" not in clients[viewer].get(f"/organisations/{draft.organisation_id}").content.decode()
    said = {"fingerprint": seen(draft), "act": "approve", "text": "Good."}
    for person in (editor, viewer):
        assert clients[person].post(decide, said).status_code == 403
    for wrong in ({**said, "act": "maybe"}, {**said, "fingerprint": "0" * 64}, {**said, "text": "x" * 2001}):
        assert "Nothing was decided." in clients[reviewer].post(decide, wrong, follow=True).content.decode()
    assert ReleaseApproval.objects.get().state == "requested"
    clients[reviewer].post(decide, said)
    assert "Approved as it is now" in clients[editor].get(page).content.decode()
    assert api.post(f"/api/plugins/{draft.slug}/publish", {}, content_type="application/json").status_code == 201


def test_it_is_on_record(draft: Plugin, alice: User, join: Join) -> None:
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    asked, decided = AuditEntry.objects.filter(action__startswith="plugin.approval_").order_by("at")
    assert asked.details["now"] == {"state": "requested", "fingerprint": seen(draft)}
    assert decided.details["now"]["state"] == "approved"


def test_going_back_does_not_hide_who_worked_on_the_draft(
    draft: Plugin, clinic: Organisation, alice: User, bob: User, join: Join
) -> None:
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    first = publish(Plugin.objects.get(pk=draft.pk), by=alice).release
    Plugin.objects.filter(pk=draft.pk).update(limits="None.")
    request_approval(draft, by=alice)
    approve(draft, by=bob)
    publish(Plugin.objects.get(pk=draft.pk), by=alice)
    Plugin.objects.filter(pk=draft.pk).update(limits="Sell beds.")
    log_change(draft, by=bob, sentence="Changed the limits.")
    roll_back(draft, to=first, by=bob)
    assert draft.latest_release().version == "1.2.0"
    request_approval(draft, by=alice)
    with pytest.raises(OwnDraft):
        approve(draft, by=bob)


@pytest.mark.parametrize("whose", ["another plugin", "nobody"])
def test_documents_of_a_base_that_it_reads_are_work_on_the_draft(
    draft: Plugin, alice: User, bob: User, whose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if whose == "nobody":
        base = KnowledgeBase.objects.create(owner=bob, name="Beds")
    else:
        base = own_knowledge_base(Plugin.objects.create(owner=bob, name="Beds", domain="x", system_prompt="x"))
    KnowledgeGrant.objects.attach(base, draft, by=bob)
    # As a task does for him.
    monkeypatch.setattr("celery.current_task", SimpleNamespace(name="knowledge.sync"))
    with on_behalf_of(Reference("person", bob.pk)):
        ingest(add_text(knowledge_base=base, title="Beds", text="# Beds\n\nTwenty.", enqueue=False).document.pk)
    request_approval(draft, by=alice)
    with pytest.raises(OwnDraft):
        approve(draft, by=bob)


def mailed(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> list[tuple[str, str]]:
    """The address and the subject of each mail that a worker sends of what is done."""
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks.mail_approval, "apply_async", lambda **given: told.append(given["kwargs"]))
    mail.outbox.clear()
    with TestCase.captureOnCommitCallbacks(execute=True):
        act()
    for given in told:
        tasks.mail_approval(**given)
    assert all("Please" not in one.body for one in mail.outbox)
    return sorted((one.to[0], one.subject) for one in mail.outbox)


def test_those_whom_it_is_about_get_a_mail(
    draft: Plugin, alice: User, bob: User, charlie: User, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, reviewer = join("editor"), join("reviewer")
    join("viewer")
    join("operator")
    log_change(draft, by=bob, sentence="Changed the persona.")
    asked = mailed(monkeypatch, lambda: request_approval(draft, by=editor, note="Please look."))
    subject = "“Wards” waits for your approval"
    assert asked == [("alice@example.org", subject), ("reviewer@example.org", subject)]
    decided = mailed(monkeypatch, lambda: approve(draft, by=reviewer))
    assert decided == [("editor@example.org", "“Wards” is approved")]
    draft.organisation.requires_second_step = True
    draft.organisation.save()
    again = mailed(monkeypatch, lambda: request_approval(Plugin.objects.get(pk=draft.pk), by=editor))
    assert again == []  # nobody who has a second step may decide


@pytest.fixture
def operator(clinic: Organisation) -> User:
    """Runs the site, and owns the organisation as well."""
    root = User.objects.create_superuser("root@example.org", "correct horse battery")
    Membership.objects.create(organisation=clinic, user=root, role="owner")
    return root


def publish_by(door: str, plugin: Plugin, operator: User, version: str) -> None:
    client = Client()
    client.force_login(operator)
    _, secret = ApiKey.objects.issue(owner=operator, name="robot", capabilities=Capability.values)
    api = Client(headers={"Authorization": f"Bearer {secret}"})
    pages = {
        "page": ("admin:builder_publish", [plugin.pk]),
        "page of the release": ("admin:builder_go_back", [plugin.pk, plugin.releases.get(version=version).pk]),
    }
    if door in pages:
        name, arguments = pages[door]
        client.post(reverse(name, args=arguments), {"notes": "", "version": ""})
    elif door == "command":
        with pytest.raises(CommandError, match="No reviewer of Clinic"):
            call_command("publish", plugin.slug)
    else:
        ending = "publish" if door == "api" else f"releases/{version}/rollback"
        answered = api.post(f"/api/plugins/{plugin.slug}/{ending}", {}, content_type="application/json")
        assert (answered.status_code, answered.json()["code"]) == (409, "not_ready")


@pytest.mark.parametrize("door", ["page", "page of the release", "api", "api of the release", "command"])
def test_no_door_is_a_way_around_it(door: str, draft: Plugin, operator: User) -> None:
    """Also for whoever runs the site."""
    Organisation.objects.update(requires_approval=False)
    publish(Plugin.objects.get(pk=draft.pk), by=operator)
    Plugin.objects.filter(pk=draft.pk).update(limits="None.")
    publish(Plugin.objects.get(pk=draft.pk), by=operator)
    Organisation.objects.update(requires_approval=True)
    Plugin.objects.filter(pk=draft.pk).update(limits="Sell beds.", is_published=False)
    publish_by(door, draft, operator, "1.0.0")
    draft.refresh_from_db()
    assert not draft.is_published
    assert draft.releases.count() == 2


def add_document(base: KnowledgeBase, by: User, monkeypatch: pytest.MonkeyPatch, text: str = "Twenty.") -> Document:
    """As a task does for the person."""
    monkeypatch.setattr("celery.current_task", SimpleNamespace(name="knowledge.sync"))
    with on_behalf_of(Reference("person", by.pk)):
        added = add_text(knowledge_base=base, title="Beds", text=f"# Beds\n\n{text}", enqueue=False).document
        ingest(added.pk)
    monkeypatch.undo()
    return added


def test_a_base_that_is_attached_later_is_as_new_as_the_draft(
    draft: Plugin, alice: User, bob: User, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob's documents are older than the release, and come into the draft behind it."""
    base = KnowledgeBase.objects.create(owner=bob, name="Beds")
    add_document(base, bob, monkeypatch)
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    publish(Plugin.objects.get(pk=draft.pk), by=alice)
    KnowledgeGrant.objects.attach(base, draft, by=bob)
    request_approval(draft, by=alice)
    with pytest.raises(OwnDraft):
        approve(draft, by=bob)


def test_another_version_of_a_document_is_work_on_the_draft(
    draft: Plugin, alice: User, bob: User, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a base of nobody's plugin, which has no history of its own."""
    base = KnowledgeBase.objects.create(owner=bob, name="Beds")
    add_document(base, bob, monkeypatch)
    KnowledgeGrant.objects.attach(base, draft, by=bob).give(by=bob, consent="published")
    request_approval(draft, by=alice)
    approve(draft, by=join("reviewer"))
    publish(Plugin.objects.get(pk=draft.pk), by=alice)
    add_document(base, bob, monkeypatch, text="Thirty.")
    request_approval(draft, by=alice)
    with pytest.raises(OwnDraft):
        approve(draft, by=bob)
    changed = AuditEntry.objects.get(action="document.changed")
    assert (changed.actor, changed.details["changed"]["columns"]) == (f"person:{bob.pk}", ["sha256"])


def test_who_is_put_out_while_the_questions_run_publishes_nothing(
    plugin: Plugin, clinic: Organisation, alice: User, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = join("editor")
    document = add_text(knowledge_base=own_knowledge_base(plugin), title="W", text="# W\n\nTen beds.", enqueue=False)
    ingest(document.document.pk)
    GoldenQuestion.objects.create(plugin=plugin, question="How many beds?")

    def leave_meanwhile(_: Plugin) -> None:
        Membership.objects.filter(user=editor).delete()

    monkeypatch.setattr("marketplace.publishing.publish.golden_runs.ensure_draft_run", leave_meanwhile)
    with pytest.raises(PublisherGone):
        publish(plugin, by=editor)
    assert not plugin.releases.exists()
