-- The chunks with the highest BM25 among those that hold one of the candidate terms.
-- Term ids are sorted within a row, so `width_bucket` finds one by bisection, some ten times as fast as
-- `array_position`; OFFSET 0 keeps it from being computed twice. All is computed in float8: in numeric, which a number
-- with a point is without the cast, it takes half as long again.
SELECT one.chunk_id, (
    SELECT sum(asked.weight * one.counts[found.at] / (
        one.counts[found.at] + %(damping)s::float8 + %(damping_by_length)s::float8 * one.length
    ))
    FROM unnest(%(terms)s::int[], %(weights)s::float8[]) AS asked (term, weight)
    CROSS JOIN LATERAL (SELECT width_bucket(asked.term, one.terms) OFFSET 0) AS found (at)
    WHERE one.terms[found.at] = asked.term
) AS score
FROM knowledge_chunkterms AS one
WHERE one.knowledge_base_id = %(knowledge_base)s
    AND one.terms && %(candidates)s::int[]
    AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
    /* documents */
ORDER BY score DESC, one.chunk_id
LIMIT %(chunks)s
