-- The words of these chunks, and the place of each: its page, its document, and in a file of a repository its first line.
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
    substr(page.text, one.start + 1, one."end" - one.start) = one.content
FROM knowledge_chunk AS one
INNER JOIN knowledge_document AS document ON document.id = one.document_id
INNER JOIN knowledge_page AS page ON page.id = one.page_id
WHERE one.id = ANY(%(chunks)s::bigint[])
    /* documents */
