-- The chunks of the windows nearest to a vector, each at its best window: every vector of the base is compared.
-- Sorting windows and grouping the first of them is twice as fast as grouping all. Stored vectors have length one,
-- so the inner product is the cosine; `<#>` is its negative.
SELECT near.chunk_id, -min(near.distance) AS cosine, count(*)
FROM (
    SELECT one.chunk_id, one.vector <#> %(vector)s::halfvec AS distance
    FROM knowledge_embedding AS one
    WHERE one.knowledge_base_id = %(knowledge_base)s AND one.space = %(space)s
        AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
        /* documents */
    ORDER BY distance
    LIMIT %(windows)s
) AS near
GROUP BY near.chunk_id
ORDER BY cosine DESC, near.chunk_id
LIMIT %(chunks)s
