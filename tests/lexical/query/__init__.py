"""The query language: what is read from a query, and what its operators demand."""
