"""A small corpus in four languages with mixed rights, and the tour that ``ragspine-pg demo`` gives with it."""

from ragspine_pg.demo.libraries import DemoLibrary, demo_libraries

__all__ = ["DemoLibrary", "demo_libraries"]
