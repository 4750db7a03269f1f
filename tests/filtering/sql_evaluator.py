"""Evaluates filters in the database, as the product compiles them, over documents stored for the purpose."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg

from ragspine_pg.contract.filter import MetadataFilter
from ragspine_pg.contract.metadata import dump_json, freeze_metadata

_STORE = """
WITH stored AS (
  INSERT INTO ragspine.document (tenant_no, library_no, acl_class_no, document_id, source_uri, title, metadata,
                                 text_length, content_sha256)
  SELECT %(tenant)s, %(library)s, %(class)s, e.position - 1, '', '', e.value, 0, repeat('0', 64)
    FROM jsonb_array_elements(%(rows)s::jsonb) WITH ORDINALITY AS e (value, position)
  RETURNING document_no, metadata)
INSERT INTO ragspine.document_field (tenant_no, field_no, key, document_no, acl_class_no)
SELECT %(tenant)s, k.field_no, k.key, s.document_no, %(class)s
  FROM stored AS s, ragspine.document_field_keys_v1(s.metadata, %(tenant)s, %(library)s) AS k
"""


class SqlEvaluator:
    """A library of a new tenant in an open transaction; ``store`` replaces its documents."""

    def __init__(self, connection: psycopg.Connection[Any], fields: Mapping[str, str]) -> None:
        self.connection = connection
        self.tenant_id = f"filters-{secrets.token_hex(6)}"
        (self.tenant,) = self._row(
            "INSERT INTO ragspine.tenant (tenant) VALUES (%s) RETURNING tenant_no", [self.tenant_id]
        )
        (self.library,) = self._row(
            "INSERT INTO ragspine.library (tenant_no, library_id) VALUES (%s, 'rows') RETURNING library_no",
            [self.tenant],
        )
        (self.acl_class,) = self._row(
            "INSERT INTO ragspine.acl_class (tenant_no, sensitivity, open_to_members, readers_sha256)"
            " VALUES (%s, 'INTERNAL', true, sha256('')) RETURNING acl_class_no",
            [self.tenant],
        )
        for name, kind in fields.items():
            self.connection.execute(
                "INSERT INTO ragspine.library_field (tenant_no, library_no, name, type) VALUES (%s, %s, %s, %s)",
                [self.tenant, self.library, name, kind],
            )

    def store(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Make ``rows`` the documents of the library, with their index of declared fields."""
        self.connection.execute("DELETE FROM ragspine.document WHERE tenant_no = %s", [self.tenant])
        text = dump_json([freeze_metadata(row) for row in rows])
        self.connection.execute(
            _STORE, {"tenant": self.tenant, "library": self.library, "class": self.acl_class, "rows": text}
        )

    def compile(self, filter_json: str) -> str:
        """The compiled expression of a filter."""
        (compiled,) = self._row(
            "SELECT condition FROM ragspine.compile_filter_v1(%s::jsonb, %s, %s, %s)",
            [filter_json, self.tenant, self.library, [self.acl_class]],
        )
        return str(compiled)

    def matching(self, metadata_filter: MetadataFilter) -> list[int]:
        """Positions of the stored rows that match, in order."""
        query, parameters = self.statement(metadata_filter)
        with psycopg.RawCursor(self.connection) as cursor:
            return [position for (position,) in cursor.execute(f"{query} ORDER BY 1", parameters)]

    def statement(self, metadata_filter: MetadataFilter) -> tuple[str, list[Any]]:
        """The query for the documents that match, and its parameters."""
        filter_json = metadata_filter.to_json()
        query = (
            "SELECT d.document_id::integer FROM ragspine.document AS d"
            f" WHERE d.tenant_no = $3 AND d.library_no = $4 AND ({self.compile(filter_json)})"
        )
        return query, [_Jsonb(filter_json), [self.acl_class], self.tenant, self.library]

    def truths(self, metadata_filter: MetadataFilter, count: int) -> list[bool | None]:
        """The truth of each of the ``count`` stored rows: unknown where neither the filter nor its negation matches."""
        true = set(self.matching(metadata_filter))
        false = set(self.matching(MetadataFilter.none_of(metadata_filter)))
        assert not true & false
        return [True if at in true else False if at in false else None for at in range(count)]

    def _row(self, query: str, parameters: list[Any]) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = self.connection.execute(query, parameters).fetchone()
        assert row is not None
        return row


class _Jsonb:
    """JSON text on its way to a jsonb parameter."""

    def __init__(self, text: str) -> None:
        self.text = text


class _JsonbDumper(psycopg.adapt.Dumper):
    oid = psycopg.adapters.types["jsonb"].oid

    def dump(self, obj: _Jsonb) -> bytes:
        return obj.text.encode()


psycopg.adapters.register_dumper(_Jsonb, _JsonbDumper)
