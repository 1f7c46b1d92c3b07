"""Golden questions and evaluation runs move here from `querying`. Their tables stay as they are."""

from __future__ import annotations

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

MODELS = ("goldenquestion", "evaluationrun")


def move_content_types(apps: Any, *, before: str, after: str) -> None:
    """With them go permissions, and the admin's history, which refer to a content type by its id."""
    apps.get_model("contenttypes", "ContentType").objects.filter(app_label=before, model__in=MODELS).update(
        app_label=after
    )


def move_here(apps: Any, schema_editor: Any) -> None:
    move_content_types(apps, before="querying", after="evaluation")


def move_back(apps: Any, schema_editor: Any) -> None:
    move_content_types(apps, before="evaluation", after="querying")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("plugins", "0001_initial"),
        ("querying", "0008_erased_questions"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="GoldenQuestion",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("question", models.TextField()),
                        ("facts", models.JSONField(blank=True, default=dict, help_text="What the caller says beside the question.")),
                        ("expectation", models.CharField(choices=[("answer", "answers"), ("refuse", "refuses"), ("clarify", "asks back")], default="answer", max_length=8)),
                        ("must_cite", models.JSONField(blank=True, default=list, help_text='Such as [["Cover handbook", 2]].')),
                        ("must_contain", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, help_text="Words of the answer, in any case.", size=None)),
                        ("must_reach", models.CharField(blank=True, help_text="The id of a node of the tree.", max_length=120)),
                        ("is_public", models.BooleanField(default=False, help_text="Show it on the plugin’s page, for visitors to ask.", verbose_name="sample")),
                        ("last_passed", models.BooleanField(editable=False, null=True)),
                        ("last_failures", models.JSONField(default=list, editable=False)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ("plugin", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="golden_questions", to="plugins.plugin")),
                    ],
                    options={"db_table": "querying_goldenquestion", "ordering": ["plugin", "pk"]},
                ),
                migrations.CreateModel(
                    name="EvaluationRun",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("started", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ("content", models.CharField(blank=True, editable=False, max_length=64)),
                        ("result", models.JSONField(default=dict, help_text="What `manage.py evaluate --json` prints.")),
                        ("questions", models.JSONField(default=list)),
                        ("calibration", models.JSONField(null=True)),
                        ("plugin", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="evaluation_runs", to="plugins.plugin")),
                        ("release", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="evaluation_runs", to="plugins.release")),
                    ],
                    options={
                        "db_table": "querying_evaluationrun",
                        "ordering": ["-started"],
                        "indexes": [models.Index(fields=["plugin", "-started"], name="evaluation_plugin_recent")],
                    },
                ),
            ]
        ),
        migrations.RunPython(move_here, move_back),
    ]
