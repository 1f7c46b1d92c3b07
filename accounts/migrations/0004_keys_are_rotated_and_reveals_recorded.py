import accounts.models
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


def count_each_key_alone(apps, schema_editor):
    apps.get_model("accounts", "ApiKey").objects.update(counted_as=models.F("id"))


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0003_a_limit_outlives_its_plugin"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="counted_as",
            field=models.UUIDField(default=uuid.uuid4, editable=False),
        ),
        migrations.AddField(
            model_name="apikey",
            name="made_with",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="made",
                to="accounts.apikey",
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="rotated_from",
            field=models.OneToOneField(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="rotated_into",
                to="accounts.apikey",
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="per_day",
            field=models.PositiveIntegerField(
                default=accounts.models.default_per_day,
                help_text="Requests in a day (UTC).",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="per_minute",
            field=models.PositiveIntegerField(
                default=accounts.models.default_per_minute,
                help_text="Requests in a minute.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.CreateModel(
            name="Reveal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reveals", to="accounts.apikey"
                    ),
                ),
            ],
            options={"ordering": ["-at"]},
        ),
        # Keys that were there before share the one value that their new column was given.
        migrations.RunPython(count_each_key_alone, migrations.RunPython.noop),
    ]
