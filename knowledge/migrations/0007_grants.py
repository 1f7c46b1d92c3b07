import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0006_two_embedders_side_by_side'),
        ('plugins', '0008_plugins_that_are_held'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='KnowledgeGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('consent', models.CharField(choices=[('draft', 'draft: people who work on the plugin ask its draft'), ('published', 'published: everybody who may ask the plugin gets quotations'), ('shared', 'shared: others may also install copies that hold its documents')], default='draft', max_length=12)),
                ('is_attached', models.BooleanField(default=True)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('granted_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('granted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('granted_to', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('knowledge_base', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='knowledge.knowledgebase')),
                ('plugin', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='knowledge_grants', to='plugins.plugin')),
            ],
            options={
                'ordering': ['-requested_at'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('knowledge_base', 'plugin'), name='grant_open_once')],
            },
        ),
    ]
