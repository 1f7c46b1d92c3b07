from django.db import migrations

# The second key of a base to its plugin: both columns together. So a base never stands under a plugin of somebody else,
# a plugin that changes hands takes its base along, and nothing that is deleted takes another person's base with it.
BIND = """
ALTER TABLE plugins_plugin ADD CONSTRAINT plugin_and_owner UNIQUE (id, owner_id);
ALTER TABLE knowledge_knowledgebase ADD CONSTRAINT base_has_owner_of_plugin
    FOREIGN KEY (plugin_id, owner_id) REFERENCES plugins_plugin (id, owner_id)
    ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""
UNBIND = """
ALTER TABLE knowledge_knowledgebase DROP CONSTRAINT base_has_owner_of_plugin;
ALTER TABLE plugins_plugin DROP CONSTRAINT plugin_and_owner;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0008_grants_of_attachments'),
    ]

    operations = [
        migrations.RemoveField(model_name='knowledgebase', name='attached_to'),
        migrations.RunSQL(BIND, UNBIND),
    ]
