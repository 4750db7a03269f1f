-- Deletes a version that has been emptied; foreign keys take its lexemes, statistics and pending marks away.
--
-- params: tenant_no, version_no
DELETE FROM ragspine.index_version AS v
 WHERE v.tenant_no = %(tenant_no)s AND v.version_no = %(version_no)s AND v.state = 'dropped'
