-- The figures of the revision before, and what came and went.
INSERT INTO knowledge_revision (knowledge_base_id, number, chunk_count, term_total, created_at)
SELECT
    %(knowledge_base)s,
    %(revision)s,
    coalesce(held.chunk_count, 0) + changed.chunks,
    coalesce(held.term_total, 0) + changed.words,
    statement_timestamp()
FROM (
    SELECT coalesce(sum(one.sign), 0) AS chunks, coalesce(sum(one.sign * words.length), 0) AS words
    FROM (
        SELECT unnest(%(added)s::bigint[]) AS chunk_id, 1 AS sign
        UNION ALL
        SELECT unnest(%(removed)s::bigint[]), -1
    ) AS one
    JOIN knowledge_chunkterms AS words ON words.chunk_id = one.chunk_id
) AS changed
LEFT JOIN LATERAL (
    SELECT chunk_count, term_total
    FROM knowledge_revision
    WHERE knowledge_base_id = %(knowledge_base)s AND number < %(revision)s
    ORDER BY number DESC
    LIMIT 1
) AS held ON true
