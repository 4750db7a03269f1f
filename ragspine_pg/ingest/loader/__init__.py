"""Stage load: from the bytes of one source to documents, one file a format."""

from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, load_text

__all__ = ["DEFAULT_MAX_TEXT_BYTES", "load_text"]
