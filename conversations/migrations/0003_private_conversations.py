import uuid

import django.contrib.postgres.functions
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('conversations', '0002_projects'),
        ('plugins', '0014_origins_that_may_embed_the_chat'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RenameField(model_name='chatmessage', old_name='answer', new_name='metadata'),
        migrations.AddField(
            model_name='chatmessage',
            name='uuid',
            field=models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AddField(
            model_name='chatsession',
            name='is_private',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='chatsession',
            name='project',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='conversations', to='conversations.project'),
        ),
        migrations.AlterField(
            model_name='chatsession',
            name='plugin',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='chat_sessions', to='plugins.plugin'),
        ),
        migrations.AlterField(
            model_name='chatsession',
            name='title',
            field=models.CharField(blank=True, help_text='The beginning of its first question.', max_length=120),
        ),
        migrations.AddIndex(
            model_name='chatsession',
            index=models.Index(fields=['user', '-last_used_at'], name='chat_session_of_user'),
        ),
        migrations.AddConstraint(
            model_name='chatsession',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('is_private', False), ('plugin__isnull', False), ('project', None)), models.Q(('is_private', True), ('plugin', None), ('user__isnull', False)), _connector='OR'), name='chat_session_is_of_a_plugin_or_private'),
        ),
    ]
