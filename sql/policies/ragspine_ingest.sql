-- Members of ragspine_ingest write documents of every tenant; the grant's keys are not theirs.
--
-- Applied at every migrate where the role exists. Ingest is another authority than reading: other login, other budget.

DROP POLICY IF EXISTS writable ON ragspine.tenant;
CREATE POLICY writable ON ragspine.tenant TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.library;
CREATE POLICY writable ON ragspine.library TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.dropped_library;
CREATE POLICY writable ON ragspine.dropped_library TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.index_version;
CREATE POLICY writable ON ragspine.index_version TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.acl_class;
CREATE POLICY writable ON ragspine.acl_class TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.acl_reader;
CREATE POLICY writable ON ragspine.acl_reader TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.document;
CREATE POLICY writable ON ragspine.document TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.document_page;
CREATE POLICY writable ON ragspine.document_page TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.document_field;
CREATE POLICY writable ON ragspine.document_field TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.chunk;
CREATE POLICY writable ON ragspine.chunk TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.parent_window;
CREATE POLICY writable ON ragspine.parent_window TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.library_field;
CREATE POLICY writable ON ragspine.library_field TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.chunk_lexical;
CREATE POLICY writable ON ragspine.chunk_lexical TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.lexeme;
CREATE POLICY writable ON ragspine.lexeme TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.lexeme_stat;
CREATE POLICY writable ON ragspine.lexeme_stat TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.corpus_stat;
CREATE POLICY writable ON ragspine.corpus_stat TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.chunk_embedding;
CREATE POLICY writable ON ragspine.chunk_embedding TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.embedding_space;
CREATE POLICY writable ON ragspine.embedding_space TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.pending_document;
CREATE POLICY writable ON ragspine.pending_document TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.lexical_tail;
CREATE POLICY writable ON ragspine.lexical_tail TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.posting_segment;
CREATE POLICY writable ON ragspine.posting_segment TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.posting_block;
CREATE POLICY writable ON ragspine.posting_block TO ragspine_ingest USING (true) WITH CHECK (true);

DROP POLICY IF EXISTS writable ON ragspine.posting_list;
CREATE POLICY writable ON ragspine.posting_list TO ragspine_ingest USING (true) WITH CHECK (true);
