-- Whether the page is in a copy that anybody may take: the latest release of a plugin that is published and shared
-- reads it, without what is not public where its author tells that apart. A release that also reads a base that is gone
-- or not granted for copies is not copied at all.
EXISTS (
    SELECT 1
    FROM (VALUES (%(expressions)s)) AS page (base_id, added_in, removed_in, is_public, is_template, plugins, grants)
    JOIN knowledge_knowledgebase AS base ON base.id = page.base_id
    JOIN plugins_plugin AS plugin
        ON plugin.id = base.plugin_id
        OR plugin.id IN (
            SELECT given.plugin_id
            FROM knowledge_knowledgegrant AS given
            WHERE given.knowledge_base_id = base.id AND given.id = ANY(page.grants)
        )
    JOIN plugins_release AS release ON release.plugin_id = plugin.id
    CROSS JOIN LATERAL jsonb_array_elements(release.knowledge) AS pin
    WHERE plugin.is_published
        -- Pages have numbers: whoever counts must not come upon what is in no list.
        AND plugin.visibility = 'marketplace'
        AND plugin.is_shared
        AND NOT EXISTS (
            SELECT FROM plugins_release AS newer
            WHERE newer.plugin_id = plugin.id AND newer.created_at > release.created_at
        )
        AND (page.is_public AND NOT page.is_template OR NOT (plugin.public_chat OR release.public_only))
        AND (page.plugins IS NULL OR plugin.id = ANY(page.plugins))
        AND pin ->> 'knowledge_base' = base.id::text
        AND page.added_in <= (pin ->> 'revision')::int
        AND (page.removed_in IS NULL OR page.removed_in > (pin ->> 'revision')::int)
        AND NOT EXISTS (
            SELECT
            FROM jsonb_array_elements(release.knowledge) AS other
            LEFT JOIN knowledge_knowledgebase AS theirs ON theirs.id = (other ->> 'knowledge_base')::bigint
            WHERE theirs.id IS NULL
                OR (
                    theirs.plugin_id IS DISTINCT FROM plugin.id
                    AND NOT EXISTS (
                        SELECT
                        FROM knowledge_knowledgegrant AS given
                        WHERE given.knowledge_base_id = theirs.id
                            AND given.plugin_id = plugin.id
                            AND given.id = ANY(page.grants)
                    )
                )
        )
)
