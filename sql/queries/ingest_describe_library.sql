-- Gives a library another description.
--
-- params: tenant_no, library_no, description
UPDATE ragspine.library
   SET description = %(description)s
 WHERE tenant_no = %(tenant_no)s AND library_no = %(library_no)s AND description <> %(description)s
