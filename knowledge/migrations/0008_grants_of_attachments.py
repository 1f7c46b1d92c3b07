from django.db import migrations
from django.utils import timezone


def give_back(apps, schema_editor):
    """A base under a plugin of another owner: to the plugin's owner where the base's owner works on that plugin, as
    what is added to a plugin belongs to it; else back to its owner, under the plugin of theirs that read it."""
    KnowledgeBase = apps.get_model('knowledge', 'KnowledgeBase')
    Plugin = apps.get_model('plugins', 'Plugin')
    Release = apps.get_model('plugins', 'Release')
    for base in KnowledgeBase.objects.exclude(plugin=None).select_related('plugin'):
        if base.owner_id == base.plugin.owner_id:
            continue
        if base.plugin.editors.filter(pk=base.owner_id).exists():
            base.owner_id = base.plugin.owner_id
        else:
            base.attached_to.add(base.plugin)
            read = Release.objects.filter(knowledge__contains=[{'knowledge_base': base.pk}]).values('plugin')
            mine = Plugin.objects.filter(pk__in=read, owner_id=base.owner_id, knowledge_base=None)
            base.plugin = mine.order_by('created_at').first()
        base.save(update_fields=['owner', 'plugin'])


def grant_attachments(apps, schema_editor):
    """A grant for every attachment, and for what only releases still read: one that stands where the plugin's owner
    has the base or works with its owner, and one that is ended for everybody else."""
    KnowledgeBase = apps.get_model('knowledge', 'KnowledgeBase')
    KnowledgeGrant = apps.get_model('knowledge', 'KnowledgeGrant')
    Plugin = apps.get_model('plugins', 'Plugin')
    Release = apps.get_model('plugins', 'Release')
    attached = set(KnowledgeBase.attached_to.through.objects.values_list('knowledgebase_id', 'plugin_id'))
    pinned = {
        (pin['knowledge_base'], plugin)
        for plugin, knowledge in Release.objects.values_list('plugin_id', 'knowledge').iterator()
        for pin in knowledge
    }
    bases = KnowledgeBase.objects.select_related('plugin').in_bulk({base for base, _ in attached | pinned})
    plugins = Plugin.objects.in_bulk({plugin for _, plugin in attached | pinned})
    now = timezone.now()
    for pk, plugin_id in sorted(attached | pinned):
        base, plugin = bases.get(pk), plugins[plugin_id]
        if base is None or base.plugin_id == plugin_id:
            continue
        is_own = base.owner_id == plugin.owner_id
        if base.plugin is None:
            # Whoever made a base of no plugin attached it themselves.
            person, stands = base.owner_id, is_own or plugin.editors.filter(pk=base.owner_id).exists()
        else:
            person = plugin.owner_id
            members = base.plugin.editors.filter(pk=person) | base.plugin.viewers.filter(pk=person)
            stands = is_own or members.exists()
        uses = 'shared' if is_own else 'published' if plugin.is_published else 'draft'
        KnowledgeGrant.objects.create(
            knowledge_base=base,
            plugin=plugin,
            consent=uses,
            is_attached=stands and (pk, plugin_id) in attached,
            granted_to_id=person,
            granted_by_id=base.owner_id,
            granted_at=now,
            ended_at=None if stands else now,
        )


class Migration(migrations.Migration):

    dependencies = [
        ('knowledge', '0007_grants'),
    ]

    operations = [
        migrations.RunPython(give_back, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(grant_attachments, migrations.RunPython.noop, elidable=True),
    ]
