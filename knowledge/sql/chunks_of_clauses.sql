-- Which of these chunks stand under such a heading, or hold a line that begins like one.
SELECT one.id
FROM knowledge_chunk AS one
WHERE one.id = ANY(%(chunks)s::bigint[]) AND (
    one.content ~ %(heading)s
    OR EXISTS (SELECT FROM unnest(one.section_path) AS step WHERE step ~ %(heading)s)
)
