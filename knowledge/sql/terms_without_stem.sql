-- The terms of these chunks that have no stem in this language yet.
SELECT term.id, term.text
FROM knowledge_term AS term
WHERE term.id IN (
        SELECT held.id
        FROM knowledge_chunkterms AS one
        CROSS JOIN LATERAL unnest(one.terms) AS held (id)
        WHERE one.chunk_id = ANY(%(chunks)s::bigint[])
    )
    AND NOT EXISTS (
        SELECT 1 FROM knowledge_termstem AS known WHERE known.term_id = term.id AND known.language = %(language)s
    )
