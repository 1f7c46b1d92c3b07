-- Whether this copy has applied the primary's log up to a position, and each base up to the revision asked for.
-- A server that follows nobody has no position, and is no copy.
SELECT coalesce(pg_last_wal_replay_lsn() >= %(position)s::pg_lsn, false) AND NOT EXISTS (
    SELECT 1
    FROM unnest(%(knowledge_bases)s::bigint[], %(revisions)s::int[]) AS at (base_id, revision)
    LEFT JOIN knowledge_knowledgebase AS base ON base.id = at.base_id
    WHERE base.revision IS NULL OR base.revision < at.revision
)
