-- The same by the index that the base has for itself. Base, space and dimensions must be constants here, as in the index.
SELECT near.chunk_id, -min(near.distance) AS cosine, count(*)
FROM (
    SELECT
        one.chunk_id,
        one.vector::halfvec(%(dimensions)s) <#> %(vector)s::halfvec(%(dimensions)s) AS distance
    FROM knowledge_embedding AS one
    WHERE one.knowledge_base_id = %(knowledge_base)s AND one.space = %(space)s
        AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
        /* documents */
    ORDER BY one.vector::halfvec(%(dimensions)s) <#> %(vector)s::halfvec(%(dimensions)s)
    LIMIT %(windows)s
) AS near
GROUP BY near.chunk_id
ORDER BY cosine DESC, near.chunk_id
LIMIT %(chunks)s
