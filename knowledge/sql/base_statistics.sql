-- One row per base: what it held at the revision asked for. A revision without a row of its own is the one before it.
SELECT
    at.position,
    coalesce(space.number, 0),
    coalesce(space.dimensions, base.dimensions),
    -- The index of knowledge/search/vector_index.py, once it is built.
    EXISTS (
        SELECT 1
        FROM pg_index
        WHERE indexrelid = to_regclass(format('embedding_vector_of_base_%%s_%%s', base.id, coalesce(space.number, 0)))
            AND indisvalid
    ),
    coalesce(held.chunk_count, 0),
    coalesce(held.term_total, 0)
FROM unnest(%(knowledge_bases)s::bigint[], %(revisions)s::int[]) WITH ORDINALITY AS at (base_id, revision, position)
JOIN knowledge_knowledgebase AS base ON base.id = at.base_id
LEFT JOIN LATERAL (
    SELECT chunk_count, term_total
    FROM knowledge_revision
    WHERE knowledge_base_id = at.base_id AND number <= at.revision
    ORDER BY number DESC
    LIMIT 1
) AS held ON true
-- A base that never changed its embedder has no row.
LEFT JOIN LATERAL (
    SELECT number, dimensions
    FROM knowledge_embeddingspace
    WHERE knowledge_base_id = at.base_id AND since <= at.revision
    ORDER BY since DESC
    LIMIT 1
) AS space ON true
ORDER BY at.position
