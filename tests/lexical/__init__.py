"""The lexical engine: what is sealed in postings is found as a scan finds it."""
