"""The only room that composes SQL: the catalogue of ``sql/`` and the types its rows become."""
