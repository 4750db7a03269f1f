-- For members of ragspine_reader the same bounds once more, as restrictive policies. They have no right on the tables.
--
-- Applied at every migrate where the role exists. Permissive policies are OR-ed: a login that was made a member of
-- ragspine_ingest as well would see everything. A restrictive policy is AND-ed, so it still holds then.

DROP POLICY IF EXISTS bounded ON ragspine.document;
CREATE POLICY bounded ON ragspine.document AS RESTRICTIVE TO ragspine_reader USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

DROP POLICY IF EXISTS bounded ON ragspine.document_page;
CREATE POLICY bounded ON ragspine.document_page AS RESTRICTIVE TO ragspine_reader USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

DROP POLICY IF EXISTS bounded ON ragspine.document_field;
CREATE POLICY bounded ON ragspine.document_field AS RESTRICTIVE TO ragspine_reader USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

DROP POLICY IF EXISTS bounded ON ragspine.chunk;
CREATE POLICY bounded ON ragspine.chunk AS RESTRICTIVE TO ragspine_reader USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));

DROP POLICY IF EXISTS bounded ON ragspine.parent_window;
CREATE POLICY bounded ON ragspine.parent_window AS RESTRICTIVE TO ragspine_reader USING (
  ragspine.admits_v1((SELECT g FROM ragspine.granted_v1() AS g), tenant_no, acl_class_no));
