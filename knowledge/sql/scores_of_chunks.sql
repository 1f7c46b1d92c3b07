-- The BM25 of these chunks, as in matching_chunks.sql; null where a chunk holds none of the terms.
SELECT one.chunk_id, (
    SELECT sum(asked.weight * one.counts[found.at] / (
        one.counts[found.at] + %(k1)s * (1 - %(b)s + %(b)s * one.length / %(mean_length)s)
    ))
    FROM unnest(%(terms)s::int[], %(weights)s::float8[]) AS asked (term, weight)
    CROSS JOIN LATERAL (SELECT width_bucket(asked.term, one.terms) OFFSET 0) AS found (at)
    WHERE one.terms[found.at] = asked.term
)
FROM knowledge_chunkterms AS one
WHERE one.chunk_id = ANY(%(chunks)s::bigint[])
