-- A row for every term whose document frequency changed: the one before, and what came and went.
INSERT INTO knowledge_termcount (term_id, revision, document_frequency)
SELECT changed.term_id, %(revision)s, coalesce(held.document_frequency, 0) + changed.difference
FROM (
    SELECT occurring.term_id, sum(one.sign) AS difference
    FROM (
        SELECT unnest(%(added)s::bigint[]) AS chunk_id, 1 AS sign
        UNION ALL
        SELECT unnest(%(removed)s::bigint[]), -1
    ) AS one
    JOIN knowledge_chunkterms AS words ON words.chunk_id = one.chunk_id
    CROSS JOIN LATERAL unnest(words.terms) AS occurring (term_id)
    GROUP BY occurring.term_id
    HAVING sum(one.sign) <> 0
) AS changed
LEFT JOIN LATERAL (
    SELECT document_frequency
    FROM knowledge_termcount
    WHERE term_id = changed.term_id AND revision < %(revision)s
    ORDER BY revision DESC
    LIMIT 1
) AS held ON true
