-- The number of an access class, made on first use.
--
-- params: tenant_no, sensitivity, open_to_members, readers (text[])
-- Returns one row: acl_class_no.
SELECT ragspine.acl_class_no_v1(%(tenant_no)s, %(sensitivity)s, %(open_to_members)s, %(readers)s::text[])
