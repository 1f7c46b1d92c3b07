import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0024_token_states"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="queued_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(), default=django.utils.timezone.now, editable=False
            ),
        ),
        # Those that wait keep their order. There are few of them beside the others, and an index finds them.
        migrations.RunSQL(
            "UPDATE knowledge_document SET queued_at = updated_at WHERE status = 'queued'", migrations.RunSQL.noop
        ),
    ]
