"""The size of a posting segment: tables, seals and the SQL that searches them agree on it."""

SEGMENT = 4000
"""Chunks of a segment: that many float32 are added up in two microseconds, twice as many in sixteen (ADR 0013)."""
