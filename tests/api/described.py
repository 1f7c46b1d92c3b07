"""The description of the API as schemathesis drives it: real rows where an address names one.

Its pytest plugin does not work with this pytest, so its operations are driven by hand.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterator
from typing import Any

import schemathesis
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from accounts.models import ApiKey, User
from agents.models import AgentRun, EventKind, RunState
from api.schema.views import get_schema
from contracts.models import ContractReview
from conversations.models import ChatMessage, ChatSession, Project
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.documents.lifecycle import add_text
from knowledge.models import Document, KnowledgeBase, KnowledgeGrant
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from querying.models import Query
from trees.models import TreeCase
from webhooks.models import Delivery, Webhook


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def _one_line(context: Any, value: Any) -> bytes:
    """A body of JSON lines as it is described, which is a text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


# What is destroyed comes last, and what belongs to something before that.
_METHODS = ["get", "post", "put", "patch", "delete"]
# A valid request may still be refused for what no schema can say: a slug that is taken, a question that is blank.
_MEANT_WELL = ["2xx", "304", "400", "401", "403", "404", "409", "412", "413", "415", "422"]
_REFUSED = ["400", "401", "403", "404", "406", "409", "412", "413", "415", "422", "429"]


def rows(plugin: Plugin, *, owner: User) -> dict[str, Any]:
    """One row for each name that an address of the API has, by that name; `id` is that of a key."""
    tree = plugin.trees.get()
    golden = GoldenQuestion.objects.create(plugin=plugin, question="What is the minimum cover?")
    run = EvaluationRun.objects.create(plugin=plugin)
    webhook = Webhook(plugin=plugin, url="https://example.org/lexic", events=["document.ready"])
    webhook.set_new_secret()
    webhook.save()
    delivery = Delivery.objects.create(
        webhook=webhook, event="document.ready", event_id="evt_1", state="given_up", attempts=10, data={"a": 1}
    )
    facts = {"exposure": "mild"}
    case = TreeCase.objects.create(
        tree=tree, name="Mild", facts=facts, expectation=TreeCase.Expectation.REACHES, expected="cover_mild"
    )
    other = Plugin.objects.create(owner=owner, name="Other", domain="x", system_prompt="x")
    grant = KnowledgeGrant.objects.attach(plugin.knowledge_base, other, by=owner)
    document = str(Document.objects.get().pk)
    talk = ChatSession.objects.begin_private(user=owner, project=None, title="Marrow")
    asked = ChatMessage.objects.create(session=talk, role="user", content="How much?")
    agent_run = AgentRun.objects.begin(session=talk, message=asked, release_name=f"{plugin.slug}@1.0.0")
    agent_run.end(RunState.DONE, (EventKind.DONE, {"outcome": "answered"}))
    project = Project.objects.create_with_base(owner=owner, name="Marrow")
    private = {"/api/projects/": project.knowledge_base, "/api/knowledge/": personal_knowledge_base(owner)}
    return {
        "plugin": plugin.slug,
        "name": plugin.slug,
        "source_type": "document",
        "document": document,
        # The document that such an address names instead.
        **{below: str(_document(base).pk) for below, base in private.items()},
        "number": 1,
        "tree": str(tree.pk),
        "case": str(case.pk),
        "golden": golden.pk,
        "grant": grant.pk,
        "source": plugin.knowledge_base.sources.create(kind="feed", location="https://example.org/feed").pk,
        "project": str(project.pk),
        "conversation": str(ChatSession.objects.create(user=owner, is_private=True, project=project).pk),
        "batch": str(uuid.uuid4()),
        "response_id": f"resp_{uuid.uuid4().hex}",
        "review": str(_review(document, owner).pk),
        "finding": 1,
        "run": run.pk,
        "agent_run": str(agent_run.pk),
        "version": "1.0.0",
        "webhook": str(webhook.pk),
        "delivery": str(delivery.pk),
        "id": str(ApiKey.objects.issue(owner=owner, name="spare")[0].pk),
    }


def _review(document: str, owner: User) -> ContractReview:
    review = ContractReview.objects.create(
        document_id=document, revision=1, created_by=owner, playbook_key="nda-checklist", playbook_name="NDA"
    )
    review.findings.create(number=1, position="Term", verdict="missing", severity=3, likelihood=3, classification="RED")
    return review


def _document(base: KnowledgeBase) -> Document:
    return add_text(knowledge_base=base, title="Letter", text="It is ready.", enqueue=False).document


def values_at(path: str, found: dict[str, Any]) -> dict[str, Any]:
    """The rows by their names in this address."""
    instead = [pk for below, pk in found.items() if below.startswith("/") and path.startswith(below)]
    return {**found, "document": instead[0]} if instead else found


def routes_with_a_json_body(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Method and address of every route that reads JSON, with these rows in it."""
    for path, methods in get_schema()["paths"].items():
        for method, operation in methods.items():
            if "application/json" in operation.get("requestBody", {}).get("content", {}):
                yield method.upper(), path.format_map(values_at(path, found))


def lists(found: dict[str, Any]) -> Iterator[str]:
    """The address of every route that takes parameters after the question mark, with these rows in it."""
    for path, methods in get_schema()["paths"].items():
        if any(one["in"] == "query" for one in methods.get("get", {}).get("parameters", [])):
            yield path.format_map(values_at(path, found))


def query_of(key: ApiKey) -> str:
    return str(Query.objects.filter(api_key=key).values_list("pk", flat=True)[0])


def modes(operation: Any) -> list[GenerationMode]:
    """How requests can be made: where anybody may ask, and there is nothing to send, none is unfit."""
    definition = operation.definition.raw
    can_be_unfit = "requestBody" in definition or definition.get("parameters") or any(definition["security"])
    return [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if can_be_unfit else [])]


def can_vary(operation: Any) -> bool:
    """Whether requests that fit can differ in more than the address, which is that of a row."""
    definition = operation.definition.raw
    return "requestBody" in definition or any(one["in"] != "path" for one in definition.get("parameters", []))


def cases(operation: Any, *, mode: GenerationMode, found: dict[str, Any]) -> Any:
    """Requests to real rows. Of those that are to be unfit, where there is only the address, it is that."""
    definition = operation.definition.raw
    has_more = "requestBody" in definition or any(one["in"] == "query" for one in definition.get("parameters", []))
    named = {one["name"] for one in definition.get("parameters", []) if one["in"] == "path"}
    values = values_at(operation.path, found)
    pinned = {name: values[name] for name in named if mode.is_positive or has_more}
    return operation.as_strategy(generation_mode=mode, path_parameters=pinned or None)


def loaded(*, plugin: str = "") -> Any:
    """With a `plugin`, that is the one which is asked or changed where no link names another; not deleted."""
    whole = copy.deepcopy(get_schema())
    for methods in whole["paths"].values():
        for operation in methods.values():
            for one in operation.get("parameters", []):
                if plugin and one["name"] == "plugin" and operation["operationId"] != "deletePlugin":
                    one["schema"] = {"type": "string", "enum": [plugin]}
    config = SchemathesisConfig()
    checks = config.projects.default.checks if hasattr(config.projects, "default") else config.checks
    checks.positive_data_acceptance.expected_statuses = _MEANT_WELL
    checks.negative_data_rejection.expected_statuses = _REFUSED
    return schemathesis.openapi.from_dict(whole, config=config)


def operations(schema: Any) -> list[Any]:
    """All of them, in an order in which none takes away what another needs."""
    found = [result.ok() for result in schema.get_all_operations()]
    return sorted(found, key=lambda one: (_METHODS.index(one.method), -one.path.count("/"), one.path))
