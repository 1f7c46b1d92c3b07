-- Give these chunks the vectors of any chunk of their knowledge base, alive or dead, that says the same under the same
-- title, as far as they have none in this space. One statement, so that a chunk gets all windows of its donor or none.
INSERT INTO knowledge_embedding
    (chunk_id, knowledge_base_id, document_id, added_in, removed_in, "window", space, vector, token_states)
SELECT
    wanting.id,
    wanting.knowledge_base_id,
    wanting.document_id,
    wanting.added_in,
    wanting.removed_in,
    known."window",
    known.space,
    known.vector,
    known.token_states
FROM knowledge_chunk AS wanting
CROSS JOIN LATERAL (
    SELECT chunk.id
    FROM knowledge_chunk AS chunk
    WHERE chunk.knowledge_base_id = wanting.knowledge_base_id AND chunk.content_hash = wanting.content_hash
        AND EXISTS (SELECT 1 FROM knowledge_embedding WHERE chunk_id = chunk.id AND space = %(space)s)
    LIMIT 1
) AS donor
JOIN knowledge_embedding AS known ON known.chunk_id = donor.id AND known.space = %(space)s
WHERE wanting.id = ANY(%(chunks)s::bigint[])
    AND NOT EXISTS (SELECT 1 FROM knowledge_embedding WHERE chunk_id = wanting.id AND space = %(space)s)
