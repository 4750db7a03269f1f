"""What a release has shipped never changes: `sql/frozen.txt` lists the hashes of its files."""

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def broken_promises(root: Path) -> list[str]:
    """The listed files that changed or are gone, and lines that are no `<sha256> <path>` in order."""
    faults = []
    entries = [
        line for line in (root / "sql/frozen.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    paths = [entry.partition(" ")[2] for entry in entries]
    if paths != sorted(set(paths)):
        faults.append("the list is not sorted, or names a file twice")
    for entry in entries:
        digest, _, path = entry.partition(" ")
        file = root / path
        if not file.is_file():
            faults.append(f"{path} is gone")
        elif hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            faults.append(f"{path} has changed: restore it, and write the next version as a new file")
    return faults


def test_released_files_are_unchanged() -> None:
    assert broken_promises(ROOT) == []


@pytest.mark.parametrize("fault", ["changed", "gone", "unsorted"])
def test_released_files_are_unchanged_has_teeth(tmp_path: Path, fault: str) -> None:
    functions = tmp_path / "sql/functions"
    functions.mkdir(parents=True)
    (functions / "a_v1.sql").write_bytes(b"SELECT 1;\n")
    (functions / "b_v1.sql").write_bytes(b"SELECT 2;\n")
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()} sql/functions/{path.name}"
        for path in sorted(functions.iterdir())
    ]
    frozen = tmp_path / "sql/frozen.txt"
    frozen.write_text("# header\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert broken_promises(tmp_path) == []
    match fault:
        case "changed":
            (functions / "a_v1.sql").write_bytes(b"SELECT 1 ;\n")
        case "gone":
            (functions / "a_v1.sql").unlink()
        case _:
            frozen.write_text("\n".join(reversed(lines)), encoding="utf-8")
    assert len(broken_promises(tmp_path)) == 1
