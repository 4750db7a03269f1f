-- What a grant lets through: rows of its tenant whose class it may read. No grant, no rows.
--
-- Applied at every migrate, to everyone (TO PUBLIC): it binds ragspine_gate, which reads for the readers (ADR 0007), and a
-- login outside our group roles, whatever somebody may grant it: that one gets an error, since it may not call admits_v1.
-- The grant is verified in a scalar subquery: once a statement. admits_v1 asks for the class of one row, after the gate's
-- own conditions, equality of integers, which is leakproof, have found it (ADR 0011). Names of libraries and versions are bound by
-- tenant alone: that a library without a readable document is like none is held by the functions that list them.
-- The last tables have row-level security and no policy for readers: they mix classes and belong to the owner's functions.

ALTER TABLE ragspine.tenant ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.tenant;
CREATE POLICY readable ON ragspine.tenant FOR SELECT TO PUBLIC USING (
  tenant_no = (SELECT ragspine.granted_tenant_no_v1()));

ALTER TABLE ragspine.library ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.library;
CREATE POLICY readable ON ragspine.library FOR SELECT TO PUBLIC USING (
  tenant_no = (SELECT ragspine.granted_tenant_no_v1()));

ALTER TABLE ragspine.index_version ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.index_version;
CREATE POLICY readable ON ragspine.index_version FOR SELECT TO PUBLIC USING (
  tenant_no = (SELECT ragspine.granted_tenant_no_v1()));

ALTER TABLE ragspine.acl_class ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.acl_class;
CREATE POLICY readable ON ragspine.acl_class FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.acl_reader ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.acl_reader;
CREATE POLICY readable ON ragspine.acl_reader FOR SELECT TO PUBLIC USING (
  tenant_no = (SELECT ragspine.granted_tenant_no_v1())
  AND principal = ANY ((SELECT g.principals FROM ragspine.granted_v1() AS g)::text[]));

ALTER TABLE ragspine.document ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.document;
CREATE POLICY readable ON ragspine.document FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.document_page ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.document_page;
CREATE POLICY readable ON ragspine.document_page FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.document_field ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.document_field;
CREATE POLICY readable ON ragspine.document_field FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.chunk ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.chunk;
CREATE POLICY readable ON ragspine.chunk FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.parent_window ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS readable ON ragspine.parent_window;
CREATE POLICY readable ON ragspine.parent_window FOR SELECT TO PUBLIC USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

ALTER TABLE ragspine.dropped_library ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.library_field ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.chunk_lexical ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.chunk_embedding ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.embedding_space ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.pending_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.lexeme ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.lexeme_stat ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.corpus_stat ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.lexical_tail ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.posting_segment ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.posting_block ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.posting_list ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.grant_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE ragspine.revoked_grant ENABLE ROW LEVEL SECURITY;
