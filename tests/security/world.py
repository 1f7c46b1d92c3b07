"""Everything Alice has, each piece marked with a word that must never reach anybody else."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db import models
from django.utils import timezone

from accounts.models import ApiKey, User
from agents.models import AgentRun, EventKind, RunState
from api.models import Batch
from audit.models import AuditEntry
from contracts.models import ContractReview
from conversations.models import ChatMessage, ChatSession, Project
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.models import Chunk, Document, KnowledgeBase, KnowledgeGrant, Page, Source
from knowledge.personal_knowledge_base import personal_knowledge_base
from marketplace.models import PublishingRun, ReleaseApproval, Report, Review
from organisations.models import MembershipInvitation, Organisation
from plugins.models import Invitation, OrganisationOffer, OwnershipOffer, Plugin, Release
from querying.models import Query, StoredResponse
from tests.security.leaking import said
from trees.models import DecisionTree, TreeCase
from webhooks.models import Delivery, Event, Webhook

MARK = "xyzzyalice"
# Finds the mark in a search, and is not the mark when a page repeats it.
PART = MARK[:-1]

TREE = {
    "rootNodeId": "a",
    "nodes": {"a": {"id": "a", "type": "action", "label": MARK, "action": {"recommendation": MARK}}},
}
# Tables that change because people look around.
UNRELATED = {
    # Beside the change that an entry is about, which is looked for in its own table.
    "audit.AuditEntry",
    "audit.AuditName",
    "sessions.Session",
    "admin.LogEntry",
    "account.EmailConfirmation",
}


@dataclass(frozen=True, kw_only=True)
class World:
    """One object of Alice's for every model, by label. `private`: a second one, which is nothing of a plugin's."""

    alice: User
    plugin: Plugin
    objects: dict[str, models.Model]
    private: tuple[models.Model, ...] = ()

    @property
    def ids(self) -> list[str]:
        return [str(one.pk) for one in (*self.objects.values(), *self.private)]

    def ids_of(self, label: str) -> set[str]:
        return {str(self[label].pk), *(str(one.pk) for one in self.private if one._meta.label == label)}

    def __getitem__(self, label: str) -> Any:
        return self.objects[label]


def build(alice: User) -> World:
    """Nothing of it is published."""
    alice.display_name = f"{MARK} Alice"
    alice.save()
    plugin = Plugin.objects.create(
        owner=alice,
        name=f"{MARK} plugin",
        slug="alices-plugin",  # not marked: a page may repeat what it was asked for
        domain=f"{MARK} domain",
        tagline=MARK,
        description=MARK,
        system_prompt=f"{MARK} persona",
        disclaimer=MARK,
        tags=[MARK],
    )
    base = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name=f"{MARK} base", revision=1)
    document = Document.objects.create(
        knowledge_base=base,
        title=f"{MARK} document",
        file_name=f"{MARK}.md",
        source_type="markdown",
        status="ready",
        ready_sha256="a" * 64,
        sha256="a" * 64,
        doc_type=MARK,
        project=MARK,
        tags=[MARK],
        metadata={"author": MARK},
        added_in=1,
    )
    second = Plugin.objects.create(owner=alice, name=f"{MARK} second", domain=f"{MARK} other", system_prompt=MARK)
    grant = KnowledgeGrant.objects.attach(base, second, by=alice)
    offer = OwnershipOffer.objects.create(plugin=plugin, to=alice)
    source = Source(knowledge_base=base, kind="website", location=f"https://{MARK}.example.org/?token={MARK}")
    source.set_credentials({"password": MARK})
    source.save()
    page = Page.objects.create(
        document=document, number=1, text=f"{MARK} page text", source_sha256="a" * 64, added_in=1
    )
    chunk = Chunk.objects.create(
        knowledge_base=base,
        document=document,
        page=page,
        index=0,
        start=0,
        end=len(page.text),
        section_path=[MARK],
        content=page.text,
        content_hash=b"a" * 32,
        added_in=1,
    )
    tree = DecisionTree.objects.create(plugin=plugin, name=f"{MARK} tree", description=MARK, tree_data=TREE)
    release = Release.objects.create(plugin=plugin, version="1.0.0", system_prompt=f"{MARK} persona", notes=MARK)
    key, _ = ApiKey.objects.issue(owner=alice, name=f"{MARK} key", plugins=[plugin])
    query = Query.objects.create(
        plugin=plugin,
        release=release,
        release_name=f"{MARK}-plugin@1.0.0",
        api_key=key,
        user=alice,
        question=f"{MARK} question",
        answer=f"{MARK} answer",
        outcome="answered",
        reason=MARK,
        facts={MARK: MARK},
        citations=[_citation(document, page)],
    )
    stored = StoredResponse.objects.create(query=query, body={"output": [], MARK: MARK}, turns=[{"content": MARK}])
    batch = Batch.objects.create(api_key=key)
    batch.items.create(number=1, custom_id=MARK, request={MARK: MARK})
    golden = GoldenQuestion.objects.create(
        plugin=plugin,
        question=f"{MARK} golden",
        facts={MARK: MARK},
        must_cite=[[f"{MARK} document", 1]],
        must_contain=[MARK],
        last_passed=False,
        last_failures=[MARK],
    )
    run = EvaluationRun.objects.create(
        plugin=plugin,
        release=release,
        result={"set": MARK, "questions": 1, "golden_passed": 0.0},
        questions=[{"id": golden.pk, "question": f"{MARK} golden", "passed": False, "failures": [MARK]}],
    )
    email = EmailAddress.objects.create(user=alice, email=f"{MARK}@example.org")
    elsewhere = SocialAccount.objects.create(user=alice, provider="sso", uid=MARK, extra_data={"email": MARK})
    second_step = Authenticator.objects.create(user=alice, type="totp", data={"secret": MARK})
    group = Group.objects.create(name=f"{MARK} group")
    case = TreeCase.objects.create(tree=tree, name=f"{MARK} case", expected=MARK)
    publishing = PublishingRun.objects.create(
        plugin=plugin,
        requested_by=alice,
        notes=MARK,
        fingerprint="a" * 64,
        total=1,
        state=PublishingRun.State.FAILED,
        scores=[{"id": str(golden.pk), "question": f"{MARK} golden", "failures": [MARK]}],
        error=MARK,
    )
    invitation = Invitation.objects.create(
        plugin=plugin,
        email=f"{MARK}@example.org",
        role="editor",
        token_hash="a" * 64,
        invited_by=alice,
        expires_at=timezone.now() + Invitation.VALID_FOR,
    )
    webhook = Webhook(plugin=plugin, url=f"https://{MARK}.example.org/", events=Event.values, created_by=alice)
    webhook.set_new_secret()
    webhook.save()
    delivery = Delivery.objects.create(
        webhook=webhook,
        event=MARK,
        event_id=f"evt_{MARK}",
        data={MARK: MARK},
        response=MARK,
        error=MARK,
        attempts=1,
    )
    review = Review.objects.create(
        plugin=plugin, author=alice, release=release, verdict="relied", text=MARK, reply=MARK
    )
    report = Report.objects.create(plugin=plugin, review=review, reason="other", text=MARK, reporter=alice)
    session = ChatSession.objects.create(plugin=plugin, user=alice, title=f"{MARK} chat")
    message = ChatMessage.objects.create(session=session, role="user", content=MARK, query_id=query.pk)
    contract_review = _contract_review(alice, document, page)
    talk = ChatSession.objects.begin_private(user=alice, project=None, title=f"{MARK} talk")
    asked = ChatMessage.objects.create(session=talk, role="user", content=MARK)
    agent_run = AgentRun.objects.begin(session=talk, message=asked, release_name=f"{MARK}-plugin@1.0.0")
    agent_run.end(RunState.DONE, (EventKind.CONTENT, {"text": MARK}), (EventKind.DONE, {}))
    project = Project.objects.create_with_base(owner=alice, name=f"{MARK} project", description=MARK, plugin=plugin)
    Document.objects.create(knowledge_base=project.knowledge_base, title=f"{MARK} paper", source_type="text")
    organisation = Organisation.objects.create_with_owner(name=f"{MARK} organisation", owner=alice)
    membership_invitation = MembershipInvitation.objects.create(
        organisation=organisation,
        email=f"{MARK}@example.com",
        role="viewer",
        token_hash="b" * 64,
        invited_by=alice,
        expires_at=timezone.now() + MembershipInvitation.VALID_FOR,
    )
    approval = ReleaseApproval.objects.create(
        plugin=plugin, organisation=organisation, fingerprint="a" * 64, note=MARK, comment=MARK, requested_by=alice
    )
    organisation_offer = OrganisationOffer.objects.create(plugin=second, to=organisation)
    _second_of_each(alice, second)
    made = [alice, plugin, base, source, document, page, chunk, tree, release, key, query, email, group]
    made += [
        stored,
        batch,
        elsewhere,
        second_step,
        case,
        golden,
        run,
        publishing,
        invitation,
        webhook,
        delivery,
        review,
        report,
        session,
        message,
        grant,
        offer,
        project,
        organisation,
        organisation.memberships.get(),
        membership_invitation,
        organisation_offer,
        approval,
        contract_review,
        contract_review.findings.get(),
        agent_run,
        AuditEntry.objects.get(action="plugin.created", object=f"plugin:{plugin.pk}"),
    ]
    private = (talk, _personal_document(alice))
    return World(alice=alice, plugin=plugin, objects={one._meta.label: one for one in made}, private=private)


def _personal_document(alice: User) -> Document:
    base = personal_knowledge_base(alice)
    return Document.objects.create(knowledge_base=base, title=f"{MARK} letter", source_type="text")


def _citation(document: Document, page: Page) -> dict[str, Any]:
    span = {"excerpt": page.text, "start": 0, "end": len(page.text), "url": f"http://testserver/source/{page.pk}"}
    return {"document": document.title, "documentId": str(document.pk), **span}


def _contract_review(alice: User, document: Document, page: Page) -> ContractReview:
    span = {"pageId": page.pk, "page": 1, "start": 0, "end": len(page.text), "text": page.text, "clause": MARK}
    review = ContractReview.objects.create(
        document=document,
        revision=1,
        created_by=alice,
        playbook_key="nda-checklist",
        playbook_name=f"{MARK} playbook",
        playbook_text=MARK,
        structure={"metadata": {}, "clauses": [{"text": MARK}]},
        summary=f"{MARK} summary",
        state="done",
        classification="RED",
        escalations=[{"to": MARK, "why": MARK}],
    )
    review.findings.create(
        number=1,
        position=f"{MARK} position",
        verdict="missing",
        reason=MARK,
        contract_spans=[span],
        severity=5,
        likelihood=5,
        classification="RED",
        suggestion=MARK,
        note=MARK,
    )
    return review


def _second_of_each(alice: User, plugin: Plugin) -> None:
    """A filter beside a list only appears when there is more than one thing to choose."""
    base = KnowledgeBase.objects.create(owner=alice, plugin=plugin, name=f"{MARK} second base")
    Document.objects.create(knowledge_base=base, title=f"{MARK} second", source_type="pdf", doc_type=f"{MARK} type")
    DecisionTree.objects.create(plugin=plugin, name=f"{MARK} second", tree_data=TREE)
    release = Release.objects.create(plugin=plugin, version="2.0.0", system_prompt=MARK)
    key, _ = ApiKey.objects.issue(owner=alice, name=f"{MARK} second")
    Query.objects.create(plugin=plugin, release=release, api_key=key, question=MARK, outcome="refused", reason=MARK)
    GoldenQuestion.objects.create(plugin=plugin, question=f"{MARK} second", expectation="refuse")
    EvaluationRun.objects.create(plugin=plugin, release=release, result={"set": MARK})


def everything() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table that matters, to see whether anything has changed."""
    rows = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.label not in UNRELATED and not model._meta.proxy and model._meta.managed:
            columns = [field.attname for field in model._meta.concrete_fields if field.attname != "last_login"]
            rows[model._meta.label] = list(model._base_manager.order_by("pk").values(*columns))
    return rows


def registered() -> list[tuple[type[models.Model], admin.ModelAdmin[Any]]]:
    importlib.import_module("lexic.urls")  # which loads the pages
    return list(admin.site._registry.items())


def leaks(response: Any) -> bool:
    """Whether Alice's mark is anywhere in what came back: body, headers or cookies."""
    return MARK in said(response)
