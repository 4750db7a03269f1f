-- Declares the metadata fields of a new library.
--
-- params: tenant_no, library_no, names (text[]), types (text[]), of equal size
INSERT INTO ragspine.library_field (tenant_no, library_no, name, type)
SELECT %(tenant_no)s, %(library_no)s, f.name, f.type
  FROM unnest(%(names)s::text[], %(types)s::text[]) AS f(name, type)
