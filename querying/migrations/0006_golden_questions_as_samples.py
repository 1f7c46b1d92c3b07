from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("querying", "0005_dismissal")]

    operations = [
        migrations.AddField(
            model_name="goldenquestion",
            name="is_public",
            field=models.BooleanField(
                default=False, help_text="Show it on the plugin’s page, for visitors to ask.", verbose_name="sample"
            ),
        )
    ]
