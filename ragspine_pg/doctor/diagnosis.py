"""What an examination found."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from ragspine_pg.contract.canonical import canonical_json

Level: TypeAlias = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a check has to say, and how to mend it (empty where nothing is to be done)."""

    level: Level
    what: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check. ``unchecked`` says why it could not be made; it is empty where it was."""

    check: str
    about: str
    findings: tuple[Finding, ...] = ()
    unchecked: str = ""

    @property
    def state(self) -> str:
        """``error`` or ``warning`` after the worst finding, ``unchecked``, else ``ok``."""
        levels = {finding.level for finding in self.findings}
        for level in ("error", "warning"):
            if level in levels:
                return level
        return "unchecked" if self.unchecked else "ok"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in force, without secrets, and where it comes from: call, environment, embedded server, default."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All of it, in the order in which it was examined."""

    settings: tuple[Setting, ...]
    checks: tuple[CheckResult, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(check.state != "error" for check in self.checks)

    def findings(self, *levels: Level) -> list[Finding]:
        """The findings of these levels."""
        return [finding for check in self.checks for finding in check.findings if finding.level in levels]

    def to_json(self) -> str:
        """One JSON object: ``ok``, ``settings``, and ``checks`` with their state and findings."""
        written: dict[str, Any] = {
            "ok": self.ok,
            "settings": [asdict(setting) for setting in self.settings],
            "checks": [
                {
                    "check": check.check,
                    "about": check.about,
                    "state": check.state,
                    "findings": [asdict(finding) for finding in check.findings],
                    "unchecked": check.unchecked,
                }
                for check in self.checks
            ],
        }
        return canonical_json(written)
