-- The terms of these bases that have one of these stems in its language.
SELECT DISTINCT known.language, known.stem, term.text
FROM knowledge_termstem AS known
JOIN knowledge_term AS term ON term.id = known.term_id
JOIN unnest(%(languages)s::text[], %(stems)s::text[]) AS asked (language, stem)
    ON asked.stem = known.stem AND asked.language = known.language
WHERE known.knowledge_base_id = ANY(%(knowledge_bases)s::bigint[])
