-- The questions to each plugin's releases by day. Each plugin's own are found by its index, so a day of few questions
-- does not read those of all years.
INSERT INTO marketplace_dayofplugin
    (plugin_id, day, asked, answered, refused, clarified, failed, median_ms, p95_ms, sentences, dropped)
SELECT plugin.id, counted.*
FROM plugins_plugin plugin
CROSS JOIN LATERAL (
    SELECT
        (created_at AT TIME ZONE 'UTC')::date AS day,
        count(*) AS asked,
        count(*) FILTER (WHERE outcome = 'answered') AS answered,
        count(*) FILTER (WHERE outcome = 'refused') AS refused,
        count(*) FILTER (WHERE outcome = 'clarify') AS clarified,
        count(*) FILTER (WHERE outcome IN ('failed', 'abandoned')) AS failed,
        round(percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) FILTER (WHERE outcome = 'answered'))::integer,
        round(percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) FILTER (WHERE outcome = 'answered'))::integer,
        coalesce(sum(sentences), 0) AS sentences,
        coalesce(sum(unproven), 0) AS dropped
    FROM querying_query
    WHERE plugin_id = plugin.id
        AND release_id IS NOT NULL
        AND reason <> 'courtesy'
        AND created_at >= %(since)s
        AND created_at < %(until)s
    GROUP BY 1
) counted
