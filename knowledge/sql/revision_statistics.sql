-- What each base held at the revision asked for, with a row for each of the terms that it has an id for, or one without a
-- term. A revision without a row of its own is the one before it.
WITH at AS MATERIALIZED (
    SELECT
        asked.position,
        asked.base_id,
        asked.revision,
        coalesce(space.number, 0) AS space,
        coalesce(space.dimensions, base.dimensions) AS dimensions,
        -- The index of knowledge/search/vector_index.py, once it is built.
        EXISTS (
            SELECT 1
            FROM pg_index
            WHERE indexrelid = to_regclass(
                format('embedding_vector_of_base_%%s_%%s', base.id, coalesce(space.number, 0))
            ) AND indisvalid
        ) AS has_index,
        coalesce(held.chunk_count, 0) AS chunk_count,
        coalesce(held.term_total, 0) AS term_total
    FROM unnest(%(knowledge_bases)s::bigint[], %(revisions)s::int[])
        WITH ORDINALITY AS asked (base_id, revision, position)
    JOIN knowledge_knowledgebase AS base ON base.id = asked.base_id
    LEFT JOIN LATERAL (
        SELECT chunk_count, term_total
        FROM knowledge_revision
        WHERE knowledge_base_id = asked.base_id AND number <= asked.revision
        ORDER BY number DESC
        LIMIT 1
    ) AS held ON true
    -- A base that never changed its embedder has no row.
    LEFT JOIN LATERAL (
        SELECT number, dimensions
        FROM knowledge_embeddingspace
        WHERE knowledge_base_id = asked.base_id AND since <= asked.revision
        ORDER BY since DESC
        LIMIT 1
    ) AS space ON true
)
SELECT
    at.position, at.space, at.dimensions, at.has_index, at.chunk_count, at.term_total,
    known.text, known.id, known.document_frequency
FROM at
LEFT JOIN LATERAL (
    SELECT term.text, term.id, held.document_frequency
    FROM knowledge_term AS term
    CROSS JOIN LATERAL (
        -- In how many chunks it occurred at that revision.
        SELECT document_frequency
        FROM knowledge_termcount
        WHERE term_id = term.id AND revision <= at.revision
        ORDER BY revision DESC
        LIMIT 1
    ) AS held
    WHERE term.knowledge_base_id = at.base_id AND term.text = ANY(%(terms)s::text[])
) AS known ON true
ORDER BY at.position
