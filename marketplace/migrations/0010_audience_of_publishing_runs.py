from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0009_starts_of_publishing_runs")]

    operations = [
        migrations.AddField(
            model_name="publishingrun",
            name="audience",
            field=models.JSONField(
                db_default={},
                default=dict,
                help_text="Who is to see it from then on (`marketplace.publishing.audience_change`). Empty: as it is.",
            ),
        ),
    ]
