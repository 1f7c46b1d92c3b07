-- Whether a release of a plugin that is published and shared reads the page: whoever may take a copy of a plugin may
-- read what it reads. Of a base that belongs to somebody else a plugin's author may pass nothing on.
EXISTS (
    SELECT 1
    FROM (VALUES (%(expressions)s)) AS page (base_id, added_in, removed_in, plugins)
    JOIN knowledge_knowledgebase AS base ON base.id = page.base_id
    JOIN plugins_plugin AS plugin ON plugin.id = base.plugin_id OR plugin.owner_id = base.owner_id
    JOIN plugins_release AS release ON release.plugin_id = plugin.id
    CROSS JOIN LATERAL jsonb_array_elements(release.knowledge) AS pin
    WHERE plugin.is_published
        AND plugin.is_shared
        AND (page.plugins IS NULL OR plugin.id = ANY(page.plugins))
        AND pin ->> 'knowledge_base' = base.id::text
        AND page.added_in <= (pin ->> 'revision')::int
        AND (page.removed_in IS NULL OR page.removed_in > (pin ->> 'revision')::int)
)
