from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("querying", "0006_golden_questions_as_samples")]

    operations = [
        migrations.AddField(
            model_name="query",
            name="sentences",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How many were written; not all of them need have been shown."
            ),
        ),
        migrations.AddField(
            model_name="query",
            name="unproven",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How many of them were dropped, because no source bore them out.",
            ),
        ),
    ]
