-- In how many chunks of each base a term occurred at the revision asked for.
SELECT at.position, term.text, term.id, held.document_frequency
FROM unnest(%(knowledge_bases)s::bigint[], %(revisions)s::int[]) WITH ORDINALITY AS at (base_id, revision, position)
JOIN knowledge_term AS term ON term.knowledge_base_id = at.base_id AND term.text = ANY(%(terms)s::text[])
CROSS JOIN LATERAL (
    SELECT document_frequency
    FROM knowledge_termcount
    WHERE term_id = term.id AND revision <= at.revision
    ORDER BY revision DESC
    LIMIT 1
) AS held
