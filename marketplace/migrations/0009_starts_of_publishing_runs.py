from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0008_approvals_of_releases")]

    operations = [
        migrations.AddField(
            model_name="publishingrun",
            name="starts",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="How often a worker began since a question was answered last."
            ),
        ),
    ]
