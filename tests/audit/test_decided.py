"""Whichever model is new, somebody decides whether the audit log has what is done to its rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model

from audit.audited_model import AuditedModel, AuditedQuerySet
from tests.our_modules import ROOT

OURS = {config.name for config in apps.get_app_configs() if (ROOT / config.name).is_dir()}
CONTENT = "what people ask, write and are answered; it opens nothing to anybody"
DERIVED = "computed from other rows"
INNER = "how the program works; nobody reads or does anything by it"
OWN = "a person's own choice, which opens nothing of others"

# Models whose rows are not recorded, and why.
NOT_AUDITED = {
    "audit.AuditEntry": "the log itself",
    "audit.AuditName": "the log itself",
    "accounts.Reveal": "each row is recorded as key.revealed by what makes it",
    "organisations.ProvisionedPerson": "what a directory calls somebody; who is in is their membership",
    "plugins.Release": "recorded as plugin.published, with its version",
    "webhooks.Delivery": INNER,
    "knowledge.Revision": DERIVED,
    "knowledge.Page": "goes with its document",
    "knowledge.PageCorrection": "recorded as document.changed",
    "knowledge.Chunk": DERIVED,
    "knowledge.Embedding": DERIVED,
    "knowledge.EmbeddingSpace": INNER,
    "knowledge.ChunkTerms": DERIVED,
    "knowledge.Term": DERIVED,
    "knowledge.TermCount": DERIVED,
    "knowledge.TermStem": DERIVED,
    "knowledge.Lease": INNER,
    "knowledge.RevisionPin": "holds back a deletion; opens nothing",
    "knowledge.Source": "its documents are recorded one by one",
    "knowledge.SourceItem": INNER,
}
# Apps of which no model opens or closes anything; a model of another app that is not decided fails the test.
CONTENT_APPS = {
    "trees": CONTENT,
    "querying": CONTENT,
    "api": "questions that wait and responses that are sent again; they open nothing to anybody",
    "contracts": CONTENT,
    "evaluation": CONTENT,
    "conversations": "projects open by the members of their knowledge base, which are recorded",
    "agents": CONTENT,
    "connectors": OWN,
    "notifications": OWN,
    "marketplace": "listings and reviews; publishing and sharing are recorded of the plugin",
}


def our_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if model._meta.app_config.name in OURS]


def test_every_model_is_decided_on() -> None:
    undecided = {
        model._meta.label
        for model in our_models()
        if not issubclass(model, AuditedModel)
        and model._meta.label not in NOT_AUDITED
        and model._meta.app_label not in CONTENT_APPS
    }
    assert not undecided, "give the model an audit_rule, or say here why its rows are not recorded"
    audited = {model._meta.label for model in our_models() if issubclass(model, AuditedModel)}
    assert not audited & NOT_AUDITED.keys()


@pytest.mark.parametrize(
    "model", [model for model in our_models() if issubclass(model, AuditedModel)], ids=lambda model: model._meta.label
)
def test_every_way_of_writing_is_recorded(model: type[Any]) -> None:
    """Each manager of an audited model makes query sets that record, and its columns exist."""
    for manager in model._meta.managers:
        assert isinstance(manager.get_queryset(), AuditedQuerySet), manager
    columns = {field.attname for field in model._meta.concrete_fields}
    assert set(model.audit_rule.changed) <= columns
    for method in ("save", "delete"):
        owner = next(base for base in model.__mro__ if method in vars(base))
        assert owner is AuditedModel or "super()" in Path(owner.__module__.replace(".", "/") + ".py").read_text()


def test_roles_on_plugins_are_written_in_one_place() -> None:
    """Rows of many-to-many tables have no model of ours that would record them."""
    writes = re.compile(r"\.(?:editors|viewers|edited_plugins|viewed_plugins)\.(?:add|remove|set|clear)\(")
    found = {
        str(path.relative_to(ROOT))
        for app in OURS
        for path in (ROOT / app).rglob("*.py")
        if writes.search(path.read_text())
    }
    # The second form only removes and adds in `_set_role`, which records.
    assert found == {"plugins/collaborators.py"}


def test_no_row_of_an_audited_table_is_written_by_hand() -> None:
    tables = "|".join(model._meta.db_table for model in our_models() if issubclass(model, AuditedModel))
    writes = re.compile(rf"\b(?:INSERT INTO|UPDATE|DELETE FROM|COPY)\s+(?:ONLY\s+)?(?:{tables})\b", re.IGNORECASE)
    found = {
        str(path.relative_to(ROOT))
        for app in OURS
        for path in [*(ROOT / app).rglob("*.py"), *(ROOT / app).rglob("*.sql")]
        if "migrations" not in path.parts and writes.search(path.read_text())
    }
    assert found == set()
