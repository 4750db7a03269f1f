-- The catalogue of schema ragspine as text, a property a line: (line text), to be sorted by the caller.
--
-- No parameters. Names of the owner are written as <owner>, so that databases of different owners compare equal. What no
-- branch below describes still appears as a line `object`, by the catch-all at the end. Needs no right on the tables.
WITH
  ours AS (
    SELECT oid, nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'ragspine'
  ),
  relation AS (
    SELECT c.*, format('%I', c.relname) AS label
      FROM pg_catalog.pg_class AS c
      JOIN ours ON ours.oid = c.relnamespace
  ),
  role (oid, name) AS (
    SELECT 0::oid, 'PUBLIC' UNION ALL SELECT oid, rolname::text FROM pg_catalog.pg_roles
  ),
  -- Every right: on the schema, relations, columns, functions and types. A missing ACL means the built-in default.
  acl (label, owner, acl) AS (
    SELECT 'schema ragspine', n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
      FROM pg_catalog.pg_namespace AS n WHERE n.nspname = 'ragspine'
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'table ' END || label, relowner,
           coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, relowner))
      FROM relation WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL
    SELECT format('column %s.%I', label, attname), relowner, attacl
      FROM relation JOIN pg_catalog.pg_attribute ON attrelid = relation.oid AND attnum > 0 AND attacl IS NOT NULL
    UNION ALL
    SELECT 'function ' || p.oid::regprocedure, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      FROM pg_catalog.pg_proc AS p JOIN ours ON ours.oid = p.pronamespace
    UNION ALL
    SELECT format('type %I', t.typname), t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
      FROM pg_catalog.pg_type AS t JOIN ours ON ours.oid = t.typnamespace
     WHERE t.typcategory <> 'A' AND t.typtype <> 'm'
    UNION ALL
    SELECT 'default of ' || d.defaclobjtype::text, d.defaclrole, d.defaclacl
      FROM pg_catalog.pg_default_acl AS d
      JOIN ours ON ours.oid = d.defaclnamespace OR d.defaclnamespace = 0 AND d.defaclrole = ours.nspowner
  ),
  ownership (label, owner) AS (
    SELECT 'relation ' || label, relowner FROM relation
    UNION ALL
    SELECT 'function ' || p.oid::regprocedure, p.proowner
      FROM pg_catalog.pg_proc AS p JOIN ours ON ours.oid = p.pronamespace
    UNION ALL
    SELECT format('type %I', t.typname), t.typowner
      FROM pg_catalog.pg_type AS t JOIN ours ON ours.oid = t.typnamespace
  )
SELECT 'schema ragspine' AS line FROM ours
UNION ALL
SELECT format('relation %s: kind %s, persistence %s, options %s, replica identity %s, partition %s, of %s, tablespace %s',
              label, relkind, relpersistence, coalesce(reloptions::text, '-'), relreplident,
              coalesce(pg_get_expr(relpartbound, oid), '-'),
              coalesce((SELECT string_agg(inhparent::regclass::text, ', ' ORDER BY inhseqno)
                          FROM pg_catalog.pg_inherits WHERE inhrelid = oid), '-'),
              reltablespace)
  FROM relation
UNION ALL
SELECT format('row security %s: enabled %s, forced %s', label, relrowsecurity, relforcerowsecurity)
  FROM relation WHERE relkind IN ('r', 'p')
UNION ALL
SELECT format('column %s.%I: position %s, %s, null %s, default %s, identity %s, generated %s, collation %s, storage %s,'
              ' compression %s, statistics %s, options %s',
              label, a.attname, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum),
              format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
              coalesce(pg_get_expr(d.adbin, d.adrelid), '-'), coalesce(nullif(a.attidentity, ''), '-'),
              coalesce(nullif(a.attgenerated, ''), '-'), coalesce(nullif(a.attcollation, 0)::regcollation::text, '-'),
              a.attstorage, coalesce(nullif(a.attcompression, ''), '-'), coalesce(nullif(a.attstattarget, -1)::text, '-'),
              coalesce(a.attoptions::text, '-'))
  FROM relation
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = relation.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
 WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'c')
UNION ALL
SELECT format('view %s: %s', label, regexp_replace(pg_get_viewdef(oid), '\s+', ' ', 'g')) FROM relation WHERE relkind IN ('v', 'm')
UNION ALL
SELECT format('sequence %s: %s from %s by %s in %s to %s, cache %s, cycle %s', label, seqtypid::regtype, seqstart,
              seqincrement, seqmin, seqmax, seqcache, seqcycle)
  FROM relation JOIN pg_catalog.pg_sequence ON seqrelid = oid
UNION ALL
SELECT format('constraint %s.%I: %s, validated %s, deferrable %s, deferred %s, inherited %s', label, k.conname,
              pg_get_constraintdef(k.oid), k.convalidated, k.condeferrable, k.condeferred, k.coninhcount)
  FROM relation JOIN pg_catalog.pg_constraint AS k ON k.conrelid = relation.oid
 WHERE k.contype <> 't'
UNION ALL
SELECT format('index %s: %s, valid %s, ready %s, clustered %s, replica identity %s', label, pg_get_indexdef(i.indexrelid),
              i.indisvalid, i.indisready, i.indisclustered, i.indisreplident)
  FROM relation JOIN pg_catalog.pg_index AS i ON i.indexrelid = relation.oid
