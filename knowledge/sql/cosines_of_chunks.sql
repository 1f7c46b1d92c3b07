-- How near these chunks are to a vector, each at its best window.
SELECT one.chunk_id, -min(one.vector <#> %(vector)s::halfvec)
FROM knowledge_embedding AS one
WHERE one.chunk_id = ANY(%(chunks)s::bigint[]) AND one.space = %(space)s
GROUP BY one.chunk_id
