"""Examines an installation from outside: settings, logins, rights, policies, functions, and what is stored.

Each check is a small flow over the catalogue or the data; none changes anything. What the logins at hand cannot see is
said to be unchecked, never passed over.
"""

from ragspine_pg.doctor.diagnosis import CheckResult, Diagnosis, Finding, Level
from ragspine_pg.doctor.examine import examine
from ragspine_pg.doctor.installation import Installation

__all__ = ["CheckResult", "Diagnosis", "Finding", "Installation", "Level", "examine"]
