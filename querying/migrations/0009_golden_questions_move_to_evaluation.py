"""The other half of `evaluation.0001_initial`: their tables stay."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("querying", "0008_erased_questions"), ("evaluation", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="GoldenQuestion"),
                migrations.DeleteModel(name="EvaluationRun"),
            ]
        )
    ]
