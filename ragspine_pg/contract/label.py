"""Sensitivity labels."""

from enum import StrEnum


class Sensitivity(StrEnum):
    """How far a text may travel, in rising order. Readers decide who may read; the label decides what may leave.

    PUBLIC and INTERNAL differ only as a label handed to the application. CONFIDENTIAL text goes to no embedder or
    reranker marked remote unless the library opts in. RESTRICTED text is readable by no ``Access`` and goes nowhere.
    """

    PUBLIC = "PUBLIC"
    INTERNAL = "INTERNAL"
    CONFIDENTIAL = "CONFIDENTIAL"
    RESTRICTED = "RESTRICTED"
