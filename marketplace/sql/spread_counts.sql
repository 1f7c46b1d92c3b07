-- The figures of the last days, on every listing for which they have changed.
UPDATE marketplace_listing listing
SET asked = counted.asked, dropped_share = counted.dropped_share, installs = counted.installs
FROM (
    SELECT
        listed.plugin_id,
        coalesce(days.asked, 0) AS asked,
        days.dropped::float8 / nullif(days.sentences, 0) AS dropped_share,
        coalesce(copies.installs, 0) AS installs
    FROM marketplace_listing listed
    LEFT JOIN (
        SELECT plugin_id, sum(asked) AS asked, sum(sentences) AS sentences, sum(dropped) AS dropped
        FROM marketplace_dayofplugin
        WHERE day > %(since)s AND day <= %(today)s
        GROUP BY plugin_id
    ) days USING (plugin_id)
    LEFT JOIN (
        SELECT original_id, count(*) AS installs FROM marketplace_install GROUP BY original_id
    ) copies ON copies.original_id = listed.plugin_id
) counted
WHERE counted.plugin_id = listing.plugin_id
    AND (listing.asked, listing.dropped_share, listing.installs)
        IS DISTINCT FROM (counted.asked, counted.dropped_share, counted.installs)
