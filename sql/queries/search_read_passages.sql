-- Text, attribution and rights of ranked chunks.
--
-- Params:  version_nos, chunk_nos (parallel arrays in rank order), expand (null or 'parent').
-- Returns: a row a chunk that the caller may read, in that order.
SELECT p.place, p.tenant, p.library_id, p.document_id, p.chunk_id, p.index_version, p.title, p.source_uri, p.metadata,
       p.sensitivity, p.open_to_members, p.reader_principals,
       ragspine.locator_v1(p.span_start, p.span_end, p.slice_sha256),
       coalesce(ragspine.locator_v1(p.window_start, p.window_end, p.window_sha256), ''),
       p.text, coalesce(p.window_text, '')
  FROM ragspine.read_passages_v1(%(version_nos)s::integer[], %(chunk_nos)s::bigint[], %(expand)s::text) AS p
 ORDER BY p.place
