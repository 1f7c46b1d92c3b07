ON CONFLICT (plugin_id, day) DO UPDATE SET
    asked = excluded.asked,
    answered = excluded.answered,
    refused = excluded.refused,
    clarified = excluded.clarified,
    failed = excluded.failed,
    median_ms = excluded.median_ms,
    p95_ms = excluded.p95_ms,
    sentences = excluded.sentences,
    dropped = excluded.dropped
