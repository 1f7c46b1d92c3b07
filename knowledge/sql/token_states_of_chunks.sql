-- The token states of all windows of these chunks, in order. Where a base moved from one embedder to another, one of them
-- alone has some.
SELECT DISTINCT ON (chunk_id, "window") chunk_id, token_states
FROM knowledge_embedding
WHERE chunk_id = ANY(%(chunks)s::bigint[]) AND token_states IS NOT NULL
ORDER BY chunk_id, "window", space DESC
