"""Golden questions and runs from when they belonged to another app: rows, permissions and the admin's history stay."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import User
from evaluation.models import EvaluationRun, GoldenQuestion
from plugins.models import Plugin
from tests.own_database import own_database

__all__ = ["own_database"]
pytestmark = pytest.mark.django_db
BEFORE = [("querying", "0008_erased_questions"), ("evaluation", None)]


def migrate_to(targets: Any) -> Any:
    return MigrationExecutor(connection).migrate(targets).apps


def latest() -> Any:
    return MigrationExecutor(connection).loader.graph.leaf_nodes()


@pytest.fixture
def old(own_database: None) -> Any:
    return migrate_to(BEFORE)


def labels() -> list[str]:
    types = ContentType.objects.filter(model__in=["goldenquestion", "evaluationrun"])
    return sorted(f"{one.app_label}.{one.model}" for one in types)


def test_rows_permissions_and_history_move_with_them_and_can_be_taken_back(old: Any) -> None:
    assert labels() == ["querying.evaluationrun", "querying.goldenquestion"]
    owner = User.objects.create_user("alice@example.org", is_staff=True)
    plugin = Plugin.objects.create(owner=owner, name="Boots", slug="boots", domain="safety")
    golden = old.get_model("querying", "GoldenQuestion").objects.create(
        plugin_id=plugin.pk, question="When?", must_contain=["45 mm"], last_passed=True
    )
    run = old.get_model("querying", "EvaluationRun").objects.create(plugin_id=plugin.pk, result={"golden_passed": 1.0})
    held = Permission.objects.get(content_type__app_label="querying", codename="view_goldenquestion")
    owner.user_permissions.add(held)
    entry = LogEntry.objects.create(
        user=owner, content_type_id=held.content_type_id, object_id=golden.pk, object_repr="When?", action_flag=CHANGE
    )

    migrate_to(latest())
    ContentType.objects.clear_cache()

    assert labels() == ["evaluation.evaluationrun", "evaluation.goldenquestion"]
    moved = GoldenQuestion.objects.get(pk=golden.pk)
    assert (moved.question, moved.must_contain, moved.last_passed) == ("When?", ["45 mm"], True)
    assert EvaluationRun.objects.get(pk=run.pk).result == {"golden_passed": 1.0}
    assert GoldenQuestion.objects.create(plugin=plugin, question="How?").pk > golden.pk, "the table goes on counting"
    assert User.objects.get().has_perm("evaluation.view_goldenquestion")
    assert LogEntry.objects.get(pk=entry.pk).get_edited_object() == moved

    migrate_to(BEFORE)
    assert labels() == ["querying.evaluationrun", "querying.goldenquestion"]
