import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0002_initial"),
        ("plugins", "0001_initial"),
    ]

    operations = [
        # The table that Django made for the relation becomes a model of ours; only its plugin may now be empty.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="ApiKeyPlugin",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        (
                            "apikey",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="limits", to="accounts.apikey"
                            ),
                        ),
                        (
                            "plugin",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="plugins.plugin"
                            ),
                        ),
                    ],
                    options={"db_table": "accounts_apikey_plugins", "unique_together": {("apikey", "plugin")}},
                ),
                migrations.AlterField(
                    model_name="apikey",
                    name="plugins",
                    field=models.ManyToManyField(
                        blank=True,
                        help_text="Only these plugins can be asked with the key. Empty: every plugin its owner may ask.",
                        related_name="+",
                        through="accounts.ApiKeyPlugin",
                        to="plugins.plugin",
                    ),
                ),
            ]
        ),
        migrations.AlterField(
            model_name="apikeyplugin",
            name="plugin",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="plugins.plugin"
            ),
        ),
    ]
