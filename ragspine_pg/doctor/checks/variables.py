"""Whether the environment holds what looks like a setting and is none."""

import os

from ragspine_pg.config import unknown_variables
from ragspine_pg.contract.setting import PREFIX
from ragspine_pg.doctor.check import warning
from ragspine_pg.doctor.diagnosis import CheckResult, Finding


def variables() -> CheckResult:
    """Names alone are looked at, and no value is shown."""
    findings: list[Finding] = []
    for name, near in unknown_variables(os.environ).items():
        fix = f"unset {name}" if near is None else f"is {near} meant? rename it, or unset {name}"
        findings.append(warning(f"{name} is no setting and has no effect", fix))
    return CheckResult("variables", f"every {PREFIX}… in the environment is a setting", tuple(findings))
