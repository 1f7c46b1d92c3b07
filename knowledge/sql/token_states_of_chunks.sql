-- All windows of these chunks, in order, with their token states where they have some. Where a base moved from one embedder
-- to another, those of the later one come first.
SELECT chunk_id, space::int, token_states
FROM knowledge_embedding
WHERE chunk_id = ANY(%(chunks)s::bigint[])
ORDER BY chunk_id, space DESC, "window"
