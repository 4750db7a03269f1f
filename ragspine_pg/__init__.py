"""Hybrid retrieval that lives inside your own PostgreSQL."""
