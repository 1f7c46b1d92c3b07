-- The chunks that either way proposes, each with both halves of its score: how near its best window is, and how often
-- each of the terms stands in it, in the order of the terms, with its length and what it is called. Counts and headings
-- come as one text each, which the client reads much faster than an array.
WITH nearest (chunk_id, cosine, windows) AS MATERIALIZED (
/* nearest */
),
matching (chunk_id, score) AS MATERIALIZED (
/* matching */
),
proposed (chunk_id) AS MATERIALIZED (
    SELECT chunk_id FROM nearest
    UNION
    SELECT chunk_id FROM matching
)
SELECT
    proposed.chunk_id,
    nearest.windows,
    coalesce(nearest.cosine, (
        SELECT -min(one.vector <#> %(vector)s::halfvec)
        FROM knowledge_embedding AS one
        WHERE one.chunk_id = proposed.chunk_id AND one.space = %(space)s
    )),
    stored.length,
    array_to_string(stored.counts, ','),
    stored.title,
    stored.section_path
FROM proposed
LEFT JOIN nearest ON nearest.chunk_id = proposed.chunk_id
-- OFFSET 0: by the ids of these chunks, and not by a join with all rows of the tables.
CROSS JOIN LATERAL (
    SELECT
        held.length,
        ARRAY(
            SELECT CASE held.terms[width_bucket(asked.term, held.terms)]
                WHEN asked.term THEN held.counts[width_bucket(asked.term, held.terms)] ELSE 0 END
            FROM unnest(%(terms)s::int[]) WITH ORDINALITY AS asked (term, position)
            ORDER BY asked.position
        ) AS counts,
        coalesce(nullif(chunk.document_title, ''), document.title) AS title,
        array_to_json(chunk.section_path)::text AS section_path
    FROM knowledge_chunk AS chunk
    JOIN knowledge_document AS document ON document.id = chunk.document_id
    LEFT JOIN knowledge_chunkterms AS held ON held.chunk_id = chunk.id
    WHERE chunk.id = proposed.chunk_id
    OFFSET 0
) AS stored
