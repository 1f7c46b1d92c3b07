-- Give the windows of these knowledge bases that have no token states those of a chunk of other bases that says the same
-- under the same title and has as many windows.
UPDATE knowledge_embedding AS wanting
SET token_states = known.token_states
FROM knowledge_chunk AS chunk
CROSS JOIN LATERAL (
    SELECT donor.id, windows.space, windows.number
    FROM knowledge_chunk AS donor
    CROSS JOIN LATERAL (
        SELECT space, count(*) AS number
        FROM knowledge_embedding
        WHERE chunk_id = donor.id
        GROUP BY space
        HAVING bool_and(token_states IS NOT NULL)
    ) AS windows
    WHERE donor.knowledge_base_id = ANY(%(sources)s::bigint[]) AND donor.content_hash = chunk.content_hash
    LIMIT 1
) AS same
JOIN knowledge_embedding AS known ON known.chunk_id = same.id AND known.space = same.space
WHERE wanting.chunk_id = chunk.id AND wanting."window" = known."window"
    AND wanting.knowledge_base_id = ANY(%(targets)s::bigint[]) AND wanting.token_states IS NULL
    AND same.number = (
        SELECT count(*) FROM knowledge_embedding WHERE chunk_id = chunk.id AND space = wanting.space
    )
