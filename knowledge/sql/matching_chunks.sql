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
    -- + 0: not by the index of the base, for then the terms of all its chunks are compared with all of these. By their
    -- own index only those are read that hold one; a term is of one base.
    AND one.knowledge_base_id + 0 = %(knowledge_base)s
    AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
    /* documents */
ORDER BY score DESC, one.chunk_id
LIMIT %(chunks)s
