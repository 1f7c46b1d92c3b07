-- The chunks with the highest BM25 among those that hold one of the candidate terms.
-- Term ids are sorted within a row, so `width_bucket` finds one by bisection, some ten times as fast as
-- `array_position`. Where a term stands is written out each time: a subquery that is asked it once takes longer. All is
-- computed in float8: in numeric, which a number with a point is without the cast, it takes half as long again.
SELECT one.chunk_id, (
    SELECT sum(asked.weight * one.counts[width_bucket(asked.term, one.terms)] / (
        one.counts[width_bucket(asked.term, one.terms)]
            + %(damping)s::float8 + %(damping_by_length)s::float8 * one.length
    ))
    FROM unnest(%(terms)s::int[], %(weights)s::float8[]) AS asked (term, weight)
    WHERE one.terms[width_bucket(asked.term, one.terms)] = asked.term
) AS score
FROM knowledge_chunkterms AS one
WHERE one.terms && %(candidates)s::int[]
    AND one.knowledge_base_id /* any index */ = %(knowledge_base)s
    AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
    /* documents */
ORDER BY score DESC, one.chunk_id
LIMIT %(chunks)s
