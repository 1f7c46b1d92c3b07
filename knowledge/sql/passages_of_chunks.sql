-- The words of these chunks, and the place of each: its page, its document, and in a file of a repository its first line.
-- A page may be long, and its text is looked up by characters, which takes time for each one before. So each page is
-- unpacked once, and where all its characters are of one byte, its bytes are looked up.
WITH page AS MATERIALIZED (
    SELECT
        unpacked.*,
        CASE WHEN octet_length(unpacked.text) = length(unpacked.text) THEN convert_to(unpacked.text, 'UTF8') END AS bytes
    FROM (
        SELECT
            one.id,
            one.number,
            one.label,
            one.read_by,
            one.unsure_spans,
            one.repository_path,
            one.source_sha256,
            one.commit,
            one.text || '' AS text
        FROM knowledge_page AS one
        WHERE one.id IN (SELECT page_id FROM knowledge_chunk WHERE id = ANY(%(chunks)s::bigint[]))
        OFFSET 0
    ) AS unpacked
)
SELECT
    one.id,
    one.document_id,
    one.page_id,
    one.start,
    one."end",
    one.content,
    one.section_path,
    -- Chunks that were stored without it speak for their document as it is today.
    coalesce(nullif(one.document_title, ''), document.title),
    coalesce(nullif(one.source_type, ''), document.source_type),
    CASE WHEN coalesce(one.is_paged, document.page_count IS NOT NULL) THEN page.number END,
    page.label,
    page.read_by = 'ocr',
    page.unsure_spans,
    -- One more than there are line ends before it.
    CASE WHEN page.repository_path = '' THEN 0
        ELSE length(left(page.text, one.start)) - length(replace(left(page.text, one.start), E'\n', '')) + 1 END,
    page.repository_path,
    CASE WHEN page.repository_path = '' THEN '' ELSE page.source_sha256 END,
    page.commit,
    document.effective_from IS NOT NULL OR document.superseded_on IS NOT NULL,
    CASE WHEN page.bytes IS NULL THEN substr(page.text, one.start + 1, one."end" - one.start) = one.content
        ELSE substr(page.bytes, one.start + 1, one."end" - one.start) = convert_to(one.content, 'UTF8') END
FROM knowledge_chunk AS one
INNER JOIN knowledge_document AS document ON document.id = one.document_id
INNER JOIN page ON page.id = one.page_id
WHERE one.id = ANY(%(chunks)s::bigint[])
    /* documents */
