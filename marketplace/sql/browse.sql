-- What fits a search and its facets: one page of it in order, how many there are, and what each choice would leave.
-- Each facet counts what the others let through. A score is half meaning and half words, both absolute, 0 to 1:
-- ts_rank of alternatives is the mean over the words asked of the weight of the place where each stands, and pi²/6
-- takes back its own discount for a word that occurs once.
WITH asked AS MATERIALIZED (
    SELECT
        (
            SELECT string_agg('(' || one::text || ')', ' | ')::tsquery
            FROM (
                -- Beside its own beginning a word would be counted, and never found.
                SELECT plainto_tsquery('english', word) AS one
                FROM unnest(%(words)s::text[]) word
                WHERE plainto_tsquery('english', word)::text <> ALL (
                    SELECT plainto_tsquery('simple', begun)::text FROM unnest(%(begun)s::text[]) begun
                )
                UNION SELECT phraseto_tsquery('english', phrase) FROM unnest(%(phrases)s::text[]) phrase
                UNION SELECT to_tsquery('simple', begun || ':*')
                FROM unnest(%(begun)s::text[]) begun
                WHERE numnode(plainto_tsquery('english', begun)) > 0
            ) alternatives
            WHERE numnode(one) > 0
        ) AS words,
        (
            SELECT string_agg('(' || one::text || ')', ' & ')::tsquery
            FROM (SELECT phraseto_tsquery('english', phrase) AS one FROM unnest(%(phrases)s::text[]) phrase) required
            WHERE numnode(one) > 0
        ) AS required,
        (
            SELECT string_agg('(' || one::text || ')', ' | ')::tsquery
            FROM (SELECT plainto_tsquery('english', word) AS one FROM unnest(%(excluded)s::text[]) word) excluded
            WHERE numnode(one) > 0
        ) AS excluded
),
-- The words are looked up by their index: beside them a row is read without its long search vector.
worded AS MATERIALIZED (
    SELECT
        listing.plugin_id,
        least(1, 1.6449 * ts_rank('{0.4, 0.6, 0.8, 1}', listing.search, asked.words)) AS lexical
    FROM asked
    JOIN marketplace_listing listing ON listing.search @@ asked.words
),
scored AS MATERIALIZED (
    SELECT
        listing.plugin_id,
        listing.domain,
        listing.tags,
        listing.label = 'measured' AS is_measured,
        coalesce(
            listing.share_right >= %(min_share_right)s AND listing.right_at_least >= %(min_right_at_least)s, false
        ) AS is_right,
        cardinality(%(domains)s::text[]) = 0 OR listing.domain = ANY(%(domains)s::text[]) AS in_domain,
        listing.tags::text[] @> %(tags)s::text[] AS in_tags,
        CASE %(trust)s
            WHEN 'measured' THEN listing.label = 'measured'
            WHEN 'right' THEN coalesce(
                listing.share_right >= %(min_share_right)s AND listing.right_at_least >= %(min_right_at_least)s, false
            )
            ELSE true
        END AS in_trust,
        coalesce(worded.lexical, 0) AS lexical,
        CASE WHEN listing.embedder = %(embedder)s THEN -(listing.vector <#> %(vector)s::halfvec) ELSE 0 END AS cosine,
        CASE %(sort)s
            WHEN 'right' THEN listing.right_at_least
            WHEN 'asked' THEN listing.asked
        END AS figure,
        listing.released_at
    FROM marketplace_listing listing
    LEFT JOIN worded ON worded.plugin_id = listing.plugin_id
    WHERE (
            (SELECT required FROM asked) IS NULL
            OR listing.plugin_id IN (
                SELECT one.plugin_id FROM asked JOIN marketplace_listing one ON one.search @@ asked.required
            )
        )
        AND listing.plugin_id NOT IN (
            SELECT one.plugin_id FROM asked JOIN marketplace_listing one ON one.search @@ asked.excluded
        )
),
found AS MATERIALIZED (
    SELECT
        scored.*,
        0.5 * cosine + 0.5 * lexical AS score,
        plugin.name,
        plugin.public_chat,
        plugin.is_shared,
        (public_chat OR NOT 'chat' = ANY(%(uses)s::text[]))
            AND (is_shared OR NOT 'install' = ANY(%(uses)s::text[])) AS in_use
    FROM scored
    -- A row for each that fits, however many the planner expects: most searches leave few of them.
    CROSS JOIN LATERAL (
        SELECT
            CASE WHEN %(sort)s = 'name' THEN lower(one.name) END AS name,
            one.public_chat,
            one.is_shared
        FROM plugins_plugin one
        WHERE one.id = scored.plugin_id AND one.is_published AND one.visibility = 'marketplace'
        OFFSET 0
    ) plugin
    WHERE (NOT %(is_search)s OR lexical >= %(enough_words)s OR cosine > %(near_enough)s)
        -- What two facets keep out is counted nowhere.
        AND in_domain::int + in_tags::int + in_trust::int >= 2
)
SELECT
    (SELECT count(*) FROM found WHERE in_domain AND in_tags AND in_trust AND in_use),
    ARRAY(
        SELECT plugin_id
        FROM found
        WHERE in_domain AND in_tags AND in_trust AND in_use
        ORDER BY
            CASE %(sort)s WHEN 'best' THEN score ELSE figure END DESC NULLS LAST,
            name,
            released_at DESC,
            plugin_id
        LIMIT %(limit)s OFFSET %(offset)s
    ),
    (
        SELECT coalesce(jsonb_agg(jsonb_build_array(domain, count) ORDER BY is_chosen DESC, count DESC, domain), '[]')
        FROM (
            SELECT domain, count(*) AS count, domain = ANY(%(domains)s::text[]) AS is_chosen
            FROM found
            WHERE in_tags AND in_trust AND in_use
            GROUP BY domain
            ORDER BY is_chosen DESC, count DESC, domain
            LIMIT %(most_choices)s
        ) domains
    ),
    (
        SELECT coalesce(jsonb_agg(jsonb_build_array(tag, count) ORDER BY is_chosen DESC, count DESC, tag), '[]')
        FROM (
            SELECT tag, count(*) AS count, tag = ANY(%(tags)s::text[]) AS is_chosen
            FROM found, unnest(tags) tag
            WHERE in_domain AND in_tags AND in_trust AND in_use
            GROUP BY tag
            ORDER BY is_chosen DESC, count DESC, tag
            LIMIT %(most_choices)s
        ) tags
    ),
    (
        SELECT jsonb_build_object(
            'any', count(*),
            'measured', count(*) FILTER (WHERE is_measured),
            'right', count(*) FILTER (WHERE is_right)
        )
        FROM found
        WHERE in_domain AND in_tags AND in_use
    ),
    (
        SELECT jsonb_build_object(
            'api', count(*) FILTER (WHERE in_use),
            'chat', count(*) FILTER (WHERE in_use AND public_chat),
            'install', count(*) FILTER (WHERE in_use AND is_shared)
        )
        FROM found
        WHERE in_domain AND in_tags AND in_trust
    )
