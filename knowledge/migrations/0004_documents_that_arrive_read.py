from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0003_stage_estimate_and_former_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='document',
            name='arrived_sha256',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
    ]
