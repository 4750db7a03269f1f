"""Stage load: from the bytes of one source to documents, one file a format."""
