import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


# Their definition says nothing of a space, so that a vector of another length could not be stored beside them. The
# worker builds them anew with the next document, and until then the search compares every vector.
DROP_INDEXES = r"""
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT indexname FROM pg_indexes WHERE indexname ~ '^embedding_vector_of_base_\d+$' LOOP
        EXECUTE format('DROP INDEX %I', name);
    END LOOP;
END
$$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0005_sources'),
    ]

    operations = [
        migrations.RunSQL(DROP_INDEXES, migrations.RunSQL.noop),
        migrations.CreateModel(
            name='EmbeddingSpace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('embedder', models.CharField(max_length=120)),
                ('dimensions', models.PositiveSmallIntegerField()),
                ('since', models.PositiveIntegerField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='embedding',
            name='embedding_window_once',
        ),
        migrations.AddField(
            model_name='embedding',
            name='space',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='knowledgebase',
            name='space',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AlterField(
            model_name='knowledgebase',
            name='embedder',
            field=models.CharField(default='local', help_text='“local”, or “openai:MODEL” or “openai:MODEL:DIMENSIONS”. Once documents are in, an operator changes it with “manage.py reembed”.', max_length=120),
        ),
        migrations.AddConstraint(
            model_name='embedding',
            constraint=models.UniqueConstraint(fields=('chunk', 'space', 'window'), name='embedding_window_once'),
        ),
        migrations.AddField(
            model_name='embeddingspace',
            name='knowledge_base',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='spaces', to='knowledge.knowledgebase'),
        ),
        migrations.AddConstraint(
            model_name='embeddingspace',
            constraint=models.UniqueConstraint(fields=('knowledge_base', 'number'), name='embedding_space_once'),
        ),
        migrations.AddConstraint(
            model_name='embeddingspace',
            constraint=models.UniqueConstraint(condition=models.Q(('since', None)), fields=('knowledge_base',), name='embedding_space_one_in_making'),
        ),
    ]
