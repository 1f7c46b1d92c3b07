from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0023_titles_that_somebody_gave'),
    ]

    operations = [
        migrations.AddField(
            model_name='embedding',
            name='token_states',
            field=models.BinaryField(editable=False, null=True),
        ),
        # They are packed already, so compressing them gains nothing.
        migrations.RunSQL(
            "ALTER TABLE knowledge_embedding ALTER COLUMN token_states SET STORAGE EXTERNAL", migrations.RunSQL.noop
        ),
    ]
