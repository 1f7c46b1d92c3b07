-- How often each of the terms stands in these chunks, in the order of the terms, and what the chunks are called.
SELECT
    one.chunk_id,
    one.length,
    ARRAY(
        SELECT CASE WHEN one.terms[found.at] = asked.term THEN one.counts[found.at] ELSE 0 END
        FROM unnest(%(terms)s::int[]) WITH ORDINALITY AS asked (term, position)
        CROSS JOIN LATERAL (SELECT width_bucket(asked.term, one.terms) OFFSET 0) AS found (at)
        ORDER BY asked.position
    ),
    coalesce(nullif(chunk.document_title, ''), document.title),
    chunk.section_path
FROM knowledge_chunkterms AS one
JOIN knowledge_chunk AS chunk ON chunk.id = one.chunk_id
JOIN knowledge_document AS document ON document.id = one.document_id
WHERE one.chunk_id = ANY(%(chunks)s::bigint[])
