-- The words in the names, taglines, domains and tags of what is published, in the place of those that were known. Each
-- with its letters by three, as pg_trgm would cut them: that extension is not everywhere.
WITH current AS (
    SELECT word AS text, count(*) AS listings
    FROM marketplace_listing listing
    JOIN plugins_plugin plugin ON plugin.id = listing.plugin_id AND plugin.is_published AND plugin.visibility = 'marketplace'
    CROSS JOIN LATERAL unnest(
        tsvector_to_array(
            to_tsvector(
                'simple',
                concat_ws(' ', plugin.name, plugin.tagline, listing.domain, array_to_string(listing.tags, ' '))
            )
        )
    ) word
    WHERE word ~ '^[[:alpha:]]{4,40}$'
        AND numnode(plainto_tsquery('english', word)) > 0
    GROUP BY word
    ORDER BY listings DESC, word
    LIMIT %(most)s
),
gone AS (
    DELETE FROM marketplace_word known
    WHERE NOT EXISTS (SELECT FROM current WHERE current.text = known.text)
)
INSERT INTO marketplace_word AS known (text, grams, listings)
SELECT
    text,
    ARRAY(SELECT DISTINCT substr('  ' || text || ' ', place, 3) FROM generate_series(1, length(text) + 1) place),
    listings
FROM current
ON CONFLICT (text) DO UPDATE SET listings = EXCLUDED.listings WHERE known.listings <> EXCLUDED.listings