UNION ALL
SELECT format('policy %s.%I: %s for %s to %s using %s with check %s', label, p.polname,
              CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, p.polcmd,
              (SELECT string_agg(role.name, ', ' ORDER BY role.name)
                 FROM unnest(p.polroles) AS named (oid) JOIN role ON role.oid = named.oid),
              coalesce(regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\s+', ' ', 'g'), '-'),
              coalesce(regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\s+', ' ', 'g'), '-'))
  FROM relation JOIN pg_catalog.pg_policy AS p ON p.polrelid = relation.oid
UNION ALL
SELECT format('function %s: returns %s, %s, security %s, leakproof %s, strict %s, parallel %s, cost %s, rows %s,'
              ' settings %s, language %s, definition %s',
              p.oid::regprocedure, pg_get_function_result(p.oid),
              CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
              CASE WHEN p.prosecdef THEN 'definer' ELSE 'invoker' END, p.proleakproof, p.proisstrict, p.proparallel,
              p.procost, p.prorows, coalesce(p.proconfig::text, '-'), l.lanname,
              encode(sha256(convert_to(
                CASE WHEN p.prokind = 'a' THEN (SELECT to_jsonb(a)::text FROM pg_catalog.pg_aggregate AS a WHERE a.aggfnoid = p.oid)
                     ELSE pg_get_functiondef(p.oid) END, 'UTF8')), 'hex'))
  FROM pg_catalog.pg_proc AS p
  JOIN ours ON ours.oid = p.pronamespace
  JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
UNION ALL
SELECT format('trigger %s.%I: %s, enabled %s', label, t.tgname, pg_get_triggerdef(t.oid), t.tgenabled)
  FROM relation JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = relation.oid AND NOT t.tgisinternal
UNION ALL
-- The triggers of foreign keys have names with numbers; what matters is that none is switched off.
SELECT format('foreign key trigger %s: enabled %s, %s of them', label, t.tgenabled, count(*))
  FROM relation JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = relation.oid AND t.tgisinternal
 GROUP BY label, t.tgenabled
UNION ALL
SELECT format('rule %s.%I: %s', label, r.rulename, pg_get_ruledef(r.oid))
  FROM relation JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = relation.oid AND r.rulename <> '_RETURN'
UNION ALL
SELECT format('statistics %I: %s', s.stxname, pg_get_statisticsobjdef(s.oid))
  FROM pg_catalog.pg_statistic_ext AS s JOIN ours ON ours.oid = s.stxnamespace
UNION ALL
SELECT format('type %I: kind %s, %s, values %s', t.typname, t.typtype, format_type(nullif(t.typbasetype, 0), t.typtypmod),
              coalesce((SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder)
                          FROM pg_catalog.pg_enum WHERE enumtypid = t.oid), '-'))
  FROM pg_catalog.pg_type AS t JOIN ours ON ours.oid = t.typnamespace
 WHERE t.typtype IN ('d', 'e', 'r')
UNION ALL
SELECT format('domain constraint %I.%I: %s', t.typname, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_catalog.pg_constraint AS k
  JOIN pg_catalog.pg_type AS t ON t.oid = k.contypid
  JOIN ours ON ours.oid = t.typnamespace
UNION ALL
SELECT format('text search configuration %I: parser %s, %s', c.cfgname, p.prsname,
              (SELECT string_agg(format('%s > %s', m.maptokentype, m.mapdict::regdictionary), ', '
                                 ORDER BY m.maptokentype, m.mapseqno)
                 FROM pg_catalog.pg_ts_config_map AS m WHERE m.mapcfg = c.oid))
  FROM pg_catalog.pg_ts_config AS c
  JOIN ours ON ours.oid = c.cfgnamespace
  JOIN pg_catalog.pg_ts_parser AS p ON p.oid = c.cfgparser
UNION ALL
SELECT format('text search dictionary %I: template %s, %s', d.dictname, t.tmplname, d.dictinitoption)
  FROM pg_catalog.pg_ts_dict AS d
  JOIN ours ON ours.oid = d.dictnamespace
  JOIN pg_catalog.pg_ts_template AS t ON t.oid = d.dicttemplate
UNION ALL
SELECT format('grant on %s: %s to %s%s', acl.label, entry.privilege_type,
              CASE WHEN entry.grantee = acl.owner THEN '<owner>' ELSE role.name END,
              CASE WHEN entry.is_grantable THEN ' with grant option' ELSE '' END)
  FROM acl
 CROSS JOIN LATERAL aclexplode(acl.acl) AS entry
  JOIN role ON role.oid = entry.grantee
UNION ALL
SELECT format('owner of %s: %s', ownership.label, role.name)
  FROM ownership JOIN role ON role.oid = ownership.owner CROSS JOIN ours
 WHERE ownership.owner <> ours.nspowner
UNION ALL
SELECT format('comment on %s %s: %s', described.type, described.identity, d.description)
  FROM pg_catalog.pg_description AS d
 CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) AS described
 WHERE (described.schema = 'ragspine'
        OR (described.type = 'schema' AND described.name = 'ragspine')
        OR described.identity LIKE '% on ragspine.%')
       -- A digest of the rest, with a test of its own.
   AND NOT (d.objoid = to_regclass('ragspine.alembic_version') AND d.description LIKE 'build %')
UNION ALL
-- Whatever else lies in the schema, of a kind that nobody has thought of.
SELECT format('object %s %s', named.type, named.identity)
  FROM pg_catalog.pg_depend AS d
  JOIN ours ON d.refobjid = ours.oid AND d.refclassid = 'pg_catalog.pg_namespace'::regclass
 CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS named
UNION ALL
SELECT format('published by %I', p.pubname)
  FROM pg_catalog.pg_publication AS p
 WHERE EXISTS (SELECT FROM pg_catalog.pg_publication_tables AS t WHERE t.pubname = p.pubname AND t.schemaname = 'ragspine')
