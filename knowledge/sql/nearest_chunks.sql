-- The chunks nearest to a vector, each at its best window: every vector of the base is compared. Stored vectors have
-- length one, so the inner product is the cosine; `<#>` is its negative.
SELECT one.chunk_id, -min(one.vector <#> %(vector)s::halfvec) AS cosine, count(*)
FROM knowledge_embedding AS one
WHERE one.knowledge_base_id = %(knowledge_base)s
    AND one.added_in <= %(revision)s AND (one.removed_in IS NULL OR one.removed_in > %(revision)s)
    /* documents */
GROUP BY one.chunk_id
ORDER BY cosine DESC, one.chunk_id
LIMIT %(chunks)s
