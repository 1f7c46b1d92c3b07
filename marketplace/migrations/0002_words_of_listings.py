import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('marketplace', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Word',
            fields=[
                ('text', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('grams', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('listings', models.PositiveIntegerField(default=0)),
            ],
            options={
                'indexes': [django.contrib.postgres.indexes.GinIndex(fields=['grams'], name='word_grams')],
            },
        ),
    ]
