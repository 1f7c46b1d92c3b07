from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0025_when_a_document_began_to_wait'),
    ]

    operations = [
        migrations.AddField(
            model_name='page',
            name='packed_words',
            field=models.BinaryField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='page',
            name='words',
            field=models.JSONField(editable=False, null=True),
        ),
        # They are packed already, so compressing them gains nothing.
        migrations.RunSQL(
            "ALTER TABLE knowledge_page ALTER COLUMN packed_words SET STORAGE EXTERNAL", migrations.RunSQL.noop
        ),
    ]
