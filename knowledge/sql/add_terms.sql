-- Rows for words seen for the first time. In order, so that two ingestions never wait for each other in a circle;
-- only for words that are missing, because a skipped row uses up an id all the same.
INSERT INTO knowledge_term (knowledge_base_id, text)
SELECT %(knowledge_base)s, word.text
FROM unnest(%(words)s::text[]) AS word (text)
WHERE NOT EXISTS (
    SELECT 1 FROM knowledge_term AS known
    WHERE known.knowledge_base_id = %(knowledge_base)s AND known.text = word.text
)
ORDER BY word.text COLLATE "C"
ON CONFLICT DO NOTHING
