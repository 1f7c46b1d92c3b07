-- For each word asked, in order: whether a listing has it, or says nothing; else the most similar word that one on the
-- air has now, by the share of their letters by three that both have. Words are learnt now and then, and what they
-- stood in may be gone since.
WITH asked AS MATERIALIZED (
    SELECT
        place,
        word AS text,
        ARRAY(SELECT DISTINCT substr('  ' || word || ' ', at, 3) FROM generate_series(1, length(word) + 1) at) AS grams,
        numnode(plainto_tsquery('english', said)) = 0 OR EXISTS (
            SELECT
            FROM marketplace_listing listing
            JOIN plugins_plugin plugin ON plugin.id = listing.plugin_id AND plugin.is_published AND plugin.visibility = 'marketplace'
            WHERE listing.search @@ plainto_tsquery('english', said)
        ) AS is_known
    FROM unnest(%(said)s::text[], %(words)s::text[]) WITH ORDINALITY AS one (said, word, place)
)
SELECT asked.is_known, near.text
FROM asked
LEFT JOIN LATERAL (
    SELECT likely.text
    FROM (
        SELECT known.text, known.listings, both_have.number / (
            cardinality(known.grams) + cardinality(asked.grams) - both_have.number
        ) AS likeness
        FROM marketplace_word known
        CROSS JOIN LATERAL (
            SELECT count(*)::float AS number FROM unnest(known.grams) gram WHERE gram = ANY(asked.grams)
        ) both_have
        WHERE NOT asked.is_known
            AND length(asked.text) >= %(shortest)s
            AND known.grams && asked.grams
            AND abs(length(known.text) - length(asked.text)) <= %(longer_by)s
        ORDER BY likeness DESC, listings DESC, text
        LIMIT 3
    ) likely
    WHERE likely.likeness >= %(alike)s
        AND EXISTS (
            SELECT
            FROM marketplace_listing listing
            JOIN plugins_plugin plugin ON plugin.id = listing.plugin_id AND plugin.is_published AND plugin.visibility = 'marketplace'
            WHERE listing.search @@ plainto_tsquery('simple', likely.text)
        )
    ORDER BY likeness DESC, listings DESC, text
    LIMIT 1
) near ON true
ORDER BY asked.place
