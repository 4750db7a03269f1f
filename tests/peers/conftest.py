"""Registers the desk."""

from tests.peers.shelf import desk

__all__ = ["desk"]
