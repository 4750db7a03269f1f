"""Frozen values and Protocols that every room may name; no I/O, no driver."""
