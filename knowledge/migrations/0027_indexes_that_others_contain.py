import django.db.models.deletion
from django.db import migrations, models


def drop(name: str, *, table: str, column: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {table} ({column})",
    )


class Migration(migrations.Migration):
    """Each of these columns is the first one of another index that is not much larger."""

    atomic = False

    dependencies = [
        ('knowledge', '0026_packed_word_boxes'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop('knowledge_chunk_document_id_9855d8fa', table='knowledge_chunk', column='document_id'),
                drop('knowledge_page_document_id_b18ab14c', table='knowledge_page', column='document_id'),
                drop('knowledge_embedding_chunk_id_ceb06cd5', table='knowledge_embedding', column='chunk_id'),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='chunk',
                    name='document',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='knowledge.document'),
                ),
                migrations.AlterField(
                    model_name='page',
                    name='document',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pages', to='knowledge.document'),
                ),
                migrations.AlterField(
                    model_name='embedding',
                    name='chunk',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='embeddings', to='knowledge.chunk'),
                ),
            ],
        ),
    ]
